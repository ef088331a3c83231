// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/sim/rtl_node.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "blocks/verilated/hbm2_memory.h"
#include "fabric/error.h"

namespace polyloom::collective {
namespace {

constexpr std::size_t kRtlLanes = 15;
constexpr unsigned kRtlChannels = 16, kRtlPorts = 16;
constexpr std::uint64_t kRtlChannelBytes = 4096;
constexpr unsigned kLeastReadBeats = 64, kMostReadBeats = 1024;

void check(const CollectiveParams& p, const std::string& name, std::size_t lanes) {
  const auto refuse = [&](const std::string& what) {
    throw UserError(name + ": fidelity rtl has " + what + "; use fidelity sim for this node");
  };
  if (lanes < 1 || lanes > kRtlLanes) {
    refuse("1 to 15 lanes, and the topology gives it " + std::to_string(lanes));
  }
  if (p.channels > kRtlChannels) refuse("at most 16 channels, not " + std::to_string(p.channels));
  if (p.operator_ports > kRtlPorts) {
    refuse("at most 16 operator inputs, not " + std::to_string(p.operator_ports) +
           " (operator_inputs of [collective])");
  }
  if (!std::has_single_bit(p.channel.bytes) || p.channel.bytes < kRtlChannelBytes) {
    refuse("channels of a power of two of bytes, at least 4 KiB, not " + std::to_string(p.channel.bytes));
  }
  if (p.channel.read_latency + 34 > kMostReadBeats) refuse("a read_latency of at most 990 cycles");
  if (!p.stored) refuse("no contents = \"none\"");
}

}  // namespace

blocks::RtlShape rtl_shape(const CollectiveParams& p, const std::string& name, std::size_t lanes) {
  check(p, name, lanes);
  std::uint64_t kinds = 0;
  for (const OperatorKind kind : p.operators) kinds |= std::uint64_t{1} << static_cast<unsigned>(kind);
  blocks::RtlShape shape;
  shape.top = "polyloom_collective_node";
  shape.files = {"roles/collective/rtl/collective.f"};
  const auto set = [&](const char* name_of, std::uint64_t value) {
    shape.parameters[name_of] = std::to_string(value);
  };
  set("Lanes", lanes);
  p.parameters(set);
  set("OpPorts", p.operator_ports);
  set("OpKinds", p.operator_ports == 0 ? 0 : kinds);
  set("TxBeats", kTxBeats);
  // Two beats more than the model: a credit comes back a cycle later, and requests are bursts.
  set("ReadBeats", std::max(kLeastReadBeats, p.read_beats() + 2));
  set("ChannelBits", static_cast<unsigned>(std::countr_zero(p.channel.bytes)));
  shape.parameters["ClockHz"] = "64'd" + std::to_string(p.clock_hz);
  return shape;
}

std::unique_ptr<blocks::VerilatedNode> make_rtl_node(const CollectiveParams& p, const NodeSite& site,
                                                     const fabric::WaveRequest* wave) {
  blocks::VerilatedParams params;
  params.name = site.name;
  params.shape = rtl_shape(p, site.name, site.lanes.size());
  params.clock_hz = p.clock_hz;
  params.lanes = site.lanes;
  params.host = site.host;
  params.tx_beats = 0;  // the FIFO before the wire is in the RTL
  params.wave = wave;
  auto store = std::make_shared<blocks::BackingStore>(site.name, p.channels * p.channel.bytes);
  std::vector<std::unique_ptr<blocks::AxiMemory>> memories;
  for (unsigned c = 0; c < p.channels; ++c) {
    memories.push_back(blocks::make_hbm2_memory({.channel = p.channel}, store, c * p.channel.bytes));
  }
  return std::make_unique<blocks::VerilatedNode>(std::move(params), std::move(memories));
}

}  // namespace polyloom::collective

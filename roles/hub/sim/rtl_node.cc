// SPDX-License-Identifier: Apache-2.0
#include "roles/hub/sim/rtl_node.h"

#include <utility>

namespace polyloom::hub {

blocks::RtlShape rtl_shape(const HubParams& p) {
  std::uint64_t kinds = 0;
  for (const auto kind : p.kinds) kinds |= std::uint64_t{1} << static_cast<unsigned>(kind);
  blocks::RtlShape shape;
  shape.top = "polyloom_hub_node";
  shape.files = {"roles/hub/rtl/hub.f"};
  const auto set = [&](const char* name, std::uint64_t value) {
    shape.parameters[name] = std::to_string(value);
  };
  p.parameters(set);
  if (p.kinds.empty()) set("Lanes", 1);
  set("FunctionKinds", kinds);
  set("FunctionNum", p.function_cycles);
  set("FunctionDen", 5);
  set("OpenDepth", p.operators.let_open_depth);
  set("GeometryLatency", p.operators.let_geometry);
  return shape;
}

std::unique_ptr<blocks::VerilatedNode> make_rtl_node(const HubParams& p, const HubSite& site,
                                                     const fabric::WaveRequest* wave) {
  blocks::VerilatedParams params;
  params.name = site.name;
  params.shape = rtl_shape(p);
  params.clock_hz = p.clock_hz;
  params.strap = site.node;
  for (unsigned port = 0; port < kLinks; ++port) {
    params.lanes.push_back(site.links[port]);
    if (site.links[port].tx != nullptr) params.strap |= std::uint64_t{1} << (kStrapLinks + port);
  }
  params.tx_beats = 0;  // the FIFO before the wire is in the RTL
  params.lanes_work = true;
  params.wave = wave;
  std::vector<std::unique_ptr<blocks::AxiMemory>> memories;
  memories.push_back(blocks::make_fixed_memory({.bytes = std::uint64_t{1} << p.memory_bits,
                                                .beat_bytes = kTlpBeat,
                                                .read_latency = p.memory_read,
                                                .write_latency = p.memory_write}));
  return std::make_unique<blocks::VerilatedNode>(std::move(params), std::move(memories));
}

}  // namespace polyloom::hub

// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/sim/role.h"

#include <algorithm>
#include <bit>

#include "fabric/cluster/units.h"
#include "fabric/error.h"
#include "roles/collective/sim/node.h"
#include "roles/collective/sim/params.h"
#include "roles/collective/sim/rtl_node.h"

namespace polyloom::collective {
namespace {

unsigned small(std::int64_t value) { return static_cast<unsigned>(value); }

const fabric::MemorySpec* hbm2_of(const fabric::RoleSite& site) {
  for (const fabric::MemorySpec& memory : site.memories) {
    if (memory.kind == "hbm2") return &memory;
  }
  return nullptr;
}

void read_memory(fabric::Table& table, const fabric::RoleSite& site, CollectiveParams& p) {
  const fabric::MemorySpec* hbm2 = hbm2_of(site);
  p.channels = small(table.integer("channels", hbm2 ? hbm2->channels : 8, 1, kMaxChannels));
  // A host addresses a channel by 32 bits.
  p.channel.bytes = table.bytes("channel_size", hbm2 ? hbm2->bytes_per_channel : p.channel.bytes,
                                2 * kBeatBytes, std::uint64_t{1} << 32);
  if (p.channel.bytes % (2 * kBeatBytes) != 0 || p.channel.bytes > std::uint64_t{1} << 32) {
    table.fail("channel_size", "is not two equal halves of whole beats, or more than a host can address",
               "a multiple of 64 B up to 4 GiB (here or as size of [memory.NAME] with kind = \"hbm2\")");
  }
  p.channel.read_latency = small(table.integer("read_latency", p.channel.read_latency, 1, 1000));
  p.channel.write_latency = small(table.integer("write_latency", p.channel.write_latency, 1, 1000));
  p.stored = table.choice("contents", "stored", {"stored", "none"}) == "stored";
}

constexpr unsigned kMaxPartitionOutputs = 32;
bool may_partition(unsigned ports) {
  return std::has_single_bit(ports) && ports >= 2 && ports <= kMaxPartitionOutputs;
}

void read_operators(fabric::Table& table, CollectiveParams& p) {
  static const std::vector<std::pair<std::string, OperatorKind>> kKinds = {
      {"reduce", OperatorKind::reduce}, {"partition", OperatorKind::partition}, {"pass", OperatorKind::pass}};
  p.operator_ports =
      small(table.integer("operator_inputs", std::min(p.channels, kMaxOperatorPorts), 1, kMaxOperatorPorts));
  // Left unsaid, a slot holds what its ports allow: no cluster has to name operators because of its channels.
  const bool deals = may_partition(p.operator_ports);
  for (const std::string& name :
       table.texts("operators", deals ? std::vector<std::string>{"reduce", "partition", "pass"}
                                      : std::vector<std::string>{"reduce", "pass"})) {
    const auto kind =
        std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& k) { return k.first == name; });
    if (kind == kKinds.end()) {
      table.fail("operators", "\"" + name + "\" is no operator", "reduce, partition, pass");
    }
    p.operators.push_back(kind->second);
  }
  const bool partition =
      std::find(p.operators.begin(), p.operators.end(), OperatorKind::partition) != p.operators.end();
  if (partition && !deals) {
    const unsigned nearest = std::clamp(std::bit_floor(p.operator_ports), 2u, kMaxPartitionOutputs);
    table.fail("operators",
               "holds partition, which has a power of two of outputs; operator_inputs is " +
                   std::to_string(p.operator_ports) + " (if not given, as many as channels)",
               "operator_inputs = " + std::to_string(nearest) + " (2, 4, 8, 16 or 32), or no partition");
  }
  if (p.operators.empty()) p.operator_ports = 0;
  p.partitions = small(table.integer(
      "partitions", 1, 1, std::max(1u, std::min(2u, kMaxOperatorPorts / std::max(1u, p.operator_ports)))));
  if (p.partitions > 1 && !partition) {
    table.fail("partitions", "asks for two of an operator that the slot does not hold",
               "1, or \"partition\" among operators and operator_inputs 2, 4, 8 or 16");
  }
  p.record_beats = small(table.integer("record_beats", 1024, 2, 1 << 22));
}

std::shared_ptr<const fabric::RoleParams> validate(fabric::Table& table, const fabric::RoleSite& site) {
  auto params = std::make_shared<CollectiveParams>();
  CollectiveParams& p = *params;
  p.clock_hz = site.clock_hz;
  read_memory(table, site, p);
  p.rx_beats = small(table.integer("rx_beats", 128, 4, 4096));
  const std::uint64_t buffer = std::uint64_t{p.rx_beats} * kBeatBytes;
  p.eager_bytes = table.bytes("eager_bytes", buffer, 0, std::uint64_t{1} << 32);
  if (p.eager_bytes > buffer) {
    table.fail("eager_bytes", "is more than a receive buffer of rx_beats holds",
               "at most " + fabric::format_bytes(buffer));
  }
  p.block_check = table.boolean("block_check", true);
  p.command_cycles = small(table.integer("command_cycles", 0, 0, 100'000));
  p.step_cycles = small(table.integer("step_cycles", 0, 0, 100'000));
  p.program_size = small(table.power_of_two("program_size", 1024, 16, 65536));
  p.schedule = table.choice("schedule", "best", {"best", "paper"});
  read_operators(table, p);
  return params;
}

std::unique_ptr<fabric::Node> make_node(const fabric::NodeContext& context) {
  const fabric::ClusterNode& node = context.node();
  if (node.fidelity != fabric::Fidelity::sim && node.fidelity != fabric::Fidelity::rtl) {
    throw UserError(
        node.name +
        ": this program has the collective role at the fidelities sim and rtl; the node asks for " +
        fabric::name_of(node.fidelity));
  }
  NodeSite site;
  site.name = node.name;
  site.trace = context.trace;
  const int lanes = node.host_port >= 0 ? node.host_port : node.ports;
  if (static_cast<unsigned>(lanes) > kMaxLanes) {
    throw UserError(node.name + ": a collective node has at most " + std::to_string(kMaxLanes) +
                    " lanes; the topology gives it " + std::to_string(lanes));
  }
  for (int port = 0; port < lanes; ++port) {
    const fabric::NodePort& p = context.ports[static_cast<std::size_t>(port)];
    site.lanes.push_back({p.tx, p.rx});
  }
  if (node.host_port >= 0) {
    const fabric::NodePort& p = context.ports[static_cast<std::size_t>(node.host_port)];
    site.host = {p.tx, p.rx};
  }
  if (node.fidelity == fabric::Fidelity::rtl) {
    return make_rtl_node(context.params<CollectiveParams>(), site, context.wave);
  }
  return std::make_unique<CollectiveNode>(context.params<CollectiveParams>(), std::move(site));
}

}  // namespace

void register_role(fabric::RoleRegistry& registry) {
  registry.add({"collective", validate, make_node, {}, "serial", {"hbm2"}});
}

}  // namespace polyloom::collective

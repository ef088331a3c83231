// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/sim/role.h"

#include <algorithm>
#include <bit>

#include "blocks/operators/sim/operator.h"
#include "fabric/cluster/units.h"
#include "fabric/error.h"
#include "roles/collective/sim/node.h"
#include "roles/collective/sim/params.h"
#include "roles/collective/sim/rtl_node.h"
#include "spec/collective_keys.h"

namespace polyloom::collective {
namespace {

const fabric::MemorySpec* hbm2_of(const fabric::RoleSite& site) {
  for (const fabric::MemorySpec& memory : site.memories) {
    if (memory.kind == "hbm2") return &memory;
  }
  return nullptr;
}

void read_memory(fabric::Table& table, const fabric::RoleSite& site, CollectiveParams& p) {
  const fabric::MemorySpec* hbm2 = hbm2_of(site);
  p.channels =
      table.read(keys::channels, hbm2 ? static_cast<unsigned>(hbm2->channels) : keys::channels.fallback);
  // A host addresses a channel by 32 bits.
  p.channel.bytes =
      table.read(keys::channel_size, hbm2 ? hbm2->bytes_per_channel : keys::channel_size.fallback);
  if (p.channel.bytes % (2 * kBeatBytes) != 0 || p.channel.bytes > keys::channel_size.high) {
    table.fail(keys::channel_size.name,
               "is not two equal halves of whole beats, or more than a host can address",
               "a multiple of 64 B up to 4 GiB (here or as size of [memory.NAME] with kind = \"hbm2\")");
  }
  p.channel.read_latency = table.read(keys::read_latency);
  p.channel.write_latency = table.read(keys::write_latency);
  p.stored = table.read(keys::contents) == "stored";
}

constexpr unsigned kMaxPartitionOutputs = 32;
bool may_partition(unsigned ports) {
  return std::has_single_bit(ports) && ports >= 2 && ports <= kMaxPartitionOutputs;
}

void read_operators(fabric::Table& table, CollectiveParams& p) {
  p.operator_ports = table.read(keys::operator_inputs, std::min(p.channels, keys::operator_inputs.high));
  // Left unsaid, a slot holds what its ports allow: no cluster has to name operators because of its channels.
  const bool deals = may_partition(p.operator_ports);
  std::vector<std::string> usual(keys::operators.fallback.begin(), keys::operators.fallback.end());
  if (!deals) std::erase(usual, "partition");
  const auto& known = blocks::operators::Registry::instance();
  for (const std::string& name : table.texts(keys::operators.name, usual)) {
    const auto kind = known.find(name);
    if (!kind || *kind == OperatorKind::let) {  // trees go to hubs
      table.fail(keys::operators.name, "\"" + name + "\" is no operator",
                 "reduce, partition, pass, and those that libraries in POLYLOOM_OPERATORS add");
    }
    p.operators.push_back(*kind);
  }
  const bool partition =
      std::find(p.operators.begin(), p.operators.end(), OperatorKind::partition) != p.operators.end();
  if (partition && !deals) {
    const unsigned nearest = std::clamp(std::bit_floor(p.operator_ports), 2u, kMaxPartitionOutputs);
    table.fail(keys::operators.name,
               "holds partition, which has a power of two of outputs; operator_inputs is " +
                   std::to_string(p.operator_ports) + " (if not given, as many as channels)",
               "operator_inputs = " + std::to_string(nearest) + " (2, 4, 8, 16 or 32), or no partition");
  }
  if (p.operators.empty()) p.operator_ports = 0;
  fabric::IntegerKey partitions = keys::partitions;
  partitions.high = std::clamp(kMaxOperatorPorts / std::max(1u, p.operator_ports), 1u, partitions.high);
  p.partitions = table.read(partitions);
  if (p.partitions > 1 && !partition) {
    table.fail(keys::partitions.name, "asks for two of an operator that the slot does not hold",
               "1, or \"partition\" among operators and operator_inputs 2, 4, 8 or 16");
  }
}

std::shared_ptr<const fabric::RoleParams> validate(fabric::Table& table, const fabric::RoleSite& site) {
  auto params = std::make_shared<CollectiveParams>();
  CollectiveParams& p = *params;
  p.clock_hz = site.clock_hz;
  p.read(table);
  read_memory(table, site, p);
  const std::uint64_t buffer = std::uint64_t{p.rx_beats} * kBeatBytes;
  p.eager_bytes = table.read(keys::eager_bytes, buffer);
  if (p.eager_bytes > buffer) {
    table.fail(keys::eager_bytes.name, "is more than a receive buffer of rx_beats holds",
               "at most " + fabric::format_bytes(buffer));
  }
  p.schedule = table.read(keys::schedule);
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

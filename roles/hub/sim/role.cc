// SPDX-License-Identifier: Apache-2.0
#include "roles/hub/sim/role.h"

#include "blocks/operators/sim/let.h"
#include "fabric/cluster/units.h"
#include "fabric/error.h"
#include "roles/hub/sim/host.h"
#include "roles/hub/sim/node.h"
#include "roles/hub/sim/params.h"
#include "roles/hub/sim/rtl_node.h"
#include "spec/hub_keys.h"

namespace polyloom::hub {
namespace {

constexpr unsigned kFunctionSteps = 5;  ///< the function's clock is so many parts of the hub's
constexpr const char* kRole = "hub";

void read_function(fabric::Table& table, bool paper, HubParams& p) {
  const auto& operators = blocks::operators::Registry::instance();
  for (const std::string& name : table.read(keys::function)) {
    const auto kind = operators.find(name);
    if (!kind) {
      table.fail(keys::function.name, "\"" + name + "\" is no operator of a hub",
                 operators.names() + ", and those that libraries in POLYLOOM_OPERATORS add");
    }
    p.kinds.push_back(*kind);
  }
  const fabric::IntegerKey& latency = keys::geometry_latency;
  const unsigned geometry = p.operators.let_geometry =
      table.read(latency, paper ? latency.paper : latency.fallback);
  if (geometry != 0 && geometry < blocks::operators::Let::kGeometry) {
    table.fail(
        latency.name, "is less than the arithmetic takes",
        "0 (as few cycles as it takes) or at least " + std::to_string(blocks::operators::Let::kGeometry));
  }
  p.operators.let_open_depth = table.read(keys::open_depth);
  if (p.function_width != 128 && p.function_width != 256) {
    table.fail(keys::function_width.name, "is no width of the function's stream", "128, 256");
  }
  const std::uint64_t clock = table.frequency(keys::function_clock, paper ? p.clock_hz / 5 * 3 : p.clock_hz);
  p.function_cycles = static_cast<unsigned>(clock * kFunctionSteps / p.clock_hz);
  if (clock * kFunctionSteps != p.function_cycles * p.clock_hz || p.function_cycles < 1 ||
      p.function_cycles > kFunctionSteps) {
    table.fail(keys::function_clock, "is no whole number of fifths of the core clock",
               "1, 2, 3, 4 or 5 fifths of " + std::to_string(p.clock_hz) + " Hz");
  }
}

std::shared_ptr<const fabric::RoleParams> validate(fabric::Table& table, const fabric::RoleSite& site) {
  const auto kind = site.topology.kind;
  if (kind != fabric::TopologyKind::ring && kind != fabric::TopologyKind::double_ring &&
      kind != fabric::TopologyKind::explicit_links) {
    throw UserError(table.file() +
                    ": the hub role has the ports E, W and S; topologies: ring, double_ring, "
                    "explicit, not " +
                    fabric::name_of(kind));
  }
  auto params = std::make_shared<HubParams>();
  HubParams& p = *params;
  p.clock_hz = site.clock_hz;
  const bool paper = table.read(keys::preset) == "paper";
  p.read(table, paper);
  read_function(table, paper, p);
  p.store_latency = table.read(keys::store_latency);
  p.write_latency = table.read(keys::write_latency);
  p.read_latency = table.read(keys::read_latency);
  p.poll_latency = table.read(keys::poll_latency);
  return params;
}

/// Number in the window: hubs count in the order of the cluster's nodes.
unsigned number_of(const fabric::ClusterSpec& cluster, int index) {
  unsigned number = 0;
  for (int i = 0; i < index; ++i) number += cluster.nodes[static_cast<std::size_t>(i)].role == kRole;
  if (number >= kMaxNodes) {
    throw UserError(
        cluster.nodes[static_cast<std::size_t>(index)].name +
        ": a window has room for 16 hubs; allowed: rings of up to 16, double rings of up to 2 x 8");
  }
  return number;
}

std::unique_ptr<fabric::Node> make_node(const fabric::NodeContext& context) {
  const fabric::ClusterNode& node = context.node();
  if (node.fidelity != fabric::Fidelity::sim && node.fidelity != fabric::Fidelity::rtl) {
    throw UserError(node.name +
                    ": this program has the hub role at the fidelities sim and rtl; the node asks for " +
                    fabric::name_of(node.fidelity));
  }
  HubSite site;
  site.name = node.name;
  site.node = number_of(context.cluster, context.index);
  static constexpr Port kOf[] = {Port::east, Port::west, Port::south};
  const int network = node.host_port >= 0 ? node.host_port : node.ports;
  if (network > static_cast<int>(std::size(kOf)) || node.ports > network + 1) {
    throw UserError(node.name + ": a hub has the network ports 0 (E), 1 (W) and 2 (S) and one host");
  }
  for (int i = 0; i < node.ports; ++i) {
    const fabric::NodePort& port = context.ports[static_cast<std::size_t>(i)];
    const Port name = i == network ? Port::north : kOf[i];
    site.links[static_cast<std::size_t>(name)] = {port.tx, port.rx};
  }
  const auto& params = context.params<HubParams>();
  if (node.fidelity == fabric::Fidelity::rtl) return make_rtl_node(params, site, context.wave);
  return std::make_unique<HubNode>(params, site);
}

std::unique_ptr<fabric::Node> make_host(const fabric::NodeContext& context,
                                        const fabric::MakeHostNode& clients) {
  std::vector<std::unique_ptr<Endpoint>> endpoints;
  for (const fabric::NodePort& port : context.ports) {
    const fabric::ClusterNode& peer = context.cluster.nodes[static_cast<std::size_t>(port.peer)];
    const auto& p = dynamic_cast<const HubParams&>(*peer.params);
    EndpointParams endpoint{.node = number_of(context.cluster, port.peer),
                            .max_payload = p.max_payload,
                            .slots = p.slots,
                            .store_latency = p.store_latency,
                            .write_latency = p.write_latency,
                            .read_latency = p.read_latency,
                            .poll_latency = p.poll_latency};
    endpoints.push_back(std::make_unique<Endpoint>("endpoint." + std::to_string(endpoint.node), endpoint,
                                                   blocks::WireEnds{port.tx, port.rx}));
  }
  return std::make_unique<HubHost>(std::move(endpoints), context.ports, clients);
}

}  // namespace

void register_role(fabric::RoleRegistry& registry) {
  // A hub has as many credits of its neighbour as it has slots itself, and drops what exceeds its payload.
  registry.add({kRole, validate, make_node, make_host, "pcie", {}, {"slots", "max_payload"}});
}

}  // namespace polyloom::hub

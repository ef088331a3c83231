// SPDX-License-Identifier: Apache-2.0
#include "roles/hub/sim/role.h"

#include "blocks/operators/sim/let.h"
#include "fabric/cluster/units.h"
#include "fabric/error.h"
#include "roles/hub/sim/host.h"
#include "roles/hub/sim/node.h"
#include "roles/hub/sim/params.h"
#include "roles/hub/sim/rtl_node.h"

namespace polyloom::hub {
namespace {

constexpr unsigned kFunctionSteps = 5;        ///< the function's clock is so many parts of the hub's
constexpr std::int64_t kPaperGeometry = 136;  ///< stages of the published pipe
constexpr const char* kRole = "hub";

unsigned small(std::int64_t value) { return static_cast<unsigned>(value); }

void read_function(fabric::Table& table, bool paper, HubParams& p) {
  const auto& operators = blocks::operators::Registry::instance();
  for (const std::string& name : table.texts("function", std::vector<std::string>{"let", "pass"})) {
    const auto kind = operators.find(name);
    if (!kind) {
      table.fail("function", "\"" + name + "\" is no operator of a hub",
                 operators.names() + ", and those that libraries in POLYLOOM_OPERATORS add");
    }
    p.kinds.push_back(*kind);
  }
  const auto geometry = table.integer("geometry_latency", paper ? kPaperGeometry : 0, 0, 1000);
  p.operators.let_geometry = small(geometry);
  if (geometry != 0 && geometry < blocks::operators::Let::kGeometry) {
    table.fail(
        "geometry_latency", "is less than the arithmetic takes",
        "0 (as few cycles as it takes) or at least " + std::to_string(blocks::operators::Let::kGeometry));
  }
  p.operators.let_open_depth = small(table.power_of_two("open_depth", 4096, 4, 65536));
  p.lanes = small(table.integer("lanes", 7, 1, 8));
  p.function_width = small(table.integer("function_width", paper ? 128 : 256, 128, 256));
  if (p.function_width != 128 && p.function_width != 256) {
    table.fail("function_width", "is no width of the function's stream", "128, 256");
  }
  const std::uint64_t clock = table.frequency("function_clock", paper ? p.clock_hz / 5 * 3 : p.clock_hz);
  p.function_cycles = small(static_cast<std::int64_t>(clock * kFunctionSteps / p.clock_hz));
  if (clock * kFunctionSteps != p.function_cycles * p.clock_hz || p.function_cycles < 1 ||
      p.function_cycles > kFunctionSteps) {
    table.fail("function_clock", "is no whole number of fifths of the core clock",
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
  const bool paper = table.choice("preset", "best", {"best", "paper"}) == "paper";
  p.max_payload = small(table.power_of_two("max_payload", paper ? 256 : 512, 128, 512));
  p.slots = small(table.integer("slots", 8, 2, 32));
  p.tags = small(table.integer("tags", 16, 1, 32));
  p.memory_bits = small(table.integer("memory_bits", 29, 16, 32));
  p.memory_read = small(table.integer("memory_read", 24, 1, 1000));
  p.memory_write = small(table.integer("memory_write", 8, 1, 1000));
  read_function(table, paper, p);
  constexpr fabric::Time kNs = 1000;
  p.store_latency = table.duration("store_latency", 300 * kNs);
  p.write_latency = table.duration("write_latency", 300 * kNs);
  p.read_latency = table.duration("read_latency", 300 * kNs);
  p.poll_latency = table.duration("poll_latency", 100 * kNs);
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

// SPDX-License-Identifier: Apache-2.0
#include "fabric/host/assemble.h"

#include "fabric/cluster/suggest.h"
#include "fabric/error.h"
#include "fabric/host/host_node.h"

namespace polyloom::fabric {
namespace {

using PortTable = std::vector<std::vector<NodePort>>;

PortTable connect_all(Fabric& fabric, const ClusterSpec& spec, std::uint64_t seed) {
  PortTable ports;
  for (const ClusterNode& node : spec.nodes) ports.emplace_back(static_cast<std::size_t>(node.ports));
  for (const ClusterLink& link : spec.links) {
    LinkSpec wire;
    wire.latency = link.quality.latency;
    wire.period = link.quality.word_period();
    wire.bit_error_rate = link.quality.bit_error_rate;
    wire.drop_rate = link.quality.drop_rate;
    wire.seed = seed;
    const auto [a, b] = fabric.connect(wire, wire, link.node_a, link.node_b);
    ports[static_cast<std::size_t>(link.node_a)][static_cast<std::size_t>(link.port_a)] = {
        a.tx, a.rx, link.node_b, &link.quality};
    ports[static_cast<std::size_t>(link.node_b)][static_cast<std::size_t>(link.port_b)] = {
        b.tx, b.rx, link.node_a, &link.quality};
  }
  return ports;
}

std::unique_ptr<HostNode> make_plain_host(const ClusterSpec& spec, int index, std::vector<NodePort> ports,
                                          HostServer* server) {
  const std::vector<int> hosts = spec.nodes_of(NodeKind::host);
  std::size_t place = 0;
  while (hosts[place] != index) ++place;
  std::vector<HostServer::Client*> clients;
  for (int k = 0; k < spec.host.clients; ++k) {
    const auto number =
        static_cast<unsigned>(place) * static_cast<unsigned>(spec.host.clients) + static_cast<unsigned>(k);
    HostServer::Client* client = server ? server->find(number) : nullptr;
    if (!client) throw UserError("host client " + std::to_string(number) + " is not connected");
    clients.push_back(client);
  }
  return std::make_unique<HostNode>(spec.nodes[static_cast<std::size_t>(index)].name, std::move(ports),
                                    spec.host.call_time, *server, std::move(clients));
}

/// The role with a maker of host nodes among those of the FPGAs at the host's links; null if there is none.
const Role* host_role(const RoleRegistry& roles, const NodeContext& context) {
  const Role* found = nullptr;
  for (std::size_t port = 0; port < context.ports.size(); ++port) {
    if (context.ports[port].peer < 0) continue;
    const ClusterNode& peer = context.cluster.nodes[static_cast<std::size_t>(context.ports[port].peer)];
    const Role* role = roles.find(peer.role);
    if (role && !role->make_host) role = nullptr;
    if (port > 0 && role != found) {
      throw UserError("node " + context.node().name + ": " + peer.name +
                      " has a role that needs a host node for itself, or is attached to one of another role; "
                      "allowed: a host node for each of these roles (an explicit topology)");
    }
    found = role;
  }
  return found;
}

std::unique_ptr<Node> make_host(const RoleRegistry& roles, const NodeContext& context, HostServer* server) {
  if (const Role* role = host_role(roles, context)) {
    return role->make_host(context, [&](std::vector<NodePort> ports) {
      return make_plain_host(context.cluster, context.index, std::move(ports), server);
    });
  }
  return make_plain_host(context.cluster, context.index, context.ports, server);
}

std::unique_ptr<Node> make_model(const RoleRegistry& roles, const NodeContext& context) {
  const ClusterNode& node = context.node();
  if (node.kind == NodeKind::network_switch) {
    if (!roles.make_switch())
      throw UserError("node " + node.name + ": this program has no model of a switch");
    return roles.make_switch()(context);
  }
  if (node.fidelity == Fidelity::native) {
    throw UserError("node " + node.name +
                    ": fidelity native means no cluster, so there is nothing to simulate; "
                    "allowed here: sim, rtl");
  }
  const Role* role = roles.find(node.role);
  if (!role || !role->make_node) {
    throw UserError("node " + node.name + ": this program has no model of the role " + node.role);
  }
  return role->make_node(context);
}

void check(const WaveRequest& wave, const ClusterSpec& spec) {
  const int index = spec.find_node(wave.node);
  if (index < 0) {
    std::vector<std::string> names;
    for (const ClusterNode& node : spec.nodes) names.push_back(node.name);
    throw UserError("waves of node \"" + wave.node + "\": the cluster " + spec.name + " has no such node" +
                    did_you_mean(wave.node, names));
  }
  const Fidelity fidelity = spec.nodes[static_cast<std::size_t>(index)].fidelity;
  if (fidelity != Fidelity::rtl) {
    throw UserError("waves of node " + wave.node + ": only a node of fidelity rtl has waves; this one has " +
                    name_of(fidelity));
  }
}

const WaveRequest* find_wave(const AssembleOptions& options, const ClusterSpec& spec, int index) {
  for (const WaveRequest& wave : options.waves) {
    if (wave.node == spec.nodes[static_cast<std::size_t>(index)].name) return &wave;
  }
  return nullptr;
}

}  // namespace

void assemble(Fabric& fabric, const ClusterSpec& spec, const RoleRegistry& roles, HostServer* server,
              const AssembleOptions& options) {
  fabric.set_trace(options.trace);
  for (const ClusterNode& node : spec.nodes) {
    NodeHints hints;
    hints.on_rank_zero = node.kind == NodeKind::host;
    hints.weight = node.kind == NodeKind::fpga ? 1 : 0.05;
    fabric.add_node(node.name, hints);
  }
  PortTable ports = connect_all(fabric, spec, options.seed);
  if (options.partition) options.partition(fabric);
  for (const WaveRequest& wave : options.waves) check(wave, spec);
  for (int i = 0; i < fabric.node_count(); ++i) {
    if (!fabric.owns(i)) continue;
    const NodeContext context{spec,
                              i,
                              std::move(ports[static_cast<std::size_t>(i)]),
                              options.seed,
                              fabric.trace_track(i),
                              find_wave(options, spec, i)};
    const bool host = spec.nodes[static_cast<std::size_t>(i)].kind == NodeKind::host;
    fabric.set_node(i, host ? make_host(roles, context, server) : make_model(roles, context));
  }
}

}  // namespace polyloom::fabric

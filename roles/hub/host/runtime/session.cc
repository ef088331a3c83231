// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "polyloom/hub.h"
#include "roles/hub/host/runtime/routes.h"

namespace polyloom::hub {
namespace {

using nlohmann::json;

/// By then every process has written the routing tables of its hubs.
constexpr Time kRoutesSet = 20'000'000;

/// The cluster as the simulator tells it.
struct Facts {
  std::vector<std::string> names;  ///< of hubs, in order of their numbers
  std::vector<unsigned> lanes;     ///< of their functions
  unsigned size = 0, rings = 0;    ///< 0 rings: no shipped routing table
  unsigned max_payload = 0;
};

Facts read_facts(const std::string& text) {
  const json cluster = json::parse(text);
  Facts facts;
  for (const json& node : cluster.at("nodes")) {
    if (node.at("kind") != "fpga" || node.at("role") != "hub") continue;
    facts.names.push_back(node.at("name"));
    const std::size_t table = node.at("table").get<std::size_t>();
    const json& hub = cluster.at("roles").at("hub").at(table);
    facts.lanes.push_back(hub.at("function").empty() ? 0 : hub.at("lanes").get<unsigned>());
    // Hubs that are not linked may differ; what suits the largest payload suits the others.
    facts.max_payload = std::max(facts.max_payload, hub.at("max_payload").get<unsigned>());
  }
  if (facts.names.empty()) {
    throw UserError("the cluster has no FPGA of the role hub; use one that has, such as peach2-8");
  }
  const std::string kind = cluster.at("topology").at("kind");
  if (kind == "ring" || kind == "double_ring") {
    facts.size = cluster.at("topology").at("size").at(0);
    facts.rings = kind == "ring" ? 1 : 2;
  }
  return facts;
}

std::vector<unsigned> nodes_of_process(const SessionOptions& options) {
  if (!options.nodes.empty()) return options.nodes;
  if (options.host.client > 0) return {options.host.client};
  const char* client = std::getenv("POLYLOOM_CLIENT");
  if (client == nullptr || *client == '\0') return {};
  return {static_cast<unsigned>(std::strtoul(client, nullptr, 10))};
}

}  // namespace

Session::Session(const SessionOptions& options) : own_(nodes_of_process(options)) {
  fabric::HostOptions host = options.host;
  host.links = own_;  // hosts are attached to hubs in order; checked below
  client_ = std::make_unique<fabric::HostClient>(host);
  const Facts facts = read_facts(client_->info());
  nodes_ = static_cast<unsigned>(facts.names.size());
  max_payload_ = facts.max_payload;
  if (own_.empty()) {
    for (unsigned n = 0; n < nodes_; ++n) own_.push_back(n);
  }
  for (const unsigned n : own_) {
    if (n >= nodes_) {
      throw UserError("node " + std::to_string(n) + " of this process; the cluster has the hubs 0 to " +
                      std::to_string(nodes_ - 1));
    }
    if (client_->find_link(facts.names[n]) != static_cast<int>(n)) {
      throw UserError(facts.names[n] + " is not at link " + std::to_string(n) +
                      " of the host node; a cluster of hubs attaches one host to all of them, in order");
    }
    own_nodes_.push_back(std::unique_ptr<Node>(new Node(*this, n, n, facts.lanes[n])));
  }
  if (!options.routes || facts.rings == 0) return;
  for (const auto& node : own_nodes_) {
    const RouteTable table = ring_routes(node->number(), facts.size, facts.rings);
    for (const Port port : {Port::east, Port::south, Port::west}) {
      const auto p = static_cast<unsigned>(port);
      for (std::uint32_t r = 0; r < 2; ++r) {
        node->write_register(reg::rules + 16 * p + 8 * r, table.rules[p][r]);
      }
    }
  }
  if (now() < kRoutesSet) pass(kRoutesSet - now());
}

Session::~Session() = default;

Node& Session::node(unsigned number) {
  for (const auto& node : own_nodes_) {
    if (node->number() == number) return *node;
  }
  throw UserError("node " + std::to_string(number) + " belongs to another process");
}

void Session::pass(Time time) { client_->wait(time); }

}  // namespace polyloom::hub

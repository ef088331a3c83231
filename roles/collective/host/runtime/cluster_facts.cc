// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/host/runtime/cluster_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "fabric/error.h"
#include "roles/collective/arch/program.h"

namespace polyloom::collective {
namespace {

using nlohmann::json;

/// The sides of the cluster: all ranks in a row, or the two dimensions of a hypercube with columns first.
void read_sides(const json& cluster, int ranks, Topology& t) {
  const std::string kind = cluster.at("topology").at("kind");
  const auto size = cluster.at("topology").at("size").get<std::vector<int>>();
  t.nx = ranks;
  t.ny = 1;
  if (kind == "hypercube" && size.size() == 2 && size[0] * size[1] == ranks) {
    t.nx = size[0];
    t.ny = size[1];
  } else if (kind == "hypercube" && size.size() > 2) {
    throw UserError(fmt::format("a hypercube of {} dimensions: collectives know one or two", size.size()));
  }
}

/// Precondition: shape.rx_bytes is known.
void read_lanes(const json& cluster, const std::map<std::string, int>& rank_of, ClusterFacts& facts) {
  std::vector<std::vector<LinkCost>> costs;
  for (const auto& lanes : facts.topology.lanes) costs.emplace_back(lanes.size());
  std::vector<LinkCost> all;
  for (const json& link : cluster.at("links")) {
    if (link.at("to_host")) continue;
    const auto a = rank_of.find(link.at("a").at("node")), b = rank_of.find(link.at("b").at("node"));
    if (a == rank_of.end() || b == rank_of.end()) continue;
    const int port_a = link.at("a").at("port"), port_b = link.at("b").at("port");
    facts.topology.lanes[static_cast<std::size_t>(a->second)].at(static_cast<std::size_t>(port_a)) = {
        b->second, port_b};
    facts.topology.lanes[static_cast<std::size_t>(b->second)].at(static_cast<std::size_t>(port_b)) = {
        a->second, port_a};
    const LinkCost cost{link.at("latency_ps").get<double>() * 1e-12,
                        8.0 / (link.at("word_period_ps").get<double>() * 1e-12)};
    for (const auto& [rank, port] : {std::pair{a->second, port_a}, std::pair{b->second, port_b}}) {
      costs[static_cast<std::size_t>(rank)][static_cast<std::size_t>(port)] = cost;
    }
    all.push_back(cost);
  }
  if (all.empty()) return;
  const auto [nearest, farthest] = std::minmax_element(
      all.begin(), all.end(), [](const LinkCost& x, const LinkCost& y) { return x.latency < y.latency; });
  const auto [slowest, fastest] = std::minmax_element(
      all.begin(), all.end(), [](const LinkCost& x, const LinkCost& y) { return x.rate < y.rate; });
  facts.parameters.link_latency = farthest->latency;
  facts.parameters.lane_rate = slowest->rate;
  facts.parameters.fastest_lane = fastest->rate;
  if (nearest->latency == farthest->latency && slowest->rate == fastest->rate) return;
  facts.parameters.lanes = std::move(costs);
  facts.shape.even_rates = slowest->rate == fastest->rate;
  // Streams that meet begin apart by the difference, once for each step of pulses before them and once more
  // on their way (pack.cc, pulses_before): four times covers two dimensions. Half a buffer is for the rest.
  const double early = 4 * (farthest->latency - nearest->latency) * fastest->rate;
  facts.shape.even_latencies = early <= static_cast<double>(facts.shape.rx_bytes) / 2;
}

/// What the host needs to give a node the next part of its program: two frames and their responses.
double reload_time(const json& cluster) {
  double latency = 0;
  for (const json& link : cluster.at("links")) {
    if (link.at("to_host")) latency = std::max(latency, link.value("latency_ps", 0.0));
  }
  const double call = cluster.value("host", json::object()).value("call_time_ps", 0.0);
  return (4 * call + 4 * latency) * 1e-12;
}

}  // namespace

ClusterFacts read_facts(const std::string& text) {
  const json cluster = json::parse(text);
  ClusterFacts facts;
  std::map<std::string, int> rank_of;
  std::optional<int> table;
  for (const json& node : cluster.at("nodes")) {
    if (node.at("kind") != "fpga" || node.at("role") != "collective") continue;
    const std::string name = node.at("name");
    if (node.at("host_port").get<int>() < 0) throw UserError(name + " has no host link: it cannot be loaded");
    if (table && *table != node.at("table").get<int>()) {
      throw UserError(name + " has another [collective] table than the nodes before it; ranks must be alike");
    }
    table = node.at("table").get<int>();
    rank_of[name] = static_cast<int>(facts.names.size());
    facts.names.push_back(name);
    facts.topology.lanes.emplace_back(node.at("host_port").get<std::size_t>());
    const double clock_hz = node.at("clocks_hz").at("core").get<double>();
    // Marks are cycles of each rank's own, and a slower one could not take what comes at the others' pace.
    if (facts.names.size() > 1 && clock_hz != facts.clock_hz) {
      throw UserError(
          fmt::format("{} has a core clock of {} MHz, the nodes before it have {} MHz; ranks must be alike",
                      name, clock_hz / 1e6, facts.clock_hz / 1e6));
    }
    facts.clock_hz = clock_hz;
  }
  if (facts.names.empty()) throw UserError("the cluster has no FPGA of role \"collective\"");
  read_sides(cluster, static_cast<int>(facts.names.size()), facts.topology);
  const json& role = cluster.at("roles").at("collective").at(static_cast<std::size_t>(*table));
  const auto number = [&](const char* key, double otherwise) {
    return role.contains(key) && role.at(key).is_number() ? role.at(key).get<double>() : otherwise;
  };
  facts.shape.rx_bytes = static_cast<std::uint64_t>(number("rx_beats", 128)) * kBeatBytes;
  read_lanes(cluster, rank_of, facts);
  facts.topology.check();
  const double cycle = 1.0 / facts.clock_hz;
  facts.parameters.cycle = cycle;
  facts.parameters.memory_rate = kBeatBytes * facts.clock_hz;
  facts.parameters.read_latency = number("read_latency", 24) * cycle;
  facts.parameters.write_latency = number("write_latency", 8) * cycle;
  facts.parameters.step_cycles = static_cast<unsigned>(number("step_cycles", 0));
  facts.parameters.block_check = role.value("block_check", true);
  facts.shape.channels = static_cast<unsigned>(number("channels", 8));
  facts.channel_bytes = static_cast<std::uint64_t>(number("channel_size_bytes", 0));
  for (const json& memory : cluster.at("memories")) {
    if (facts.channel_bytes == 0 && memory.at("kind") == "hbm2") {
      facts.channel_bytes = memory.at("size_bytes").get<std::uint64_t>();
    }
  }
  const auto holds = [&](const char* name) {
    const auto operators = role.find("operators");
    return operators == role.end() ||
           std::find(operators->begin(), operators->end(), name) != operators->end();
  };
  facts.shape.reduces = holds("reduce");
  facts.partitions = holds("partition") ? static_cast<unsigned>(number("partitions", 1)) : 0;
  facts.record_beats = static_cast<unsigned>(number("record_beats", 1024));
  facts.parameters.program_size = static_cast<std::size_t>(number("program_size", 1024));
  facts.parameters.reload = reload_time(cluster);
  facts.shape.half_bytes = facts.channel_bytes / 2;
  facts.shape.eager_bytes = static_cast<std::uint64_t>(number("eager_bytes_bytes", 0));
  facts.stored = role.value("contents", "stored") == "stored";
  facts.paper_schedules = role.value("schedule", "best") == "paper";
  return facts;
}

}  // namespace polyloom::collective

// SPDX-License-Identifier: Apache-2.0
// Covers: ranks, lanes, rates, shapes and defaults from a cluster's JSON; clusters that cannot be a
// communicator. Leaves out: how the JSON is made (fabric/cluster), shipped clusters (test_collectives.py).
#include "roles/collective/host/runtime/cluster_facts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fabric/error.h"

namespace polyloom::collective {
namespace {

using nlohmann::json;

json node(int number, int host_port, const std::string& role = "collective", int table = 0) {
  return {{"name", fmt::format("fpga.{}", number)},
          {"kind", "fpga"},
          {"role", role},
          {"host_port", host_port},
          {"table", table},
          {"clocks_hz", {{"core", 250e6}}}};
}
json link(int a, int port_a, int b, int port_b) {
  return {{"to_host", false},
          {"a", {{"node", fmt::format("fpga.{}", a)}, {"port", port_a}}},
          {"b", {{"node", fmt::format("fpga.{}", b)}, {"port", port_b}}},
          {"latency_ps", 300000},
          {"word_period_ps", 1600}};
}

/// Two collective nodes of two lanes, of which one is joined to the other's and one to an overlay board
/// between them.
json cluster() {
  json c;
  c["topology"] = {{"kind", "links"}, {"size", json::array()}};
  c["nodes"] = {node(0, 2), node(1, 1, "overlay"), node(2, 2), {{"name", "host"}, {"kind", "host"}}};
  c["links"] = {link(0, 1, 2, 0), link(0, 0, 1, 0)};
  c["links"].push_back({{"to_host", true}});
  c["roles"] = {{"collective", {json::object()}}};
  c["memories"] = {{{"kind", "ddr3"}, {"size_bytes", 7}}, {{"kind", "hbm2"}, {"size_bytes", 1 << 20}}};
  return c;
}

TEST(ClusterFacts, CollectiveNodesAreTheRanks) {
  const ClusterFacts f = read_facts(cluster().dump());
  EXPECT_EQ(f.names, (std::vector<std::string>{"fpga.0", "fpga.2"}));
  EXPECT_EQ(f.topology.size(), 2);
  EXPECT_EQ(f.topology.lanes[0], (std::vector<LaneEnd>{{-1, -1}, {1, 0}}));
  EXPECT_EQ(f.topology.lanes[1], (std::vector<LaneEnd>{{0, 1}, {-1, -1}}));
  EXPECT_EQ(f.clock_hz, 250e6);
  EXPECT_NEAR(f.parameters.cycle, 4e-9, 1e-18);
  EXPECT_NEAR(f.parameters.link_latency, 300e-9, 1e-15);
  EXPECT_NEAR(f.parameters.lane_rate, 5e9, 1) << "8 bytes in 1.6 ns";
  EXPECT_NEAR(f.parameters.memory_rate, 8e9, 1) << "a beat of 32 bytes a cycle";
}

TEST(ClusterFacts, Defaults) {
  const ClusterFacts f = read_facts(cluster().dump());
  EXPECT_EQ(f.channel_bytes, 1u << 20) << "of the HBM";
  EXPECT_EQ(f.shape.half_bytes, 1u << 19);
  EXPECT_EQ(f.shape.channels, 8u);
  EXPECT_EQ(f.shape.rx_bytes, 128u * 32);
  EXPECT_EQ(f.shape.eager_bytes, 0u);
  EXPECT_NEAR(f.parameters.read_latency, 24 * 4e-9, 1e-15);
  EXPECT_NEAR(f.parameters.write_latency, 8 * 4e-9, 1e-15);
  EXPECT_TRUE(f.parameters.block_check);
  EXPECT_TRUE(f.stored);
  EXPECT_FALSE(f.paper_schedules);
  EXPECT_EQ(f.partitions, 1u);
}

TEST(ClusterFacts, TheRolesTable) {
  json c = cluster();
  c["roles"]["collective"][0] = {{"channels", 4},          {"channel_size_bytes", 65536},
                                 {"read_latency", 10},     {"write_latency", 3},
                                 {"step_cycles", 100},     {"block_check", false},
                                 {"rx_beats", 16},         {"eager_bytes_bytes", 256},
                                 {"contents", "computed"}, {"schedule", "paper"},
                                 {"partitions", 2},        {"program_size", 77}};
  const ClusterFacts f = read_facts(c.dump());
  EXPECT_EQ(f.shape.channels, 4u);
  EXPECT_EQ(f.channel_bytes, 65536u);
  EXPECT_NEAR(f.parameters.read_latency, 40e-9, 1e-15);
  EXPECT_NEAR(f.parameters.write_latency, 12e-9, 1e-15);
  EXPECT_EQ(f.parameters.step_cycles, 100u);
  EXPECT_FALSE(f.parameters.block_check);
  EXPECT_EQ(f.shape.rx_bytes, 512u);
  EXPECT_EQ(f.shape.eager_bytes, 256u);
  EXPECT_FALSE(f.stored);
  EXPECT_TRUE(f.paper_schedules);
  EXPECT_EQ(f.partitions, 2u);
  EXPECT_EQ(f.parameters.program_size, 77u);
}

/// Three ranks of which the first two are joined by a link of its own kind.
json uneven(std::uint64_t latency_ps, std::uint64_t word_period_ps) {
  json c;
  c["topology"] = {{"kind", "fully_connected"}, {"size", {3}}};
  c["nodes"] = {node(0, 2), node(1, 2), node(2, 2)};
  c["links"] = {link(0, 0, 1, 0), link(0, 1, 2, 0), link(1, 1, 2, 1)};
  c["links"][0]["latency_ps"] = latency_ps;
  c["links"][0]["word_period_ps"] = word_period_ps;
  c["links"].push_back({{"to_host", true}, {"latency_ps", 3000000}});
  c["host"] = {{"call_time_ps", 500000}};
  c["roles"] = {{"collective", {json::object()}}};
  c["memories"] = json::array();
  return c;
}

TEST(ClusterFacts, EachLaneHasItsOwnLatencyAndRate) {
  const ClusterFacts even = read_facts(uneven(300000, 1600).dump());
  EXPECT_TRUE(even.parameters.lanes.empty());
  EXPECT_TRUE(even.shape.even_rates && even.shape.even_latencies);
  EXPECT_NEAR(even.parameters.reload, 14e-6, 1e-12) << "four calls and four flights";
  const ClusterFacts slow = read_facts(uneven(300000, 64000).dump());
  EXPECT_FALSE(slow.shape.even_rates);
  EXPECT_TRUE(slow.shape.even_latencies);
  EXPECT_NEAR(slow.parameters.lane_rate, 125e6, 1) << "the slowest";
  EXPECT_NEAR(slow.parameters.link(0, 0).rate, 125e6, 1);
  EXPECT_NEAR(slow.parameters.link(1, 0).rate, 125e6, 1);
  EXPECT_NEAR(slow.parameters.link(1, 1).rate, 5e9, 1);
  const ClusterFacts longer = read_facts(uneven(20000000, 1600).dump());
  EXPECT_TRUE(longer.shape.even_rates);
  EXPECT_FALSE(longer.shape.even_latencies);
  EXPECT_NEAR(longer.parameters.link_latency, 20e-6, 1e-12) << "the longest, which is not the last";
  EXPECT_NEAR(longer.parameters.link(2, 0).latency, 300e-9, 1e-15);
  EXPECT_TRUE(read_facts(uneven(350000, 1600).dump()).shape.even_latencies) << "250 bytes a flight";
}

TEST(ClusterFacts, OperatorsOfTheSlot) {
  json c = cluster();
  c["roles"]["collective"][0] = {{"operators", {"partition"}}};
  EXPECT_FALSE(read_facts(c.dump()).shape.reduces);
  EXPECT_EQ(read_facts(c.dump()).partitions, 1u);
  c["roles"]["collective"][0] = {{"operators", {"pass", "reduce"}}};
  EXPECT_TRUE(read_facts(c.dump()).shape.reduces);
  EXPECT_EQ(read_facts(c.dump()).partitions, 0u);
}

TEST(ClusterFacts, TheFastestLane) {
  json c = cluster();
  c["links"].push_back(link(0, 0, 2, 1));
  c["links"].back()["word_period_ps"] = 3200;
  EXPECT_NEAR(read_facts(c.dump()).parameters.fastest_lane, 5e9, 1);
}

TEST(ClusterFacts, AHypercubeHasTwoSides) {
  json c;
  c["topology"] = {{"kind", "hypercube"}, {"size", {2, 2}}};
  c["nodes"] = {node(0, 2), node(1, 2), node(2, 2), node(3, 2)};
  c["links"] = {link(0, 0, 1, 0), link(2, 0, 3, 0), link(0, 1, 2, 1), link(1, 1, 3, 1)};
  c["roles"] = {{"collective", {json::object()}}};
  c["memories"] = json::array();
  EXPECT_EQ(read_facts(c.dump()).topology.text(), "hypercube 2 x 2, 4 nodes, 1 and 1 links a pair");
  c["topology"]["kind"] = "links";  // then all pairs must be joined, and 0 and 3 are not
  EXPECT_THROW(read_facts(c.dump()), UserError);
  c["topology"] = {{"kind", "hypercube"}, {"size", {2, 2, 1}}};
  EXPECT_THROW(read_facts(c.dump()), UserError);
}

std::string refused(const json& c) {
  try {
    read_facts(c.dump());
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

TEST(ClusterFacts, RefusesWhatIsNoCommunicator) {
  json none = cluster();
  for (json& n : none["nodes"]) n["role"] = "overlay";
  EXPECT_NE(refused(none).find("no FPGA of role"), std::string::npos);
  json unlike = cluster();
  unlike["nodes"][2]["table"] = 1;
  EXPECT_NE(refused(unlike).find("fpga.2 has another [collective] table"), std::string::npos);
  json faster = cluster();
  faster["nodes"][2]["clocks_hz"]["core"] = 300e6;
  EXPECT_EQ(refused(faster),
            "fpga.2 has a core clock of 300 MHz, the nodes before it have 250 MHz; ranks must be alike");
  json alone = cluster();
  alone["nodes"][0]["host_port"] = -1;
  EXPECT_NE(refused(alone).find("fpga.0 has no host link"), std::string::npos);
  json apart = cluster();
  apart["links"].erase(0);
  EXPECT_NE(refused(apart).find("no lane joins them"), std::string::npos);
}

}  // namespace
}  // namespace polyloom::collective

// SPDX-License-Identifier: Apache-2.0
// Covers: the [collective] table, the shipped clusters, and that the presets' latencies give the published
// start-up times in the model. Leaves out: what cluster files share (fabric/cluster).
#include "roles/collective/sim/role.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fabric/cluster/reader.h"
#include "fabric/error.h"
#include "roles/collective/tests/bench.h"

namespace polyloom::collective {
namespace {

using namespace test;

fabric::RoleRegistry registry() {
  fabric::RoleRegistry roles;
  register_role(roles);
  return roles;
}

std::string cluster(const std::string& table, const std::string& memory = "") {
  return "version = 1\n[topology]\nkind = \"fully_connected\"\nsize = [3]\n[link]\nlatency = \"250 ns\"\n"
         "rate = \"45 Gb/s\"\n[fpga]\nrole = \"collective\"\nclocks = { core = \"200 MHz\" }\n" +
         memory + "[collective]\n" + table;
}

const CollectiveParams& params(const fabric::ClusterSpec& spec) {
  return dynamic_cast<const CollectiveParams&>(*spec.nodes[0].params);
}

TEST(CollectiveRole, Defaults) {
  const auto spec = fabric::parse_cluster(cluster(""), "c.toml", registry());
  const CollectiveParams& p = params(spec);
  EXPECT_EQ(p.clock_hz, 200'000'000u);
  EXPECT_EQ(p.channels, 8u);
  EXPECT_EQ(p.rx_beats, 128u);
  EXPECT_EQ(p.eager_bytes, 4096u);
  EXPECT_TRUE(p.block_check && p.stored);
  EXPECT_EQ(p.program_size, 1024u);
  EXPECT_EQ(p.operators.size(), 3u);
  EXPECT_EQ(p.operator_ports, 8u);
  EXPECT_EQ(p.schedule, "best");
}

TEST(CollectiveRole, TakesTheMemoryOfTheCluster) {
  const auto spec = fabric::parse_cluster(
      cluster("rx_beats = 64\n", "[memory.hbm]\nkind = \"hbm2\"\nchannels = 16\nsize = \"1 GiB\"\n"),
      "c.toml", registry());
  EXPECT_EQ(params(spec).channels, 16u);
  EXPECT_EQ(params(spec).channel.bytes, 1ull << 30);
  EXPECT_EQ(params(spec).eager_bytes, 2048u);
}

// Whatever the table accepts, a node can be made of: partition alone wants a power of two of ports.
TEST(CollectiveRole, OperatorsThatThePortsAllow) {
  const struct {
    std::string text;
    unsigned ports;
    bool partition;
  } cases[] = {
      {"", 8, true},
      {"channels = 1\n", 1, false},
      {"channels = 2\n", 2, true},
      {"channels = 15\n", 15, false},
      {"channels = 15\noperator_inputs = 8\n", 8, true},
      {"operator_inputs = 12\n", 12, false},
      {"channels = 32\n", 32, true},
      {"channels = 128\n", 63, false},
      {"channels = 15\noperators = [\"reduce\"]\n", 15, false},
      {"channels = 15\noperators = []\n", 0, false},
      {"channels = 16\npartitions = 2\n", 16, true},
  };
  for (const auto& c : cases) {
    const auto spec = fabric::parse_cluster(cluster(c.text), "c.toml", registry());
    const auto& operators = params(spec).operators;
    EXPECT_EQ(params(spec).operator_ports, c.ports) << c.text;
    EXPECT_EQ(std::count(operators.begin(), operators.end(), OperatorKind::partition), c.partition) << c.text;
    CollectiveParams p = params(spec);
    p.channel.bytes = 1 << 12;
    EXPECT_NO_THROW(Bench({.params = p, .links = {}})) << c.text;
  }
}

TEST(CollectiveRole, SaysWhatIsWrong) {
  const struct {
    std::string text;
    std::vector<std::string> parts;
  } cases[] = {
      {cluster("channels = 0\n"), {"[collective] channels = 0", "128"}},
      {cluster("eager_bytes = \"8 KiB\"\n"), {"eager_bytes", "rx_beats", "4 KiB"}},
      {cluster("operators = [\"sum\"]\n"), {"operators", "sum", "reduce, partition, pass"}},
      {cluster("channel_size = \"96 B\"\n"), {"channel_size", "64 B"}},
      {cluster("", "[memory.hbm]\nkind = \"hbm2\"\nsize = \"8 GiB\"\n"), {"channel_size", "4 GiB"}},
      {cluster("block_checks = true\n"), {"block_checks", "block_check"}},
      {cluster("program_size = 1000\n"), {"program_size = 1000", "power of two"}},
      {cluster("schedule = \"fast\"\n"), {"schedule", "paper", "best"}},
      {cluster("channels = 15\noperators = [\"reduce\", \"partition\"]\n"),
       {"[collective] operators", "power of two", "operator_inputs is 15", "operator_inputs = 8"}},
      {cluster("operator_inputs = 1\noperators = [\"partition\"]\n"), {"is 1 ", "operator_inputs = 2"}},
      {cluster("operator_inputs = 63\noperators = [\"partition\"]\n"), {"is 63 ", "operator_inputs = 32"}},
      {cluster("operators = [\"reduce\"]\npartitions = 2\n"),
       {"partitions = 2", "\"partition\" among operators"}},
      {cluster("channels = 12\npartitions = 2\n"), {"partitions = 2", "operator_inputs 2, 4, 8 or 16"}},
      {cluster("operator_inputs = 32\npartitions = 2\n"), {"partitions = 2", "1"}},
  };
  for (const auto& c : cases) {
    try {
      fabric::parse_cluster(c.text, "c.toml", registry());
      ADD_FAILURE() << "accepted: " << c.text;
    } catch (const UserError& error) {
      for (const std::string& part : c.parts) {
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
            << error.what() << "\nlacks " << part;
      }
    }
  }
}

TEST(CollectiveRole, ShippedClusters) {
  const struct {
    const char* name;
    std::size_t fpgas;
    int lanes;
  } all[] = {{"optweb-8", 8, 7},          {"optweb-8x2", 8, 14},       {"optweb-4x2", 8, 4},
             {"optweb-4x2-double", 8, 5}, {"optweb-3x3", 9, 4},        {"optweb-8x8", 64, 14},
             {"optweb-paper-8", 8, 7},    {"optweb-paper-8x2", 8, 14}, {"optweb-paper-4x2", 8, 4}};
  for (const auto& e : all) {
    const auto spec = fabric::read_cluster(e.name, registry());
    EXPECT_EQ(spec.nodes_of(fabric::NodeKind::fpga).size(), e.fpgas) << e.name;
    EXPECT_EQ(spec.nodes[0].host_port, e.lanes) << e.name;
    const bool paper = std::string(e.name).find("paper") != std::string::npos;
    EXPECT_EQ(params(spec).block_check, !paper) << e.name;
    EXPECT_EQ(params(spec).schedule, paper ? "paper" : "best") << e.name;
  }
}

/// Cycles of an all-to-all of one beat a channel, rendezvous, all nodes started together.
Cycle smallest_all_to_all(const std::string& name) {
  const auto spec = fabric::read_cluster(name, registry());
  const unsigned links = static_cast<unsigned>(spec.topology.links_of(0));
  BenchOptions o;
  o.params = params(spec);
  o.params.channel.bytes = 1 << 16;
  o.link.latency = spec.links[0].quality.latency;
  o.link.period = spec.links[0].quality.word_period();
  o.nodes = spec.topology.size[0];
  for (const auto& link : spec.links) {
    if (!link.to_host) o.links.emplace_back(link.node_a, link.node_b);
  }
  Bench b(o);
  const Pattern from{0, 32, 1, 0}, to{32768, 32, 1, 0};
  for (int n = 0; n < o.nodes; ++n) {
    std::vector<Instruction> program;
    for (unsigned c = 0; c < o.params.channels; ++c) {
      const int peer = static_cast<int>(c / links);
      program.push_back(read(c, from));
      if (peer == n) {
        program.push_back(write(c, to, kFromRead + c));
        continue;
      }
      const unsigned lane = b.lane(n, peer, static_cast<int>(c % links));
      program.push_back(send(lane, kFromRead + c));
      program.push_back(take(lane));
      program.push_back(write(c, to, kFromLane + lane));
    }
    program.push_back(go());
    program.push_back(end());
    b.start(n, program);
  }
  b.run();
  EXPECT_TRUE(b.idle());
  return b.engine(0).finish() - o.params.step_cycles - b.engine(0).begin();  // the step's own end
}

TEST(CollectiveRole, PresetsReproduceTheStartUp) {
  EXPECT_NEAR(static_cast<double>(smallest_all_to_all("optweb-paper-8")) * 5e-3, 0.72, 0.005);  // us
  EXPECT_NEAR(static_cast<double>(smallest_all_to_all("optweb-paper-8x2")) * 5e-3, 0.89, 0.005);
}

}  // namespace
}  // namespace polyloom::collective

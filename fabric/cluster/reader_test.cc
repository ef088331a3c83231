// SPDX-License-Identifier: Apache-2.0
// Covers: shipped clusters, defaults and overrides, explicit links, JSON dump, search
// for names. Leaves out: bad input (reader_error_test, reader_fuzz_test); the real roles' tables
// (sim).
#include "fabric/cluster/reader.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "fabric/cluster/dump.h"
#include "fabric/cluster/test_roles.h"
#include "fabric/error.h"

namespace polyloom::fabric {
namespace {

using testing::test_roles;
using testing::TestParams;

const std::string kPair = R"(version = 1
[topology]
kind = "mesh"
size = [2, 1]
[link]
latency = "780 ns"
rate = "10 Gb/s"
[fpga]
role = "overlay"
)";

const TestParams& params(const ClusterSpec& spec, const std::string& node) {
  return dynamic_cast<const TestParams&>(*spec.nodes[static_cast<std::size_t>(spec.find_node(node))].params);
}

TEST(Reader, ShippedClusters) {
  struct Expected {
    const char* name;
    std::vector<int> size;
    std::size_t links;
  };
  // Links: w(h-1) + h(w-1) of the mesh, one a board to the host.
  for (const Expected& e :
       {Expected{"laptop", {2, 1}, 1 + 2}, Expected{"tinsel-1", {1, 1}, 1},
        Expected{"tinsel-12", {3, 4}, 17 + 12}, Expected{"tinsel-48", {6, 8}, 82 + 48},
        Expected{"tinsel-paper-6", {3, 2}, 7 + 6}, Expected{"tinsel-paper-12", {3, 4}, 17 + 12}}) {
    const ClusterSpec spec = read_cluster(e.name, test_roles());
    EXPECT_EQ(spec.name, e.name);
    EXPECT_EQ(spec.topology.size, e.size);
    EXPECT_EQ(spec.links.size(), e.links) << e.name;
    EXPECT_EQ(spec.min_latency(), e.links == 1 ? 1'000'000 : 780'000);
    EXPECT_EQ(spec.nodes.back().name, "host");
    EXPECT_EQ(spec.nodes[0].clock_hz(), 250'000'000u);
    const bool paper = spec.name.find("paper") != std::string::npos;
    EXPECT_EQ(params(spec, "fpga.0.0").detector, paper ? "star" : "tree");
    EXPECT_EQ(params(spec, "fpga.0.0").cache_ways, paper ? 8 : 16);
  }
  const ClusterSpec spec = read_cluster("tinsel-12", test_roles());
  EXPECT_EQ(spec.links[0].quality.word_period(), 6400);  // 64 bits at 10 Gb/s
}

TEST(Reader, HostPortsFollowTheNetworkPorts) {
  const ClusterSpec spec = parse_cluster(kPair, "pair.toml", test_roles());
  ASSERT_EQ(spec.nodes.size(), 3u);
  EXPECT_EQ(spec.nodes[0].host_port, 4);
  EXPECT_EQ(spec.nodes[0].ports, 5);
  EXPECT_EQ(spec.nodes[2].ports, 2);
  EXPECT_TRUE(spec.links[2].to_host);
  EXPECT_EQ(spec.links[2].node_b, 2);
  EXPECT_EQ(spec.links[2].port_b, 1);
  EXPECT_EQ(spec.host.call_time, 1'000'000);
}

TEST(Reader, SeveralLinksToAPeer) {
  const auto text = [](const std::string& topology) {
    return "version = 1\n[topology]\n" + topology +
           "\n[link]\nlatency = \"250 ns\"\nrate = \"45 Gb/s\"\n[fpga]\nrole = \"overlay\"\n";
  };
  const ClusterSpec spec =
      parse_cluster(text("kind = \"hypercube\"\nsize = [4, 2]\nlinks = [1, 2]"), "h.toml", test_roles());
  EXPECT_EQ(spec.nodes[0].host_port, 5);
  EXPECT_EQ(nlohmann::json::parse(to_json(spec))["topology"]["links"], (std::vector<int>{1, 2}));
  EXPECT_NE(to_text(spec).find("hypercube 4 x 2, links 1 x 2"), std::string::npos);
  for (const char* bad :
       {"kind = \"hypercube\"\nsize = [4, 2]\nlinks = [2]",
        "kind = \"fully_connected\"\nsize = [3]\nlinks = [0]", "kind = \"ring\"\nsize = [3]\nlinks = [2]"}) {
    EXPECT_THROW(parse_cluster(text(bad), "h.toml", test_roles()), UserError) << bad;
  }
}

TEST(Reader, NodesAndLinksCanDiffer) {
  const std::string text = kPair + R"(
[overlay]
tiles_x = 2
[[node]]
name = "fpga.1.0"
fidelity = "rtl"
clocks = { core = "200 MHz" }
[node.overlay]
cache_ways = 4
[[override]]
between = ["fpga.1.0", "fpga.0.0"]
bit_error_rate = 1e-6
drop_rate = 0.25
)";
  const ClusterSpec spec = parse_cluster(text, "pair.toml", test_roles());
  EXPECT_EQ(params(spec, "fpga.0.0").cache_ways, 16);
  EXPECT_EQ(params(spec, "fpga.1.0").cache_ways, 4);
  EXPECT_EQ(params(spec, "fpga.1.0").tiles_x, 2);
  EXPECT_EQ(params(spec, "fpga.1.0").clock_hz, 200'000'000u);
  EXPECT_EQ(spec.nodes[0].fidelity, Fidelity::sim);
  EXPECT_EQ(spec.nodes[1].fidelity, Fidelity::rtl);
  EXPECT_EQ(spec.links[0].quality.bit_error_rate, 1e-6);
  EXPECT_EQ(spec.links[0].quality.drop_rate, 0.25);
  EXPECT_EQ(spec.links[1].quality.drop_rate, 0);
  ReadOptions options;
  options.fidelity = Fidelity::sim;
  EXPECT_EQ(parse_cluster(text, "pair.toml", test_roles(), options).nodes[1].fidelity, Fidelity::sim);
}

TEST(Reader, ExplicitLinks) {
  const ClusterSpec spec = parse_cluster(R"(version = 1
[topology]
kind = "explicit"
[link]
latency = "100 ns"
rate = "40 Gb/s"
[fpga]
role = "mpi"
[[node]]
name = "left"
[[node]]
name = "right"
role = "overlay"
position = [3, 1]
[[node]]
name = "pc"
kind = "host"
[[connect]]
a = "left:2"
b = "right:0"
latency = "50 ns"
[[connect]]
a = "pc:0"
b = "right:1"
)",
                                         "x.toml", test_roles());
  ASSERT_EQ(spec.nodes.size(), 3u);
  EXPECT_EQ(spec.nodes[0].ports, 3);
  EXPECT_EQ(spec.nodes[0].host_port, -1);
  EXPECT_EQ(spec.nodes[1].host_port, 1);
  EXPECT_EQ(spec.nodes[1].role, "overlay");
  EXPECT_EQ(spec.nodes[1].position, (std::vector<int>{3, 1}));
  EXPECT_TRUE(spec.nodes[0].position.empty());
  EXPECT_EQ(spec.links[0].quality.latency, 50'000);
  EXPECT_EQ(spec.links[1].quality.latency, 100'000);
  EXPECT_FALSE(spec.links[0].to_host);
  EXPECT_TRUE(spec.links[1].to_host);
}

TEST(Reader, StarWithHostsOnItsSwitch) {
  const ClusterSpec spec = parse_cluster(R"(version = 1
[topology]
kind = "star"
size = [3]
[link]
protocol = "udp"
latency = "500 ns"
rate = "10 Gb/s"
[switch]
forward_latency = "800 ns"
queue = "64 KiB"
[fpga]
role = "mpi"
[host]
attach = "switch"
count = 2
protocol = "udp"
)",
                                         "star.toml", test_roles());
  EXPECT_EQ(spec.network_switch.queue_bytes, 65536u);
  const int hub = spec.find_node("switch");
  ASSERT_GE(hub, 0);
  EXPECT_EQ(spec.nodes[static_cast<std::size_t>(hub)].ports, 5);
  EXPECT_GE(spec.find_node("host.1"), 0);
  EXPECT_EQ(spec.nodes[0].host_port, -1);
}

TEST(Reader, JsonDumpHasDefaultsAndUnits) {
  const ClusterSpec spec = read_cluster("tinsel-12", test_roles());
  const auto json = nlohmann::json::parse(to_json(spec));
  EXPECT_EQ(json["topology"]["size"], nlohmann::json::parse("[3, 4]"));
  EXPECT_EQ(json["links"].size(), 29u);
  EXPECT_EQ(json["links"][0]["latency_ps"], 780000);
  EXPECT_EQ(json["links"][0]["a"]["node"], "fpga.0.0");
  EXPECT_EQ(json["roles"]["overlay"].size(), 1u);
  EXPECT_EQ(json["roles"]["overlay"][0]["cache_ways"], 16);  // a default
  EXPECT_EQ(json["roles"]["overlay"][0]["timing"]["mul"], 3);
  EXPECT_EQ(json["nodes"][0]["clocks_hz"]["core"], 250000000);
  EXPECT_NE(to_text(spec).find("780 ns"), std::string::npos);
  EXPECT_EQ(latency_line(spec), "780 ns x 17, host 1 us x 12");
  ClusterSpec mixed = spec;
  EXPECT_EQ(fidelity_line(mixed), "sim");
  mixed.nodes[0].fidelity = Fidelity::rtl;
  EXPECT_EQ(fidelity_line(mixed), "mixed, 1 of 12 rtl");
}

TEST(Reader, FindsNamesAndPaths) {
  EXPECT_NE(find_cluster("laptop").find("laptop.toml"), std::string::npos);
  EXPECT_EQ(find_cluster("clusters/laptop.toml"), "clusters/laptop.toml");  // tests run in the source folder
  try {
    find_cluster("latop");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean laptop?"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace polyloom::fabric

// SPDX-License-Identifier: Apache-2.0
// Covers: expansion of each topology: neighbours by coordinates, port numbers, counts, distances from graph
// theory. Leaves out: explicit links (reader_test) and link qualities.
#include "fabric/cluster/topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <queue>
#include <set>

namespace polyloom::fabric {
namespace {

struct End {
  int node = -1, port = -1;
  bool operator==(const End&) const = default;
};

ClusterSpec expanded(TopologyKind kind, std::vector<int> size, std::vector<int> links = {}) {
  ClusterSpec spec;
  spec.topology = {kind, std::move(size), std::move(links)};
  LinkQuality quality;
  quality.latency = 1000;
  quality.rate_bps = 1'000'000'000;
  expand_topology(spec, quality);
  name_links(spec);
  return spec;
}

// peer[n][p]; fails if a port is used twice or does not exist.
std::vector<std::vector<End>> peers(const ClusterSpec& spec) {
  std::vector<std::vector<End>> result;
  for (const ClusterNode& node : spec.nodes) result.emplace_back(static_cast<std::size_t>(node.ports));
  const auto put = [&](int node, int port, End end) {
    ASSERT_LT(static_cast<std::size_t>(port), result[static_cast<std::size_t>(node)].size());
    End& slot = result[static_cast<std::size_t>(node)][static_cast<std::size_t>(port)];
    EXPECT_EQ(slot, End{}) << spec.nodes[static_cast<std::size_t>(node)].name << " port " << port
                           << " used twice";
    slot = end;
  };
  for (const ClusterLink& link : spec.links) {
    put(link.node_a, link.port_a, {link.node_b, link.port_b});
    put(link.node_b, link.port_b, {link.node_a, link.port_a});
  }
  return result;
}

int diameter(const ClusterSpec& spec) {
  const auto peer = peers(spec);
  int longest = 0;
  for (std::size_t s = 0; s < peer.size(); ++s) {
    std::vector<int> distance(peer.size(), -1);
    std::queue<std::size_t> todo;
    distance[s] = 0;
    todo.push(s);
    while (!todo.empty()) {
      const std::size_t n = todo.front();
      todo.pop();
      for (const End& end : peer[n]) {
        if (end.node < 0 || distance[static_cast<std::size_t>(end.node)] >= 0) continue;
        distance[static_cast<std::size_t>(end.node)] = distance[n] + 1;
        todo.push(static_cast<std::size_t>(end.node));
      }
    }
    for (const int d : distance) {
      EXPECT_GE(d, 0) << "not connected";
      longest = std::max(longest, d);
    }
  }
  return longest;
}

TEST(Topology, MeshPortsAreNorthEastSouthWest) {
  const ClusterSpec spec = expanded(TopologyKind::mesh, {3, 4});
  ASSERT_EQ(spec.nodes.size(), 12u);
  EXPECT_EQ(spec.links.size(), 17u);  // the paper's 12 boards: 17 links
  const auto peer = peers(spec);
  const auto at = [&](int x, int y) {
    return spec.find_node("fpga." + std::to_string(x) + "." + std::to_string(y));
  };
  for (int x = 0; x < 3; ++x) {
    for (int y = 0; y < 4; ++y) {
      const auto& ports = peer[static_cast<std::size_t>(at(x, y))];
      EXPECT_EQ(ports[0], y < 3 ? (End{at(x, y + 1), 2}) : End{});
      EXPECT_EQ(ports[1], x < 2 ? (End{at(x + 1, y), 3}) : End{});
      EXPECT_EQ(ports[2], y > 0 ? (End{at(x, y - 1), 0}) : End{});
      EXPECT_EQ(ports[3], x > 0 ? (End{at(x - 1, y), 1}) : End{});
    }
  }
  EXPECT_EQ(diameter(spec), 5);
  EXPECT_EQ(spec.nodes[0].name, "fpga.0.0");
}

TEST(Topology, TorusWraps) {
  const ClusterSpec spec = expanded(TopologyKind::torus, {4, 5});
  EXPECT_EQ(spec.links.size(), 40u);
  EXPECT_EQ(diameter(spec), 2 + 2);
  const auto peer = peers(spec);
  EXPECT_EQ(peer[0][3], (End{spec.find_node("fpga.3.0"), 1}));
  EXPECT_EQ(peer[0][2], (End{spec.find_node("fpga.0.4"), 0}));
  // Two nodes in a dimension are joined twice, one has no link to itself.
  EXPECT_EQ(expanded(TopologyKind::torus, {2, 1}).links.size(), 2u);
  EXPECT_EQ(expanded(TopologyKind::torus, {1, 1}).links.size(), 0u);
}

TEST(Topology, Rings) {
  const ClusterSpec ring = expanded(TopologyKind::ring, {8});
  EXPECT_EQ(ring.links.size(), 8u);
  EXPECT_EQ(diameter(ring), 4);
  EXPECT_EQ(peers(ring)[7][0], (End{0, 1}));
  const ClusterSpec twin = expanded(TopologyKind::ring, {2});
  EXPECT_EQ(twin.links[1].name, "fpga.1-fpga.0#2");

  // PEACH2: two rings of 8 joined by pairs have diameter 5 and 2.67 mean hops between different nodes.
  const ClusterSpec twice = expanded(TopologyKind::double_ring, {8});
  EXPECT_EQ(twice.nodes.size(), 16u);
  EXPECT_EQ(twice.links.size(), 24u);
  EXPECT_EQ(diameter(twice), 5);
  EXPECT_EQ(peers(twice)[3][2], (End{twice.find_node("fpga.3.1"), 2}));
}

TEST(Topology, FullyConnectedPortsSkipOneself) {
  const ClusterSpec spec = expanded(TopologyKind::fully_connected, {5});
  EXPECT_EQ(spec.links.size(), 10u);
  const auto peer = peers(spec);
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      if (i == j) continue;
      const int port = j < i ? j : j - 1;
      EXPECT_EQ(peer[static_cast<std::size_t>(i)][static_cast<std::size_t>(port)].node, j);
    }
  }
}

TEST(Topology, GeneralizedHypercubeJoinsNodesThatDifferInOneCoordinate) {
  const ClusterSpec spec = expanded(TopologyKind::hypercube, {4, 2, 3});
  ASSERT_EQ(spec.nodes.size(), 24u);
  EXPECT_EQ(diameter(spec), 3);
  std::set<std::pair<int, int>> joined;
  for (const ClusterLink& link : spec.links) {
    EXPECT_TRUE(
        joined.insert({std::min(link.node_a, link.node_b), std::max(link.node_a, link.node_b)}).second);
  }
  for (int a = 0; a < 24; ++a) {
    for (int b = a + 1; b < 24; ++b) {
      const auto& p = spec.nodes[static_cast<std::size_t>(a)].position;
      const auto& q = spec.nodes[static_cast<std::size_t>(b)].position;
      int differ = 0;
      for (std::size_t d = 0; d < 3; ++d) differ += p[d] != q[d];
      EXPECT_EQ(joined.count({a, b}), differ == 1 ? 1u : 0u);
    }
  }
  // Dimension 1's port comes after the three of dimension 0.
  EXPECT_EQ(peers(spec)[0][3].node, spec.find_node("fpga.0.1.0"));
}

// Against the single-link network: port P of dimension d becomes the ports base_d + P * M_d + k.
TEST(Topology, SeveralLinksToAPeerKeepTheOrderOfPorts) {
  const std::vector<std::pair<std::vector<int>, std::vector<int>>> cases = {
      {{5}, {3}}, {{4, 2}, {1, 2}}, {{4, 2}, {2, 1}}, {{2, 3, 2}, {3, 1, 2}}};
  for (const auto& [size, links] : cases) {
    const auto kind = size.size() == 1 ? TopologyKind::fully_connected : TopologyKind::hypercube;
    const auto one = peers(expanded(kind, size)), many = peers(expanded(kind, size, links));
    ASSERT_EQ(one.size(), many.size());
    for (std::size_t n = 0; n < one.size(); ++n) {
      std::size_t next = 0, port = 0;
      for (std::size_t d = 0; d < size.size(); ++d) {
        for (int p = 0; p < size[d] - 1; ++p, ++port) {
          for (int k = 0; k < links[d]; ++k, ++next) {
            ASSERT_LT(next, many[n].size());
            EXPECT_EQ(many[n][next].node, one[n][port].node);
            // The k-th link of a pair joins the k-th ports of both.
            const End& back = many[static_cast<std::size_t>(many[n][next].node)]
                                  [static_cast<std::size_t>(many[n][next].port)];
            EXPECT_EQ(back, (End{static_cast<int>(n), static_cast<int>(next)}));
          }
        }
      }
      EXPECT_EQ(next, many[n].size());
    }
  }
  const ClusterSpec spec = expanded(TopologyKind::hypercube, {4, 2}, {1, 2});
  EXPECT_EQ(spec.nodes[0].ports, 3 + 2);
  EXPECT_EQ(spec.links.size(), 8u * 5 / 2);
  EXPECT_EQ(extent_of(spec.topology).links, 20);
  EXPECT_EQ(spec.links[4].name, "fpga.0.0-fpga.0.1#2");
}

TEST(Topology, StarHasOneSwitch) {
  const ClusterSpec spec = expanded(TopologyKind::star, {7});
  ASSERT_EQ(spec.nodes.size(), 8u);
  EXPECT_EQ(spec.nodes[7].kind, NodeKind::network_switch);
  EXPECT_EQ(peers(spec)[7][4], (End{4, 0}));
  EXPECT_EQ(diameter(spec), 2);
}

TEST(Topology, ExtentBoundsWhatIsMade) {
  const std::vector<std::pair<TopologyKind, std::vector<int>>> all = {
      {TopologyKind::mesh, {3, 4}},
      {TopologyKind::torus, {3, 3}},
      {TopologyKind::ring, {6}},
      {TopologyKind::double_ring, {5}},
      {TopologyKind::star, {9}},
      {TopologyKind::fully_connected, {6}},
      {TopologyKind::hypercube, {4, 3, 2}},
  };
  for (const auto& [kind, size] : all) {
    const ClusterSpec spec = expanded(kind, size);
    const Extent extent = extent_of(spec.topology);
    EXPECT_EQ(extent.nodes, static_cast<std::int64_t>(spec.nodes.size())) << name_of(kind);
    EXPECT_GE(extent.links, static_cast<std::int64_t>(spec.links.size())) << name_of(kind);
  }
  EXPECT_GT(extent_of({TopologyKind::hypercube, std::vector<int>(8, 4095)}).links, kMaxLinks);
}

}  // namespace
}  // namespace polyloom::fabric

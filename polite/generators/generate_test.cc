// SPDX-License-Identifier: Apache-2.0
// Covers: the generators' stated properties (sizes, distances, distinct ends, quadrant shares of R-MAT),
// equality for equal seeds. Leaves out: statistical quality of the random numbers beyond means.
#include "polite/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "fabric/error.h"

namespace polyloom::polite {
namespace {

TEST(Generators, GeometricEdgesAreShortDistinctAndFanoutMany) {
  const GraphData g = geometric_graph(40, 30, 4, 10, 3);
  ASSERT_EQ(g.vertices, 1200u);
  ASSERT_EQ(g.edges.size(), 12000u);
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  std::vector<int> fanout(1200, 0);
  for (const Edge& e : g.edges) {
    ++fanout[e.from];
    EXPECT_NE(e.from, e.to);
    EXPECT_LE(std::abs(static_cast<int>(e.from % 40) - static_cast<int>(e.to % 40)), 4);
    EXPECT_LE(std::abs(static_cast<int>(e.from / 40) - static_cast<int>(e.to / 40)), 4);
    EXPECT_TRUE(seen.insert({e.from, e.to}).second);
  }
  for (int f : fanout) EXPECT_EQ(f, 10);
  EXPECT_THROW(geometric_graph(40, 30, 1, 10), UserError);
  EXPECT_THROW(geometric_graph(10, 10), UserError);
  // A square whose last row is short: no neighbour further than requested, in x or in y.
  for (const Edge& e : geometric_square(95, 4, 10, 3).edges) {
    EXPECT_LT(std::max(e.from, e.to), 95u);
    EXPECT_LE(std::abs(int(e.from % 10) - int(e.to % 10)), 4);
    EXPECT_LE(std::abs(int(e.from / 10) - int(e.to / 10)), 4);
  }
}

TEST(Generators, GeometricByVertexCountAlwaysWorks) {
  for (std::uint32_t vertices : {2u, 3u, 10u, 17u, 101u, 1000u, 20000u}) {
    for (std::uint32_t fanout : {1u, 5u, 16u, 100u}) {
      if (fanout >= vertices) continue;
      EXPECT_EQ(geometric_graph(vertices, fanout).edges.size(), std::size_t{vertices} * fanout);
    }
  }
}

TEST(Generators, SameSeedSameGraph) {
  EXPECT_EQ(kronecker_graph(10, 8, 5).edges, kronecker_graph(10, 8, 5).edges);
  EXPECT_NE(kronecker_graph(10, 8, 5).edges, kronecker_graph(10, 8, 6).edges);
  EXPECT_EQ(geometric_graph(2000, 8, 5).edges, geometric_graph(2000, 8, 5).edges);
  EXPECT_EQ(uniform_graph(100, 200000, 1).edges, uniform_graph(100, 200000, 1).edges);
}

TEST(Generators, KroneckerIsSkewedAsItsParametersSay) {
  constexpr unsigned kScale = 14, kFactor = 16;
  const GraphData g = kronecker_graph(kScale, kFactor);
  ASSERT_EQ(g.vertices, 1u << kScale);
  ASSERT_EQ(g.edges.size(), std::size_t{kFactor} << kScale);
  std::vector<std::uint32_t> degree(g.vertices, 0);
  for (const Edge& e : g.edges) {
    ASSERT_LT(e.from, g.vertices);
    ASSERT_LT(e.to, g.vertices);
    ++degree[e.from];
  }
  // The vertex that takes A or B at every level has (A + B)^scale of all edges: 0.76^14 * 262144 = 5620.
  const double want = std::pow(0.76, kScale) * static_cast<double>(g.edges.size());
  EXPECT_NEAR(*std::max_element(degree.begin(), degree.end()), want, 6 * std::sqrt(want));
  EXPECT_THROW(kronecker_graph(32), UserError);
}

TEST(Generators, UniformMeanDegree) {
  const GraphData g = uniform_graph(1000, 100000, 2);
  double sum = 0;
  for (const Edge& e : g.edges) sum += e.to;
  EXPECT_NEAR(sum / 100000, 499.5, 4 * 288.7 / std::sqrt(100000.0));
}

TEST(Generators, Grid) {
  const GraphData g = grid_graph(3, 2);
  EXPECT_EQ(g.vertices, 6u);
  EXPECT_EQ(g.edges.size(), 2u * (2 * 2 + 3 * 1));
  EXPECT_EQ(grid_graph(0, 5).edges.size(), 0u);
}

TEST(Generators, CubeIsPeriodicAndHasEachNeighbourOnce) {
  for (const auto& [width, height, depth, neighbours] : {std::array{5u, 4u, 3u, 26u},
                                                         {5u, 4u, 2u, 17u},
                                                         {3u, 1u, 1u, 2u},
                                                         {1u, 1u, 1u, 0u},
                                                         {2u, 2u, 2u, 7u}}) {
    const GraphData g = cube_graph(width, height, depth);
    EXPECT_EQ(g.vertices, width * height * depth);
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (const Edge& edge : g.edges) {
      EXPECT_TRUE(seen.insert({edge.from, edge.to}).second);
      const auto apart = [](std::uint32_t a, std::uint32_t b, std::uint32_t side) {
        const std::uint32_t d = a > b ? a - b : b - a;
        return std::min(d, side - d);
      };
      const std::uint32_t a = edge.from, b = edge.to;
      EXPECT_LE(apart(a % width, b % width, width), 1u);
      EXPECT_LE(apart(a / width % height, b / width % height, height), 1u);
      EXPECT_LE(apart(a / width / height, b / width / height, depth), 1u);
      EXPECT_NE(a, b);
    }
    EXPECT_EQ(g.edges.size(), std::size_t{g.vertices} * neighbours);
  }
  EXPECT_EQ(cube_graph(0, 5, 5).edges.size(), 0u);
}

TEST(Generators, WeightsLieInRange) {
  GraphData g = uniform_graph(10, 5000, 1);
  draw_weights(g, 255, 9);
  std::set<double> seen(g.weights.begin(), g.weights.end());
  EXPECT_EQ(*seen.begin(), 1);
  EXPECT_EQ(*seen.rbegin(), 255);
  EXPECT_EQ(seen.size(), 255u);
}

}  // namespace
}  // namespace polyloom::polite

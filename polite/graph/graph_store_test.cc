// SPDX-License-Identifier: Apache-2.0
// Covers: GraphStore's rows against a plain list of edges (pins, labels, order, duplicates, loops), degrees
// while building, in-edges, both ways of bulk adding, errors. Leaves out: graphs beyond 2^32 edges.
#include "polite/graph_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <random>

#include "fabric/error.h"

namespace polyloom::polite {
namespace {

struct Plain {
  std::uint32_t from;
  unsigned pin;
  std::uint32_t to;
  std::int32_t label;
};

std::vector<Plain> random_edges(std::uint32_t vertices, std::size_t n, unsigned pins, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::vector<Plain> edges;
  for (std::size_t i = 0; i < n; ++i) {
    edges.push_back({static_cast<std::uint32_t>(rng() % vertices), static_cast<unsigned>(rng() % pins),
                     static_cast<std::uint32_t>(rng() % vertices), static_cast<std::int32_t>(i)});
  }
  return edges;
}

void expect_rows(const GraphStore& store, const std::vector<Plain>& edges, unsigned pins) {
  std::map<std::pair<std::uint32_t, unsigned>, std::vector<Plain>> rows;
  for (const Plain& e : edges) rows[{e.from, e.pin}].push_back(e);
  for (std::uint32_t v = 0; v < store.vertices(); ++v) {
    for (unsigned p = 0; p < pins; ++p) {
      const auto& want = rows[{v, p}];
      const std::size_t row = std::size_t{v} * pins + p;
      ASSERT_EQ(store.out_begin()[row + 1] - store.out_begin()[row], want.size());
      for (std::size_t i = 0; i < want.size(); ++i) {
        const std::uint64_t e = store.out_begin()[row] + i;
        EXPECT_EQ(store.out_target()[e], want[i].to);
        std::int32_t label;
        std::memcpy(&label, store.out_label() + e * sizeof(label), sizeof(label));
        EXPECT_EQ(label, want[i].label);
      }
    }
  }
}

TEST(GraphStore, SortsEdgesIntoRowsInOrderOfAddition) {
  for (unsigned pins : {1u, 3u}) {
    const auto edges = random_edges(50, 1000, pins, pins);
    GraphStore store(pins, sizeof(std::int32_t));
    store.add_vertices(50);
    for (const Plain& e : edges) store.add_edge(e.from, e.pin, e.to, &e.label);
    store.finish();
    expect_rows(store, edges, pins);
  }
}

TEST(GraphStore, ParallelSortGivesTheSameRows) {
  const auto edges = random_edges(1000, (1 << 20) + 17, 1, 5);
  GraphStore store(1, sizeof(std::int32_t));
  store.add_vertices(1000);
  for (const Plain& e : edges) store.add_edge(e.from, 0, e.to, &e.label);
  store.finish();
  expect_rows(store, edges, 1);
  const InEdges& in = store.in_edges();
  ASSERT_EQ(in.begin.back(), edges.size());
  for (std::uint32_t v = 0; v < 1000; ++v) {
    EXPECT_TRUE(std::is_sorted(in.source.begin() + in.begin[v], in.source.begin() + in.begin[v + 1]));
  }
}

TEST(GraphStore, InEdgesHoldEveryEdgeOnceWithItsPinAndLabel) {
  const auto edges = random_edges(20, 300, 2, 9);
  GraphStore store(2, sizeof(std::int32_t));
  store.add_vertices(20);
  for (const Plain& e : edges) store.add_edge(e.from, e.pin, e.to, &e.label);
  store.finish();
  const InEdges& in = store.in_edges();
  std::vector<bool> seen(edges.size());
  for (std::uint32_t v = 0; v < 20; ++v) {
    for (std::uint64_t i = in.begin[v]; i < in.begin[v + 1]; ++i) {
      std::int32_t label;
      std::memcpy(&label, in.label.data() + i * sizeof(label), sizeof(label));
      EXPECT_EQ(edges[label].from, in.source[i]);
      EXPECT_EQ(edges[label].to, v);
      EXPECT_EQ(edges[label].pin, in.pin[i]);
      EXPECT_FALSE(seen[label]);
      seen[label] = true;
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 300);
}

TEST(GraphStore, CountsDegreesWhileBuildingAndAfter) {
  GraphStore store(2, 0);
  store.add_vertices(3);
  store.add_edge(0, 0, 1);
  store.add_edge(0, 1, 1);
  EXPECT_EQ(store.fan_out(0), 2u);
  EXPECT_EQ(store.fan_in(1), 2u);
  store.add_edge(2, 0, 2);
  store.add_vertices(1);
  EXPECT_EQ(store.fan_in(2), 1u);
  EXPECT_EQ(store.fan_out(3), 0u);
  store.finish();
  EXPECT_EQ(store.fan_out(0), 2u);
  EXPECT_EQ(store.fan_out(2), 1u);
  EXPECT_EQ(store.fan_in(1), 2u);
}

TEST(GraphStore, TakesArraysOver) {
  std::vector<Edge> edges = {{1, 0}, {0, 1}, {1, 1}};
  GraphStore store(1, 0);
  store.add_vertices(2);
  store.take_edges(std::vector<Edge>(edges));
  store.add_edges(edges);
  store.finish();
  EXPECT_EQ(store.edges(), 6u);
  EXPECT_EQ(store.fan_out(1), 4u);
}

TEST(GraphStore, ViewsArraysUntilOthersFollow) {
  const std::vector<Edge> edges = {{1, 0}, {0, 1}, {1, 1}};
  for (const bool others : {false, true}) {
    GraphStore store(1, 0);
    store.add_vertices(2);
    store.view_edges(edges);
    EXPECT_EQ(store.fan_out(1), 2u);
    if (others) store.add_edge(0, 0, 0);
    EXPECT_EQ(store.edges(), others ? 4u : 3u);
    store.finish();
    EXPECT_EQ(store.fan_out(0), others ? 2u : 1u);
    EXPECT_EQ(store.fan_in(1), 2u);
    EXPECT_EQ(store.out_target()[store.out_begin()[1]], 0u);
  }
  GraphStore labelled(1, 4);
  labelled.add_vertices(2);
  labelled.view_edges(edges);
  EXPECT_THROW(labelled.view_edges(edges, 1), UserError);
  labelled.finish();
  EXPECT_EQ(labelled.edges(), 3u);
}

TEST(GraphStore, EmptyGraphsAreFine) {
  GraphStore store(1, 4);
  store.finish();
  EXPECT_EQ(store.edges(), 0u);
  EXPECT_EQ(store.in_edges().begin.size(), 1u);
}

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

TEST(GraphStore, SaysWhatIsWrong) {
  GraphStore store(2, 0);
  store.add_vertices(2);
  EXPECT_EQ(
      error_of([&] { store.add_edge(0, 2, 1); }),
      "PGraph: edge 0 -> 1 uses pin 2, but the graph has pins 0..1; define POLITE_NUM_PINS before including "
      "POLite.h");
  const Edge many[] = {{0, 1}};
  EXPECT_NE(error_of([&] { store.add_edges(many, 2); }).find("edge 0 -> 1 uses pin 2"), std::string::npos);
  store.add_edge(0, 0, 7);
  EXPECT_EQ(error_of([&] { store.finish(); }), "PGraph: edge 0 -> 7 leaves the graph: its vertices are 0..1");
  store.add_vertices(6);
  store.finish();
  EXPECT_NE(error_of([&] { store.add_edge(0, 0, 1); }).find("after map()"), std::string::npos);
  EXPECT_NE(error_of([&] { store.add_edges(many, 0); }).find("after map()"), std::string::npos);
  EXPECT_NE(error_of([&] { store.add_vertices(1); }).find("after map()"), std::string::npos);
}

}  // namespace
}  // namespace polyloom::polite

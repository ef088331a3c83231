// SPDX-License-Identifier: Apache-2.0
// Covers: GraphStore's rows, by sender and by receiver, against edges that std::stable_sort has sorted (pins, labels
// of several sizes, order, duplicates, loops, edges in both directions, any number of threads), rows under new
// numbers, degrees while building, bulk adding, errors. Leaves out: graphs beyond 2^32 edges.
#include "polite/graph_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <tuple>

#include "fabric/error.h"
#include "polite/graph/added_edges.h"
#include "polite/graph/edge_buckets.h"

namespace polyloom::polite {
namespace {

struct Plain {
  std::uint32_t from;
  unsigned pin;
  std::uint32_t to;
  std::uint32_t label;  ///< its first bytes are those of the label
};

/// Every fourth end is one of the first few vertices.
std::vector<Plain> random_edges(std::uint32_t vertices, std::size_t n, unsigned pins, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::vector<Plain> edges;
  const auto vertex = [&] {
    return static_cast<std::uint32_t>(rng() % (rng() % 4 == 0 ? std::min(vertices, 3u) : vertices));
  };
  for (std::size_t i = 0; i < n; ++i) {
    edges.push_back({vertex(), static_cast<unsigned>(rng() % pins), vertex(), static_cast<std::uint32_t>(i)});
  }
  return edges;
}

/// Labels of `bytes` bytes: the edge's, then zeros.
std::vector<std::byte> labels_of(const std::vector<Plain>& edges, std::size_t bytes) {
  std::vector<std::byte> labels(edges.size() * bytes);
  for (std::size_t i = 0; bytes != 0 && i < edges.size(); ++i)
    std::memcpy(labels.data() + i * bytes, &edges[i].label, std::min(bytes, sizeof edges[i].label));
  return labels;
}

/// What rows hold: owner, pin, the other end, label.
using Entry = std::tuple<std::uint32_t, unsigned, std::uint32_t, std::uint32_t>;

std::uint32_t label_at(const std::byte* labels, std::size_t bytes, std::uint64_t e) {
  std::uint32_t label = 0;
  if (bytes != 0) std::memcpy(&label, labels + e * bytes, std::min(bytes, sizeof label));
  return label;
}

std::vector<Entry> expected(std::vector<Plain> edges, std::size_t label_bytes, bool by_receiver) {
  std::ranges::stable_sort(edges, {}, [&](const Plain& e) {
    return by_receiver ? std::tuple(e.to, e.from, e.pin) : std::tuple(e.from, e.pin, 0u);
  });
  const std::vector<std::byte> labels = labels_of(edges, label_bytes);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Plain& e = edges[i];
    entries.emplace_back(by_receiver ? e.to : e.from, e.pin, by_receiver ? e.from : e.to,
                         label_at(labels.data(), label_bytes, i));
  }
  return entries;
}

std::vector<Entry> out_entries(const GraphStore& store) {
  const OutEdges out = store.out_edges();
  const std::size_t pins = store.pins(), bytes = store.label_bytes();
  EXPECT_EQ(out.begin.size(), store.vertices() * pins + 1);
  EXPECT_EQ(out.begin.back(), store.edges());
  std::vector<Entry> entries;
  for (std::size_t row = 0; row + 1 < out.begin.size(); ++row) {
    for (std::uint64_t e = out.begin[row]; e < out.begin[row + 1]; ++e)
      entries.emplace_back(row / pins, row % pins, out.target[e], label_at(out.label, bytes, e));
  }
  return entries;
}

std::vector<Entry> in_entries(const GraphStore& store) {
  const InEdges in = store.in_edges();
  const std::size_t bytes = store.label_bytes();
  EXPECT_EQ(in.begin.size(), store.vertices() + std::size_t{1});
  EXPECT_EQ(in.begin.back(), store.edges());
  std::vector<Entry> entries;
  for (std::uint32_t v = 0; v < store.vertices(); ++v) {
    for (std::uint64_t e = in.begin[v]; e < in.begin[v + 1]; ++e)
      entries.emplace_back(v, in.pin == nullptr ? 0 : in.pin[e], in.source[e], label_at(in.label, bytes, e));
  }
  return entries;
}

void set_threads(unsigned threads) { setenv("POLYLOOM_THREADS", std::to_string(threads).c_str(), 1); }

/// From few edges to many buckets; more vertices than edges; one vertex; none.
TEST(GraphStore, RowsAreThoseOfAStableSort) {
  const std::pair<std::uint32_t, std::size_t> sizes[] = {
      {1, 0}, {1, 5}, {50, 1000}, {3000, 70000}, {200000, 2000}, {40000, 1 << 17}, {9000, 1100000}};
  for (const auto& [vertices, n] : sizes) {
    for (const unsigned pins : {1u, 3u}) {
      for (const std::size_t bytes : {0u, 1u, 4u, 12u}) {
        if (n > 1000000 && (pins > 1) != (bytes == 1)) continue;
        SCOPED_TRACE(testing::Message() << vertices << " " << n << " " << pins << " " << bytes);
        const auto edges = random_edges(vertices, n, pins, n + pins);
        const std::vector<std::byte> labels = labels_of(edges, bytes);
        set_threads(1 + (n + bytes) % 3);
        GraphStore store(pins, bytes);
        store.add_vertices(vertices);
        for (std::size_t i = 0; i < n; ++i)
          store.add_edge(edges[i].from, edges[i].pin, edges[i].to, labels.data() + i * bytes);
        store.finish();
        EXPECT_TRUE(out_entries(store) == expected(edges, bytes, false));
        EXPECT_TRUE(in_entries(store) == expected(edges, bytes, true));
      }
    }
  }
  unsetenv("POLYLOOM_THREADS");
}

TEST(GraphStore, BothWaysIsAllEdgesThenAllTurned) {
  for (const std::size_t bytes : {0u, 4u, 2u}) {
    for (const bool others : {false, true}) {
      const auto edges = random_edges(500, 40000, 1, bytes);
      const std::vector<std::byte> labels = labels_of(edges, bytes);
      std::vector<Edge> ends;
      for (const Plain& e : edges) ends.push_back({e.from, e.to});
      std::vector<Plain> both = edges;
      for (const Plain& e : edges) both.push_back({e.to, 0, e.from, e.label});
      GraphStore store(1, bytes);
      store.add_vertices(500);
      store.view_edges(ends, 0, labels.data(), true);
      EXPECT_EQ(store.fan_out(7), std::ranges::count(both, 7u, &Plain::from));
      if (others) {
        both.push_back({7, 0, 8, 0});
        store.add_edge(7, 0, 8);
      }
      store.finish();
      EXPECT_EQ(store.is_mutual(), !others);
      EXPECT_EQ(store.edges(), both.size());
      for (std::uint32_t v : {0u, 7u, 8u, 499u}) {
        EXPECT_EQ(store.fan_out(v), std::ranges::count(both, v, &Plain::from));
        EXPECT_EQ(store.fan_in(v), std::ranges::count(both, v, &Plain::to));
      }
      EXPECT_TRUE(out_entries(store) == expected(both, bytes, false));
      if (others) {
        EXPECT_TRUE(in_entries(store) == expected(both, bytes, true));
        continue;
      }
      auto in = in_entries(store), want = expected(both, bytes, true);
      std::ranges::sort(in);
      std::ranges::sort(want);
      EXPECT_TRUE(in == want);
    }
  }
}

/// Under new numbers: as if edges had been added with these.
TEST(EdgeBuckets, WriteRowsByPlaces) {
  for (const auto& [vertices, n] : {std::pair(100u, 3000u), std::pair(300000u, 400000u)}) {
    for (const std::size_t bytes : {0u, 4u, 8u}) {
      for (const unsigned workers : {1u, 3u}) {
        SCOPED_TRACE(testing::Message() << vertices << " " << bytes << " " << workers);
        fabric::Pool pool(workers);
        auto edges = random_edges(vertices, n, 1, bytes);
        const std::vector<std::byte> labels = labels_of(edges, bytes);
        std::vector<Edge> ends;
        for (const Plain& e : edges) ends.push_back({e.from, e.to});
        std::vector<std::uint32_t> place(vertices);
        std::iota(place.begin(), place.end(), 0u);
        std::shuffle(place.begin(), place.end(), std::mt19937(5));
        for (Plain& e : edges) e = {place[e.from], 0, place[e.to], e.label};
        for (const bool by_receiver : {false, true}) {
          const auto want = expected(edges, bytes, by_receiver);
          std::vector<std::uint64_t> begin(vertices + 1, 0);
          for (const Entry& entry : want) ++begin[std::get<0>(entry) + 1];
          std::partial_sum(begin.begin(), begin.end(), begin.begin());
          std::vector<std::uint32_t> other(n), degree(vertices);
          std::vector<std::byte> label(n * bytes);
          AddedEdges added;
          added.edges = ends;
          added.label_bytes = bytes;
          added.label = labels.data();
          const auto buckets = EdgeBuckets::deal(
              added, vertices, by_receiver ? EdgeBuckets::By::kReceiver : EdgeBuckets::By::kSender, pool);
          buckets->count(degree.data(), pool);
          for (std::uint32_t v = 0; v < vertices; ++v)
            ASSERT_EQ(degree[v], begin[place[v] + 1] - begin[place[v]]);
          buckets->write_rows(begin.data(), place.data(), {other.data(), nullptr, label.data()}, pool);
          for (std::size_t i = 0; i < n; ++i) {
            ASSERT_EQ(other[i], std::get<2>(want[i]));
            ASSERT_EQ(label_at(label.data(), bytes, i), std::get<3>(want[i]));
          }
        }
      }
    }
  }
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

TEST(GraphStore, CountsWhatBecomesAVertexLater) {
  GraphStore store(1, 0);
  store.add_vertices(2);
  store.add_edge(0, 0, 5);
  EXPECT_EQ(store.fan_in(1), 0u);
  store.add_vertices(4);
  EXPECT_EQ(store.fan_in(5), 1u);
  store.finish();
  EXPECT_EQ(store.fan_in(5), 1u);
  EXPECT_THROW(store.fan_in(6), std::out_of_range);
}

TEST(GraphStore, CountsManyEdgesOfFewVertices) {
  std::vector<Edge> edges;
  std::vector<std::uint32_t> want(600, 0);
  std::mt19937 draw(3);
  for (std::size_t i = 0; i < 200000; ++i) {
    edges.push_back({static_cast<std::uint32_t>(draw() % 3 == 0 ? 5 : draw() % 600), 0});
    ++want[edges.back().from];
  }
  set_threads(3);
  GraphStore store(1, 0);
  store.add_vertices(600);
  store.view_edges(edges);
  EXPECT_TRUE(std::ranges::equal(store.out_degree(), want));
  EXPECT_EQ(store.fan_in(0), 200000u);
  unsetenv("POLYLOOM_THREADS");
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

// SPDX-License-Identifier: Apache-2.0
// Covers: in-edges kept in tiles (arranged.h) hold every edge once, by receiver in the order of senders;
// dense rounds over tiles, with steps in the same pass; against direct computations. Leaves out: speed.
#define POLITE_NUM_PINS 2
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <tuple>

#include "polite/graph_store.h"
#include "polite/native/engine.h"

namespace polyloom::polite {
namespace {

struct TileEdge {
  std::uint32_t from, pin, to, label;
};

/// A random graph with 32-bit labels; every 64th edge leaves from one of few vertices.
struct TileGraph {
  std::vector<TileEdge> edges;
  GraphStore store;
  NativeGraph view;

  /// `skewed`: every other edge enters one of a thousand vertices.
  TileGraph(std::uint32_t n, std::size_t m, std::uint32_t pins, std::uint32_t seed, bool skewed = false,
            bool labelled = true)
      : edges(m), store(pins, labelled ? 4 : 0) {
    std::mt19937 draw(seed);
    store.add_vertices(n);
    for (std::size_t i = 0; i < m; ++i) {
      TileEdge& e = edges[i];
      e.from = static_cast<std::uint32_t>(draw() % (i % 64 == 0 ? 20 : n));
      e.pin = static_cast<std::uint32_t>(draw() % pins);
      e.to = static_cast<std::uint32_t>(draw() % (skewed && i % 2 == 0 ? 1000 : n));
      e.label = static_cast<std::uint32_t>(i);
      store.add_edge(e.from, e.pin, e.to, labelled ? &e.label : nullptr);
    }
    store.finish();
    view.num_vertices = n;
    view.num_pins = pins;
    view.num_edges = m;
    view.label_bytes = store.label_bytes();
    view.store = &store;
  }
};

TEST(Tiles, HoldEveryEdgeByReceiverInTheOrderOfSenders) {
  constexpr std::uint32_t kVertices =
      150001;  // three tiles of 2^16 receivers, three segments of 2^16 senders
  for (const auto& [workers, skewed, pins, labelled] :
       {std::tuple(1u, false, 2u, true), std::tuple(2u, true, 2u, true), std::tuple(3u, true, 1u, true),
        std::tuple(3u, false, 1u, false), std::tuple(2u, true, 1u, false)}) {
    SCOPED_TRACE(testing::Message() << workers << " " << skewed << " " << pins << " " << labelled);
    TileGraph graph(kVertices, 400000, pins, 3, skewed, labelled);
    fabric::Pool pool(workers);
    const Arranged arranged(graph.view, true, true, 16, pool);
    const InTiles& in = arranged.tiles();
    ASSERT_TRUE(arranged.tiled());
    EXPECT_EQ(arranged.moved(), skewed);  // where tiles are even, vertices stay
    ASSERT_EQ(in.tiles, 3u);
    ASSERT_EQ(in.segments, 3u);
    using Row = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
    std::vector<Row> found;  // sender's place, pin, receiver's place, label
    for (std::size_t tile = 0; tile < in.tiles; ++tile) {
      const std::size_t first = found.size();
      for (std::size_t segment = 0; segment < in.segments; ++segment) {
        const std::uint64_t* const begin = in.begin + tile * in.segments + segment;
        for (std::uint64_t e = begin[0]; e < begin[1]; ++e) {
          std::uint32_t label = 0;
          if (labelled) std::memcpy(&label, in.label + e * 4, 4);
          found.emplace_back(static_cast<std::uint32_t>((segment << 16) + (in.edge[e] >> 16)),
                             in.pin == nullptr ? 0 : in.pin[e],
                             static_cast<std::uint32_t>((tile << 16) + (in.edge[e] & 0xffff)), label);
        }
      }
      const auto order = [](const Row& a, const Row& b) {
        return std::pair(std::get<0>(a), std::get<1>(a)) < std::pair(std::get<0>(b), std::get<1>(b));
      };
      EXPECT_TRUE(std::is_sorted(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(), order));
    }
    ASSERT_EQ(found.size(), graph.edges.size());
    if (!labelled) {  // edges are told apart by their ends alone
      std::vector<std::pair<std::uint32_t, std::uint32_t>> ends, expected;
      for (const auto& [from, pin, to, label] : found)
        ends.emplace_back(arranged.vertex(from), arranged.vertex(to));
      for (const TileEdge& e : graph.edges) expected.emplace_back(e.from, e.to);
      std::ranges::sort(ends);
      std::ranges::sort(expected);
      EXPECT_TRUE(ends == expected);
      continue;
    }
    std::vector<bool> seen(found.size(), false);
    for (const auto& [from, pin, to, label] : found) {
      const TileEdge& e = graph.edges.at(label);
      ASSERT_FALSE(seen[label]);
      seen[label] = true;
      ASSERT_EQ(arranged.vertex(from), e.from);
      ASSERT_EQ(pin, e.pin);
      ASSERT_EQ(arranged.vertex(to), e.to);
    }
  }
}

TEST(Tiles, KnowsWhereMostEdgesLeave) {
  const TileGraph graph(5000, 50000, 1, 4);
  EXPECT_TRUE(mostly_from(graph.view, 5000));
  EXPECT_FALSE(mostly_from(graph.view, 2500));
  GraphStore star(2, 0);
  star.add_vertices(1000);
  for (std::uint32_t i = 0; i < 400; ++i) star.add_edge(i % 4, i / 4 % 2, i);
  star.finish();
  NativeGraph view;
  view.num_vertices = 1000;
  view.num_pins = 2;
  view.num_edges = 400;
  view.store = &star;
  EXPECT_TRUE(mostly_from(view, 4));
  EXPECT_TRUE(mostly_from(view, 3));
  EXPECT_FALSE(mostly_from(view, 2));
}

// Rounds in which all, most or some vertices send. Sums stay below 2^24, so single precision is exact in any
// order of additions; `mix` is not, and shows the order.
struct SumState {
  std::uint32_t id, pins;
  std::uint32_t part;  ///< a vertex sends if id * 7 % 100 < part
  float sum, mix;
};
struct SumMessage {
  float value;
  std::uint32_t padding[7];
};
template <bool kQuiet, typename Accumulator>
struct SendingVertex : PDevice<SumState, std::uint32_t, SumMessage, Accumulator> {
  using Base = PDevice<SumState, std::uint32_t, SumMessage, Accumulator>;
  using Base::readyToSend, Base::s, Base::time;
  static constexpr bool recvNeverSends = kQuiet;
  INLINE void request(std::uint32_t round) {
    if (s->id * 7 % 100 < s->part) *readyToSend = Pin(static_cast<std::uint8_t>(round % s->pins));
  }
  INLINE void init() {
    *readyToSend = No;
    request(0);
  }
  INLINE void send(SumMessage* m) {
    m->value = static_cast<float>(1 + s->id % 3);
    *readyToSend = No;
  }
  INLINE bool next_round() {
    if (time >= 3) return false;
    request(time + 1u);
    return true;
  }
  INLINE bool finish(SumMessage*) { return false; }
};
template <bool kQuiet>
struct SumVertex : SendingVertex<kQuiet, None> {
  using SendingVertex<kQuiet, None>::s;
  INLINE void recv(SumMessage* m, const std::uint32_t* label) {
    s->sum += m->value * static_cast<float>(*label % 5);
    s->mix = 0.7f * s->mix + m->value;
  }
  INLINE bool step() { return this->next_round(); }
};

/// The same by accumulators, which go into the state with every third message and before steps.
struct Sums {
  float sum, mix;
  std::uint32_t heard;
};
template <bool kQuiet>
struct AccumulatedVertex : SendingVertex<kQuiet, Sums> {
  using SendingVertex<kQuiet, Sums>::a, SendingVertex<kQuiet, Sums>::s;
  INLINE bool recv(SumMessage* m, const std::uint32_t* label) {
    a->sum += m->value * static_cast<float>(*label % 5);
    a->mix = 0.7f * a->mix + m->value;
    return ++a->heard % 3 == 0;
  }
  INLINE void absorb() {
    s->sum += a->sum;
    s->mix = a->mix;
    a->sum = 0;
  }
  INLINE bool step() {
    absorb();
    return this->next_round();
  }
};

struct Nothing final : overlay::NativeOutput {
  void message(const void*, std::size_t) override {}
  void messages(const void*, std::size_t, std::size_t, std::size_t) override {}
  void console(std::uint32_t, const char*) override {}
  bool stopping() const override { return false; }
};

template <typename Vertex>
std::vector<SumState> sums(TileGraph& graph, std::uint32_t part, int workers) {
  std::vector<SumState> states(graph.view.num_vertices, SumState{});
  for (std::uint32_t v = 0; v < states.size(); ++v) states[v] = {v, graph.view.num_pins, part, 0, 0};
  graph.view.state = reinterpret_cast<std::byte*>(states.data());
  graph.view.state_bytes = sizeof(SumState);
  setenv("POLYLOOM_THREADS", std::to_string(workers).c_str(), 1);
  auto program = make_native_program<Vertex, SumState, std::uint32_t, SumMessage>(graph.view);
  Nothing out;
  program->run(out);
  unsetenv("POLYLOOM_THREADS");
  return states;
}

void check_rounds(std::uint32_t pins, std::uint32_t part) {
  constexpr std::uint32_t kVertices = 70001;  // messages of 32 bytes are far
  TileGraph graph(kVertices, 4 * kVertices, pins, 11);
  const auto one = sums<SumVertex<true>>(graph, part, 1);
  std::vector<double> expected(kVertices, 0);
  for (const TileEdge& e : graph.edges) {  // four rounds, dealt to the pins
    if (e.from * 7 % 100 < part) expected[e.to] += 4.0 / pins * (1 + e.from % 3) * (e.label % 5);
  }
  for (std::uint32_t v = 0; v < kVertices; ++v) ASSERT_EQ(one[v].sum, expected[v]) << "vertex " << v;
  const auto same = [](const SumState& a, const SumState& b) { return a.sum == b.sum && a.mix == b.mix; };
  for (const int workers : {2, 3}) {
    const auto more = sums<SumVertex<true>>(graph, part, workers);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), more.begin(), same));
  }
  const auto apart = sums<SumVertex<false>>(graph, part, 2);  // steps in passes of their own
  EXPECT_TRUE(std::equal(one.begin(), one.end(), apart.begin(), same));
  const auto quiet = sums<AccumulatedVertex<true>>(graph, part, 2);
  EXPECT_TRUE(std::equal(one.begin(), one.end(), quiet.begin(), same));
  const auto accumulated = sums<AccumulatedVertex<false>>(graph, part, 2);
  EXPECT_TRUE(std::equal(one.begin(), one.end(), accumulated.begin(), same));
}

TEST(Tiles, DeliverWhatEverybodySends) { check_rounds(1, 100); }
TEST(Tiles, DeliverWhatMostSend) { check_rounds(1, 95); }
TEST(Tiles, DeliverWhatSomeSend) { check_rounds(1, 60); }
TEST(Tiles, DeliverOnTheRightPin) { check_rounds(2, 95); }
TEST(Tiles, FewPushWithTheSameOrder) { check_rounds(1, 10); }

}  // namespace
}  // namespace polyloom::polite

// SPDX-License-Identifier: Apache-2.0
// Covers: the native engine merges messages of programs with a combiner, with labels and without, where all,
// most, some or few vertices send, near and far, by rows and by tiles: same integers as with --combine off,
// precise sums of floats, whatever the number of workers; what switches it off. Against direct computations.
// Leaves out: several pins (engine_test.cc), speed.
#include <POLite.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "polite/native/engine.h"

namespace polyloom::polite {
namespace {

struct Nowhere final : overlay::NativeOutput {
  void message(const void*, std::size_t) override {}
  void messages(const void*, std::size_t, std::size_t, std::size_t) override {}
  void console(std::uint32_t, const char*) override {}
  bool stopping() const override { return false; }
};

template <typename Dev>
using GraphOf = PGraph<Dev, typename Dev::State, typename Dev::Edge, typename Dev::Message>;

template <typename Dev>
void run(GraphOf<Dev>& graph, int workers) {
  setenv("POLYLOOM_THREADS", std::to_string(workers).c_str(), 1);
  const auto program =
      make_native_program<Dev, typename Dev::State, typename Dev::Edge, typename Dev::Message>(
          graph.nativeGraph());
  Nowhere nowhere;
  program->run(nowhere);
  unsetenv("POLYLOOM_THREADS");
}

// Adds four numbers a message, modulo 2^32, in four supersteps; a label multiplies them.
constexpr std::uint32_t kRounds = 4;
struct AddState {
  std::uint32_t id, part;  ///< see sends()
  std::uint32_t round;
  std::uint32_t reported;  ///< times that recv was called
  std::uint32_t sum[4], total[4];
};
struct AddMessage {
  std::uint32_t value[4];
};
/// Other vertices in each superstep: what one said before must not be heard again.
bool sends(std::uint32_t id, std::uint32_t part, std::uint32_t round) {
  return (id * 7 + round * 31) % 100 < part;
}
AddMessage said(std::uint32_t id, std::uint32_t round) {
  const std::uint32_t x = (id + 1) * 2654435761u + round;
  return {{x, ~x, x >> 3, 1}};
}

template <typename E, bool kEveryStep>
struct AddVertex : PDevice<AddState, E, AddMessage> {
  typedef PSum<std::uint32_t> Combiner;
  static constexpr bool recvNeverSends = true;
  static constexpr bool sendsEveryStep = kEveryStep;
  static void along(AddMessage& m, std::uint32_t label) {
    for (std::uint32_t& value : m.value) value *= label;
  }
  static E neutralLabel() { return 1; }

  void request() {
    if (sends(this->s->id, this->s->part, this->s->round)) *this->readyToSend = Pin(0);
  }
  void init() {
    *this->readyToSend = No;
    request();
  }
  void send(AddMessage* m) {
    *m = said(this->s->id, this->s->round);
    *this->readyToSend = No;
  }
  void recv(AddMessage* m, const E* label) {
    AddMessage here = *m;
    if constexpr (!std::is_same_v<E, None>) along(here, *label);
    for (int i = 0; i < 4; ++i) this->s->sum[i] += here.value[i];
    ++this->s->reported;
  }
  bool step() {
    for (int i = 0; i < 4; ++i) this->s->total[i] = this->s->total[i] * 31 + this->s->sum[i];
    for (int i = 0; i < 4; ++i) this->s->sum[i] = 0;
    if (++this->s->round == kRounds) return false;
    request();
    return true;
  }
  bool finish(AddMessage*) { return false; }
};

struct Weighted {
  std::uint32_t from, to, label;
};
/// Four edges a vertex on average, from the first `senders` of n; every 16th goes to one of five hubs.
std::vector<Weighted> some_edges(std::uint32_t n, std::uint32_t senders) {
  std::mt19937 draw(n);
  std::vector<Weighted> edges(4 * n);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto to = static_cast<std::uint32_t>(draw() % (i % 16 == 0 ? 5 : n));
    edges[i] = {static_cast<std::uint32_t>(draw() % senders), to, static_cast<std::uint32_t>(draw() % 9)};
  }
  return edges;
}

struct Case {
  std::uint32_t vertices, senders, part;
};

template <typename E, bool kEveryStep>
void check_sums(const Case& given) {
  constexpr bool kLabelled = !std::is_same_v<E, None>;
  const std::uint32_t n = given.vertices;
  const auto edges = some_edges(n, given.senders);
  std::vector<std::uint32_t> expected(4 * n, 0), came(n, 0);
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    for (std::uint32_t& total : expected) total *= 31;
    for (const Weighted& e : edges) {
      if (!sends(e.from, given.part, round)) continue;
      ++came[e.to];
      for (int i = 0; i < 4; ++i)
        expected[4 * e.to + i] += said(e.from, round).value[i] * (kLabelled ? e.label : 1);
    }
  }
  GraphOf<AddVertex<E, kEveryStep>> graph;
  graph.newDevices(n);
  for (const Weighted& e : edges) {
    if constexpr (kLabelled) {
      graph.addLabelledEdge(e.label, e.from, 0, e.to);
    } else {
      graph.addEdge(e.from, 0, e.to);
    }
  }
  graph.map();
  for (const Combine combine : {Combine::automatic, Combine::off}) {
    for (const int workers : {1, 2, 3}) {
      graph.mapOptions.combine = combine;
      for (std::uint32_t v = 0; v < n; ++v) graph.devices[v]->state = {v, given.part, 0, 0, {}, {}};
      run<AddVertex<E, kEveryStep>>(graph, workers);
      std::vector<std::uint32_t> totals;
      for (std::uint32_t v = 0; v < n; ++v) {
        const AddState& state = graph.devices[v]->state;
        totals.insert(totals.end(), state.total, state.total + 4);
        ASSERT_EQ(state.reported == 0, came[v] == 0) << "vertex " << v;
      }
      EXPECT_TRUE(totals == expected)
          << n << " vertices, " << given.part << " %, " << workers << " workers, combine "
          << (combine == Combine::off ? "off" : "auto") << (kLabelled ? ", labels" : "");
    }
  }
}

// Messages of 131072 vertices fill 2 MiB; from fewer senders they are pulled by rows, from all by tiles.
constexpr std::uint32_t kSmall = 3001, kMoved = Arranged::kLeastVertices + 77, kFar = 140001;

TEST(NativeCombine, SumsAreThoseOfADirectComputation) {
  for (const Case& given : {Case{1, 1, 100}, Case{kSmall, kSmall, 100}, Case{kMoved, kMoved, 100},
                            Case{kFar, 30000, 100}, Case{kFar, kFar, 100}}) {
    check_sums<None, true>(given);
  }
  check_sums<std::uint32_t, true>({kMoved, kMoved, 100});
}
TEST(NativeCombine, SumsOfSomeAreThoseOfADirectComputation) {
  for (const std::uint32_t part : {100u, 93u, 60u, 10u}) {
    check_sums<None, false>({kMoved, kMoved, part});
    check_sums<std::uint32_t, false>({kSmall, kSmall, part});
  }
  check_sums<std::uint32_t, false>({kFar, 30000, 100});
}

TEST(NativeCombine, TellsAVertexOnceARunUnlessSwitchedOff) {
  constexpr std::uint32_t kLeaves = 1000;
  using Vertex = AddVertex<None, true>;
  GraphOf<Vertex> star;
  star.newDevices(kLeaves + 1);
  for (std::uint32_t leaf = 1; leaf <= kLeaves; ++leaf) star.addEdge(leaf, 0, 0);
  star.map();
  const auto reported = [&](Combine combine, const char* environment) {
    star.mapOptions.combine = combine;
    for (std::uint32_t v = 0; v <= kLeaves; ++v) star.devices[v]->state = {v, 100, 0, 0, {}, {}};
    setenv("POLITE_COMBINE", environment, 1);
    try {
      run<Vertex>(star, 1);
    } catch (...) {
      unsetenv("POLITE_COMBINE");
      throw;
    }
    unsetenv("POLITE_COMBINE");
    return star.devices[0]->state.reported;
  };
  EXPECT_LT(reported(Combine::automatic, ""), kRounds * kLeaves / 32);
  EXPECT_LT(reported(Combine::on, ""), kRounds * kLeaves / 32);
  EXPECT_EQ(reported(Combine::off, ""), kRounds * kLeaves);
  EXPECT_EQ(reported(Combine::automatic, "off"), kRounds * kLeaves);
  EXPECT_LT(reported(Combine::off, "on"), kRounds * kLeaves / 32);
  EXPECT_THROW(reported(Combine::automatic, "sometimes"), UserError);
}

// A star's hub adds floats in runs, as precise programs do.
struct MeanState {
  std::uint32_t id, left;
  float run, sum;
};
struct MeanVertex : PDevice<MeanState, None, float> {
  typedef PSum<float> Combiner;
  static constexpr bool recvNeverSends = true;
  static constexpr std::uint32_t kRun = 64;
  static float value(std::uint32_t id) { return 1.0f / static_cast<float>(3 + id % 1001); }
  void init() {
    s->left = kRun;
    *readyToSend = Pin(0);
  }
  void send(float* m) {
    *m = value(s->id);
    *readyToSend = No;
  }
  void recv(float* m, None*) {
    s->run += *m;
    if (--s->left == 0) end_run();
  }
  void end_run() {
    s->sum += s->run;
    s->run = 0;
    s->left = kRun;
  }
  bool step() {
    end_run();
    return false;
  }
  bool finish(float*) { return false; }
};

TEST(NativeCombine, TheHubOfALargeStarKeepsSinglePrecision) {
  constexpr std::uint32_t kLeaves = 100'000;
  GraphOf<MeanVertex> star;
  star.newDevices(kLeaves + 1);
  double expected = 0;
  for (std::uint32_t leaf = 1; leaf <= kLeaves; ++leaf) {
    star.addEdge(leaf, 0, 0);
    expected += MeanVertex::value(leaf);
  }
  star.map();
  std::vector<float> sums;
  for (const int workers : {1, 2, 3}) {
    for (std::uint32_t v = 0; v <= kLeaves; ++v) star.devices[v]->state = {v, 0, 0, 0};
    run<MeanVertex>(star, workers);
    sums.push_back(star.devices[0]->state.sum);
  }
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_EQ(sums[0], sums[2]);
  EXPECT_NEAR(sums[0], expected, 4e-7 * expected);
}

}  // namespace
}  // namespace polyloom::polite

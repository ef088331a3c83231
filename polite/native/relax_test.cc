// SPDX-License-Identifier: Apache-2.0
// Covers: the engine of monotone classes on random graphs: asynchronous and by supersteps, with labels (whole
// numbers, floats, lengths below 0) and without, smallest and largest, many senders and one, messages that grow
// on their way, states that change when they send, votes to go on, messages to the host; whatever the number of
// workers, and as with --combine off. Against direct computations. Leaves out: speed. POLYLOOM_TEST_FULL:
// thousands of graphs.
#include "polite/native/relax.h"

#include <POLite.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <random>

#include "polite/native/engine.h"

namespace polyloom::polite {
namespace {

template <typename M>
struct Kept : overlay::NativeOutput {
  std::mutex mutex;
  std::vector<M> results, heard;
  void message(const void* bytes, std::size_t size) override { messages(bytes, size, size, 1); }
  void messages(const void* first, std::size_t, std::size_t stride, std::size_t count) override {
    const std::lock_guard lock(mutex);
    for (std::size_t i = 0; i < count; ++i) {
      const auto* packet = reinterpret_cast<const PMessage<M>*>(static_cast<const char*>(first) + i * stride);
      (packet->destKey == kHostPinKey ? heard : results).push_back(packet->payload);
    }
  }
  void console(std::uint32_t, const char*) override {}
  bool stopping() const override { return false; }
};

struct LabelledEdge {
  std::uint32_t from, to;
  int label;
};
struct RandomGraph {
  std::uint32_t vertices;
  std::vector<LabelledEdge> edges;
};

/// Of one shape or another: few or many edges, from anywhere to anywhere, to hubs, along a path, both ways.
RandomGraph random_graph(std::uint32_t seed, std::uint32_t most) {
  std::mt19937 draw(seed);
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(draw() % limit); };
  RandomGraph graph{1 + below(most), {}};
  const std::uint32_t n = graph.vertices, degree = below(9), shape = below(4);
  for (std::uint32_t i = 0; i < n * degree; ++i) {
    LabelledEdge edge{below(n), below(n), static_cast<int>(below(20))};
    if (shape == 1) edge.from %= 1 + n / 64;
    if (shape == 2) edge.to = std::min(n - 1, edge.from + below(3));
    graph.edges.push_back(edge);
    if (shape == 3) graph.edges.push_back({edge.to, edge.from, edge.label});
  }
  return graph;
}

/// Results, messages to the host in order of their size and supersteps of a run.
template <typename M>
struct Run {
  std::vector<M> results, heard;
  bool operator==(const Run&) const = default;
};

template <typename Dev, typename Start>
Run<PFinishType<Dev>> run(const RandomGraph& random, Start start, int workers, Combine combine,
                          bool both_ways = false) {
  using E = typename Dev::Edge;
  PGraph<Dev, typename Dev::State, E, typename Dev::Message> graph;
  graph.newDevices(random.vertices);
  for (const LabelledEdge& edge : random.edges) {
    if constexpr (__is_empty(E)) {
      graph.addEdge(edge.from, 0, edge.to);
      if (both_ways) graph.addEdge(edge.to, 0, edge.from);
    } else {
      graph.addLabelledEdge(static_cast<E>(edge.label), edge.from, 0, edge.to);
    }
  }
  graph.mapOptions.combine = combine;
  graph.map();
  for (std::uint32_t v = 0; v < random.vertices; ++v) graph.devices[v]->state = start(v);
  setenv("POLYLOOM_THREADS", std::to_string(workers).c_str(), 1);
  const auto program =
      make_native_program<Dev, typename Dev::State, E, typename Dev::Message>(graph.nativeGraph());
  unsetenv("POLYLOOM_THREADS");
  Kept<PFinishType<Dev>> kept;
  program->run(kept);
  std::sort(kept.heard.begin(), kept.heard.end());
  return {kept.results, kept.heard};
}

/// Runs in all ways must give the expected results.
template <typename Dev, typename Start, typename M>
void check(const RandomGraph& random, Start start, const std::vector<M>& expected, std::uint32_t seed,
           bool both_ways = false) {
  static_assert(can_relax<Dev, typename Dev::Edge, typename Dev::Message>());
  const auto plain = run<Dev>(random, start, 1, Combine::off, both_ways);
  ASSERT_TRUE(plain.results == expected) << "seed " << seed << ", the general engine";
  for (const int workers : {1, 2, 3}) {
    const auto relaxed = run<Dev>(random, start, workers, Combine::automatic, both_ways);
    ASSERT_TRUE(relaxed.results == expected) << "seed " << seed << ", " << workers << " workers";
    ASSERT_TRUE(relaxed.heard == plain.heard) << "seed " << seed << ", " << workers << " workers";
  }
}

std::uint32_t graphs() { return std::getenv("POLYLOOM_TEST_FULL") != nullptr ? 1000 : 48; }
/// Some are so large that workers share them.
std::uint32_t most_vertices(std::uint32_t seed) { return seed % 12 == 0 ? 30000 : seed % 3 == 0 ? 1000 : 48; }

constexpr std::uint32_t kFar = 0xffffffff;

// --- Whatever number comes along all edges, the best wins.

struct WinState {
  std::uint32_t value;
  std::uint32_t quiet;  ///< does not speak at first
  std::uint32_t turns;  ///< that it has spoken
};
template <template <typename> typename Best>
struct WinVertex : PDevice<WinState, None, std::uint32_t> {
  typedef Best<std::uint32_t> Combiner;
  static constexpr bool monotone = true;
  void init() { *readyToSend = s->quiet ? No : Pin(0); }
  void send(std::uint32_t* m) {
    *m = s->value;
    ++s->turns;
    *readyToSend = No;
  }
  void recv(std::uint32_t* m, None*) {
    const std::uint32_t before = s->value;
    Combiner::combine(s->value, *m);
    if (s->value != before) *readyToSend = Pin(0);
  }
  bool step() { return false; }
  bool finish(std::uint32_t* m) {
    *m = s->value + (s->turns == 0 && !s->quiet);
    return true;
  }
};

template <template <typename> typename Best>
void check_winner(std::uint32_t seed) {
  const RandomGraph graph = random_graph(seed, most_vertices(seed));
  const bool both_ways = seed % 2 == 0;
  std::mt19937 draw(seed + 1);
  const std::uint32_t quiet = seed % 5 == 0 ? 4 : 0;  // in how many there is one who speaks
  std::vector<WinState> start(graph.vertices);
  for (WinState& state : start)
    state = {static_cast<std::uint32_t>(draw() % 100000), quiet != 0 && draw() % quiet != 0, 0};
  std::vector<std::uint32_t> expected;
  for (const WinState& state : start) expected.push_back(state.value);
  // The numbers of vertices that speak or have been told move until nothing changes.
  std::vector<bool> speaks;
  for (const WinState& state : start) speaks.push_back(state.quiet == 0);
  for (bool more = true; more;) {
    more = false;
    const auto move = [&](std::uint32_t from, std::uint32_t to) {
      if (!speaks[from]) return;
      const std::uint32_t before = expected[to];
      Best<std::uint32_t>::combine(expected[to], expected[from]);
      if (expected[to] == before) return;
      speaks[to] = more = true;
    };
    for (const LabelledEdge& edge : graph.edges) {
      move(edge.from, edge.to);
      if (both_ways) move(edge.to, edge.from);
    }
  }
  check<WinVertex<Best>>(
      graph, [&](std::uint32_t v) { return start[v]; }, expected, seed, both_ways);
}
TEST(NativeRelax, TheBestNumberWinsAllThatItReaches) {
  for (std::uint32_t seed = 0; seed < graphs(); ++seed) {
    check_winner<PMin>(seed);
    check_winner<PMax>(seed + 10000);
    if (HasFatalFailure()) return;
  }
}

// --- Shortest paths: labels are lengths, of which some may be below 0 on graphs without circles.

template <typename Length>
struct PathState {
  Length distance;
  std::uint32_t is_source;
};
template <typename Length>
struct PathVertex : PDevice<PathState<Length>, Length, Length> {
  using Device = PDevice<PathState<Length>, Length, Length>;
  using Device::readyToSend;
  using Device::s;
  typedef PMin<Length> Combiner;
  static constexpr bool monotone = true;
  static void along(Length& m, Length label) {
    if (m != top_value<Length>()) m += label;
  }
  static Length neutralLabel() { return 0; }
  void init() {
    s->distance = s->is_source ? Length(0) : top_value<Length>();
    *readyToSend = s->is_source ? Pin(0) : No;
  }
  void send(Length* m) {
    *m = s->distance;
    *readyToSend = No;
  }
  void recv(Length* m, const Length* label) {
    Length length = *m;
    along(length, *label);
    if (length >= s->distance) return;
    s->distance = length;
    *readyToSend = Pin(0);
  }
  bool step() { return false; }
  bool finish(Length* m) {
    *m = s->distance;
    return true;
  }
};
/// The same by supersteps.
struct SteadyState {
  std::uint32_t distance, candidate, is_source;
};
template <bool kNeedsMessages>
struct SteadyVertex : PDevice<SteadyState, std::uint32_t, std::uint32_t> {
  typedef PMin<std::uint32_t> Combiner;
  static constexpr bool monotone = true, recvNeverSends = true, stepNeedsMessages = kNeedsMessages;
  static void along(std::uint32_t& m, std::uint32_t label) { m += label; }
  static std::uint32_t neutralLabel() { return 0; }
  void init() {
    s->distance = s->candidate = s->is_source ? 0 : kFar;
    *readyToSend = s->is_source ? Pin(0) : No;
  }
  void send(std::uint32_t* m) {
    *m = s->distance;
    *readyToSend = No;
  }
  void recv(std::uint32_t* m, const std::uint32_t* label) {
    s->candidate = std::min(s->candidate, *m + *label);
  }
  bool step() {
    if (s->candidate >= s->distance) return false;
    s->distance = s->candidate;
    *readyToSend = Pin(0);
    return true;
  }
  bool finish(std::uint32_t* m) {
    *m = s->distance;
    return true;
  }
};

template <typename Length>
std::vector<Length> bellman_ford(const RandomGraph& graph, const std::vector<bool>& is_source) {
  std::vector<Length> distance(graph.vertices, top_value<Length>());
  for (std::uint32_t v = 0; v < graph.vertices; ++v) {
    if (is_source[v]) distance[v] = 0;
  }
  for (bool more = true; more;) {
    more = false;
    for (const LabelledEdge& edge : graph.edges) {
      if (distance[edge.from] == top_value<Length>()) continue;
      const Length length = distance[edge.from] + static_cast<Length>(edge.label);
      if (length < distance[edge.to]) distance[edge.to] = length, more = true;
    }
  }
  return distance;
}
std::vector<bool> some_sources(std::uint32_t vertices, std::uint32_t seed) {
  std::mt19937 draw(seed + 2);
  std::vector<bool> is_source(vertices, false);
  const std::uint32_t count = seed % 4 == 0 ? vertices / 2 : seed % 4;
  for (std::uint32_t i = 0; i < count; ++i) is_source[draw() % vertices] = true;
  return is_source;
}

TEST(NativeRelax, ShortestPathsAreThoseOfBellmanAndFord) {
  for (std::uint32_t seed = 0; seed < graphs(); ++seed) {
    RandomGraph graph = random_graph(seed, most_vertices(seed));
    const std::vector<bool> is_source = some_sources(graph.vertices, seed);
    const auto start = [&](std::uint32_t v) { return PathState<std::uint32_t>{0, is_source[v]}; };
    const auto steady = [&](std::uint32_t v) { return SteadyState{0, 0, is_source[v]}; };
    const auto expected = bellman_ford<std::uint32_t>(graph, is_source);
    check<PathVertex<std::uint32_t>>(graph, start, expected, seed);
    check<SteadyVertex<false>>(graph, steady, expected, seed);
    check<SteadyVertex<true>>(graph, steady, expected, seed);
    // Lengths far apart fill buckets that have no list of their own.
    for (LabelledEdge& edge : graph.edges) edge.label = edge.label == 0 ? 1'000'000 : edge.label;
    check<PathVertex<std::uint32_t>>(graph, start, bellman_ford<std::uint32_t>(graph, is_source), seed);
    if (HasFatalFailure()) return;
  }
}
TEST(NativeRelax, ShortestPathsOfFloatsAndOfLengthsBelowZero) {
  for (std::uint32_t seed = 0; seed < graphs() / 2; ++seed) {
    RandomGraph graph = random_graph(seed, most_vertices(seed));
    const std::vector<bool> is_source = some_sources(graph.vertices, seed);
    check<PathVertex<float>>(
        graph,
        [&](std::uint32_t v) {
          return PathState<float>{0, is_source[v]};
        },
        bellman_ford<float>(graph, is_source), seed);
    // Forward only: no circles.
    for (LabelledEdge& edge : graph.edges) {
      if (edge.from > edge.to) std::swap(edge.from, edge.to);
      edge.label -= 10;
    }
    std::erase_if(graph.edges, [](const LabelledEdge& edge) { return edge.from == edge.to; });
    check<PathVertex<int>>(
        graph,
        [&](std::uint32_t v) {
          return PathState<int>{0, is_source[v]};
        },
        bellman_ford<int>(graph, is_source), seed);
    if (HasFatalFailure()) return;
  }
}

/// Lengths below 0 in a circle: every message is better than the one before, for hours.
TEST(NativeRelax, LeavesAProgramThatGoesOnAndOnWhenItIsToldTo) {
  using Vertex = PathVertex<int>;
  PGraph<Vertex, Vertex::State, int, int> graph;
  graph.newDevices(2);
  graph.addLabelledEdge(-1, 0, 0, 1);
  graph.addLabelledEdge(0, 1, 0, 0);
  graph.map();
  graph.devices[0]->state.is_source = 1;
  struct Leaving final : Kept<int> {
    mutable std::atomic<int> looks{0};
    bool stopping() const override { return ++looks > 1000; }
  } leaving;
  const auto program = make_native_program<Vertex, Vertex::State, int, int>(graph.nativeGraph());
  program->run(leaving);
  EXPECT_LT(graph.devices[1]->state.distance, 0);
}

// --- Messages that grow on their way without labels: hops, asynchronously and by supersteps.

struct HopState {
  std::uint32_t distance, heard, is_source;
};
template <bool kSteady, bool kNeedsMessages>
struct HopVertex : PDevice<HopState, None, std::uint32_t> {
  typedef PMin<std::uint32_t> Combiner;
  static constexpr bool monotone = true, recvNeverSends = kSteady, stepNeedsMessages = kNeedsMessages;
  void init() {
    s->distance = s->heard = s->is_source ? 0 : kFar;
    *readyToSend = s->is_source ? Pin(0) : No;
  }
  void send(std::uint32_t* m) {
    *m = s->distance + 1;
    *readyToSend = No;
  }
  void recv(std::uint32_t* m, None*) {
    if (*m >= s->heard) return;
    s->heard = *m;
    if (!kSteady) take();
  }
  void take() {
    s->distance = s->heard;
    *readyToSend = Pin(0);
  }
  bool step() {
    if (s->heard >= s->distance) return false;
    take();
    return true;
  }
  bool finish(std::uint32_t* m) {
    *m = s->distance;
    return true;
  }
};
TEST(NativeRelax, HopsAreThoseOfAQueue) {
  for (std::uint32_t seed = 0; seed < graphs(); ++seed) {
    RandomGraph graph = random_graph(seed, most_vertices(seed));
    for (LabelledEdge& edge : graph.edges) edge.label = 1;
    const std::vector<bool> is_source = some_sources(graph.vertices, seed);
    const auto start = [&](std::uint32_t v) { return HopState{0, 0, is_source[v]}; };
    const auto expected = bellman_ford<std::uint32_t>(graph, is_source);
    check<HopVertex<true, true>>(graph, start, expected, seed);
    check<HopVertex<true, false>>(graph, start, expected, seed);
    check<HopVertex<false, false>>(graph, start, expected, seed);
    if (HasFatalFailure()) return;
  }
}

// --- Votes, several steps, messages to the host, and more than one send.

struct BusyState {
  std::uint32_t id, value, step, again;
};
/// Sends its best twice over whenever it wants to; begins anew with a better number in each of three supersteps,
/// in which some say nothing, and tells the host of each.
struct BusyVertex : PDevice<BusyState, None, std::uint32_t> {
  typedef PMin<std::uint32_t> Combiner;
  static constexpr bool monotone = true;
  void init() {
    s->again = 0;
    *readyToSend = s->id % 7 == 0 ? Pin(0) : No;
  }
  void send(std::uint32_t* m) {
    *m = s->again == 2 ? s->step * 1000 + s->id : s->value;
    *readyToSend = s->again == 2 || s->again == 0 ? Pin(0) : No;
    s->again = s->again == 2 ? 0 : s->again == 0 ? 1 : 0;
  }
  void recv(std::uint32_t* m, None*) {
    if (*m >= s->value) return;
    s->value = *m;
    *readyToSend = Pin(0);
  }
  bool step() {
    if (s->step == 3) return false;
    ++s->step;
    if (s->step == 2) return true;  // none speaks
    if (s->id % 11 == s->step && s->value > 100 / s->step) {
      s->value = 100 / s->step;
      s->again = 2;
      *readyToSend = HostPin;
    }
    return true;
  }
  bool finish(std::uint32_t* m) {
    *m = s->value * 16 + s->step;
    return true;
  }
};
TEST(NativeRelax, StepsVotesAndMessagesToTheHost) {
  for (std::uint32_t seed = 0; seed < graphs(); ++seed) {
    const RandomGraph graph = random_graph(seed, most_vertices(seed));
    const auto start = [&](std::uint32_t v) { return BusyState{v, 200 + v % 1000, 0, 0}; };
    check<BusyVertex>(graph, start, run<BusyVertex>(graph, start, 2, Combine::off).results, seed);
    if (HasFatalFailure()) return;
  }
}

struct RestlessVertex : PDevice<WinState, None, std::uint32_t> {
  typedef PMin<std::uint32_t> Combiner;
  static constexpr bool monotone = true;
  void init() { *readyToSend = Pin(0); }
  void send(std::uint32_t* m) { *m = 1, *readyToSend = No; }
  void recv(std::uint32_t*, None*) {}
  bool step() { return true; }
  bool finish(std::uint32_t*) { return false; }
};
TEST(NativeRelax, SaysOfAProgramThatItNeverEnds) {
  try {
    run<RestlessVertex>(
        {4, {{0, 1, 0}, {1, 2, 0}}}, [](std::uint32_t) { return WinState{}; }, 1, Combine::automatic);
    ADD_FAILURE() << "it ended";
  } catch (const UserError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("the vertex program never ends")) << error.what();
  }
}

struct PinVertex : RestlessVertex {
  void init() { *readyToSend = Pin(1); }
};
TEST(NativeRelax, RefusesAPinThatTheGraphDoesNotHave) {
  EXPECT_THROW(run<PinVertex>(
                   {4, {{0, 1, 0}}}, [](std::uint32_t) { return WinState{}; }, 1, Combine::automatic),
               UserError);
}

}  // namespace
}  // namespace polyloom::polite

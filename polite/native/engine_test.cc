// SPDX-License-Identifier: Apache-2.0
// Covers: the native engine's rounds (dense and sparse), pins, labels, host messages, step and finish, and
// that results do not depend on the number of workers; against direct computations. Leaves out: HostLink,
// speed.
#define POLITE_NUM_PINS 2
#include "polite/native/engine.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <numeric>
#include <queue>
#include <random>

#include "polite/graph_store.h"

namespace polyloom::polite {
namespace {

struct Collected final : overlay::NativeOutput {
  std::vector<std::vector<std::uint8_t>> packets;
  void message(const void* bytes, std::size_t size) override {
    const auto* p = static_cast<const std::uint8_t*>(bytes);
    packets.emplace_back(p, p + size);
  }
  void messages(const void* first, std::size_t size, std::size_t stride, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i)
      message(static_cast<const std::uint8_t*>(first) + i * stride, size);
  }
  void console(std::uint32_t, const char*) override {}
  bool stopping() const override { return false; }
};

struct TestEdge {
  std::uint32_t from, pin, to, label;
};

/// A store with 32-bit labels (or none) and its view.
template <typename S>
struct Built {
  GraphStore store;
  std::vector<S> states;
  NativeGraph view;

  Built(std::uint32_t n, const std::vector<TestEdge>& edges, bool labelled)
      : store(POLITE_NUM_PINS, labelled ? 4 : 0), states(n) {
    store.add_vertices(n);
    for (const TestEdge& e : edges) store.add_edge(e.from, e.pin, e.to, labelled ? &e.label : nullptr);
    store.finish();
    view.num_vertices = n;
    view.num_pins = POLITE_NUM_PINS;
    view.num_edges = edges.size();
    view.label_bytes = labelled ? 4 : 0;
    view.state = reinterpret_cast<std::byte*>(states.data());
    view.state_bytes = sizeof(S);
    view.store = &store;
  }
};

std::vector<TestEdge> random_edges(std::uint32_t n, std::size_t m, std::uint32_t seed) {
  std::mt19937 draw(seed);
  std::vector<TestEdge> edges(m);
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(draw() % limit); };
  for (auto& e : edges) e = {below(n), below(POLITE_NUM_PINS), below(n), below(255) + 1};
  return edges;
}

template <typename Dev>
Collected run_on(Built<typename Dev::State>& graph, int workers) {
  setenv("POLYLOOM_THREADS", std::to_string(workers).c_str(), 1);
  auto program =
      make_native_program<Dev, typename Dev::State, typename Dev::Edge, typename Dev::Message>(graph.view);
  Collected out;
  program->run(out);
  unsetenv("POLYLOOM_THREADS");
  return out;
}

// Shortest paths on pin 0 only, labels read or (with the same values) written through a non-const pointer.
struct PathState {
  std::uint32_t distance, is_source;
};
template <typename Label>
struct PathVertex : PDevice<PathState, std::uint32_t, std::uint32_t> {
  void init() {
    s->distance = s->is_source ? 0 : ~0u;
    *readyToSend = s->is_source ? Pin(0) : No;
  }
  void send(std::uint32_t* m) {
    *m = s->distance;
    *readyToSend = No;
  }
  void recv(std::uint32_t* m, Label* w) {
    if (*m + *w < s->distance) {
      s->distance = *m + *w;
      *readyToSend = Pin(0);
    }
  }
  bool step() { return false; }
  bool finish(std::uint32_t* m) {
    *m = s->distance;
    return s->distance != ~0u;
  }
};
/// The same with a combiner.
struct CombinedPath : PathVertex<const std::uint32_t> {
  typedef PMin<std::uint32_t> Combiner;
  static constexpr bool monotone = true;
  static void along(std::uint32_t& distance, std::uint32_t length) { distance += length; }
  static std::uint32_t neutralLabel() { return 0; }
};

/// Asks for a pin at once, or when the first message has come.
struct RequestState {
  std::uint32_t at_once, later;
};
struct RequestVertex : PDevice<RequestState, None, std::uint32_t> {
  void init() { *readyToSend = static_cast<PPin>(s->at_once); }
  void send(std::uint32_t* m) {
    *m = 0;
    *readyToSend = No;
  }
  void recv(std::uint32_t*, None*) { *readyToSend = static_cast<PPin>(s->later); }
  bool step() { return false; }
  bool finish(std::uint32_t*) { return true; }
};

TEST(NativeEngine, RefusesAPinThatTheGraphDoesNotHave) {
  for (const std::uint32_t n : {40u, 3000u}) {
    for (const PPin pin : {Pin(2), Pin(7), Pin(253)}) {
      for (const bool at_once : {true, false}) {
        Built<RequestState> graph(n, {{0, 0, 1, 0}, {1, 1, 2, 0}, {n - 2, 0, n - 1, 0}}, false);
        graph.states[0].at_once = graph.states[n - 2].at_once = Pin(0);
        (at_once ? graph.states[n - 1].at_once : graph.states[n - 1].later) = pin;
        try {
          run_on<RequestVertex>(graph, 2);
          ADD_FAILURE() << "Pin(" << pin - 2 << ") of " << n;
        } catch (const UserError& error) {
          EXPECT_EQ(error.what(),
                    "native engine: a vertex asks to send on Pin(" + std::to_string(pin - 2) +
                        ") of a graph with POLITE_NUM_PINS 2; its pins are HostPin and Pin(0) to Pin(1)");
        }
      }
    }
  }
}

std::vector<std::uint32_t> dijkstra(std::uint32_t n, const std::vector<TestEdge>& edges,
                                    std::uint32_t source) {
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> out(n);
  for (const auto& e : edges) {
    if (e.pin == 0) out[e.from].push_back({e.to, e.label});
  }
  std::vector<std::uint32_t> d(n, ~0u);
  using Item = std::pair<std::uint32_t, std::uint32_t>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
  d[source] = 0;
  queue.push({0, source});
  while (!queue.empty()) {
    const auto [at, v] = queue.top();
    queue.pop();
    if (at > d[v]) continue;
    for (const auto& [w, length] : out[v]) {
      if (at + length < d[w]) queue.push({d[w] = at + length, w});
    }
  }
  return d;
}

template <typename Dev>
void check_paths(std::uint32_t n, std::size_t m, std::uint32_t seed, int workers, bool combine = true) {
  auto edges = random_edges(n, m, seed);
  for (std::size_t i = 0; i < m; ++i) {
    if (i % 16 != 0) edges[i].pin = 0;  // rounds in which most edges carry something
    if (i % 8 == 0) edges[i].to = edges[i].to % 9 * (n / 9);
  }
  Built<PathState> graph(n, edges, true);
  graph.view.combine = combine;
  graph.states[n / 2].is_source = 1;
  const Collected out = run_on<Dev>(graph, workers);
  const auto expected = dijkstra(n, edges, n / 2);
  for (std::uint32_t v = 0; v < n; ++v) ASSERT_EQ(graph.states[v].distance, expected[v]) << "vertex " << v;
  const auto reached =
      std::count_if(expected.begin(), expected.end(), [](std::uint32_t d) { return d != ~0u; });
  EXPECT_EQ(out.packets.size(), static_cast<std::size_t>(reached));
}

TEST(NativeEngine, ShortestPathsOnRandomGraphs) {
  for (const int workers : {1, 2, 3}) {
    check_paths<PathVertex<const std::uint32_t>>(1, 3, 1, workers);
    check_paths<PathVertex<const std::uint32_t>>(5000, 40000, 2, workers);
    check_paths<PathVertex<std::uint32_t>>(5000, 40000, 3, workers);
    check_paths<PathVertex<const std::uint32_t>>(9001, 9001, 4, workers);
    check_paths<CombinedPath>(5000, 40000, 2, workers);
    for (const bool combine : {true, false}) {  // vertices get new places
      check_paths<CombinedPath>(40001, 300000, 5, workers, combine);
    }
  }
}

// Two pins: even rounds go to pin 0, odd ones to pin 1; a vertex asks again inside send; floats show the
// order.
struct PinState {
  float sum[2];
  std::uint32_t sends;
};
struct PinMessage {
  float value;
  std::uint32_t pin;
};
struct PinVertex : PDevice<PinState, None, PinMessage> {
  void init() { *readyToSend = Pin(0); }
  void send(PinMessage* m) {
    m->pin = *readyToSend - Pin(0);
    m->value = 1.0f / static_cast<float>(3 + s->sends);
    *readyToSend = ++s->sends < 4 ? Pin(static_cast<std::uint8_t>(s->sends % 2)) : No;
  }
  void recv(PinMessage* m, None*) { s->sum[m->pin] += m->value; }
  bool step() { return false; }
  bool finish(PinMessage*) { return false; }
};

class NativePins : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutNewPlaces, NativePins,
                         testing::Values(6000, Arranged::kLeastVertices + 77));

TEST_P(NativePins, CarryOnlyTheirEdgesAndOrderIsFixed) {
  const std::uint32_t n = GetParam();
  auto edges = random_edges(n, 5 * n, 7);
  for (std::size_t i = 0; i < n; ++i) edges[i].from = edges[i].from % 50 * (n / 50);  // hubs
  std::vector<std::vector<float>> sums;
  for (const int workers : {1, 2, 5}) {
    Built<PinState> graph(n, edges, false);
    EXPECT_TRUE(run_on<PinVertex>(graph, workers).packets.empty());
    std::vector<float> all;
    for (const auto& s : graph.states) all.insert(all.end(), s.sum, s.sum + 2);
    sums.push_back(all);
  }
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_EQ(sums[0], sums[2]);
  std::vector<double> expected(2 * n, 0);
  for (const auto& e : edges) {
    for (int k = static_cast<int>(e.pin); k < 4; k += 2) expected[2 * e.to + e.pin] += 1.0 / (3 + k);
  }
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(sums[0][i], expected[i], 1e-4);
}

// Merges what comes on the pin that all send on, and nothing else.
struct MergeState {
  std::uint32_t id, sum, reported;
};
struct MergeVertex : PDevice<MergeState, None, std::uint32_t> {
  typedef PSum<std::uint32_t> Combiner;
  void init() { *readyToSend = Pin(1); }
  void send(std::uint32_t* m) {
    *m = s->id * 2654435761u;
    *readyToSend = No;
  }
  void recv(std::uint32_t* m, None*) {
    s->sum += *m;
    ++s->reported;
  }
  bool step() { return false; }
  bool finish(std::uint32_t*) { return false; }
};

TEST_P(NativePins, MergeOnlyWhatTheyCarry) {
  const std::uint32_t n = GetParam();
  auto edges = random_edges(n, 20 * n, 8);
  std::vector<std::uint32_t> expected(n, 0), came(n, 0);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    TestEdge& e = edges[i];
    e.pin = i % 16 != 0;
    if (e.to % 40 == 0) e.pin = 0;  // these hear nothing
    if (e.pin == 0) e.to = e.to / 40 * 40;
    if (e.pin == 0) continue;
    expected[e.to] += e.from * 2654435761u;
    ++came[e.to];
  }
  for (const bool combine : {true, false}) {
    for (const int workers : {1, 2, 3}) {
      Built<MergeState> graph(n, edges, false);
      graph.view.combine = combine;
      for (std::uint32_t v = 0; v < n; ++v) graph.states[v].id = v;
      run_on<MergeVertex>(graph, workers);
      for (std::uint32_t v = 0; v < n; ++v) {
        ASSERT_EQ(graph.states[v].sum, expected[v]) << "vertex " << v;
        ASSERT_EQ(graph.states[v].reported == 0, came[v] == 0) << "vertex " << v;
        if (combine && came[v] > 3) {
          ASSERT_LT(graph.states[v].reported, came[v]) << "vertex " << v;
        }
      }
    }
  }
}

struct HostState {
  std::uint32_t id;
};
struct HostVertex : PDevice<HostState, None, std::uint32_t> {
  void init() { *readyToSend = HostPin; }
  void send(std::uint32_t* m) {
    *m = s->id;
    *readyToSend = No;
  }
  void recv(std::uint32_t*, None*) {}
  bool step() { return false; }
  bool finish(std::uint32_t* m) {
    *m = s->id;
    return true;
  }
};

// Step semantics: traffic of the last step is delivered before finish; time counts rounds; the host pin
// works.
struct StepState {
  std::uint32_t id, heard, last_time, steps;
};
struct StepVertex : PDevice<StepState, None, std::uint32_t> {
  void init() { *readyToSend = No; }
  void send(std::uint32_t* m) {
    *m = 100 + s->id;
    *readyToSend = No;
  }
  void recv(std::uint32_t*, None*) { s->heard++; }
  bool step() {
    s->steps++;
    s->last_time = time;
    if (time == 2) *readyToSend = s->id == 0 ? HostPin : Pin(0);
    return time < 2;
  }
  bool finish(std::uint32_t* m) {
    *m = s->heard;
    return true;
  }
};

TEST(NativeEngine, StepRunsAtLeastOnceAndLastTrafficComesBeforeFinish) {
  Built<StepState> graph(3, {{0, 0, 1, 0}, {1, 0, 2, 0}, {2, 0, 1, 0}, {2, 1, 0, 0}, {1, 0, 1, 0}}, false);
  for (std::uint32_t v = 0; v < 3; ++v) graph.states[v].id = v;
  const Collected out = run_on<StepVertex>(graph, 2);
  for (const auto& s : graph.states) {
    EXPECT_EQ(s.steps, 3u);
    EXPECT_EQ(s.last_time, 2u);
  }
  EXPECT_EQ(graph.states[0].heard, 0u);
  EXPECT_EQ(graph.states[1].heard, 2u);
  EXPECT_EQ(graph.states[2].heard, 1u);
  ASSERT_EQ(out.packets.size(), 4u);
  const auto payload = [&](std::size_t i) {
    PMessage<std::uint32_t> p;
    std::memcpy(&p, out.packets[i].data(), sizeof p);
    EXPECT_EQ(p.destKey, i == 0 ? kHostPinKey : 0);
    return p.payload;
  };
  EXPECT_EQ(payload(0), 100u);
  EXPECT_EQ(payload(1), 0u);
  EXPECT_EQ(payload(2), 2u);
  EXPECT_EQ(payload(3), 1u);
}

// Messages to the host come in the order of vertices wherever the engine puts them; so do results.
TEST(NativeEngine, HostMessagesComeInVertexOrder) {
  const std::uint32_t n = Arranged::kLeastVertices + 5;
  Built<HostState> graph(n, random_edges(n, 4 * n, 9), false);
  for (std::uint32_t v = 0; v < n; ++v) graph.states[v].id = v;
  const Collected out = run_on<HostVertex>(graph, 2);
  ASSERT_EQ(out.packets.size(), 2 * n);
  for (std::uint32_t i = 0; i < 2 * n; ++i) {
    PMessage<std::uint32_t> p;
    std::memcpy(&p, out.packets[i].data(), sizeof p);
    ASSERT_EQ(p.payload, i % n);
  }
}

// Counts to a limit, then (if it has one) votes to end; sends nothing.
struct IdleState {
  std::uint32_t count, limit;
};
struct IdleVertex : PDevice<IdleState, None, std::uint32_t> {
  void init() { *readyToSend = No; }
  void send(std::uint32_t*) {}
  void recv(std::uint32_t*, None*) {}
  bool step() {
    if (s->count < s->limit) ++s->count;
    return s->limit == 0 || s->count < s->limit;
  }
  bool finish(std::uint32_t* m) {
    *m = s->count;
    return true;
  }
};

TEST(NativeEngine, AProgramThatCanNeverEndIsTold) {
  Built<IdleState> graph(3, {}, false);
  graph.states = {
      {0, 5}, {0, 0}, {0, 70'000}};  // the second never votes to end; the third counts for a while
  try {
    run_on<IdleVertex>(graph, 1);
    ADD_FAILURE() << "it has ended";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("never ends"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("65536 of 196608 supersteps"), std::string::npos)
        << error.what();
  }
}

TEST(NativeEngine, AProgramThatOnlyCountsMayTakeItsTime) {
  Built<IdleState> graph(1, {}, false);
  graph.states = {{0, 300'000}};
  const Collected out = run_on<IdleVertex>(graph, 1);
  ASSERT_EQ(out.packets.size(), 1u);
  EXPECT_EQ(graph.states[0].count, 300'000u);
}

TEST(NativeEngine, EmptyGraph) {
  Built<StepState> graph(0, {}, false);
  EXPECT_TRUE(run_on<StepVertex>(graph, 2).packets.empty());
}

TEST(Pool, DoesEachBlockOnceAndPassesExceptionsOn) {
  fabric::Pool pool(3);
  std::vector<std::atomic<int>> done(1000);
  for (int round = 0; round < 50; ++round) {
    pool.run(done.size(), [&](std::size_t b, unsigned worker) {
      EXPECT_LT(worker, 3u);
      done[b]++;
    });
  }
  for (const auto& d : done) EXPECT_EQ(d.load(), 50);
  EXPECT_THROW(pool.run(100,
                        [](std::size_t b, unsigned) {
                          if (b == 57) throw std::runtime_error("x");
                        }),
               std::runtime_error);
  int calls = 0;
  pool.run(1, [&](std::size_t, unsigned) { ++calls; });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace polyloom::polite

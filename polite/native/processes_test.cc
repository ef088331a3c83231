// SPDX-License-Identifier: Apache-2.0
// Covers: a vertex program in several processes (threads stand for them): results, messages to the host and
// states against direct computations, bit by bit against one process, in dense, sparse and mixed rounds, with
// pins, labels that are written, merged messages; how graphs are divided; bytes that are sent against the
// bound; graphs that do not fit together. Leaves out: MPI (tests/test_processes.py), speed.
#define POLITE_NUM_PINS 2
#include <gtest/gtest.h>

#include <random>

#include "fabric/full_tests.h"
#include "polite/native/engine.h"
#include "polite/native/thread_peers.h"

namespace polyloom::polite {
namespace {

using Packets = std::vector<std::vector<std::uint8_t>>;
struct Collected final : overlay::NativeOutput {
  Packets packets;
  void message(const void* bytes, std::size_t size) override { messages(bytes, size, size, 1); }
  void messages(const void* first, std::size_t size, std::size_t stride, std::size_t count) override {
    const auto* at = static_cast<const std::uint8_t*>(first);
    for (std::size_t i = 0; i < count; ++i, at += stride) packets.emplace_back(at, at + size);
  }
  void console(std::uint32_t, const char*) override {}
  bool stopping() const override { return false; }
};

struct TestEdge {
  std::uint32_t from, pin, to, label;
};
using Edges = std::vector<TestEdge>;

/// A graph of random edges: a few vertices have most of them, some none.
Edges random_edges(std::uint32_t n, std::size_t m, std::mt19937& draw) {
  Edges edges(m);
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(draw() % limit); };
  for (TestEdge& e : edges) {
    e = {below(n), below(2), below(n), below(255) + 1};
    if (below(3) == 0) e.from = e.from % 7 * (n / 7);
    if (below(3) == 0) e.to = e.to % 5 * (n / 5);
  }
  return edges;
}

template <typename S>
struct Built {
  GraphStore store;
  std::vector<S> states;
  NativeGraph view;

  Built(std::uint32_t n, const Edges& edges, std::size_t label_bytes) : store(2, label_bytes), states(n) {
    store.add_vertices(n);
    for (const TestEdge& e : edges) store.add_edge(e.from, e.pin, e.to, &e.label);
    store.finish();
    view.num_vertices = n;
    view.num_pins = 2;
    view.num_edges = edges.size();
    view.label_bytes = label_bytes;
    view.state = reinterpret_cast<std::byte*>(states.data());
    view.state_bytes = sizeof(S);
    view.store = &store;
    for (std::uint32_t v = 0; v < n; ++v) states[v].id = v;
  }
};

struct Ran {
  Packets packets;
  Traffic traffic;
};

/// Runs Dev in one process (0) or several; all of these must give the same.
template <typename Dev, typename Prepare>
Ran run_in(unsigned size, std::uint32_t n, const Edges& edges, Prepare prepare) {
  using S = typename Dev::State;
  using E = typename Dev::Edge;
  std::mutex mutex;
  std::vector<Packets> all;
  Ran ran;
  const auto run = [&](Peers* peers) {
    Built<S> graph(n, edges, __is_empty(E) ? 0 : sizeof(E));
    for (S& state : graph.states) prepare(state);
    NativeEngine<Dev, S, E, typename Dev::Message> engine(graph.view, peers);
    Collected out;
    engine.run(out);
    const std::lock_guard lock(mutex);
    all.push_back(std::move(out.packets));
    if (peers == nullptr) return;
    ran.traffic.bytes += peers->traffic.bytes;
    ran.traffic.bound += peers->traffic.bound;
    ran.traffic.supersteps = peers->traffic.supersteps;
  };
  setenv("POLYLOOM_THREADS", "2", 1);
  if (size == 0) {
    run(nullptr);
  } else {
    in_threads(size, [&](Peers& peers) { run(&peers); });
  }
  unsetenv("POLYLOOM_THREADS");
  for (const Packets& packets : all) EXPECT_EQ(packets, all[0]) << "processes were told different things";
  ran.packets = std::move(all[0]);
  return ran;
}

/// Sends for some supersteps on a pin of its own, more or less often; adds up what comes in an order that
/// floats show; tells the host now and then.
struct MixState {
  std::uint32_t id, often, heard, twice;
  float sum;
};
struct MixMessage {
  float value;
  std::uint32_t from;
};
template <typename E>
struct MixVertex : PDevice<MixState, E, MixMessage> {
  using Base = PDevice<MixState, E, MixMessage>;
  using Base::numVertices;
  using Base::readyToSend;
  using Base::s;
  using Base::time;
  std::uint32_t draw() const { return (s->id * 2654435761u + time * 40503u) >> 8; }
  void ask() {
    if (draw() % 1000 >= s->often) return;
    *readyToSend = draw() % 97 == 0 ? HostPin : Pin(static_cast<std::uint8_t>(draw() / 1000 % 2));
  }
  void init() {
    *readyToSend = No;
    ask();
  }
  void send(MixMessage* m) {
    *m = {1.0f / static_cast<float>(3 + s->id + s->heard % 5), s->id};
    // Some send twice in a superstep.
    *readyToSend = draw() % 11 == 0 && s->twice <= time ? Pin(1) : No;
    s->twice = time + 1u;
  }
  void recv(MixMessage* m, E* label) {
    ++s->heard;
    if constexpr (std::is_empty_v<E>) {
      s->sum = s->sum * 0.75f + m->value + static_cast<float>(m->from % numVertices % 3);
    } else {
      s->sum = s->sum * 0.75f + m->value * static_cast<float>(*label);
      *label = (*label * 5 + 1) % 256;
    }
  }
  bool step() {
    if (time < 5) ask();
    return time < 5;
  }
  bool finish(MixMessage* m) {
    *m = {s->sum, s->heard};
    return s->id % 10 != 3;
  }
};

std::size_t rounds_of_random_graphs() { return fabric::full_tests() ? 400 : 12; }

template <typename Dev>
void check_same_in_any_number() {
  std::mt19937 draw(11);
  for (std::size_t i = 0; i < rounds_of_random_graphs(); ++i) {
    const std::uint32_t n = 5 + static_cast<std::uint32_t>(draw() % (i % 3 == 0 ? 60 : 6000));
    const Edges edges = random_edges(n, n * (draw() % 8), draw);
    // Dense rounds, sparse ones, hardly any message.
    const std::uint32_t often = std::vector<std::uint32_t>{1000, 500, 100, 8}[i % 4];
    const auto prepare = [&](MixState& state) { state.often = often; };
    const Packets one = run_in<Dev>(0, n, edges, prepare).packets;
    for (const unsigned size : {2u, 3u, 5u}) {
      const Ran ran = run_in<Dev>(size, n, edges, prepare);
      ASSERT_EQ(ran.packets, one) << size << " processes, " << n << " vertices, graph " << i;
    }
  }
}
TEST(NativeProcesses, GiveTheSameBitsAsOne) { check_same_in_any_number<MixVertex<None>>(); }
TEST(NativeProcesses, GiveTheSameBitsWithLabelsThatAreWritten) {
  check_same_in_any_number<MixVertex<std::uint32_t>>();
}

/// Shortest paths with a combiner: sparse rounds, then denser ones, then sparse ones.
struct PathState {
  std::uint32_t id, distance;
};
struct PathVertex : PDevice<PathState, std::uint32_t, std::uint32_t> {
  typedef PMin<std::uint32_t> Combiner;
  static constexpr bool monotone = true;
  static void along(std::uint32_t& distance, std::uint32_t length) { distance += length; }
  static std::uint32_t neutralLabel() { return 0; }
  void init() {
    s->distance = s->id == 0 ? 0 : ~0u;
    *readyToSend = s->id == 0 ? Pin(0) : No;
  }
  void send(std::uint32_t* m) {
    *m = s->distance;
    *readyToSend = No;
  }
  void recv(std::uint32_t* m, const std::uint32_t* w) {
    if (*m + *w >= s->distance) return;
    s->distance = *m + *w;
    *readyToSend = Pin(0);
  }
  bool step() { return false; }
  bool finish(std::uint32_t* m) {
    *m = s->distance;
    return true;
  }
};

/// Bellman and Ford's.
std::vector<std::uint32_t> distances(std::uint32_t n, const Edges& edges) {
  std::vector<std::uint32_t> found(n, ~0u);
  found[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const TestEdge& e : edges) {
      if (e.pin != 0 || found[e.from] == ~0u || found[e.from] + e.label >= found[e.to]) continue;
      found[e.to] = found[e.from] + e.label;
      changed = true;
    }
  }
  return found;
}

TEST(NativeProcesses, FindShortestPaths) {
  std::mt19937 draw(3);
  for (const std::uint32_t n : {7u, 4000u, 40'000u}) {
    Edges edges = random_edges(n, 6 * std::size_t{n}, draw);
    for (TestEdge& e : edges) e.pin = 0;
    const std::vector<std::uint32_t> expected = distances(n, edges);
    for (const unsigned size : {2u, 3u, 5u}) {
      const Ran ran = run_in<PathVertex>(size, n, edges, [](PathState&) {});
      ASSERT_EQ(ran.packets.size(), n);
      if (n > 1000) {
        EXPECT_LT(ran.traffic.bytes, ran.traffic.bound) << "some are combined";
      }
      for (std::uint32_t v = 0; v < n; ++v) {
        PMessage<std::uint32_t> packet;
        std::memcpy(&packet, ran.packets[v].data(), sizeof packet);
        ASSERT_EQ(packet.payload, expected[v])
            << "vertex " << v << " of " << n << ", " << size << " processes";
      }
    }
  }
}

/// All send in every one of some supersteps: on one pin there is nothing to say but the messages.
struct AllState {
  std::uint32_t id, sum, sent;
};
struct AllVertex : PDevice<AllState, None, std::uint32_t> {
  static constexpr bool recvNeverSends = true;
  void init() { *readyToSend = Pin(0); }
  void send(std::uint32_t* m) {
    *m = s->id;
    *readyToSend = No;
  }
  void recv(std::uint32_t* m, None*) { s->sum += *m; }
  bool step() {
    if (time < 3) *readyToSend = Pin(0);
    return time < 3;
  }
  bool finish(std::uint32_t* m) {
    *m = s->sum;
    return true;
  }
};

TEST(NativeProcesses, SendEachMessageOnceToAProcessWithReceivers) {
  std::mt19937 draw(5);
  const std::uint32_t n = 5000;
  Edges edges = random_edges(n, 8 * n, draw);
  for (TestEdge& e : edges) e.pin = 0;
  const unsigned size = 4;
  const Ran ran = run_in<AllVertex>(size, n, edges, [](AllState&) {});
  std::vector<std::uint32_t> sums(n, 0), in_degree(n, 0);
  for (const TestEdge& e : edges) sums[e.to] += 4 * e.from, ++in_degree[e.to];
  for (std::uint32_t v = 0; v < n; ++v) {
    PMessage<std::uint32_t> packet;
    std::memcpy(&packet, ran.packets[v].data(), sizeof packet);
    ASSERT_EQ(packet.payload, sums[v]);
  }
  // By the definition: of each sender, other processes that own a receiver.
  const std::vector<std::uint32_t> begin = equal_ranges(in_degree, size);
  const auto owner = [&](std::uint32_t v) {
    return static_cast<std::uint32_t>(std::upper_bound(begin.begin(), begin.end(), v) - begin.begin() - 1);
  };
  std::vector<std::uint32_t> heard_by(n, 0);
  for (const TestEdge& e : edges) heard_by[e.from] |= (owner(e.from) != owner(e.to)) << owner(e.to);
  std::uint64_t bound = 0;
  for (const std::uint32_t processes : heard_by)
    bound += 4 * sizeof(std::uint32_t) * std::popcount(processes);
  EXPECT_EQ(ran.traffic.supersteps, 4u);
  EXPECT_EQ(ran.traffic.bound, bound);
  EXPECT_LE(ran.traffic.bytes, bound + ran.traffic.supersteps * size * (size - 1) * 8);
}

/// The same with a combiner: what goes to the same receiver is added up before it is sent.
struct SumVertex : AllVertex {
  typedef PSum<std::uint32_t> Combiner;
};

TEST(NativeProcesses, CombineWhatGoesToOneReceiver) {
  // Vertex 0 hears from all, each other one from two; the senders of 0 have no other receiver there, but for one of
  // them.
  const std::uint32_t n = 3000;
  const unsigned size = 3;
  Edges edges;
  for (std::uint32_t v = 0; v < n; ++v) edges.push_back({v, 0, 0, 0});
  for (std::uint32_t v = 1; v < n; ++v) edges.insert(edges.end(), 2, {v, 0, v, 0});
  edges.push_back({n - 1, 0, 1, 0});
  std::vector<std::uint32_t> sums(n, 0);
  for (const TestEdge& e : edges) sums[e.to] += 4 * e.from;
  const Ran ran = run_in<SumVertex>(size, n, edges, [](AllState&) {});
  for (std::uint32_t v = 0; v < n; ++v) {
    PMessage<std::uint32_t> packet;
    std::memcpy(&packet, ran.packets[v].data(), sizeof packet);
    ASSERT_EQ(packet.payload, sums[v]) << "vertex " << v;
  }
  // In each superstep two combined messages, and that of vertex n - 1, each after a head of 8 bytes a process.
  EXPECT_EQ(ran.traffic.bytes, 4u * (2 * 8 + 3 * 4));
  EXPECT_GT(ran.traffic.bound, 4u * 4 * 1000);
}

/// All send in every superstep, vertex 0 twice: no process may step before both have come.
struct TwiceVertex : AllVertex {
  void send(std::uint32_t* m) {
    *m = s->id + 1;
    const bool again = s->id == 0 && s->sent++ % 2 == 0;
    *readyToSend = again ? Pin(0) : No;
  }
  void recv(std::uint32_t* m, None*) { s->sum += *m * (time + 1u); }
};

TEST(NativeProcesses, StepTogether) {
  std::mt19937 draw(6);
  const std::uint32_t n = 3000;
  Edges edges = random_edges(n, 8 * n, draw);
  for (TestEdge& e : edges) e.pin = 0;
  std::vector<std::uint32_t> sums(n, 0);
  for (const TestEdge& e : edges) sums[e.to] += (1 + 2 + 3 + 4) * (e.from == 0 ? 2 : e.from + 1);
  const Ran ran = run_in<TwiceVertex>(3, n, edges, [](AllState&) {});
  for (std::uint32_t v = 0; v < n; ++v) {
    PMessage<std::uint32_t> packet;
    std::memcpy(&packet, ran.packets[v].data(), sizeof packet);
    ASSERT_EQ(packet.payload, sums[v]) << "vertex " << v;
  }
}

TEST(NativeProcesses, HaveAboutEqualRanges) {
  EXPECT_EQ(equal_ranges(std::vector<std::uint32_t>(12, 1), 3), (std::vector<std::uint32_t>{0, 4, 8, 12}));
  EXPECT_EQ(equal_ranges(std::vector<std::uint32_t>{1000, 0, 0, 0}, 4),
            (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(equal_ranges(std::vector<std::uint32_t>{0, 0, 0, 1000}, 3),
            (std::vector<std::uint32_t>{0, 2, 3, 4}));
}

std::string refusal(const std::function<void()>& body) {
  try {
    body();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(NativeProcesses, AreNotMoreThanVertices) {
  const auto run = [] { run_in<AllVertex>(3, 2, {{0, 0, 1, 0}}, [](AllState&) {}); };
  EXPECT_EQ(refusal(run),
            "a graph of 2 vertices cannot be divided among 3 processes; start at most one a vertex");
}

TEST(NativeProcesses, MustHaveTheSameGraph) {
  const auto run = [] {
    in_threads(3, [](Peers& peers) {
      const Edges edges(peers.rank() == 2 ? 5 : 4, TestEdge{0, 0, 1, 0});
      Built<AllState> graph(9, edges, 0);
      NativeEngine<AllVertex, AllState, None, std::uint32_t> engine(graph.view, &peers);
    });
  };
  EXPECT_EQ(refusal(run),
            "processes must have the same graph, but process 0 has 4 edges, and process 2 has 5");
}

}  // namespace
}  // namespace polyloom::polite

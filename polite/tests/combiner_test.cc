// SPDX-License-Identifier: Apache-2.0
// Covers: combiners on the device's code (functional_machine.h), programs of combiner_vertices.h: the result
// with partial receivers equals that without and a direct computation, bit by bit, and takes as many
// supersteps; skewed, odd and empty graphs, several shapes of machine, all policies, labels, states in both
// memories; who breaks its promise to send in every superstep is told. Leaves out: which vertices get
// partial receivers, and where these stand (mapper/combine_test.cc); time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "fabric/full_tests.h"
#include "polite/tests/combiner_vertices.h"
#include "polite/tests/functional_machine.h"
#include "polite/tests/skewed_graphs.h"

namespace polyloom::polite {
namespace {

// What combiners do, said once more: a message comes along an edge into what has been heard; nothing heard.
template <typename T, std::uint32_t N, typename F>
void each(Fields<T, N>& into, const Fields<T, N>& from, F&& f) {
  for (std::uint32_t i = 0; i < N; ++i) into.field[i] = static_cast<T>(f(into.field[i], from.field[i]));
}
template <typename T, std::uint32_t N>
Fields<T, N> all(T value) {
  Fields<T, N> fields;
  std::fill_n(fields.field, N, value);
  return fields;
}
#if POLITE_NUM_PINS == 1
struct Sum : SumVertex {
  static constexpr const char* program = "polite_combine_sum";
  static Message nothing() { return {{0}}; }
  static void hear(Message& heard, const Message& m, None) { heard.field[0] += m.field[0]; }
};
struct ScaledSum : ScaledVertex {
  static constexpr const char* program = "polite_combine_scaled";
  static Message nothing() { return all<std::int32_t, 10>(0); }
  static void hear(Message& heard, const Message& m, std::int16_t factor) {
    each(heard, m, [&](std::int64_t a, std::int64_t b) { return a + b * factor; });
  }
};
struct Or : OrVertex {
  static constexpr const char* program = "polite_combine_or";
  static Message nothing() { return all<std::uint16_t, 5>(0); }
  static void hear(Message& heard, const Message& m, None) {
    each(heard, m, [](unsigned a, unsigned b) { return a | b; });
  }
};
struct Greatest : GreatestVertex {
  static constexpr const char* program = "polite_combine_greatest";
  static Message nothing() { return all<float, 2>(-std::numeric_limits<float>::infinity()); }
  static void hear(Message& heard, const Message& m, None) {
    each(heard, m, [](float a, float b) { return std::max(a, b); });
  }
};
struct And : AndVertex {
  static constexpr const char* program = "polite_combine_and";
  static Message nothing() { return all<std::uint8_t, 3>(255); }
  static void hear(Message& heard, const Message& m, None) {
    each(heard, m, [](unsigned a, unsigned b) { return a & b; });
  }
};
struct SeveralKinds : KindsVertex {
  static constexpr const char* program = "polite_combine_kinds";
  static Message nothing() { return {0, std::numeric_limits<std::int64_t>::max(), 0}; }
  static void hear(Message& heard, const Message& m, None) {
    heard = {static_cast<std::uint8_t>(heard.bits | m.bits), std::min(heard.least, m.least),
             std::max(heard.greatest, m.greatest)};
  }
};
using Programs = testing::Types<Sum, ScaledSum, Or, Greatest, And, SeveralKinds>;
#else
struct Least : LeastVertex {
  static constexpr const char* program = "polite_combine_least";
  static Message nothing() { return all<std::int32_t, 1>(std::numeric_limits<std::int32_t>::max()); }
  static void hear(Message& heard, const Message& m, std::int32_t bound) {
    heard.field[0] = std::min(heard.field[0], std::max(m.field[0], bound));
  }
};
struct LeastSigned : LeastSignedVertex {
  static constexpr const char* program = "polite_combine_least_signed";
  static Message nothing() { return all<std::int8_t, 6>(127); }
  static void hear(Message& heard, const Message& m, None) {
    each(heard, m, [](int a, int b) { return std::min(a, b); });
  }
};
struct FloatSum : FloatSumVertex {
  static constexpr const char* program = "polite_combine_float_sum";
  static Message nothing() { return all<float, 4>(0); }
  static void hear(Message& heard, const Message& m, float factor) {
    each(heard, m, [&](float a, float b) { return a + b * factor; });
  }
};
using Programs = testing::Types<Least, LeastSigned, FloatSum>;
#endif

/// A graph as a plain list, with pins and labels.
template <typename E>
struct Link {
  std::uint32_t from, to;
  unsigned pin;
  E label;
};
template <typename E>
struct Links {
  std::uint32_t vertices;
  std::vector<Link<E>> all;

  Links(const GraphData& graph, std::uint64_t seed) : vertices(graph.vertices) {
    std::mt19937_64 random(seed);
    for (const Edge& e : graph.edges) {
      Link<E> link{e.from, e.to, static_cast<unsigned>(random() % POLITE_NUM_PINS), {}};
      if constexpr (!std::is_empty_v<E>) link.label = static_cast<E>(static_cast<int>(random() % 201) - 100);
      all.push_back(link);
    }
  }
};

struct Observed {
  std::vector<std::uint32_t> digest, rounds;
  std::uint64_t barriers = 0;
};

/// Superstep by superstep: all send, then all hear.
template <typename P>
Observed direct(const Links<typename P::Edge>& graph) {
  using M = typename P::Message;
  const std::uint32_t n = graph.vertices;
  std::vector<M> value(n);
  Observed a{std::vector<std::uint32_t>(n), std::vector<std::uint32_t>(n, 1), 0};
  for (std::uint32_t v = 0; v < n; ++v) {
    value[v].draw(v);
    a.digest[v] = v;
  }
  if (P::monotone) {
    std::vector<bool> reports(n, true);
    for (std::uint32_t time = 0;; ++time) {
      std::vector<M> next = value;
      for (const auto& link : graph.all) {
        if (reports[link.from]) P::hear(next[link.to], value[link.from], link.label);
      }
      bool any = false;
      for (std::uint32_t v = 0; v < n; ++v) {
        const std::uint32_t now = next[v].digest(0);
        reports[v] = now != value[v].digest(0);
        any = any || reports[v];
        if (reports[v]) a.digest[v] = mix(mix(a.digest[v], now), time);
        if (P::policy == Policy::eager) a.digest[v] = now;
      }
      value = next;
      if (!any) {
        if (P::policy == Policy::monotone) std::fill(a.rounds.begin(), a.rounds.end(), time + 1);
        a.barriers = a.rounds.empty() ? 2 : a.rounds[0] + 1;
        return a;
      }
    }
  }
  for (std::uint32_t round = 0; round <= P::kRounds; ++round) {
    std::vector<M> heard(n, P::nothing());
    if (round > 0) {
      for (std::uint32_t v = 0; v < n; ++v) value[v].draw(a.digest[v]);
    }
    for (const auto& link : graph.all) {
      if (P::pin_of(a.digest[link.from], link.from) == Pin(static_cast<std::uint8_t>(link.pin)))
        P::hear(heard[link.to], value[link.from], link.label);
    }
    for (std::uint32_t v = 0; v < n; ++v) a.digest[v] = heard[v].digest(a.digest[v]);
  }
  std::fill(a.rounds.begin(), a.rounds.end(), P::kRounds);
  a.barriers = n == 0 ? 2 : P::kRounds + 1;
  return a;
}

struct Outcome {
  Observed observed;
  std::size_t partials;
  std::uint64_t messages;
};

/// On the device's code. `seed` also decides how the graph is placed, which memories it is in, and how pins
/// send; `prepare` may change states.
template <typename P>
Outcome on_device(
    const Links<typename P::Edge>& links, const Machine& machine, Combine combine, std::uint64_t seed,
    void (*prepare)(const DeviceList<typename P::State>&) = [](const DeviceList<typename P::State>&) {}) {
  PGraph<P, typename P::State, typename P::Edge, typename P::Message> graph;
  graph.newDevices(links.vertices);
  for (const auto& link : links.all) graph.addLabelledEdge(link.label, link.from, link.pin, link.to);
  graph.map();
  for (std::uint32_t v = 0; v < links.vertices; ++v) graph.devices[v]->state.id = v;
  prepare(graph.devices);
  graph.mapOptions.combine = combine;
  graph.mapOptions.placer = seed % 2 == 0 ? Placer::random : Placer::bfs;
  graph.mapOptions.pins = static_cast<Pins>(seed / 2 % 4);
  graph.mapVerticesToDRAM = seed % 3 == 0;
  graph.mapOutEdgesToDRAM = seed % 3 != 1;
  graph.mapInEdgeHeadersToDRAM = graph.mapInEdgeRestToDRAM = seed % 5 != 1;
  graph.mapOn(machine);
  FunctionalMachine boards(machine, seed);
  graph.writeTo(boards);
  boards.load(std::string(POLYLOOM_DEVICE_PROGRAMS) + "/" + P::program);
  boards.run(2'000'000'000);
  Outcome run{{std::vector<std::uint32_t>(links.vertices), std::vector<std::uint32_t>(links.vertices),
               boards.barriers},
              graph.placement().combining.partials.size(),
              boards.messages};
  EXPECT_EQ(boards.to_host.size(), links.vertices);
  for (const auto& message : boards.to_host) {
    PMessage<TraceResult> result;
    std::memcpy(&result, message.data(), sizeof result);
    run.observed.digest.at(result.payload.id) = result.payload.digest;
    run.observed.rounds.at(result.payload.id) = result.payload.rounds;
  }
  return run;
}

Machine boards(unsigned x, unsigned y, unsigned tiles_x, unsigned tiles_y, unsigned cores) {
  Machine m;
  m.boards_x = x;
  m.boards_y = y;
  m.tiles_x = tiles_x;
  m.tiles_y = tiles_y;
  m.cores_per_tile = cores;
  m.slices = 1;
  return m;
}

template <typename P>
class Combiners : public testing::Test {};
TYPED_TEST_SUITE(Combiners, Programs);

TYPED_TEST(Combiners, ChangeNothingButTheWork) {
  using P = TypeParam;
  const Machine machines[] = {boards(1, 1, 1, 1, 4), boards(2, 1, 1, 2, 1), boards(1, 3, 1, 1, 2),
                              boards(2, 2, 2, 1, 1), boards(1, 1, 1, 1, 1)};
  std::size_t partials = 0;
  const unsigned rounds = fabric::full_tests() ? 6 : 1;
  std::vector<Combine> ways = {Combine::off, Combine::on};
  if (fabric::full_tests()) ways.push_back(Combine::automatic);
  for (unsigned round = 0; round < rounds; ++round) {
    std::uint64_t seed = 10 * round + sizeof(typename P::Message);
    for (const auto& [name, data] : skewed_graphs(seed)) {
      const Machine& machine = machines[++seed % std::size(machines)];
      SCOPED_TRACE(name + ", " + std::to_string(data.vertices) + " vertices, seed " + std::to_string(seed) +
                   ", threads " + std::to_string(machine.threads()));
      const Links<typename P::Edge> graph(data, seed);
      const Observed expected = direct<P>(graph);
      for (const Combine combine : ways) {
        SCOPED_TRACE(static_cast<int>(combine));
        const Outcome run = on_device<P>(graph, machine, combine, seed);
        EXPECT_EQ(run.observed.digest, expected.digest);
        EXPECT_EQ(run.observed.rounds, expected.rounds);
        EXPECT_EQ(run.observed.barriers, expected.barriers);
        if (combine == Combine::off) {
          EXPECT_EQ(run.partials, 0u);
        } else {
          partials += run.partials;
        }
      }
    }
  }
  EXPECT_GT(partials, 50u);
}

#if POLITE_NUM_PINS == 1
TEST(Combiner, TellsTheSuperstepInWhichAVertexDidNotSend) {
  const Links<None> graph(star(90), 1);
  using States = DeviceList<Sum::State>;
  void (*const prepare[])(const States&) = {
      [](const States& s) { s[1]->state.silent = 1; },  [](const States& s) { s[44]->state.silent = 2; },
      [](const States& s) { s[88]->state.silent = 3; }, [](const States& s) { s[12]->state.silent = 4; },
      [](const States& s) { s[60]->state.silent = 5; },  // after the last step
  };
  for (std::uint32_t superstep = 0; superstep <= Sum::kRounds; ++superstep) {
    EXPECT_NO_THROW(on_device<Sum>(graph, boards(1, 1, 1, 1, 1), Combine::off, 7, prepare[superstep]));
    try {
      on_device<Sum>(graph, boards(1, 1, 1, 1, 1), Combine::on, 7, prepare[superstep]);
      ADD_FAILURE() << superstep;
    } catch (const std::runtime_error& error) {
      const std::string reported =
          "store to an address where nothing is: " + std::to_string(0xbad60000u + superstep);
      EXPECT_NE(std::string(error.what()).find(reported), std::string::npos) << error.what();
    }
  }
}

/// Leaves of equal value, but for the first: what it knows goes from leaf to leaf, and from each to the hub.
template <typename P>
void expect_only_news() {
  constexpr std::uint32_t kVertices = 96;
  GraphData data = star(kVertices);
  for (std::uint32_t v = 1; v + 1 < kVertices; ++v) data.edges.push_back({v, v + 1});
  const Outcome run = on_device<P>({data, 1}, boards(1, 1, 1, 1, 1), Combine::on, 1,
                                   [](const DeviceList<typename P::State>& states) {
                                     for (std::uint32_t v = 0; v < kVertices; ++v)
                                       states[v]->state.id = v == 1 ? 28 : 2;  // 28 draws more
                                   });
  // A vertex tells its first value and what that becomes, to one mailbox, and reports to the host. A partial
  // receiver passes each of the two on once, whichever of its many leaves sends the same later.
  EXPECT_GE(run.partials, 16u);
  EXPECT_GE(run.messages, 3 * kVertices);
  EXPECT_LE(run.messages, 3 * kVertices + 2 * run.partials);
}

TEST(Combiner, MonotoneOneSendsOnlyNews) {
  expect_only_news<Greatest>();
  expect_only_news<SeveralKinds>();
}
#endif

template <typename T>
void expect_identities(T lowest, T highest) {
  struct Two {
    T a, b;
  };
  for (const T x : {lowest, T(0), T(1), highest}) {
    const auto check = [&]<typename Operator>(Operator) {
      Two message;
      Operator::set_identity(message);
      Operator::combine(message, Two{x, highest});
      EXPECT_EQ(message.a, x) << typeid(Operator).name();
      EXPECT_EQ(message.b, highest) << typeid(Operator).name();
    };
    check(PSum<T>{});
    check(PMin<T>{});
    check(PMax<T>{});
    if constexpr (std::is_integral_v<T>) {
      check(POr<T>{});
      check(PAnd<T>{});
    }
  }
}
template <typename... T>
void expect_identities_of() {
  (expect_identities<T>(std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()), ...);
  (
      [] {
        if constexpr (std::is_floating_point_v<T>)
          expect_identities<T>(-std::numeric_limits<T>::infinity(), std::numeric_limits<T>::infinity());
      }(),
      ...);
}

TEST(Combiner, NamedOneHasAnIdentityForEachTypeOfNumbers) {
  expect_identities_of<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                       std::int64_t, std::uint64_t, float, double>();
}

}  // namespace
}  // namespace polyloom::polite

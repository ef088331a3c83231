// SPDX-License-Identifier: Apache-2.0
// Covers: trees of partial receivers on many graphs and machines: every edge ends at its vertex, once; each
// partial receiver waits for what comes; what a thread or a message has to do; order and determinism; tables.
// Leaves out: whether the trees are the quickest (bench/), what devices make of them
// (tests/combiner_test.cc).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "fabric/error.h"
#include "fabric/full_tests.h"
#include "polite/image/limits.h"
#include "polite/image/tables.h"
#include "polite/layout.h"
#include "polite/tests/skewed_graphs.h"

namespace polyloom::polite {
namespace {

constexpr unsigned kPins = 2;
/// Messages that the head of combine.cc allows a partial receiver.
constexpr std::uint32_t kArity = 12;
constexpr ElementLayout kLayout{.pstate_bytes = 48,
                                .state_offset = 8,
                                .state_bytes = 40,
                                .state_unit = 16,
                                .in_edge_bytes = 8,
                                .label_offset = 4,
                                .pins = kPins,
                                .partial_bytes = 32,
                                .value_offset = 12,
                                .identity = {},
                                .neutral_label = {}};

struct Mapped {
  GraphStore store{kPins, 4};
  std::vector<std::uint32_t> combined;
  Placement placement;
  MapOptions options;

  Mapped(const GraphData& data, const Machine& machine, MapOptions o,
         const std::vector<std::uint32_t>& weights = {})
      : options(std::move(o)) {
    store.add_vertices(data.vertices);
    std::mt19937_64 random(data.edges.size());
    for (const Edge& e : data.edges) {
      const auto label = static_cast<std::uint32_t>(random());
      store.add_edge(e.from, static_cast<unsigned>(random() % kPins), e.to, &label);
    }
    store.finish();
    combined = worth_combining(store, machine, kLayout, options);
    placement = place(store, machine, options, weights, nullptr, combined);
    combine_fan_in(store, combined, placement);
  }
  const Combining& combining() const { return placement.combining; }
  std::uint32_t thread_of(std::uint32_t target) const {
    return target < store.vertices() ? placement.thread[target]
                                     : combining().partials[target - store.vertices()].thread;
  }
  /// Thread that sends a row.
  std::uint32_t sender(std::size_t row) const {
    const std::size_t of_graph = std::size_t{store.vertices()} * kPins;
    return row < of_graph ? placement.thread[row / kPins] : combining().partials[row - of_graph].thread;
  }
  std::span<const std::uint64_t> begin() const {
    return combining().empty() ? store.out_begin() : std::span(combining().out_begin);
  }
  std::span<const std::uint32_t> target() const {
    return combining().empty() ? store.out_target() : std::span(combining().target);
  }
};

void check_trees(const Mapped& m) {
  const std::uint32_t n = m.store.vertices();
  const std::vector<Partial>& partials = m.combining().partials;
  const std::set<std::uint32_t> combined(m.combined.begin(), m.combined.end());
  if (partials.empty()) return;

  // Out-edges: the graph's own rows, then one each.
  ASSERT_EQ(m.target().size(), m.store.edges() + partials.size());
  ASSERT_EQ(m.begin().size(), std::size_t{n} * kPins + partials.size() + 1);
  std::vector<std::uint32_t> expected(partials.size(), 0);
  for (std::size_t row = 0; row + 1 < m.begin().size(); ++row) {
    if (row < std::size_t{n} * kPins) {
      EXPECT_EQ(m.begin()[row], m.store.out_begin()[row]);
    }
    for (std::uint64_t e = m.begin()[row]; e < m.begin()[row + 1]; ++e)
      if (m.target()[e] >= n) ++expected.at(m.target()[e] - n);
  }
  for (std::size_t i = 0; i < partials.size(); ++i) {
    EXPECT_EQ(partials[i].expected, expected[i]) << i;
    EXPECT_GE(partials[i].expected, 2u) << "one that combines nothing";
    EXPECT_EQ(m.target()[m.store.edges() + i], partials[i].to);
    EXPECT_TRUE(combined.contains(partials[i].vertex));
  }

  // Every edge reaches its vertex, and no vertex but that.
  for (std::uint64_t e = 0; e < m.store.edges(); ++e) {
    std::uint32_t at = m.target()[e];
    for (std::size_t steps = 0; at >= n; ++steps) {
      ASSERT_LE(steps, partials.size()) << "a circle";
      EXPECT_EQ(partials[at - n].vertex, m.store.out_target()[e]);
      at = partials[at - n].to;
    }
    EXPECT_EQ(at, m.store.out_target()[e]);
  }

  // Where vertices are, and in order of threads.
  std::set<unsigned> mailboxes;
  for (const std::uint32_t t : m.placement.thread) mailboxes.insert(m.placement.machine.mailbox_of(t));
  for (const Partial& partial : partials)
    EXPECT_TRUE(mailboxes.contains(m.placement.machine.mailbox_of(partial.thread))) << partial.thread;
  ASSERT_EQ(m.combining().thread_begin.size(), m.placement.machine.threads() + 1);
  EXPECT_EQ(m.combining().thread_begin.front(), 0u);
  EXPECT_EQ(m.combining().thread_begin.back(), partials.size());
  for (unsigned t = 0; t < m.placement.machine.threads(); ++t) {
    for (std::uint32_t i = m.combining().thread_begin[t]; i < m.combining().thread_begin[t + 1]; ++i)
      EXPECT_EQ(partials[i].thread, t);
  }
}

/// What a tree costs: messages to a node from other threads, and to its vertex from all.
void check_work(const Mapped& m) {
  const std::uint32_t n = m.store.vertices();
  std::map<std::uint32_t, std::set<std::size_t>> rows;  // that a target hears; parallel edges are one message
  for (std::size_t row = 0; row + 1 < m.begin().size(); ++row) {
    for (std::uint64_t e = m.begin()[row]; e < m.begin()[row + 1]; ++e) {
      const std::uint32_t to = m.target()[e];
      if (to < n || m.thread_of(to) != m.sender(row)) rows[to].insert(row / (row < n * kPins ? kPins : 1));
    }
  }
  for (const auto& [to, from] : rows) {
    if (to >= n) {
      EXPECT_LE(from.size(), kArity) << "of vertex " << m.combining().partials[to - n].vertex;
    }
  }
  for (const std::uint32_t v : m.combined) EXPECT_LE(rows[v].size(), kArity) << "vertex " << v;
}

/// Follows what every row sends through the tables.
void check_tables(const Mapped& m) {
  const Machine& machine = m.placement.machine;
  const Tables tables = build_tables(m.store, m.placement, kLayout, 2, 1000);
  ASSERT_EQ(tables.out_begin.size(), m.begin().size());
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> at;  // (thread, offset): who is there
  for (std::uint32_t v = 0; v < m.store.vertices(); ++v)
    at[{m.placement.thread[v], m.placement.local[v] * 3}] = v;
  for (std::uint32_t i = 0; i < m.combining().partials.size(); ++i) {
    const std::uint32_t t = m.combining().partials[i].thread;
    const std::uint32_t devices = m.placement.thread_begin[t + 1] - m.placement.thread_begin[t];
    const std::uint32_t offset = devices * 3 + (i - m.combining().thread_begin[t]) * 2;
    EXPECT_TRUE(at.emplace(std::pair{t, offset}, m.store.vertices() + i).second);
  }
  for (std::size_t row = 0; row + 1 < m.begin().size(); ++row) {
    using Arrival = std::pair<std::uint32_t, std::uint32_t>;  // target, edge
    std::vector<Arrival> want, got;
    for (std::uint64_t e = m.begin()[row]; e < m.begin()[row + 1]; ++e)
      want.push_back({m.target()[e], e < m.store.edges() ? static_cast<std::uint32_t>(e) : kNeutralLabel});
    for (std::uint64_t o = tables.out_begin[row]; o < tables.out_begin[row + 1]; ++o) {
      const POutEdge& out = tables.out[o];
      const bool local = out.mbox == kThisThread;
      const std::uint64_t mask = std::uint64_t{out.maskHigh} << 32 | out.maskLow;
      EXPECT_NE(mask, 0u);
      for (unsigned i = 0; i < 64; ++i) {
        if (!(mask >> i & 1)) continue;
        const std::uint32_t t =
            local ? m.sender(row) : machine.thread_number(std::uint32_t{out.mbox} << 6 | i);
        if (local) {
          EXPECT_EQ(m.sender(row) % machine.threads_per_tile(), i);
        }
        bool vertices = false;
        for (std::size_t k = out.key;; ++k) {
          const InTable& in = tables.in[t];
          const std::uint32_t target = at.at({t, in.device.at(k) & 0x7fffu});
          const bool partial = target >= m.store.vertices();
          EXPECT_FALSE(vertices && partial) << "partial receivers come first";
          EXPECT_EQ(local, partial && t == m.sender(row)) << "no message to its own thread";
          vertices = vertices || !partial;
          got.push_back({target, in.edge.at(k)});
          if (in.device[k] & kLastReceiver) break;
        }
      }
    }
    std::sort(want.begin(), want.end());
    std::sort(got.begin(), got.end());
    EXPECT_EQ(got, want) << "row " << row;
  }
}

using Tree = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
std::vector<Tree> trees_of(const Mapped& m) {
  std::vector<Tree> trees;
  for (const Partial& p : m.combining().partials) trees.push_back({p.vertex, p.thread, p.to, p.expected});
  return trees;
}

Machine machine_of(unsigned x, unsigned y, unsigned tiles, unsigned cores) {
  Machine m;
  m.boards_x = x;
  m.boards_y = y;
  m.tiles_x = tiles;
  m.tiles_y = 1;
  m.cores_per_tile = cores;
  m.slices = 1;
  return m;
}

TEST(Combine, EveryEdgeEndsAtItsVertexOnce) {
  const Machine machines[] = {machine_of(1, 1, 1, 1), machine_of(1, 1, 2, 4), machine_of(3, 1, 1, 2),
                              machine_of(2, 2, 3, 1), machine_of(8, 6, 4, 4)};
  std::size_t partials = 0;
  const unsigned rounds = fabric::full_tests() ? 200 : 6;
  for (unsigned round = 0; round < rounds; ++round) {
    for (const auto& [name, data] : skewed_graphs(round)) {
      const Machine& machine = machines[(round + data.vertices) % std::size(machines)];
      SCOPED_TRACE(name + " of round " + std::to_string(round) + ", threads " +
                   std::to_string(machine.threads()));
      MapOptions options;
      options.combine = round % 3 == 2 ? Combine::automatic : Combine::on;
      options.placer = std::array{Placer::random, Placer::bfs, Placer::fast, Placer::metis}[round % 4];
      options.seed = round + 1;
      options.boards_x = round % 3 == 0 ? 1 : 0;
      options.threads = 1;
      const Mapped mapped(data, machine, options);
      check_trees(mapped);
      check_work(mapped);
      check_tables(mapped);
      partials += mapped.combining().partials.size();
      options.threads = 5;
      EXPECT_EQ(trees_of(Mapped(data, machine, options)), trees_of(mapped)) << "host threads matter";
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(partials, 1000u);
}

TEST(Combine, IdleThreadsDoNotServeTheWholeTree) {
  // Four threads have about four vertices, all others forty.
  const Machine machine = machine_of(1, 1, 1, 4);
  std::vector<std::uint32_t> weights(1 + 16 + 60 * 41, 1);
  std::fill_n(weights.begin() + 1, 16, 10);
  MapOptions options;
  options.combine = Combine::on;
  options.placer = Placer::bfs;
  const Mapped mapped(star(static_cast<std::uint32_t>(weights.size())), machine, options, weights);
  ASSERT_LT(mapped.placement.thread_begin[4], 25u);
  check_trees(mapped);
  check_work(mapped);
}

TEST(Combine, ThoseThatHearFromManyAndOnlyWhereTheProgramCombines) {
  const Machine machine = machine_of(2, 1, 2, 4);
  const GraphData data = star(5000);
  MapOptions options;
  EXPECT_EQ(Mapped(data, machine, options).combined, std::vector<std::uint32_t>{0});
  options.combine = Combine::off;
  EXPECT_TRUE(Mapped(data, machine, options).combining().empty());
  options.combine = Combine::on;
  GraphData few;
  few.vertices = kArity + 1;
  for (std::uint32_t v = 0; v < kArity; ++v) few.edges.push_back({v, kArity});
  EXPECT_TRUE(Mapped(few, machine, options).combined.empty()) << "as many as one partial receiver takes";
  few.edges.push_back({kArity, kArity});
  EXPECT_EQ(Mapped(few, machine, options).combined, std::vector<std::uint32_t>{kArity});

  GraphStore store(kPins, 4);
  store.add_vertices(data.vertices);
  store.add_edges(data.edges);
  store.finish();
  ElementLayout without = kLayout;
  without.partial_bytes = 0;
  EXPECT_TRUE(worth_combining(store, machine, without, options).empty());
}

TEST(Combine, MoreSendersThanAThreadHasKeysForAreAlwaysCombined) {
  // So many edges that vertex 0 hears little of what a core does.
  GraphData data = star(66'000);
  for (std::uint32_t i = 0; i < 1'500'000; ++i) data.edges.push_back({i % 66'000, 1 + i * 7 % 65'999});
  GraphStore store(1, 0);
  store.add_vertices(data.vertices);
  store.take_edges(std::move(data.edges));
  store.finish();
  const Machine machine = machine_of(1, 1, 1, 1);
  ElementLayout layout = kLayout;
  layout.pins = 1;
  const auto combined = worth_combining(store, machine, layout, {});
  EXPECT_EQ(combined, std::vector<std::uint32_t>{0});
  EXPECT_NO_THROW(check_fits(store, machine, layout, {}, combined));
  const auto refusal = [&] {
    try {
      check_fits(store, machine, layout, {});
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("fits");
  };
  EXPECT_NE(refusal().find("from 65999 others"), std::string::npos) << refusal();
  EXPECT_NE(refusal().find("what helps: combiners (--combine auto or on)"), std::string::npos) << refusal();
  layout.partial_bytes = 0;
  EXPECT_NE(refusal().find("what helps: a combiner in the vertex class"), std::string::npos) << refusal();
}

/// 25 long messages to a vertex are heard sooner than a tree of partial receivers passes on what routers
/// bring.
TEST(Combine, ByDefaultWhereASuperstepBecomesShorter) {
  std::mt19937_64 random(3);
  GraphData even;
  even.vertices = 2'000;
  for (std::uint32_t i = 0; i < 50'000; ++i)
    even.edges.push_back({i / 25, static_cast<std::uint32_t>(random() % 2'000)});
  const auto partials = [](const GraphData& data, Combine combine) {
    GraphStore store(kPins, 4);
    store.add_vertices(data.vertices);
    const std::uint32_t label = 0;
    for (const Edge& e : data.edges) store.add_edge(e.from, 0, e.to, &label);
    store.finish();
    MapOptions options;
    options.combine = combine;
    options.placer = Placer::random;
    ElementLayout layout = kLayout;
    layout.message_bytes = 64;
    const Placement placement = map_graph(store, machine_of(4, 3, 4, 4), layout, options, {});
    EXPECT_EQ(placement.sending.way.size(),
              store.out_begin().size() - 1 + placement.combining.partials.size());
    return placement.combining.partials.size();
  };
  EXPECT_EQ(partials(even, Combine::automatic), 0u);
  EXPECT_GT(partials(even, Combine::on), 1'000u);
  EXPECT_GT(partials(star(3'000), Combine::automatic), 100u);
  EXPECT_EQ(partials(star(3'000), Combine::off), 0u);
}

struct NoMemory : ImageSink {
  void write(unsigned, unsigned, unsigned, std::uint32_t, const void*, std::size_t) override {}
};

TEST(Combine, SaysWhichThreadHasNoRoomForPartialReceivers) {
  // More vertices of thread 0 than go without partial receivers send to all others: it combines for each of
  // these.
  constexpr std::uint32_t kSenders = kArity + 1, kReceivers = 5'008 - kSenders;
  GraphStore store(1, 0);
  store.add_vertices(kSenders + kReceivers);
  for (std::uint32_t v = 0; v < kSenders; ++v)
    for (std::uint32_t to = kSenders; to < kSenders + kReceivers; ++to) store.add_edge(v, 0, to);
  store.finish();
  ElementLayout layout = kLayout;
  layout.pins = 1;
  layout.partial_bytes = 112;
  const std::vector<std::byte> states((kSenders + kReceivers) * layout.state_bytes);
  Machine machine = machine_of(1, 1, 1, 1);
  MapOptions options;
  options.placer = Placer::direct;
  const auto refusal = [&](Combine combine) {
    options.combine = combine;
    const auto combined = worth_combining(store, machine, layout, options);
    Placement placement = place(store, machine, options, {}, nullptr, combined);
    combine_fan_in(store, combined, placement);
    NoMemory sink;
    try {
      write_images(store, placement, layout, options, states.data(), sink);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("fits");
  };
  const std::uint64_t vertices = (kSenders + kReceivers) / 16;  // on each of 16 threads
  const auto reported = [](std::uint64_t bytes, const std::string& what, std::uint64_t most) {
    return "the graph does not fit: thread 0:0:0:0 needs " + std::to_string(bytes) + " bytes of " + what +
           ", " + std::to_string(bytes - most) + " more than the " + std::to_string(most) +
           " allowed (1 of 16 threads break this limit; of its vertices number " + std::to_string(kSenders) +
           " has the most in-edges and messages, " + std::to_string(kSenders) + ")";
  };
  EXPECT_EQ(refusal(Combine::off), "fits");
  EXPECT_EQ(refusal(Combine::on)
                .find(reported(vertices * layout.pstate_bytes + kReceivers * layout.partial_bytes,
                               "states of vertices and partial receivers", 524'288)),
            0u)
      << refusal(Combine::on);
  // Smaller ones fit, but then the send queue, 2 bytes each behind a head of 64, leaves a small SRAM.
  layout.partial_bytes = 32;
  EXPECT_EQ(refusal(Combine::on), "fits");
  machine.sram_bytes = 12'000;
  EXPECT_EQ(refusal(Combine::off), "fits");
  EXPECT_EQ(
      refusal(Combine::on)
          .find(reported(64 + (2 * (vertices + kReceivers) + 3) / 4 * 4, "SRAM", 12'000 - kSramReserve)),
      0u)
      << refusal(Combine::on);
}

}  // namespace
}  // namespace polyloom::polite

// SPDX-License-Identifier: Apache-2.0
// Covers: placement and memory images together, by a plain interpreter that walks the written bytes as the
// softswitch would: every edge of the graph is delivered exactly once with its label, states and heads are
// where they should be; all placers, pins, odd graphs; each limit's message. Leaves out: timing; code that
// runs on the overlay.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <tuple>

#include "fabric/error.h"
#include "fabric/full_tests.h"
#include "polite/layout.h"
#include "polite/placed_graph.h"
#include "polite/tests/key_expander.h"

namespace polyloom::polite {
namespace {

constexpr unsigned kPins = 2;
struct State {
  std::uint32_t id;
  std::uint32_t pad[2];
};
// The layout of a graph with two pins, written out: pin bases, readyToSend, queued, state; unit 16.
constexpr ElementLayout kLayout{.pstate_bytes = 32,
                                .state_offset = 8,
                                .state_bytes = sizeof(State),
                                .state_unit = 16,
                                .in_edge_bytes = 8,
                                .label_offset = 4,
                                .pins = kPins};

/// Memory of all boards, one slice each a map of written bytes.
class FakeMemory : public ImageSink {
 public:
  void write(unsigned x, unsigned y, unsigned slice, std::uint32_t address, const void* data,
             std::size_t bytes) override {
    EXPECT_EQ(address % 4, 0u);
    EXPECT_EQ(bytes % 4, 0u);
    const auto* from = static_cast<const std::uint8_t*>(data);
    auto& memory = memories_[{x, y, slice}];
    const auto [at, fresh] = memory.emplace(address, std::vector<std::uint8_t>(from, from + bytes));
    EXPECT_TRUE(fresh);
    if (at != memory.begin()) {
      const auto before = std::prev(at);
      EXPECT_LE(before->first + before->second.size(), address) << "writes overlap";
    }
    ++writes;
  }
  template <typename T>
  T read(std::tuple<unsigned, unsigned, unsigned> slice, std::uint32_t address) const {
    const auto& memory = memories_.at(slice);
    auto at = memory.upper_bound(address);
    if (at == memory.begin()) throw std::out_of_range("unwritten memory");
    --at;
    if (address + sizeof(T) > at->first + at->second.size()) throw std::out_of_range("unwritten memory");
    T value;
    std::memcpy(&value, at->second.data() + (address - at->first), sizeof(T));
    return value;
  }
  std::size_t writes = 0;
  bool operator==(const FakeMemory& other) const { return memories_ == other.memories_; }

 private:
  std::map<std::tuple<unsigned, unsigned, unsigned>, std::map<std::uint32_t, std::vector<std::uint8_t>>>
      memories_;
};

using Delivery = std::tuple<std::uint32_t, unsigned, std::uint32_t, std::int32_t>;  // from, pin, to, label

/// What the device would do, from the bytes alone. Thread ids and addresses are recomputed here from the
/// published bit layout, not with Machine.
class Interpreter {
 public:
  Interpreter(const Machine& machine, const FakeMemory& memory, const ElementLayout& layout = kLayout)
      : machine_(machine), memory_(memory), layout_(layout) {}

  std::vector<Delivery> deliver_everything() {
    for (unsigned y = 0; y < machine_.boards_y; ++y) {
      for (unsigned x = 0; x < machine_.boards_x; ++x) {
        for (unsigned ty = 0; ty < machine_.tiles_y; ++ty) {
          for (unsigned tx = 0; tx < machine_.tiles_x; ++tx) {
            for (unsigned t = 0; t < 64; ++t) send_all((y << 13) | (x << 10) | (ty << 8) | (tx << 6) | t);
          }
        }
      }
    }
    return std::move(deliveries_);
  }
  std::uint32_t vertices_seen() const { return vertices_; }
  std::uint64_t sends = 0, by_key = 0;  ///< messages, and those of them by key
  std::uint64_t links = 0;              ///< between boards, that messages passed
  std::uint64_t direct = 0;             ///< receivers that a message named itself

 private:
  std::tuple<unsigned, unsigned, unsigned> memory_of(std::uint32_t id) const {
    const unsigned tile = ((id >> 8) & 3) * machine_.tiles_x + ((id >> 6) & 3);
    return {(id >> 10) & 7, id >> 13, tile * machine_.slices / (machine_.tiles_x * machine_.tiles_y)};
  }
  PThreadHead head(std::uint32_t id) const {
    return memory_.read<PThreadHead>(memory_of(id), 0x00800000 + (id % 512) * 0x8000);
  }
  void send_all(std::uint32_t id) {
    const PThreadHead h = head(id);
    const auto memory = memory_of(id);
    // The host's list, then the empty list.
    const auto host = memory_.read<POutEdge>(memory, h.outTable);
    EXPECT_EQ(host.key, kHostPinKey);
    EXPECT_EQ(host.mbox, 0x800);
    EXPECT_EQ(host.maskLow, 1u);
    EXPECT_EQ(memory_.read<POutEdge>(memory, h.outTable + 12).key, kNoKey);
    for (unsigned i = 0; i < h.numDevices * layout_.accumulator_bytes / 4; ++i)
      EXPECT_EQ(memory_.read<std::uint32_t>(memory, h.accumulators + 4 * i), 0u);
    for (unsigned i = 0; i < h.numDevices; ++i) {
      const std::uint32_t state = h.devices + i * 32;
      ++vertices_;
      EXPECT_EQ(memory_.read<std::uint32_t>(memory, state + 4) & 0xffff, 0u) << "not ready, not queued";
      const auto from = memory_.read<std::uint32_t>(memory, state + 8);
      for (unsigned pin = 0; pin < kPins; ++pin) {
        std::uint32_t at = h.outTable + 12 * memory_.read<std::uint16_t>(memory, state + 2 * pin);
        for (;; at += 12) {
          const auto edge = memory_.read<POutEdge>(memory, at);
          if (edge.key == kNoKey) {
            EXPECT_EQ(edge.mbox, 0xffff) << "the softswitch compares the whole word";
            break;
          }
          ++sends;
          send(edge, id, from, pin);
        }
      }
    }
  }
  void send(const POutEdge& edge, std::uint32_t sender, std::uint32_t from, unsigned pin) {
    const unsigned x = sender >> 10 & 7, y = sender >> 13;
    if (edge.mbox != 0x1000) {
      const int to_x = edge.mbox >> 4 & 7, to_y = edge.mbox >> 7;
      links +=
          static_cast<unsigned>(std::abs(to_x - static_cast<int>(x)) + std::abs(to_y - static_cast<int>(y)));
      return receive(edge.mbox, edge.maskLow | std::uint64_t{edge.maskHigh} << 32, edge.key, from, pin);
    }
    ++by_key;
    EXPECT_EQ(edge.maskHigh, 0u);
    KeyExpander expander(machine_.boards_x, machine_.boards_y,
                         [&](unsigned bx, unsigned by, unsigned slice, auto at) {
                           return memory_.read<KeyExpander::Beat>({bx, by, slice}, at);
                         });
    // Only what may be replaced is: the low half of the first word, or all of it.
    const std::uint32_t rest = layout_.payload_offset == 2 ? 0xabcd0000 : 0;
    expander.expand(x, y, edge.maskLow, {rest | edge.key},
                    [&](unsigned bx, unsigned by, unsigned tx, unsigned ty, std::uint64_t mask,
                        const KeyExpander::Message& m) {
                      EXPECT_EQ(m[0] & 0xffff0000, rest);
                      receive(((by << 3 | bx) << 2 | ty) << 2 | tx, mask, m[0] & 0xffff, from, pin);
                    });
    links += expander.links;
  }
  void receive(std::uint32_t mailbox, std::uint64_t mask, std::uint32_t key, std::uint32_t from,
               unsigned pin) {
    EXPECT_NE(mask, 0u);
    for (unsigned t = 0; t < 64; ++t) {
      if (!(mask >> t & 1)) continue;
      const std::uint32_t id = mailbox << 6 | t;
      const PThreadHead h = head(id);
      const auto memory = memory_of(id);
      const bool labelled = layout_.in_edge_bytes == 8, named = h.direct != 0 && key >= 0x8000;
      direct += named;
      for (auto at = static_cast<std::uint32_t>(h.inTable + key * layout_.in_edge_bytes);;
           at += static_cast<std::uint32_t>(layout_.in_edge_bytes)) {
        const auto device = named ? static_cast<std::uint16_t>(key) : memory_.read<std::uint16_t>(memory, at);
        const std::int32_t label = labelled ? memory_.read<std::int32_t>(memory, at + 4) : 0;
        const std::uint32_t state =
            h.devices + (device & 0x7fffu) * (layout_.accumulator_bytes == 0 ? 16 : 32);
        deliveries_.push_back({from, pin, memory_.read<std::uint32_t>(memory, state + 8), label});
        if (device & kLastReceiver) break;
      }
    }
  }

  const Machine& machine_;
  const FakeMemory& memory_;
  const ElementLayout& layout_;
  std::uint32_t vertices_ = 0;
  std::vector<Delivery> deliveries_;
};

struct Graph {
  explicit Graph(bool with_labels = true) : labelled(with_labels), store(kPins, with_labels ? 4 : 0) {}
  bool labelled;
  GraphStore store;
  std::vector<Delivery> edges;
  void add(std::uint32_t from, unsigned pin, std::uint32_t to) {
    const auto label = static_cast<std::int32_t>(labelled ? edges.size() * 7 + 1 : 0);
    store.add_edge(from, pin, to, labelled ? &label : nullptr);
    edges.push_back({from, pin, to, label});
  }
};

Graph random_graph(std::uint32_t vertices, std::size_t n, std::uint64_t seed, bool skewed = false,
                   bool labelled = true) {
  Graph g(labelled);
  g.store.add_vertices(vertices);
  std::mt19937_64 rng(seed);
  for (std::size_t i = 0; i < n; ++i) {
    auto draw = [&] {
      const double u = std::uniform_real_distribution<>(0, 1)(rng);
      return static_cast<std::uint32_t>((skewed ? u * u * u * u : u) * vertices);
    };
    const std::uint32_t from = draw(), to = draw();
    g.add(from, static_cast<unsigned>(rng() % kPins), to);
  }
  return g;
}

void expect_exact_delivery(Graph& g, const Machine& machine, const MapOptions& options,
                           MapReport* report = nullptr, const ElementLayout& layout = kLayout) {
  g.store.finish();
  Placement placement = place(g.store, machine, options, {}, report);
  placement.sending =
      choose_sending(g.store, placement, {}, options.pins, layout.message_bytes, layout.may_be_direct);
  std::vector<State> states(g.store.vertices());
  for (std::uint32_t v = 0; v < states.size(); ++v) states[v].id = v;
  FakeMemory memory;
  write_images(g.store, placement, layout, options, reinterpret_cast<const std::byte*>(states.data()), memory,
               report);
  Interpreter interpreter(machine, memory, layout);
  auto got = interpreter.deliver_everything();
  EXPECT_EQ(interpreter.vertices_seen(), g.store.vertices());
  std::sort(got.begin(), got.end());
  auto want = g.edges;
  std::sort(want.begin(), want.end());
  EXPECT_EQ(got, want);
  const BoardTraffic traffic = board_traffic(g.store, placement);
  EXPECT_EQ(interpreter.links, traffic.messages);
  EXPECT_EQ(interpreter.by_key, traffic.by_key);
  EXPECT_EQ(interpreter.sends, forecast(g.store, placement, {}, placement.sending).messages);
  const std::map<Pins, std::uint64_t> alone = {
      {Pins::unicast, traffic.unicast}, {Pins::local, traffic.local}, {Pins::distributed, traffic.bound}};
  if (alone.contains(options.pins)) {
    EXPECT_EQ(interpreter.links, alone.at(options.pins));
  }
  EXPECT_GE(interpreter.links, traffic.bound);
  EXPECT_EQ(interpreter.direct != 0, placement.sending.direct && !want.empty());
}

Machine laptop() {
  Machine m;
  m.boards_x = 2;
  m.boards_y = 1;
  m.tiles_x = m.tiles_y = 2;
  return m;
}

TEST(Images, EveryEdgeIsDeliveredOnceWithItsLabel) {
  for (Placer placer :
       {Placer::automatic, Placer::metis, Placer::fast, Placer::random, Placer::bfs, Placer::direct}) {
    SCOPED_TRACE(static_cast<int>(placer));
    MapOptions options;
    options.placer = placer;
    Graph uniform = random_graph(3000, 30000, 1), skewed = random_graph(3000, 30000, 2, true);
    expect_exact_delivery(uniform, laptop(), options);
    expect_exact_delivery(skewed, laptop(), options);
  }
}

TEST(Images, EveryWayToSendReachesTheSame) {
  std::mt19937_64 random(7);
  for (unsigned round = 0; round < (fabric::full_tests() ? 400 : 8); ++round) {
    Machine machine;
    machine.boards_x = 1 + static_cast<unsigned>(random() % (round == 0 ? 1 : 8));
    machine.boards_y = 1 + static_cast<unsigned>(random() % (round == 0 ? 1 : 8));
    machine.tiles_x = 1 + static_cast<unsigned>(random() % 4);
    machine.tiles_y = 1u << random() % 3;
    // Threads of the upper two rows of tiles have the other slice's partitions.
    machine.slices = machine.tiles_y == 4 ? 2 : machine.tiles() % 2 == 0 ? 1 + round % 2 : 1;
    const auto vertices = static_cast<std::uint32_t>(1 + random() % 600);
    const std::size_t edges = vertices * (random() % 40);
    const std::uint64_t seed = random();
    for (const Pins pins : {Pins::unicast, Pins::local, Pins::distributed, Pins::direct, Pins::automatic}) {
      for (const std::size_t payload_offset : {2, 4}) {
        SCOPED_TRACE(std::to_string(round) + ", pins " + std::to_string(static_cast<int>(pins)));
        ElementLayout layout = kLayout;
        layout.payload_offset = payload_offset;
        layout.message_bytes = 16 * (1 + round % 4);
        layout.accumulator_bytes = round % 3 * 4;
        const bool labelled = round % 4 != 0;
        if (!labelled) layout.in_edge_bytes = 2, layout.label_offset = 0;
        layout.may_be_direct = !labelled;
        MapOptions options;
        options.placer = round % 3 == 0 ? Placer::direct : round % 3 == 1 ? Placer::random : Placer::bfs;
        options.pins = pins;
        Graph g = random_graph(vertices, edges, seed, round % 2, labelled);
        expect_exact_delivery(g, machine, options, nullptr, layout);
      }
    }
  }
}

TEST(Images, FullSizeBoardsAndTablesInEitherMemory) {
  for (int bits = 0; bits < 8; ++bits) {
    MapOptions options;
    options.vertices_in_dram = bits & 1;
    options.in_edges_in_dram = bits & 2;
    options.out_edges_in_dram = bits & 4;
    Graph g = random_graph(5000, 20000, 3);
    expect_exact_delivery(g, Machine{}, options);
  }
}

TEST(Images, OddGraphs) {
  MapOptions options;
  Graph empty;
  expect_exact_delivery(empty, laptop(), options);
  Graph single;
  single.store.add_vertices(1);
  single.add(0, 0, 0);
  single.add(0, 0, 0);
  single.add(0, 1, 0);
  expect_exact_delivery(single, laptop(), options);
  Graph parallel;  // parallel edges, loops, isolated vertices, fewer vertices than threads
  parallel.store.add_vertices(100);
  for (int i = 0; i < 50; ++i) {
    parallel.add(3, 0, 4);
    parallel.add(5, 1, 5);
  }
  expect_exact_delivery(parallel, laptop(), options);
  Graph star;  // one vertex to all, all to one
  star.store.add_vertices(4000);
  for (std::uint32_t v = 1; v < 4000; ++v) {
    star.add(0, 0, v);
    star.add(v, 1, 0);
  }
  expect_exact_delivery(star, laptop(), options);
}

TEST(Images, StatesThatDoNotFitSramMoveToDram) {
  // 2 boards x 4 tiles x 64 threads; 1000 vertices of 32 bytes on a thread exceed 30 KiB of SRAM.
  Graph g = random_graph(512 * 1000, 100000, 4);
  MapOptions options;
  options.placer = Placer::direct;
  expect_exact_delivery(g, laptop(), options);
}

TEST(Images, ResultDoesNotDependOnHostThreads) {
  for (Placer placer : {Placer::metis, Placer::fast}) {
    Graph g = random_graph(5000, 50000, 5, true);
    g.store.finish();
    MapOptions one, three;
    one.placer = three.placer = placer;
    one.threads = 1;
    one.edges_at_once = 3000;  // two mailboxes'
    three.threads = 3;
    const Placement a = place(g.store, laptop(), one, {}), b = place(g.store, laptop(), three, {});
    EXPECT_EQ(a.thread, b.thread);
    EXPECT_EQ(a.order, b.order);
    for (const Pins pins : {Pins::distributed, Pins::automatic}) {
      const auto bytes = [&](Placement placement, const MapOptions& options) {
        placement.sending = choose_sending(g.store, placement, {}, pins, 16);
        FakeMemory memory;
        const std::vector<std::byte> states(g.store.vertices() * sizeof(State));
        write_images(g.store, placement, kLayout, options, states.data(), memory);
        return memory;
      };
      EXPECT_EQ(bytes(a, one), bytes(b, three));
    }
    one.seed = 2;
    EXPECT_NE(place(g.store, laptop(), one, {}).thread, a.thread);
  }
}

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

std::string limit_error(Graph& g, const Machine& machine, ElementLayout layout = kLayout) {
  MapOptions options;
  options.placer = Placer::direct;
  FakeMemory memory;
  g.store.finish();
  std::vector<std::byte> states(g.store.vertices() * layout.state_bytes);
  const std::string error = error_of([&] {
    write_images(g.store, place(g.store, machine, options, {}), layout, options, states.data(), memory);
  });
  if (!error.empty()) {
    EXPECT_EQ(memory.writes, 0u) << "nothing may be half written";
  }
  return error;
}

TEST(Limits, NameWhatIsBrokenByHowMuchAndWhatHelps) {
  Machine tiny = laptop();
  tiny.boards_x = 1;
  tiny.tiles_x = tiny.tiles_y = 1;
  Graph many;
  many.store.add_vertices(64 * 8192 + 1);
  EXPECT_EQ(limit_error(many, tiny),
            "the graph does not fit: thread 0:0:2:0 needs 8193 vertices, 1 more than the 8192 allowed (1 of "
            "64 threads "
            "break this limit); what helps: more boards (now 1)");
  Graph fits;
  fits.store.add_vertices(64 * 8192);
  EXPECT_EQ(limit_error(fits, tiny), "");
  Graph big_states;
  big_states.store.add_vertices(64 * 1000);
  ElementLayout big = kLayout;
  big.pstate_bytes = 4096;
  big.state_unit = 1024;
  EXPECT_NE(limit_error(big_states, tiny, big).find("of DRAM, "), std::string::npos);
  Graph hub;  // more in-edges at one vertex than there are keys
  hub.store.add_vertices(70000);
  for (std::uint32_t v = 0; v < 70000; ++v) hub.add(v, 0, 0);
  EXPECT_NE(limit_error(hub, tiny).find("16-bit index of at most 65534"), std::string::npos);
}

std::string fits_error(Graph& g, const Machine& machine, ElementLayout layout = kLayout) {
  g.store.finish();
  return error_of([&] { check_fits(g.store, machine, layout, {}); });
}

TEST(Limits, WhatNoPlacementCanChangeIsRefusedBeforeIt) {
  Machine tiny = laptop();
  tiny.boards_x = 1;
  tiny.tiles_x = tiny.tiles_y = 1;  // 64 threads
  Graph fits;
  fits.store.add_vertices(64 * 8192);
  EXPECT_EQ(fits_error(fits, tiny), "");
  Graph many;
  many.store.add_vertices(64 * 8192 + 1);
  EXPECT_EQ(
      fits_error(many, tiny),
      "the graph does not fit: it has 524289 vertices, and 64 threads hold at most 8192 each, 524288 in all; "
      "what helps: more boards (now 1 board)");
  Graph big_states;
  big_states.store.add_vertices(64 * 1000);
  ElementLayout big = kLayout;
  big.pstate_bytes = 4096;
  big.state_unit = 1024;
  EXPECT_NE(
      fits_error(big_states, tiny, big).find("take 262144000 bytes, and the memories of 64 threads hold"),
      std::string::npos);
  Graph hub;
  hub.store.add_vertices(70000);
  for (std::uint32_t v = 0; v < 70000; ++v) hub.add(v, 0, 0);
  EXPECT_NE(fits_error(hub, tiny).find("a vertex has in-edges from 70000 others"), std::string::npos);
  Graph parallel;  // as many edges, but few senders
  parallel.store.add_vertices(3);
  for (std::uint32_t e = 0; e < 70000; ++e) parallel.add(1 + e % 2, 0, 0);
  EXPECT_EQ(fits_error(parallel, tiny), "");
}

TEST(Limits, RoutingTables) {
  Graph g = random_graph(800, 9000, 3);
  g.store.finish();
  Machine machine = laptop();
  const std::vector<std::byte> states(g.store.vertices() * sizeof(State));
  MapReport report;
  const auto error = [&](std::uint32_t bytes) {
    machine.router_bytes = bytes;
    MapOptions options;
    options.placer = Placer::direct;
    Placement placement = place(g.store, machine, options, {});
    FakeMemory memory;
    const std::string text = error_of([&] {
      placement.sending = choose_sending(g.store, placement, {}, Pins::distributed, 16);
      write_images(g.store, placement, kLayout, options, states.data(), memory, &report);
    });
    EXPECT_EQ(memory.writes != 0, text.empty());
    return text;
  };
  EXPECT_EQ(error(1 << 20), "");
  ASSERT_EQ(report.routers.size(), 2u);
  // Two slices have half of the beats each, to a few.
  const auto half = static_cast<std::uint32_t>(report.routers[0].beats * 32 / 2);
  EXPECT_GT(half, 10'000u);
  const std::string text = error(half - 400);
  EXPECT_EQ(text.find("the graph does not fit: the routing table of board ("), 0u) << text;
  EXPECT_NE(text.find("which has " + std::to_string(half - 400) + " for it"), std::string::npos) << text;
  machine.programmable_routers = false;
  EXPECT_NE(error(1 << 20).find("programmable_routers = false"), std::string::npos);
}

TEST(Limits, ImpossibleRequests) {
  Graph g = random_graph(10, 10, 1);
  g.store.finish();
  MapOptions options;
  options.boards_x = 5;
  EXPECT_EQ(error_of([&] { place(g.store, laptop(), options, {}); }),
            "the graph is to be placed on 5 x 1 boards, but the cluster has 2 x 1");
  setenv("POLITE_PLACER", "best", 1);
  EXPECT_NE(error_of([&] { place(g.store, laptop(), {}, {}); }).find("allowed: default, metis, fast"),
            std::string::npos);
  unsetenv("POLITE_PLACER");
  for (const char* wrong : {"0", "65", "two"}) {
    setenv("POLITE_BOARDS_Y", wrong, 1);
    EXPECT_EQ(error_of([&] { place(g.store, laptop(), {}, {}); }),
              std::string("POLITE_BOARDS_Y=") + wrong + ": a number from 1 to 64 is expected");
  }
  unsetenv("POLITE_BOARDS_Y");
}

TEST(MachineIds, FollowThePublishedBits) {
  const Machine m;  // 3 x 2 boards of 16 tiles of 64 threads
  EXPECT_EQ(m.threads(), 6144u);
  const unsigned thread =
      ((1 * 3 + 2) * 16 + 2 * 4 + 3) * 64 + 17;  // board (2,1), tile (3,2), core 1, thread 1
  EXPECT_EQ(m.thread_id(thread), 1u << 13 | 2u << 10 | 2u << 8 | 3u << 6 | 1u << 4 | 1u);
  EXPECT_EQ(m.slice_of(thread), 1u);
  EXPECT_EQ(m.sram_base(thread), 0x00800000u + (m.thread_id(thread) % 512) * 0x8000);
  EXPECT_EQ(m.dram_base(0), 0xffe00000u);  // the last 2 MiB
  for (unsigned t = 0; t < m.threads(); ++t) ASSERT_EQ(m.thread_number(m.thread_id(t)), t);
}

}  // namespace
}  // namespace polyloom::polite

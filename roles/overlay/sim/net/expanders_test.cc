// SPDX-License-Identifier: Apache-2.0
// Covers: copies of key messages for random tables, against an expansion written from the layouts alone;
// cycles of one key; chains, empty keys, faults; the board's count of messages never dips. Leaves out: what
// happens beyond the board.
#include "roles/overlay/sim/net/expanders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "roles/overlay/sim/net/noc.h"

namespace polyloom::overlay {
namespace {

using records::BeatWriter;
using records::Direction;
using records::Record;
using records::Tag;

struct NoWakes final : CoreWakeups {
  void wake(Cycle, unsigned, std::uint32_t) override {}
};

/// A board's network with a memory whose responses take as long as they like, and exits that are always
/// emptied.
struct Bench final : RecordMemory {
  explicit Bench(unsigned seed = 1, BoardCoord at = {1, 1})
      : random(seed), shared(params(), at, {3, 3}), noc(shared) {
    for (unsigned t = 0; t < shared.params.tiles(); ++t) noc.mailbox(t).attach(wakes);
    shared.fault = [](Cycle, unsigned, unsigned, const SendRequest&, SendFault) { FAIL() << "a send fault"; };
    shared.route_fault = [this](Cycle, RouteFault why, std::uint32_t key, std::uint32_t head) {
      faults.push_back(why);
      EXPECT_NE(route_fault_text(why, key, head, shared.params), "");
    };
    noc.expanders().set_memory(this);
  }
  static BoardParams params() {
    BoardParams p;
    p.cores_per_tile = 2;  // threads 32..63 of a tile do not exist
    return p;
  }
  void read(Cycle at, unsigned port, unsigned slice, std::uint32_t address, unsigned tag) override {
    EXPECT_GE(at, now + kWindow);
    EXPECT_EQ(address % 32, 0u);
    EXPECT_TRUE(outstanding.insert({port, tag}).second) << "a tag is used twice";
    responses.push_back(
        {at + fixed_latency + (spread == 0 ? 0 : random() % spread), port, tag, slice, address});
  }
  void window() {
    noc.begin_window(now, now + kWindow);
    for (std::size_t i = 0; i < responses.size();) {
      const Response a = responses[i];
      if (a.at >= now + kWindow) {
        ++i;
        continue;
      }
      responses.erase(responses.begin() + static_cast<std::ptrdiff_t>(i));
      outstanding.erase({a.port, a.tag});
      noc.expanders().beat(a.at, a.port, a.tag, memory[a.slice][a.address].data());
    }
    noc.advance(now + kWindow);
    now += kWindow;
    for (unsigned port = 0; port < kBoardExits; ++port) {
      for (const Noc::Departure* d = noc.leaving(BoardPort(port)); d != nullptr && d->tail <= now;
           d = noc.leaving(BoardPort(port))) {
        out.push_back({port, d->tail, shared.pool[d->id]});
        shared.pool.release(d->id);
        --shared.activity.in_flight;
        noc.leave(BoardPort(port), now);
      }
    }
    for (unsigned t = 0; t < shared.params.tiles(); ++t) {
      for (unsigned thread = 0; thread < 32; ++thread) {
        while (noc.mailbox(t).can_recv(thread)) {
          const std::uint32_t at = noc.mailbox(t).recv(now, thread);
          heard.push_back({t, thread, noc.mailbox(t).load(at), noc.mailbox(t).load(at + 4),
                           noc.mailbox(t).load(at + 16)});
          noc.mailbox(t).free_slot(now, at);
        }
      }
    }
  }
  void drain() {
    for (unsigned i = 0; i < 20000 && (shared.activity.in_flight != 0 || !waiting.empty()); ++i) {
      feed();
      window();
      ASSERT_GE(shared.activity.in_flight, 0);
    }
    EXPECT_EQ(shared.activity.in_flight, 0);
    EXPECT_EQ(noc.buffered(), 0u);
    EXPECT_EQ(shared.pool.in_use(), 0u);
  }
  /// Writes a key's records and gives the key.
  std::uint32_t table(const std::vector<Record>& list) {
    BeatWriter writer;
    for (const Record& record : list) writer.add(record);
    records::Key key{static_cast<unsigned>(random() % 2), next, static_cast<unsigned>(writer.beats().size())};
    for (const records::Beat& beat : writer.beats()) memory[key.slice][next] = beat, next += 32;
    next += 32 * (random() % 3);
    return key.word();
  }
  void send(unsigned port, std::uint32_t key, unsigned flits = 1, std::uint32_t word = 0) {
    Message m;
    m.kind = MessageKind::key;
    m.dest = shared.layout.key_bit();
    m.mask = key;
    m.flits = static_cast<std::uint8_t>(flits);
    m.data[0] = word, m.data[1] = ~word, m.data[4] = word + 1;
    waiting.push_back({port, m});
  }
  void feed() {
    for (unsigned i = 0; i < 4 && !waiting.empty(); ++i) {
      noc.begin_window(now, now + kWindow);
      if (!noc.enter(BoardPort(waiting.front().first), now, waiting.front().second)) return;
      ++shared.activity.in_flight;
      waiting.pop_front();
    }
  }

  struct Response {
    Cycle at;
    unsigned port, tag, slice;
    std::uint32_t address;
  };
  struct Left {
    unsigned port;
    Cycle tail;
    Message message;
  };
  struct Heard {
    unsigned tile, thread;
    std::uint32_t first, second, fifth;
    auto operator<=>(const Heard&) const = default;
  };
  NoWakes wakes;
  std::mt19937 random;
  NetShared shared;
  Noc noc;
  Cycle now = 0, fixed_latency = 20;
  unsigned spread = 0;
  std::uint32_t next = 0x01804000;
  std::array<std::map<std::uint32_t, records::Beat>, 2> memory;
  std::vector<Response> responses;
  std::set<std::pair<unsigned, unsigned>> outstanding;
  std::deque<std::pair<unsigned, Message>> waiting;
  std::vector<RouteFault> faults;
  std::vector<Left> out;
  std::vector<Heard> heard;
};

Record to_tile(unsigned x, unsigned y, std::uint64_t mask, std::uint16_t half) {
  return {.tag = Tag::tile, .tile_x = x, .tile_y = y, .words = half, .mask = mask};
}
Record to_thread(unsigned x, unsigned y, unsigned index, std::uint32_t word) {
  return {.tag = Tag::thread, .tile_x = x, .tile_y = y, .index = index, .words = word};
}
Record to_board(Direction direction, std::uint32_t key) {
  return {.tag = Tag::router, .direction = direction, .key = key};
}

TEST(Expanders, CopiesCarryWhatTheirRecordsSay) {
  Bench b;
  const std::uint32_t key =
      b.table({to_tile(1, 2, 0b101, 0xbeef),
               to_thread(3, 0, 7, 0x12345678),
               {.tag = Tag::thread_two, .tile_x = 0, .tile_y = 3, .index = 31, .words = 0x1111222233334444},
               to_board(Direction::north, 0x99),
               to_board(Direction::west, 0x77)});
  b.send(kHostPort, key, 2, 0xabcd0000);
  b.feed();
  b.drain();
  std::sort(b.heard.begin(), b.heard.end());
  const std::vector<Bench::Heard> heard = {{3, 7, 0x12345678, 0x5432ffff, 0xabcd0001},
                                           {9, 0, 0xabcdbeef, 0x5432ffff, 0xabcd0001},
                                           {9, 2, 0xabcdbeef, 0x5432ffff, 0xabcd0001},
                                           {12, 31, 0x33334444, 0x11112222, 0xabcd0001}};
  EXPECT_EQ(b.heard, heard);
  ASSERT_EQ(b.out.size(), 2u);
  EXPECT_EQ(std::pair(b.out[0].port, b.out[0].message.mask),
            std::pair(unsigned{kLinkNorth}, std::uint64_t{0x99}));
  EXPECT_EQ(std::pair(b.out[1].port, b.out[1].message.mask),
            std::pair(unsigned{kLinkWest}, std::uint64_t{0x77}));
  for (const auto& left : b.out) {
    EXPECT_EQ(left.message.kind, MessageKind::key);
    EXPECT_EQ(left.message.data[0], 0xabcd0000u);
    EXPECT_EQ(left.message.flits, 2);
  }
  EXPECT_EQ(b.noc.expanders().counters().copies, 5u);
  EXPECT_EQ(b.noc.expanders().counters().keys, 1u);
}

TEST(Expanders, CyclesOfOneKey) {
  Bench b;
  const std::uint32_t key =
      b.table({to_board(Direction::north, 1), to_board(Direction::east, 2), to_board(Direction::south, 3)});
  b.send(kHostPort, key, 1);
  b.send(kHostPort, key, 4);
  b.feed();
  b.drain();
  ASSERT_EQ(b.out.size(), 6u);
  // In at 0; asked for at once, 8 cycles to memory, 20 there, 4 back; decoded; granted; a flit a cycle.
  const std::vector<Cycle> first = {34, 35, 36};
  std::vector<Cycle> tails;
  for (const auto& left : b.out) tails.push_back(left.tail);
  std::sort(tails.begin(), tails.end());
  EXPECT_EQ(std::vector(tails.begin(), tails.begin() + 3), first);
  EXPECT_EQ(tails[3], 36u + 4) << "the next message was fetched beside it";
  EXPECT_EQ(tails[5], 36u + 12);
}

TEST(Expanders, KeysWithoutReceiversVanish) {
  Bench b;
  for (unsigned port : {unsigned{kLinkEast}, unsigned{kHostPort}}) b.send(port, 0, 3);
  b.send(kHostPort, b.table({to_tile(0, 0, 1, 5)}), 1);
  b.feed();
  b.drain();
  EXPECT_EQ(b.heard.size(), 1u);
  EXPECT_EQ(b.noc.expanders().counters().keys, 3u);
  EXPECT_TRUE(b.faults.empty());
}

TEST(Expanders, WhatMakesNoSenseIsSkippedAndTold) {
  const std::uint32_t good = 0x01900001;
  const auto says = [&](unsigned port, const std::vector<Record>& list, RouteFault why,
                        BoardCoord at = {1, 1}) {
    Bench b(1, at);
    std::vector<Record> all = list;
    all.push_back(to_tile(0, 0, 1, 5));
    b.send(port, b.table(all));
    b.feed();
    b.drain();
    EXPECT_EQ(b.heard.size(), 1u) << "the rest goes on";
    EXPECT_EQ(b.faults, std::vector{why});
  };
  says(kHostPort, {to_tile(4, 0, 1, 1)}, RouteFault::receiver);
  says(kHostPort, {to_tile(0, 5, 1, 1)}, RouteFault::receiver);
  says(kHostPort, {to_tile(0, 0, 0, 1)}, RouteFault::receiver);
  says(kHostPort, {to_tile(0, 0, 1ull << 32, 1)}, RouteFault::receiver);
  says(kHostPort, {to_thread(0, 0, 32, 1)}, RouteFault::receiver);
  says(kHostPort, {to_board(Direction::west, good)}, RouteFault::link, {0, 1});
  says(kHostPort, {to_board(Direction::north, good)}, RouteFault::link, {0, 2});
  says(kLinkWest, {to_board(Direction::west, good)}, RouteFault::turn);
  says(kLinkEast, {to_board(Direction::east, good)}, RouteFault::turn);
  says(kLinkNorth, {to_board(Direction::east, good)}, RouteFault::turn);
  says(kLinkSouth, {to_board(Direction::south, good)}, RouteFault::turn);
  says(kHostPort, {{.tag = Tag::indirection, .key = 0}, {.tag = Tag::indirection, .key = 0}},
       RouteFault::chain);
  says(kHostPort, {{.tag = Tag::indirection, .key = 0x7fffffff}}, RouteFault::memory);

  Bench b;
  b.send(kHostPort, 0x00700001), b.send(kHostPort, 0x7fffffe2), b.send(kHostPort, 0x01900001);
  b.send(kHostPort, b.table({to_tile(0, 0, 1, 5)}));
  b.memory[0][0x01900000].fill(0xff);
  b.feed();
  b.drain();
  EXPECT_EQ(b.heard.size(), 1u);
  std::sort(b.faults.begin(), b.faults.end());
  EXPECT_EQ(b.faults, (std::vector{RouteFault::memory, RouteFault::memory, RouteFault::record}));

  Bench circle;
  circle.memory[0][0x01a00000] = [] {
    BeatWriter writer;
    writer.add({.tag = Tag::indirection, .key = 0x01a00001});
    writer.add(to_tile(0, 0, 1, 5));
    return writer.beats()[0];
  }();
  circle.send(kHostPort, 0x01a00001);
  circle.feed();
  circle.drain();
  EXPECT_EQ(circle.heard.size(), 256u);
  EXPECT_EQ(circle.faults, std::vector{RouteFault::chain});
}

/// Tables of every kind, chains of chains among them; every exit and tile sees what an expansion by hand
/// says.
TEST(Expanders, RandomTablesFromEveryInput) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    Bench b(seed);
    b.spread = seed % 3 == 0 ? 0 : 60;
    const auto below = [&](unsigned n) { return static_cast<unsigned>(b.random() % n); };
    std::multiset<std::tuple<unsigned, unsigned, std::uint32_t, std::uint32_t>> expected, got;
    std::uint64_t copies = 0, sent = 60;
    for (unsigned i = 0; i < sent; ++i) {
      const unsigned port = below(kBoardExits);
      const std::uint32_t word = static_cast<std::uint32_t>(b.random());
      std::uint32_t key = 0;
      for (unsigned level = below(4) == 0 ? below(4) : 0, n = 0; n <= level; ++n) {
        std::vector<Record> list;
        for (unsigned left = below(8) == 0 ? 0 : 1 + below(below(4) == 0 ? 60 : 6); left != 0; --left) {
          const unsigned x = below(4), y = below(4), index = below(32), tile = 4 * y + x;
          switch (below(4)) {
            case 0: {
              static constexpr unsigned opposite[] = {kLinkSouth, kLinkWest, kLinkNorth, kLinkEast};
              static constexpr Direction by_port[] = {Direction::north, Direction::east, Direction::south,
                                                      Direction::west};
              unsigned to = below(4);
              if (port == kLinkNorth || port == kLinkSouth) to = opposite[port];
              while (to == port) to = below(4);
              const auto further = static_cast<std::uint32_t>(b.random());
              list.push_back(to_board(by_port[to], further));
              expected.insert({100 + to, 0, further, word});
              break;
            }
            case 1:
              list.push_back(to_thread(x, y, index, static_cast<std::uint32_t>(b.random())));
              expected.insert({tile, index, static_cast<std::uint32_t>(list.back().words), word + 1});
              break;
            case 2:
              list.push_back({.tag = Tag::thread_two,
                              .tile_x = x,
                              .tile_y = y,
                              .index = index,
                              .words = b.random() | std::uint64_t{b.random()} << 32});
              expected.insert({tile, index, static_cast<std::uint32_t>(list.back().words), word + 1});
              break;
            default:
              list.push_back(
                  to_tile(x, y, 1u << index | (1u << below(32)), static_cast<std::uint16_t>(b.random())));
              for (unsigned thread = 0; thread < 32; ++thread) {
                if ((list.back().mask >> thread & 1) == 0) continue;
                expected.insert({tile, thread,
                                 (word & 0xffff0000) | static_cast<std::uint32_t>(list.back().words),
                                 word + 1});
              }
          }
          ++copies;
        }
        if (n != 0)
          list.insert(list.begin() + below(static_cast<unsigned>(list.size()) + 1),
                      {.tag = Tag::indirection, .key = key});
        key = b.table(list);
      }
      b.send(port, key, 2 + below(3), word);
    }
    b.drain();
    for (const auto& left : b.out) {
      got.insert({100 + left.port, 0, static_cast<std::uint32_t>(left.message.mask), left.message.data[0]});
    }
    for (const auto& h : b.heard) got.insert({h.tile, h.thread, h.first, h.fifth});
    ASSERT_EQ(got, expected) << "seed " << seed;
    EXPECT_EQ(b.noc.expanders().counters().keys, sent);
    EXPECT_EQ(b.noc.expanders().counters().copies, copies);
    EXPECT_TRUE(b.faults.empty());
  }
}

}  // namespace
}  // namespace polyloom::overlay

// SPDX-License-Identifier: Apache-2.0
// The network in RTL and the fast model's Noc side by side, cycle by cycle. The model's mailboxes are the
// mailboxes of both: they decide when a message starts and whether one is taken, and see what the model's
// network brings. What the RTL brings must be the same, in the same cycle, and so must what its board router
// asks of memory.
#pragma once

#include <bit>
#include <map>
#include <random>

#include "roles/overlay/sim/net/noc.h"
#include "roles/overlay/tests/noc/noc_dut.h"
#include "roles/overlay/tests/noc/noc_tables.h"

namespace polyloom::overlay::test {

/// Chances of 16 in a cycle.
struct Load {
  unsigned send = 8;   ///< of each tile that it asks for another message
  unsigned enter = 8;  ///< of a link or the host
  unsigned take = 16;  ///< of an exit that it takes a flit
  unsigned free = 16;  ///< of a tile that it gives back what it has received
  unsigned local = 8;  ///< that a message is for this board
  unsigned flits = 0;  ///< of a message; 0: any
  unsigned key = 0;    ///< that a message has a key
  unsigned line = 16;  ///< that a slice takes a request
};

class Pair {
 public:
  Pair(std::uint64_t seed, BoardCoord at)
      : random(seed),
        shared_(params(), at, {3, 3}, kLinkFlitsOfTest),
        noc_(shared_),
        memory_(random, kSlices, LINE_BYTES),
        dut_(at.x, at.y) {
    for (unsigned t = 0; t < kTiles; ++t) noc_.mailbox(t).attach(wakes_);
    shared_.fault = [](Cycle, unsigned, unsigned, const SendRequest&, SendFault why) {
      FAIL() << "send fault " << static_cast<unsigned>(why);
    };
    // Faults are told one at a time, so two at once change cycles: all come from one input.
    const unsigned senseless = below(kExits);
    for (unsigned input = 0; input <= kColumn0; ++input)
      tables_.emplace_back(random, shared_, kSlices, input, input != senseless, memory_.beats);
    noc_.expanders().set_memory(&memory_);
    shared_.route_fault = [this](Cycle, RouteFault why, std::uint32_t key, std::uint32_t head) {
      ++faults_[{static_cast<unsigned>(why) & 7u, key, head}];
    };
  }

  void run(const Load& load, unsigned cycles) {
    for (unsigned i = 0; i < cycles && !::testing::Test::HasFailure(); ++i) cycle(load);
  }
  /// Everything under way arrives: something within any 500 cycles.
  void drain() {
    const auto seen = [this] { return delivered + left + noc_.expanders().counters().beats; };
    for (Cycle moved = now_; !empty() && now_ < moved + 500 && !::testing::Test::HasFailure();) {
      const std::uint64_t before = seen();
      cycle({.send = 0, .enter = 0});
      if (seen() != before) moved = now_;
    }
    EXPECT_TRUE(empty()) << "not everything arrives";
    const RouterCounters& router = noc_.expanders().counters();
    EXPECT_EQ(delivered + left + router.keys, started + router.copies);
    EXPECT_EQ(from_board_ + left, noc_.router_sent());
    for (unsigned i = 0; i < 8; ++i) cycle({.send = 0, .enter = 0});  // faults, counters
    EXPECT_EQ(reported_, faults_);
    faults += reported_.size();
    copies += router.copies;
    EXPECT_EQ(noc_.buffered(), 0u);
  }

  Random random;
  std::uint64_t started = 0, delivered = 0, left = 0, refused = 0, masks = 0, copies = 0, faults = 0;
  std::uint64_t held_back = 0;  ///< cycles in which a router had no room for its mailbox

 private:
  struct NoWakes final : CoreWakeups {
    void wake(Cycle, unsigned, std::uint32_t) override {}
  };
  struct Tile {
    std::deque<Message> queued;                   ///< asked for, not yet started
    std::array<std::deque<Message>, 64> brought;  ///< by the RTL, not yet received from the model
    std::vector<std::uint32_t> held;              ///< received, not yet freed
    std::uint64_t sent = 0, received = 0;
  };

  static BoardParams params() {
    BoardParams p;
    p.tiles_x = kTilesX;
    p.tiles_y = kTilesY;
    p.max_flits = kMaxFlitsOfTest;
    p.dram_channels = kSlices;
    p.line_bytes = LINE_BYTES;
    p.mailbox_slots = 128;  // 64 to receive in: they run out
    return p;
  }
  unsigned below(unsigned n) { return static_cast<unsigned>(random() % n); }
  bool chance(unsigned of_16) { return below(16) < of_16; }
  bool empty() const {
    const RouterCounters& router = noc_.expanders().counters();
    bool nothing = started + router.copies == delivered + left + router.keys;
    for (const Tile& tile : tiles_) nothing = nothing && tile.queued.empty();
    return nothing;
  }

  void cycle(const Load& load) {
    noc_.begin_window(now_, now_ + 1);
    for (unsigned t = 0; t < kTiles; ++t) work_of(t, load);
    const std::uint32_t out_room = mailboxes_room();
    unsigned ready = 0;
    for (unsigned p = 0; p < kExits; ++p) ready |= unsigned{chance(load.take)} << p;
    lines(load);
    dut_.drive(out_room, ready);
    compare_levels();
    compare_router();
    for (unsigned p = 0; p < kExits; ++p) {
      if (chance(load.enter)) try_enter(static_cast<BoardPort>(p), load);
    }
    noc_.advance(now_ + 1);
    start_sends();
    std::vector<BoardPort> gone;
    dut_.collect([&](unsigned t, const Message& m) { bring(t, m); },
                 [&](unsigned p, const Message& m) {
                   compare_exit(static_cast<BoardPort>(p), m);
                   gone.push_back(static_cast<BoardPort>(p));
                 });
    dut_.edge();
    ++now_;
    noc_.begin_window(now_, now_ + 1);
    for (const BoardPort p : gone) {
      if (noc_.leaving(p) == nullptr) continue;  // reported by compare_exit
      const MessageId id = noc_.leaving(p)->id;
      noc_.leave(p, now_);
      shared_.pool.release(id);
    }
  }

  /// Lines that left their memories in the cycle before are with the RTL's ports; those of this cycle go to
  /// the model.
  void lines(const Load& load) {
    dut_.no_lines();
    unsigned ready = 0;
    for (unsigned slice = 0; slice < kSlices; ++slice) {
      if (!leaving_[slice].bytes.empty())
        dut_.line(slice, leaving_[slice].port, leaving_[slice].tag, leaving_[slice].bytes.data());
      leaving_[slice].bytes.clear();
      LineMemory::Line& line = leaving_[slice];
      if (memory_.leaves(now_, slice, line))
        noc_.expanders().beat(now_, line.port, line.tag, line.bytes.data());
      for (unsigned port = 0; port < 2; ++port) ready |= unsigned{chance(load.line)} << (2 * slice + port);
    }
    dut_.ready(ready);
    ready_ = ready;
    held_back_ |= load.line < 16;
  }

  /// What the RTL asks of memory in this cycle; what its board router did in the cycle before.
  void compare_router() {
    for (unsigned slice = 0; slice < kSlices; ++slice) {
      for (unsigned port = 0; port < 2; ++port) {
        if (!dut_.line_valid(slice, port) || (ready_ >> (2 * slice + port) & 1) == 0) continue;
        memory_.taken(now_, slice, port, dut_.line_address(slice, port), dut_.line_tag(slice, port) >> 1,
                      held_back_);
        EXPECT_EQ(dut_.line_tag(slice, port) & 1, 0u) << "a write";
      }
    }
    const RouterCounters& now = noc_.expanders().counters();
    EXPECT_EQ(dut_.copies(), now.copies - counted_.copies) << "cycle " << now_;
    EXPECT_EQ(dut_.copies_links(), now.copies_links - counted_.copies_links) << "cycle " << now_;
    EXPECT_EQ(dut_.ended(), now.keys - counted_.keys) << "cycle " << now_;
    EXPECT_EQ(dut_.beats(), now.beats - counted_.beats) << "cycle " << now_;
    counted_ = now;
    from_board_ += dut_.up();
    if (dut_.fault()) ++reported_[{dut_.fault_why(), dut_.fault_key(), dut_.fault_value()}];
  }

  /// What the threads of a tile do: receive, free, ask for a message.
  void work_of(unsigned t, const Load& load) {
    Tile& tile = tiles_[t];
    Mailbox& box = noc_.mailbox(t);
    for (unsigned thread = 0; thread < 64; ++thread) {
      if (!box.can_recv(thread)) continue;
      const std::uint32_t addr = box.recv(now_, thread);
      tile.held.push_back(addr);
      ASSERT_FALSE(tile.brought[thread].empty()) << "the model delivers what the RTL has not, tile " << t;
      const Message m = tile.brought[thread].front();
      tile.brought[thread].pop_front();
      for (unsigned w = 0; w < m.words(); ++w) ASSERT_EQ(box.load(addr + 4 * w), m.data[w]) << "tile " << t;
    }
    while (!tile.held.empty() && chance(load.free)) {
      box.free_slot(now_, tile.held.back());
      tile.held.pop_back();
    }
    if (!chance(load.send)) return;
    const unsigned thread = below(64);
    if (!box.can_send(thread)) return;
    Message m = message_from(load);
    if (chance(load.key))
      give_key(m, kColumn0);
    else if (chance(load.local))
      m.dest = mailbox_of(shared_.board);
    else if (chance(4))
      m.dest = shared_.layout.host_bit() | below(2);
    else
      m.dest = mailbox_of({below(3), below(3)});
    finish(m);
    for (unsigned w = 0; w < m.words(); ++w) box.store(thread * 64 + 4 * w, m.data[w], 0xf);
    box.send(now_, thread, {m.dest, m.mask, thread * 64, m.flits});
    tile.queued.push_back(m);
  }

  Message message_from(const Load& load) {
    Message m;
    m.flits = static_cast<std::uint8_t>(load.flits != 0 ? load.flits : 1 + below(kMaxFlitsOfTest));
    for (unsigned w = 0; w < m.words(); ++w) m.data[w] = static_cast<std::uint32_t>(random());
    m.mask = chance(3) ? random() & random() & random() : 0;
    if (m.mask == 0) m.mask = 1ull << below(64);
    return m;
  }
  std::uint32_t mailbox_of(BoardCoord board) {
    return shared_.layout.mailbox_id(board, below(kTilesX), below(kTilesY));
  }
  /// Whatever the rest of the destination says.
  void give_key(Message& m, unsigned input) {
    const std::vector<std::uint32_t>& keys = tables_[input].keys;
    m.dest = shared_.layout.key_bit() | below(shared_.layout.key_bit() / 4);
    m.mask = keys[below(static_cast<unsigned>(keys.size()))];
  }
  void finish(Message& m) {
    m.kind = shared_.layout.is_key(m.dest)    ? MessageKind::key
             : shared_.layout.is_host(m.dest) ? MessageKind::host
             : std::has_single_bit(m.mask)    ? MessageKind::unicast
                                              : MessageKind::mask;
    masks += m.kind == MessageKind::mask;
  }

  /// Asked early in the cycle, so a router that waits must be called by us: asking twice costs nothing.
  std::uint32_t mailboxes_room() {
    std::uint32_t room = 0;
    for (unsigned t = 0; t < kTiles; ++t) {
      const bool accepts = noc_.mailbox(t).can_accept(now_);
      EXPECT_EQ(noc_.mailbox(t).counters().received, tiles_[t].received) << "tile " << t << " cycle " << now_;
      if (accepts) shared_.wheel.schedule(now_, shared_.router_unit(t));
      room |= std::uint32_t{accepts} << t;
      refused += !accepts;
    }
    return room;
  }

  void compare_levels() {
    for (unsigned t = 0; t < kTiles; ++t) {
      const bool room = noc_.local_room(t, now_);
      EXPECT_EQ(dut_.in_room(t), room) << "room of tile " << t << " cycle " << now_;
      held_back += !room;
    }
    for (unsigned p = 0; p < kExits; ++p) {
      const auto port = static_cast<BoardPort>(p);
      EXPECT_EQ(dut_.enter_room(p), noc_.has_room(port, now_)) << "room of port " << p << " cycle " << now_;
      const Noc::Departure* d = noc_.leaving(port);
      const unsigned taken = dut_.exits[p].got();
      const bool there = d != nullptr && now_ + shared_.pool[d->id].flits >= d->tail + 2 + taken;
      EXPECT_EQ(dut_.exit_valid(p), there) << "exit " << p << " cycle " << now_;
    }
  }

  /// Only what the mesh's one order of dimensions lets come in there.
  void try_enter(BoardPort port, const Load& load) {
    const BoardCoord at = shared_.board;
    const unsigned source = kTiles + port;
    if (!dut_.idle(source) || (port == kLinkWest && at.x == 0) || (port == kLinkSouth && at.y == 0)) return;
    BoardCoord to{below(3), below(3)};
    if (port == kLinkEast) to.x = below(at.x + 1);
    if (port == kLinkWest) to.x = at.x + below(3 - at.x);
    if (port == kLinkNorth) to = {at.x, below(at.y + 1)};
    if (port == kLinkSouth) to = {at.x, at.y + below(3 - at.y)};
    if (chance(load.local)) to = at;
    Message m = message_from(load);
    m.dest = mailbox_of(to);
    const bool towards_host = port == kLinkEast || (port == kLinkNorth && at.x == 0);
    if (towards_host && chance(4)) m.dest = shared_.layout.host_bit();
    if (chance(load.key)) give_key(m, port);
    finish(m);
    if (!noc_.has_room(port, now_)) return;
    ASSERT_TRUE(noc_.enter(port, now_ + 2, m));
    dut_.start(source, m);
    ++started;
  }

  void start_sends() {
    for (unsigned t = 0; t < kTiles; ++t) {
      Tile& tile = tiles_[t];
      if (noc_.mailbox(t).counters().sent == tile.sent) continue;
      ASSERT_EQ(noc_.mailbox(t).counters().sent, ++tile.sent);
      dut_.start(t, tile.queued.front());
      tile.queued.pop_front();
      ++started;
    }
  }

  void bring(unsigned t, const Message& m) {
    ++tiles_[t].received;
    ++delivered;
    EXPECT_EQ(shared_.layout.tile_y(m.dest) * kTilesX + shared_.layout.tile_x(m.dest), t);
    for (std::uint64_t left = m.mask; left != 0; left &= left - 1) {
      tiles_[t].brought[static_cast<unsigned>(std::countr_zero(left))].push_back(m);
    }
  }

  void compare_exit(BoardPort port, const Message& m) {
    ++left;
    const Noc::Departure* d = noc_.leaving(port);
    ASSERT_NE(d, nullptr) << "port " << port << " cycle " << now_;
    const Message& expected = shared_.pool[d->id];
    EXPECT_EQ(m.dest, expected.dest);
    EXPECT_EQ(m.mask, expected.mask);
    EXPECT_EQ(m.flits, expected.flits);
    EXPECT_EQ(m.kind, expected.kind);
    for (unsigned w = 0; w < m.words(); ++w) ASSERT_EQ(m.data[w], expected.data[w]) << "port " << port;
  }

  NoWakes wakes_;
  NetShared shared_;
  Noc noc_;
  LineMemory memory_;
  std::vector<Tables> tables_;  ///< by input of the board router, the last for all columns
  Dut dut_;
  std::array<LineMemory::Line, kSlices> leaving_;  ///< lines that left their memories in the last cycle
  unsigned ready_ = 0;
  bool held_back_ = false;  ///< a slice has not taken a request at once
  RouterCounters counted_;
  std::uint64_t from_board_ = 0;  ///< messages from the board router to columns
  std::map<std::array<std::uint32_t, 3>, unsigned> faults_, reported_;
  std::array<Tile, kTiles> tiles_;
  Cycle now_ = 0;
};

}  // namespace polyloom::overlay::test

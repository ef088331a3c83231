// SPDX-License-Identifier: Apache-2.0
// Covers: a network in which every mailbox and router is called in every cycle does what one does in which
// only scheduled units are called (wheel.h), window by window: random traffic over small buffers, few slots,
// hot spots, threads that receive late, multicast, single port, links and host, freezing. Leaves out: boards
// that skip windows (board/window_test), how often a blocked unit has asked.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "roles/overlay/sim/net/noc.h"

namespace polyloom::overlay {
namespace {

struct Load {
  std::string name;
  unsigned slots = 128, link_flits = 4, cycles_per_flit = 1;
  bool single_port = false;
  unsigned flits = 0;      ///< of every message; 0: 1 to 4
  unsigned hot = 0;        ///< of 16 messages for this board, those for thread 0 of tile 0
  unsigned masks = 4;      ///< of 16, those for many threads
  unsigned elsewhere = 1;  ///< of 16 messages, those for other boards and the host
  unsigned late = 1;       ///< threads receive once in this many chances
  unsigned late_hot = 1;   ///< so does thread 0 of tile 0
  unsigned threads = 16;   ///< of a core
  unsigned leave = 2;      ///< exits are emptied once in this many windows
  bool freeze = false;     ///< now and then
  bool careless = false;   ///< threads free what they do not hold
  BoardCoord board = {1, 1};
  unsigned windows = 800;
};

std::ostream& operator<<(std::ostream& out, const Load& load) { return out << load.name; }

using Row = std::vector<std::uint64_t>;

/// What others can see of a window. Retries are left out (MailboxCounters::refused, NocCounters::blocked):
/// they count how often a unit was called while it could do nothing.
struct Seen {
  std::vector<std::tuple<unsigned, unsigned, Cycle, std::uint32_t>> wakes;  ///< tile, thread, cycle, bits
  Row entered, left, received;  ///< what came and went, as Network records it
  Row threads;                  ///< a tile and thread each: queued, waiting, sending
  Row mailboxes, routers;       ///< counters and queues
  Row states;                   ///< hashes, in some windows
};

class Network;

struct Wakes final : CoreWakeups {
  void wake(Cycle c, unsigned thread, std::uint32_t bits) override;
  Network* network = nullptr;
  unsigned tile = 0;
};

/// A board's network between random cores and random neighbours. Two of the same load and seed choose alike
/// as long as they are seen to behave alike.
class Network {
 public:
  Network(const Load& load, unsigned seed, bool every_unit)
      : load_(load),
        every_unit_(every_unit),
        shared_(params(load), load.board, {3, 3}, load.link_flits),
        noc_(shared_),
        wakes_(tiles()),
        tiles_(tiles()),
        random_(seed) {
    shared_.may_freeze = load.freeze;
    shared_.fault = [](Cycle, unsigned, unsigned, const SendRequest&, SendFault why) {
      FAIL() << "send fault " << static_cast<unsigned>(why);
    };
    for (unsigned t = 0; t < tiles(); ++t) {
      wakes_[t].network = this;
      wakes_[t].tile = t;
      noc_.mailbox(t).attach(wakes_[t]);
    }
  }

  Seen window() {
    seen_ = {};
    noc_.begin_window(now_, now_ + kWindow);
    const bool filling = now_ < load_.windows * kWindow * 3 / 4;
    for (unsigned t = 0; t < tiles(); ++t) drive(t, filling);
    if (filling) enter_messages();
    if (every_unit_) {
      for (Cycle c = now_; c < now_ + kWindow; ++c) {
        for (unsigned unit = 0; unit <= shared_.board_router_unit(); ++unit) shared_.wheel.schedule(c, unit);
      }
    }
    noc_.advance(now_ + kWindow);
    now_ += kWindow;
    take_departures();
    others();
    look();
    return std::move(seen_);
  }

  const Noc& noc() const { return noc_; }
  unsigned tiles() const { return shared_.params.tiles(); }

 private:
  friend Wakes;
  struct Tile {
    std::uint64_t waiting = 0;  ///< a bit a thread
    std::array<Cycle, 64> next{};
    std::array<std::vector<std::uint32_t>, 64> held;  ///< slots received and not freed
  };

  static BoardParams params(const Load& load) {
    BoardParams p;
    p.tiles_x = p.tiles_y = 2;
    p.threads_per_core = load.threads;
    p.mailbox_slots = load.slots;
    p.noc_cycles_per_flit = load.cycles_per_flit;
    p.scratchpad_single_port = load.single_port;
    return p;
  }

  unsigned draw(unsigned below) { return static_cast<unsigned>((random_() >> 32) % below); }
  bool of_16(unsigned n) { return draw(16) < n; }

  std::pair<std::uint32_t, std::uint64_t> receivers() {
    const unsigned threads = shared_.params.threads_per_tile();
    if (of_16(load_.elsewhere)) {
      if (draw(4) == 0) return {shared_.layout.host_bit(), 0};
      return {shared_.layout.mailbox_id({draw(3), draw(3)}, draw(2), draw(2)), 1};
    }
    const bool hot = of_16(load_.hot);
    const unsigned tile = hot || (load_.hot != 0 && draw(2) == 0) ? 0 : draw(tiles());
    std::uint64_t mask = std::uint64_t{1} << (hot ? 0 : draw(threads));
    if (!hot && of_16(load_.masks))
      mask |= random_() & random_() & random_() & ~std::uint64_t{0} >> (64 - threads);
    return {shared_.layout.mailbox_id(shared_.board, tile % 2, tile / 2), mask};
  }

  std::uint8_t flits() { return static_cast<std::uint8_t>(load_.flits != 0 ? load_.flits : 1 + draw(4)); }

  /// What the tile's cores do in the window: in each cycle one thread of each core may act.
  void drive(unsigned t, bool filling) {
    const BoardParams& p = shared_.params;
    for (Cycle c = now_; c < now_ + kWindow; ++c) {
      for (unsigned core = 0; core < p.cores_per_tile; ++core) {
        // The first thread gets a chance more often: it may be the hot one.
        const unsigned n = draw(p.threads_per_core + 4);
        const unsigned thread = core * p.threads_per_core + (n < p.threads_per_core ? n : 0);
        if (tiles_[t].next[thread] > c || (tiles_[t].waiting >> thread & 1) != 0) continue;
        if (act(t, thread, c, filling)) tiles_[t].next[thread] = c + kWindow;
      }
    }
  }

  bool act(unsigned t, unsigned thread, Cycle c, bool filling) {
    Mailbox& box = noc_.mailbox(t);
    std::vector<std::uint32_t>& held = tiles_[t].held[thread];
    const unsigned late = t == 0 && thread == 0 ? load_.late_hot : load_.late;
    const unsigned what = draw(16);
    if (what < 5) {
      if (!box.can_recv(thread) || (filling && draw(late) != 0)) return false;
      held.push_back(box.recv(c, thread));
      seen_.received.insert(seen_.received.end(), {t, thread, held.back(), box.load(held.back())});
    } else if (what < 10) {
      if (held.empty()) return false;
      box.free_slot(c, held.back());
      if (!load_.careless || draw(16) != 0) held.pop_back();
    } else if (what < 14) {
      if (!filling || !box.can_send(thread)) return false;
      const auto [dest, mask] = receivers();
      box.store(thread * 64, static_cast<std::uint32_t>(random_()), 15);
      box.send(c, thread, {dest, mask, thread * 64, flits()});
    } else if (what == 14) {
      if (!load_.careless || draw(8) != 0) return false;
      box.free_slot(c, draw(words()) * 4);
    } else {
      if (!held.empty()) return false;  // as slots are few
      // Who waits for sending alone may wait for himself.
      const unsigned what_for = kWaitRecv | draw(2) * kWaitSend | draw(4) / 3 * kWaitIdle;
      box.wait(c, thread, draw(16) == 0 ? kWaitIdle : what_for);
      tiles_[t].waiting |= std::uint64_t{1} << thread;
    }
    return true;
  }
  unsigned words() const { return shared_.params.mailbox_slots * kSlotWords; }

  void enter_messages() {
    for (unsigned port = 0; port < kBoardExits; ++port) {
      if (draw(4) != 0) continue;
      Message message;
      std::tie(message.dest, message.mask) = receivers();
      message.flits = flits();
      message.data[0] = static_cast<std::uint32_t>(random_());
      if (shared_.layout.is_host(message.dest)) message.kind = MessageKind::host;
      const bool room = noc_.enter(static_cast<BoardPort>(port), now_ + draw(kWindow), message);
      seen_.entered.push_back(room);
      shared_.activity.in_flight += room;
    }
  }

  void take_departures() {
    for (unsigned exit = 0; exit < kBoardExits; ++exit) {
      if (draw(load_.leave) != 0) continue;
      const auto port = static_cast<BoardPort>(exit);
      for (const Noc::Departure* d = noc_.leaving(port); d != nullptr && d->tail <= now_;
           d = noc_.leaving(port)) {
        const MessageId id = d->id;  // says nothing: where a message is stored does not matter
        const Message& message = shared_.pool[id];
        seen_.left.insert(seen_.left.end(), {port, d->tail, message.dest, message.mask, message.data[0]});
        noc_.leave(port, now_);
        shared_.pool.release(id);
        --shared_.activity.in_flight;
      }
    }
  }

  /// Termination detection.
  void others() {
    if (load_.freeze && draw(32) == 0) {
      shared_.activity.frozen = !shared_.activity.frozen;
      for (unsigned t = 0; t < tiles() && !shared_.activity.frozen; ++t) noc_.mailbox(t).thaw(now_);
    }
    if (draw(32) == 0) {
      const bool voted = draw(2) != 0;
      for (unsigned t = 0; t < tiles(); ++t) noc_.mailbox(t).release_idle(now_, voted);
    }
  }

  void look() {
    std::sort(seen_.wakes.begin(), seen_.wakes.end());
    for (unsigned t = 0; t < tiles(); ++t) {
      const Mailbox& box = noc_.mailbox(t);
      for (unsigned i = 0; i < shared_.params.threads_per_tile(); ++i) {
        seen_.threads.push_back(box.queued(i) << 8 | box.waiting(i) << 4 | box.send_pending(i));
      }
      const MailboxCounters& n = box.counters();
      const Row row = {n.sent,      n.sent_flits, n.received,       n.received_flits,
                       n.delivered, n.freed,      box.free_slots(), noc_.tile_flits(t)};
      seen_.mailboxes.insert(seen_.mailboxes.end(), row.begin(), row.end());
      if (now_ / kWindow % 64 == 0) seen_.states.push_back(box.state_hash());
    }
    const Activity& activity = shared_.activity;
    seen_.routers = {noc_.counters().message_hops,
                     noc_.counters().flit_hops,
                     noc_.buffered(),
                     shared_.pool.in_use(),
                     static_cast<std::uint64_t>(activity.in_flight),
                     activity.idle_waiting,
                     activity.idle_votes};
    for (unsigned port = 0; port < kBoardExits; ++port) {
      const Noc::Departure* d = noc_.leaving(static_cast<BoardPort>(port));
      seen_.routers.push_back(d == nullptr ? kNeverCycle : d->tail);
    }
  }

  const Load load_;
  const bool every_unit_;
  NetShared shared_;
  Noc noc_;
  std::vector<Wakes> wakes_;
  std::vector<Tile> tiles_;
  std::mt19937_64 random_;
  Cycle now_ = 0;
  Seen seen_;
};

void Wakes::wake(Cycle c, unsigned thread, std::uint32_t bits) {
  network->tiles_[tile].waiting &= ~(std::uint64_t{1} << thread);
  network->seen_.wakes.emplace_back(tile, thread, c, bits);
}

class EveryUnit : public testing::TestWithParam<Load> {};

void compare(const Load& load, unsigned seed) {
  Network due(load, seed, false), every(load, seed, true);
  for (unsigned window = 0; window < load.windows; ++window) {
    const Seen a = due.window(), b = every.window();
    EXPECT_EQ(a.received, b.received);
    EXPECT_EQ(a.entered, b.entered);
    EXPECT_EQ(a.left, b.left);
    EXPECT_EQ(a.wakes, b.wakes);
    EXPECT_EQ(a.threads, b.threads);
    EXPECT_EQ(a.mailboxes, b.mailboxes) << "8 numbers a mailbox";
    EXPECT_EQ(a.routers, b.routers);
    EXPECT_EQ(a.states, b.states);
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << ", window " << window;
  }
  std::uint64_t received = 0;
  for (unsigned t = 0; t < due.tiles(); ++t) received += due.noc().mailbox(t).counters().received;
  EXPECT_GT(received, load.windows / 4) << "the load is one";
  EXPECT_GT(due.noc().counters().blocked, load.windows / 4);
}

TEST_P(EveryUnit, MayBeCalledInEveryCycle) {
  for (const unsigned seed : {1, 2, 3}) ASSERT_NO_FATAL_FAILURE(compare(GetParam(), seed));
}

std::vector<Load> loads() {
  return {
      {.name = "plain", .link_flits = 16},
      {.name = "small_buffers", .late = 2},
      {.name = "odd_buffers", .link_flits = 7, .masks = 0, .elsewhere = 4, .leave = 8},
      {.name = "hot_1", .flits = 1, .hot = 6, .late_hot = 2},
      {.name = "hot_4", .link_flits = 5, .flits = 4, .hot = 6, .late = 3},
      {.name = "multicast", .masks = 16, .late = 2},
      {.name = "many_slots", .slots = 1024, .masks = 12, .late = 4},
      {.name = "full_buffer", .slots = 1024, .flits = 1, .hot = 12, .masks = 0, .late_hot = 4},
      {.name = "full_buffer_masks", .slots = 1024, .hot = 12, .late_hot = 3, .windows = 1200},
      {.name = "single_port", .cycles_per_flit = 2, .single_port = true},
      {.name = "single_port_hot", .cycles_per_flit = 2, .single_port = true, .hot = 6, .late_hot = 3},
      {.name = "slow_links", .cycles_per_flit = 3, .flits = 1, .elsewhere = 6, .leave = 8},
      {.name = "transit", .link_flits = 16, .elsewhere = 12, .leave = 1, .board = {0, 0}},
      {.name = "transit_held_up", .elsewhere = 12, .leave = 16, .board = {0, 0}},
      {.name = "few_threads", .hot = 4, .late = 2, .threads = 8},
      {.name = "freeze", .hot = 4, .late = 2, .freeze = true},
      {.name = "careless", .masks = 8, .late = 2, .careless = true},
  };
}

INSTANTIATE_TEST_SUITE_P(Net, EveryUnit, testing::ValuesIn(loads()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace polyloom::overlay

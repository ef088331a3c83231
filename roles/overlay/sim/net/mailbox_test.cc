// SPDX-License-Identifier: Apache-2.0
// Covers: slots, references, FIFO order, masks, back-pressure, waits, ports and faults of one mailbox,
// against a model. Leaves out: routing (noc_test) and cores (tile tests).
#include "roles/overlay/sim/net/mailbox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <random>

namespace polyloom::overlay {
namespace {

struct Sink final : Injector {
  bool local_room(unsigned, Cycle) override { return open; }
  void inject(unsigned, Cycle ready, MessageId id) override { sent.push_back({ready, id}); }
  bool open = true;
  std::deque<std::pair<Cycle, MessageId>> sent;
};

struct Wakes final : CoreWakeups {
  void wake(Cycle c, unsigned thread, std::uint32_t bits) override { calls[thread].push_back({c, bits}); }
  std::map<unsigned, std::vector<std::pair<Cycle, std::uint32_t>>> calls;
};

struct Bench {
  explicit Bench(BoardParams params = {}) : shared(params, {0, 0}, {2, 2}), box(shared, 0, sink) {
    box.attach(wakes);
    shared.fault = [this](Cycle, unsigned, unsigned thread, const SendRequest& r, SendFault why) {
      faults.push_back(std::to_string(thread) + " " +
                       send_fault_text(why, r.dest, shared.mesh, shared.params));
    };
  }
  /// Starts a window at `from`; core calls may follow, then finish().
  void begin(Cycle from) {
    shared.wheel.skip_to(from);
    shared.window_end = from + kWindow;
    now = from;
  }
  void finish() {
    for (Cycle c = shared.wheel.next(now); c < shared.window_end; c = shared.wheel.next(c)) {
      if (shared.wheel.take(c)[0] & 1) box.tick(c);
    }
    now = shared.window_end;
  }
  void idle_windows(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      begin(now);
      finish();
    }
  }
  bool offer(Cycle head, std::uint64_t mask, unsigned flits, std::uint32_t mark) {
    if (!box.can_accept(now)) return false;
    const MessageId id = shared.pool.allocate();
    shared.pool[id] = {mask, 0, static_cast<std::uint8_t>(flits), MessageKind::mask, {}};
    shared.pool[id].data[0] = mark;
    shared.pool[id].data[flits * 4 - 1] = ~mark;
    ++shared.activity.in_flight;
    box.accept(head, id);
    return true;
  }

  NetShared shared;
  Sink sink;
  Wakes wakes;
  Mailbox box;
  Cycle now = 0;
  std::vector<std::string> faults;
};

TEST(Mailbox, SendReadsTheSlotWhenItLeavesAndThenThreadMaySendAgain) {
  Bench b;
  b.begin(0);
  b.box.store(5 * 64, 1, 0xf);
  EXPECT_TRUE(b.box.can_send(5));
  b.box.send(2, 5, {1, 0x10, 5 * 64, 2});
  EXPECT_FALSE(b.box.can_send(5));
  b.box.store(5 * 64, 0x0000ff00, 0x2);  // before it leaves: this is what is sent
  b.finish();
  ASSERT_EQ(b.sink.sent.size(), 1u);
  EXPECT_EQ(b.sink.sent[0].first, 3 + Mailbox::kReadLatency);
  EXPECT_EQ(b.shared.pool[b.sink.sent[0].second].data[0], 0xff01u);
  EXPECT_EQ(b.shared.pool[b.sink.sent[0].second].kind, MessageKind::unicast);
  EXPECT_TRUE(b.box.can_send(5));
  EXPECT_EQ(b.shared.activity.in_flight, 1);
}

TEST(Mailbox, OneFlitACycleLeaves) {
  Bench b;
  b.begin(0);
  for (unsigned t = 0; t < 4; ++t) b.box.send(0, t, {1, 1, t * 64, static_cast<std::uint8_t>(t + 1)});
  b.idle_windows(3);
  ASSERT_EQ(b.sink.sent.size(), 4u);
  const Cycle first = b.sink.sent[0].first;
  EXPECT_EQ(b.sink.sent[1].first, first + 1);
  EXPECT_EQ(b.sink.sent[2].first, first + 3);
  EXPECT_EQ(b.sink.sent[3].first, first + 6);
}

TEST(Mailbox, SinglePortWritesGoFirst) {
  BoardParams p;
  p.scratchpad_single_port = true;
  p.noc_cycles_per_flit = 2;
  Bench b(p);
  b.begin(0);
  ASSERT_TRUE(b.offer(1, 1, 4, 7));  // writes in cycles 1, 3, 5, 7
  b.box.send(0, 0, {1, 1, 0, 4});    // reads in 2, 4, 6, 8
  b.idle_windows(2);
  ASSERT_EQ(b.sink.sent.size(), 1u);
  EXPECT_EQ(b.sink.sent[0].first, 8 + Mailbox::kReadLatency);
}

TEST(Mailbox, LastReceiverFreesTheSlot) {
  Bench b;
  b.begin(0);
  const std::size_t before = b.box.free_slots();
  EXPECT_EQ(before, 512u - 64u);
  ASSERT_TRUE(b.offer(0, (1ull << 3) | (1ull << 17) | (1ull << 63), 1, 42));
  b.finish();
  EXPECT_EQ(b.box.free_slots(), before - 1);
  std::uint32_t addr = 0;
  b.begin(8);
  for (const unsigned t : {3u, 17u, 63u}) {
    ASSERT_TRUE(b.box.can_recv(t));
    addr = b.box.recv(8, t);
    EXPECT_GE(addr, 64u * 64u);
    EXPECT_EQ(b.box.load(addr), 42u);
    EXPECT_FALSE(b.box.can_recv(t));
  }
  b.box.free_slot(8, addr);
  b.box.free_slot(9, addr);
  b.finish();
  EXPECT_EQ(b.shared.activity.in_flight, 1) << "in flight until the last receiver frees it";
  b.begin(16);
  b.box.free_slot(16, addr + 60);  // any address inside the slot
  b.box.free_slot(17, 3 * 64);     // never received: left alone
  b.finish();
  EXPECT_EQ(b.box.free_slots(), before);
  EXPECT_EQ(b.shared.activity.in_flight, 0);
}

TEST(Mailbox, OneDestinationInTwoCyclesPerCoreGroup) {
  Bench b;
  b.box.attach(b.wakes);
  b.begin(0);
  for (unsigned t = 0; t < 4; ++t) b.box.wait(0, t, kWaitRecv);
  b.finish();
  b.begin(8);
  ASSERT_TRUE(b.offer(8, 0xf, 1, 1));
  b.finish();  // served in cycles 10, 12, 14 and, in the next window, 16
  b.begin(16);
  b.finish();
  for (unsigned t = 0; t < 3; ++t) EXPECT_EQ(b.wakes.calls[t].at(0).first, 16u);
  EXPECT_EQ(b.wakes.calls[3].at(0).first, 24u);
  EXPECT_EQ(b.wakes.calls[0].at(0).second, kWaitRecv);
}

TEST(Mailbox, ThreadThatNeverReceivesStallsItsCoreOnlyThenTheTile) {
  Bench b;
  unsigned accepted = 0;
  for (unsigned i = 0; i < 63 + 1 + 512; ++i) {  // pointers, the entry being served, buffer entries
    b.begin(b.now);
    if (b.offer(b.now, 1, 1, i)) ++accepted;
    b.finish();
  }
  EXPECT_EQ(accepted, 448u) << "slots run out first";
  EXPECT_EQ(b.box.queued(0), 63u);
  EXPECT_FALSE(b.box.can_accept(b.now));
  // Freeing one lets one more in, and the router is told.
  b.begin(b.now);
  b.box.free_slot(b.now, b.box.recv(b.now, 0));
  b.finish();
  b.begin(b.now);
  EXPECT_TRUE(b.box.can_accept(b.now));
  EXPECT_EQ(b.box.queued(0), 63u) << "the stalled core goes on";
  // Another core's threads were never hindered by the stall.
  ASSERT_TRUE(b.offer(b.now, 1ull << 16, 1, 9));
  b.finish();
  EXPECT_TRUE(b.box.can_recv(16));
}

TEST(Mailbox, WaitsEndOnWhatWasAskedFor) {
  Bench b;
  b.begin(0);
  b.box.wait(1, 0, kWaitSend);              // holds at once
  b.box.wait(1, 1, kWaitRecv | kWaitIdle);  // until a message
  b.box.wait(1, 2, kWaitIdle | kWaitIdleVote);
  b.finish();
  EXPECT_EQ(b.wakes.calls[0].at(0).first, 8u) << "never in the same window";
  EXPECT_EQ(b.wakes.calls[0].at(0).second, kWaitSend);
  EXPECT_EQ(b.shared.activity.idle_waiting, 2u);
  EXPECT_EQ(b.shared.activity.idle_votes, 1u);
  b.begin(8);
  b.offer(8, 2, 1, 0);
  b.finish();
  EXPECT_EQ(b.wakes.calls[1].at(0).second, kWaitRecv);
  EXPECT_EQ(b.shared.activity.idle_waiting, 1u);
  b.begin(16);
  b.box.release_idle(16, true);
  EXPECT_EQ(b.wakes.calls[2].at(0).second, kWaitIdle | kWaitIdleVote);
  EXPECT_EQ(b.wakes.calls[2].at(0).first, 24u);
  EXPECT_EQ(b.shared.activity.idle_waiting, 0u);
  EXPECT_EQ(b.shared.activity.idle_votes, 0u);
}

// With the RTL's time a wake-up never falls into the window of its cause, so nothing is rounded.
TEST(Mailbox, WakesComeSoManyCyclesAfterTheirCause) {
  Bench b;
  b.shared.wake = 9;
  b.begin(0);
  b.box.wait(0, 0, kWaitSend);  // seen, and holds, in 1
  b.box.wait(3, 1, kWaitRecv);
  b.box.wait(7, 2, kWaitIdle);  // seen in 8: the board's last
  b.finish();
  EXPECT_EQ(b.wakes.calls[0].at(0).first, 1 + 9u);
  b.begin(8);
  ASSERT_TRUE(b.offer(9, 2, 1, 0));  // in the thread's queue 2 cycles later
  b.finish();
  EXPECT_EQ(b.wakes.calls[1].at(0).first, 11 + 9u);
  EXPECT_EQ(b.shared.activity.changed, 8u);
  b.begin(16);
  b.box.release_idle(19, false);
  EXPECT_EQ(b.wakes.calls[2].at(0).first, 19 + 9u);
}

TEST(Mailbox, FrozenThreadsNeitherSendNorReceiveNorWake) {
  Bench b;
  b.begin(0);
  b.box.wait(0, 7, kWaitRecv | kWaitSend);
  b.shared.activity.frozen = true;
  b.offer(0, 1ull << 7, 1, 0);
  b.finish();
  EXPECT_FALSE(b.box.can_send(7));
  EXPECT_FALSE(b.box.can_recv(7));
  EXPECT_TRUE(b.wakes.calls[7].empty());
  b.begin(8);
  b.shared.activity.frozen = false;
  b.box.thaw(8);
  b.finish();
  EXPECT_EQ(b.wakes.calls[7].at(0).second, kWaitSend | kWaitRecv);
}

TEST(Mailbox, BadRequestsAreFaultsThatNameTheThread) {
  BoardParams params;
  params.programmable_routers = false;
  Bench b(params);
  b.begin(0);
  b.box.send(0, 1, {1, 0, 0, 1});         // empty mask
  b.box.send(0, 2, {3u << 4, 1, 0, 1});   // board (3,0) of 2x2
  b.box.send(0, 3, {1u << 12, 0, 0, 1});  // key
  b.box.send(0, 4, {1, 1, 0, 5});         // length
  b.box.send(0, 5, {1, 1, 0, 1});
  b.box.send(1, 5, {1, 1, 0, 1});  // twice
  b.box.send(1, 6, {1, 1, SendRequest::kNoSlot, 1});
  b.finish();
  ASSERT_EQ(b.faults.size(), 6u);
  EXPECT_NE(b.faults[0].find("1 sends a message without receivers"), std::string::npos);
  EXPECT_NE(b.faults[1].find("board (3,0)"), std::string::npos);
  EXPECT_NE(b.faults[2].find("no programmable routers"), std::string::npos);
  EXPECT_NE(b.faults[3].find("1 to 4"), std::string::npos);
  EXPECT_NE(b.faults[4].find("tinselCanSend"), std::string::npos);
  EXPECT_NE(b.faults[5].find("6 sends from a pointer outside the scratchpad"), std::string::npos);
  EXPECT_EQ(b.shared.activity.in_flight, 1);
}

TEST(Mailbox, KeysNeedNoReceivers) {
  Bench b;
  b.begin(0);
  b.box.send(0, 3, {1u << 12, 0, 0, 1});
  b.box.send(0, 4, {1u << 12, 0x89abcdef, 0, 1});
  b.finish();
  EXPECT_TRUE(b.faults.empty());
  EXPECT_EQ(b.shared.activity.in_flight, 2);
}

TEST(Mailbox, SmallerCoresFollowEachOtherInTheMask) {
  BoardParams p;
  p.threads_per_core = 8;
  Bench b(p);
  b.begin(0);
  ASSERT_TRUE(b.offer(0, (1ull << 0) | (1ull << 8) | (1ull << 23), 1, 1));  // one each of cores 0, 1, 2
  b.finish();
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(b.box.can_recv(t), t == 0 || t == 8 || t == 23) << t;
  b.begin(8);
  b.box.send(8, 0, {1, 1ull << 32, 0, 1});
  ASSERT_EQ(b.faults.size(), 1u);
  EXPECT_NE(b.faults[0].find("thread that does not exist"), std::string::npos);
}

// Random traffic against a model that keeps, per thread, the list of messages it must receive.
TEST(Mailbox, RandomTrafficKeepsOrderContentAndSlots) {
  for (const bool single_port : {false, true}) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
      std::mt19937_64 random(seed);
      BoardParams p;
      p.scratchpad_single_port = single_port;
      p.noc_cycles_per_flit = single_port ? 2 : 1;
      p.mailbox_slots = 128;  // scarce
      Bench b(p);
      const std::size_t slots = b.box.free_slots();
      std::array<std::deque<std::uint32_t>, 64> expected;
      std::array<std::vector<std::uint32_t>, 64> held;
      std::map<std::uint32_t, unsigned> references;  // by mark
      std::uint32_t mark = 0;
      Cycle link_free = 0;
      for (unsigned window = 0; window < 3000; ++window) {
        const bool filling = window < 2500;
        b.begin(b.now);
        for (unsigned t = 0; t < 64; ++t) {
          if (random() % 4 == 0 && b.box.can_recv(t)) {
            const std::uint32_t addr = b.box.recv(b.now, t);
            ASSERT_EQ(b.box.load(addr), expected[t].front()) << "per-thread FIFO";
            expected[t].pop_front();
            held[t].push_back(addr);
          } else if (!held[t].empty() && random() % 4 == 0) {
            const std::uint32_t id = b.box.load(held[t].back());
            if (--references[id] == 0) references.erase(id);
            b.box.free_slot(b.now + 1, held[t].back());
            held[t].pop_back();
          } else if (filling && random() % 8 == 0 && b.box.can_send(t)) {
            b.box.store(t * 64, t, 0xf);
            b.box.send(b.now + 2, t, {1, 1, t * 64, static_cast<std::uint8_t>(1 + random() % 4)});
          }
        }
        if (filling && link_free <= b.now && random() % 2 == 0) {
          const std::uint64_t mask =
              random() % 3 == 0 ? random() & random() & random() : 1ull << random() % 64;
          const auto flits = static_cast<unsigned>(1 + random() % 4);
          if (mask != 0 && b.offer(b.now + 1, mask, flits, mark)) {
            link_free = b.now + 1 + 4 * p.noc_cycles_per_flit;
            for (unsigned t = 0; t < 64; ++t) {
              if ((mask >> t) & 1) expected[t].push_back(mark);
            }
            references[mark++] = static_cast<unsigned>(std::popcount(mask));
          }
        }
        b.finish();
        ASSERT_LE(b.box.free_slots() + references.size(), slots);
        for (const auto& [ready, id] : b.sink.sent) {
          ASSERT_LT(b.shared.pool[id].data[0], 64u);
          b.shared.pool.release(id);
          --b.shared.activity.in_flight;
        }
        b.sink.sent.clear();
      }
      for (unsigned t = 0; t < 64; ++t) {
        EXPECT_TRUE(expected[t].empty());
        for (const std::uint32_t addr : held[t]) b.box.free_slot(b.now, addr);
      }
      b.idle_windows(4);
      EXPECT_EQ(b.box.free_slots(), slots) << "every slot came back";
      EXPECT_EQ(b.shared.activity.in_flight, 0);
      EXPECT_GT(b.box.counters().received, 500u);
    }
  }
}

}  // namespace
}  // namespace polyloom::overlay

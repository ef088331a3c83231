// SPDX-License-Identifier: Apache-2.0
// What a tile needs around it in tests: a mailbox that loops messages back inside the tile, a board that
// writes down what it is told, memories, and the window loop. Works for Tile and for ReferenceTile.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "blocks/memory/sim/dram.h"
#include "blocks/memory/sim/sram.h"
#include "roles/overlay/sim/isa/exec.h"
#include "roles/overlay/sim/tile/memory_system.h"
#include "roles/overlay/sim/tile/tile.h"

namespace polyloom::overlay::test {

/// Everything that was said, with its cycle, as text: easy to compare and to read when it differs.
using Log = std::vector<std::string>;

template <class... Words>
std::string line(Cycle c, const char* what, Words... words) {
  std::string text = std::to_string(c) + " " + what;
  ((text += " " + std::to_string(words)), ...);
  return text;
}

/// Delivers every message to the threads of its mask in this tile, kDelay cycles after it was sent. All
/// waiting in idle and nothing under way is the idle event.
class LoopMailbox final : public MailboxPort {
 public:
  static constexpr Cycle kDelay = 30;
  static constexpr std::uint32_t kSlots = 512;

  LoopMailbox(unsigned threads, Log& log) : log_(log), threads_(threads) {
    for (std::uint32_t slot = 128; slot < kSlots; ++slot) free_.push_back(slot);
  }
  CoreWakeups* cores = nullptr;
  std::function<bool(unsigned)> is_off;  ///< the thread takes no part in idle

  bool can_send(unsigned t) const override { return !threads_[t].sending; }
  void send(Cycle c, unsigned t, const SendRequest& r) override {
    log_.push_back(line(c, "send", t, r.dest, r.mask, scratchpad_address(r.slot_addr), r.flits));
    threads_[t].sending = true;
    sent_.push_back({c, t, r});
  }
  bool can_recv(unsigned t) const override { return !threads_[t].inbox.empty(); }
  std::uint32_t recv(Cycle c, unsigned t) override {
    const std::uint32_t slot = threads_[t].inbox.front();
    threads_[t].inbox.pop_front();
    log_.push_back(line(c, "recv", t, slot));
    return slot * 64;
  }
  void free_slot(Cycle c, std::uint32_t addr) override {
    const std::uint32_t slot = addr / 64 % kSlots;
    log_.push_back(line(c, "free", slot));
    if (references_[slot] == 0) return;
    if (--references_[slot] == 0) free_.push_back(slot);
  }
  void wait(Cycle c, unsigned t, std::uint32_t bits) override {
    log_.push_back(line(c, "wait", t, bits));
    threads_[t].waits = bits;
    threads_[t].waiting = true;
  }
  void thread_stopped(unsigned t) override {
    threads_[t].stopped = true;
    threads_[t].waiting = false;
  }
  std::uint32_t load(std::uint32_t addr) const override { return words_[addr / 4 % words_.size()]; }
  void store(std::uint32_t addr, std::uint32_t data, unsigned byte_enable) override {
    std::uint32_t& word = words_[addr / 4 % words_.size()];
    word = merge_bytes(word, data, byte_enable);
  }

  bool foreseeable() const override { return true; }
  unsigned queued(unsigned t) const override { return static_cast<unsigned>(threads_[t].inbox.size()); }
  std::uint32_t peek(unsigned t, unsigned n) const override { return threads_[t].inbox[n] * 64; }

  /// The network's part of the window [from, from + kWindow).
  void advance(Cycle from) {
    while (!sent_.empty() && sent_.front().at + kDelay < from + kWindow && !free_.empty()) deliver();
    bool quiet = sent_.empty();
    for (unsigned i = 0; i < threads_.size() && quiet; ++i) {
      const Thread& t = threads_[i];
      quiet = is_off(i) || (t.waiting && (t.waits & kWaitIdle) != 0 && t.inbox.empty());
    }
    for (unsigned t = 0; t < threads_.size(); ++t) {
      Thread& it = threads_[t];
      if (!it.waiting) continue;
      std::uint32_t bits = 0;
      if (!it.sending) bits |= it.waits & kWaitSend;
      if (!it.inbox.empty()) bits |= it.waits & kWaitRecv;
      if (quiet && bits == 0) bits = it.waits & (kWaitIdle | kWaitIdleVote);
      if (bits == 0) continue;
      it.waiting = false;
      cores->wake(from + kWindow + (t * 7) % 90, t, bits);
    }
  }
  std::span<const std::uint32_t> words() const override { return words_; }

 private:
  struct Thread {
    bool sending = false, waiting = false, stopped = false;
    std::uint32_t waits = 0;
    std::deque<std::uint32_t> inbox;
  };
  struct Sent {
    Cycle at;
    unsigned thread;
    SendRequest request;
  };

  void deliver() {
    const Sent s = sent_.front();
    sent_.pop_front();
    threads_[s.thread].sending = false;
    std::uint64_t mask = s.request.mask;
    if (threads_.size() < 64) mask &= (std::uint64_t{1} << threads_.size()) - 1;
    if (mask == 0) return;
    const std::uint32_t slot = free_.front();
    free_.pop_front();
    std::copy_n(&words_[s.request.slot_addr / 64 % kSlots * 16], 4u * s.request.flits, &words_[slot * 16]);
    references_[slot] = static_cast<unsigned>(std::popcount(mask));
    for (unsigned t = 0; t < threads_.size(); ++t) {
      if ((mask >> t & 1) != 0) threads_[t].inbox.push_back(slot);
    }
  }

  Log& log_;
  std::vector<Thread> threads_;
  std::deque<Sent> sent_;
  std::deque<std::uint32_t> free_;
  std::array<unsigned, kSlots> references_{};
  std::vector<std::uint32_t> words_ = std::vector<std::uint32_t>(kSlots * 16);
};

class NotingBoard final : public TileEvents {
 public:
  explicit NotingBoard(Log& log) : log_(log) {}
  bool uart_out(Cycle c, std::uint32_t id, std::uint8_t byte) override {
    const bool taken = (c / 64) % 3 != 0;
    log_.push_back(line(c, taken ? "uart" : "uart refused", id, byte));
    return taken;
  }
  void uart_read(Cycle c, std::uint32_t id) override { log_.push_back(line(c, "uart read", id)); }
  void fault(Cycle c, std::uint32_t id, const Fault& f) override {
    faults.push_back(f);
    log_.push_back(line(c, fault_name(f.cause), id, f.pc, f.value));
  }
  void emit(Cycle c, std::uint32_t id, std::uint32_t value) override {
    log_.push_back(line(c, "emit", id, value));
  }
  std::uint32_t router_sent(bool inter_board) override { return inter_board ? 7 : 40; }

  std::vector<Fault> faults;

 private:
  Log& log_;
};

/// One tile on a board of its own.
template <class AnyTile>
class World {
 public:
  explicit World(const BoardParams& params, const TileTiming& timing = {}, std::uint32_t first_thread = 0)
      : params_(params),
        memory(params),
        system(params, memory, 1, blocks::DramParams::ddr3_1600(params.line_bytes),
               blocks::SramParams::qdr2(params.line_bytes)),
        mailbox(params.threads_per_tile(), log),
        board(log),
        tile(params, timing, TilePlace{0, first_thread}, TileEnv{&mailbox, &system, &board}) {
    mailbox.cores = &tile;
    mailbox.is_off = [this](unsigned t) {
      const ThreadState s = tile.thread_state(t);
      return s == ThreadState::off || s == ThreadState::faulted;
    };
  }

  void load(const std::vector<std::uint32_t>& words) {
    for (unsigned pair = 0; 2 * pair < params_.cores_per_tile; ++pair) {
      for (std::uint32_t i = 0; i < words.size(); ++i) tile.write_instr(pair, i, words[i]);
    }
  }
  /// As run(), without the windows in which no unit has anything to do. Only for programs that leave the
  /// mailbox alone.
  void run_skipping(Cycle until) {
    for (; now < until; now += kWindow) {
      if (tile.next_event() < now + kWindow) tile.advance_cores(now);
      if (system.next_event() < now + kWindow) system.advance(now);
    }
  }
  /// Runs windows up to `until`.
  void run(Cycle until) {
    for (; now < until; now += kWindow) {
      tile.advance_cores(now);
      system.advance(now);
      mailbox.advance(now);
    }
  }
  /// Runs until every thread is off or has faulted; false if `limit` cycles are not enough.
  bool finish(Cycle limit) {
    while (now < limit) {
      run(now + kWindow);
      bool done = true;
      for (unsigned t = 0; t < params_.threads_per_tile() && done; ++t) {
        done = mailbox.is_off(t);
      }
      if (done) return true;
    }
    return false;
  }

 private:
  BoardParams params_;

 public:
  Log log;
  Memory memory;
  MemorySystem system;
  LoopMailbox mailbox;
  NotingBoard board;
  AnyTile tile;
  Cycle now = 0;
};

/// Threads 0 to threads - 1 of a core, from address 0.
template <class AnyTile>
void start_core(World<AnyTile>& w, unsigned core, unsigned threads) {
  for (unsigned t = 0; t < threads; ++t) w.tile.start_thread(t, core, t, 0);
}

/// A board of one tile.
inline BoardParams one_tile(unsigned cores = 4, unsigned threads = 16) {
  BoardParams p;
  p.tiles_x = p.tiles_y = 1;
  p.dram_channels = 1;
  p.cores_per_tile = cores;
  p.threads_per_core = threads;
  return p;
}

}  // namespace polyloom::overlay::test

// SPDX-License-Identifier: Apache-2.0
// Issue order of a tile's barrel cores, a window of kWindow cycles at a time.
//
// Rule (what the RTL of a core does each cycle). One queue of ready threads. At the start of cycle c, the
// thread whose non-latent instruction issued at c - kWindow joins the queue; after it joins one resumed
// thread: of those whose unit has answered, the first in circular order from thread (c / kWindow) mod 16.
// Then the head of the queue issues.
//
// How it is simulated. A core has at most 16 threads, so the queue with everything that can join it in a
// window fits a 64-bit word of 16 nibbles. In a window no thread issues twice, so the word can be built first
// and issued from afterwards. Answers wait in a calendar of 64 cycles. What the cores do is laid out core by
// core in eight bytes (one an offset), so that an engine can run the four at once in a vector of 32.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "roles/overlay/sim/tile/bits.h"
#include "roles/overlay/sim/tile/thread.h"
#include "roles/overlay/sim/types.h"

namespace polyloom::overlay {

inline constexpr unsigned kMaxCores = 4;

/// Per-thread bytes of a tile are kept by slot, 16 to a core. Cores 1 and 2 are swapped: the halves of a
/// vector register then hold cores 0 and 2, or 1 and 3, as their offsets' bytes lie in the vectors above.
constexpr unsigned core_of_row(unsigned row) { return (row & 1u) << 1 | row >> 1; }
constexpr unsigned slot_of(unsigned core, unsigned thread) { return core_of_row(core) * 16 + thread; }
constexpr unsigned core_of_slot(unsigned slot) { return core_of_row(slot / 16); }

/// What the timing engine knows of each thread, by slot.
struct Progress {
  static constexpr unsigned kSlots = kMaxCores * 16;
  alignas(64) std::array<std::uint8_t, kSlots> left{};     ///< plain instructions before the next event
  alignas(64) std::array<std::uint8_t, kSlots> next{};     ///< that event
  alignas(64) std::array<std::uint8_t, kSlots> current{};  ///< the event under way
  alignas(64) std::array<const Token*, kSlots> token{};    ///< the one after next

  [[gnu::always_inline]] void take(unsigned slot, const Token* t) {
    left[slot] = t->plain();
    next[slot] = t->event();
    token[slot] = t + 1;
  }
};

/// Cycles by the low nibble of an event.
struct alignas(16) Latencies : std::array<std::uint8_t, 16> {};

/// What the cores did in a window, by bit 8*core + offset.
struct Issue {
  std::uint32_t issued;
  std::uint32_t cache, fpu, scratchpad, control;  ///< those whose instruction is an event for that unit
  std::uint64_t events;   ///< by slot: threads whose run of plain instructions has ended
  std::uint64_t special;  ///< by slot: those whose event is for the cache and not a hit
};

class Barrels {
 public:
  static constexpr unsigned kMaxThreads = 16;
  static constexpr unsigned kCalendar = 64;
  /// Byte o: the thread that issued at offset o; the rest is undefined.
  using Threads = std::array<std::uint64_t, kMaxCores>;

  /// The thread may join its core's queue from cycle `c` on, which lies in a window that has not been run,
  /// less than kCalendar cycles after the start of the current (or next) one.
  void resume_at(unsigned core, Cycle c, unsigned thread) {
    const unsigned window = c % kCalendar / kWindow, o = c % kWindow;
    busy_windows_ = static_cast<std::uint8_t>(busy_windows_ | 1u << window);
    std::uint16_t& set = answered_[window][core][o];
    set = static_cast<std::uint16_t>(set | 1u << thread);
    last_answer_[window][core][o] = static_cast<std::uint8_t>(kAnswer | thread);
  }

  /// As resume_at() for every grant of a unit (byte o of `granted`: 0x80 | core << 4 | thread, or 0), in
  /// cycle first + o.
  template <class Engine>
  [[gnu::always_inline]] void resume_granted(Cycle first, std::uint64_t granted) {
    // The eight cycles lie on two pages of the calendar.
    const unsigned shift = first % kWindow * 8, page = first % kCalendar / kWindow;
    Engine::answer(*this, page, granted << shift);
    if (shift != 0) Engine::answer(*this, (page + 1) % (kCalendar / kWindow), granted >> (64 - shift));
  }

  /// As resume_granted(), with what `latency` gives for the low nibble of each thread's current event added
  /// to the cycle.
  template <class Engine>
  [[gnu::always_inline]] void resume_granted(Cycle first, std::uint64_t granted, const Progress& progress,
                                             const Latencies& latency) {
    const std::uint64_t all = Engine::latencies(granted, progress, latency);
    std::uint64_t left = granted & 0x80 * kBytesOfOne;
    while (left != 0) {
      const unsigned one = byte_of(all, static_cast<unsigned>(std::countr_zero(left)) / 8);
      const std::uint64_t same = Engine::equal_bytes(all, one * kBytesOfOne);
      resume_granted<Engine>(first + one, granted & same);
      left &= ~same;
    }
  }

  /// Runs the window that starts at `from`. Takes a plain instruction off every thread that issues one, and
  /// makes `next` the current event of those that issue that. Engine: PortableEngine or FastEngine.
  template <class Engine>
  [[gnu::always_inline]] Issue window(Cycle from, Progress& progress, Threads& threads) {
    return Engine::window(*this, from, progress, threads);
  }

  /// Tells which threads come back kWindow cycles after they issued, as their instruction was not latent: bit
  /// 8*core + offset. Gives whether anything is to be done in the next window, answers apart.
  template <class Engine>
  [[gnu::always_inline]] bool returning(const Threads& threads, std::uint32_t back) {
    return Engine::returning(*this, threads, back);
  }

  /// Instructions that a core has issued, in the current window too.
  std::uint64_t issued(unsigned core) const { return issued_.at(core); }

  /// First window start not before `from` in which something happens; kNeverCycle if nothing is known.
  Cycle next_event(Cycle from) const;

 private:
  static constexpr unsigned kAnswer = 0x80;

  friend struct PortableEngine;
  friend struct FastEngine;

  bool queued() const {
    return (count_[0] | count_[1] | count_[2] | count_[3] | std::bit_cast<std::uint64_t>(waiting_)) != 0;
  }
  /// Lets a core's threads join one a cycle when several wait. Gives a byte for each cycle: kAnswer | thread,
  /// or less than kAnswer if none joins.
  template <class Engine>
  std::uint64_t join_in_turn(unsigned core, Cycle from);
  /// The calendar's page for this window has been used.
  void turn_page(unsigned window) {
    std::memset(&last_answer_[window], 0, sizeof last_answer_[window]);
    std::memset(&answered_[window], 0, sizeof answered_[window]);
    busy_windows_ = static_cast<std::uint8_t>(busy_windows_ & ~(1u << window));
  }

  // By window mod 8, core and offset: the threads that are answered (bit each), and one of them as
  // kAnswer | thread, or 0.
  alignas(64) std::uint16_t answered_[kCalendar / kWindow][kMaxCores][kWindow] = {};
  alignas(64) std::uint8_t last_answer_[kCalendar / kWindow][kMaxCores][kWindow] = {};
  // By core.
  alignas(32) std::array<std::uint64_t, kMaxCores> queue_{};  ///< nibble i = i-th thread; zero beyond count_
  alignas(32) std::array<std::uint64_t, kMaxCores> count_{};  ///< threads in the queue
  alignas(32) std::array<std::uint64_t, kMaxCores> issued_{};
  alignas(
      32) std::array<std::uint64_t, kMaxCores> back_threads_{};  ///< by offset: the thread that comes back,
  alignas(32) std::array<std::uint64_t, kMaxCores> back_{};      ///< and 1 if one does
  alignas(
      8) std::array<std::uint16_t, kMaxCores> waiting_{};  ///< answered in earlier windows and not yet joined
  std::uint8_t busy_windows_ = 0;  ///< bit w = the calendar holds something for window w
};

template <class Engine>
std::uint64_t Barrels::join_in_turn(unsigned core, Cycle from) {
  // Sets of threads are rotated so that the thread whose turn it is in this window is bit 0.
  const unsigned turn = static_cast<unsigned>(from / kWindow) % kMaxThreads;
  alignas(16) std::array<std::uint16_t, kWindow> answered;
  Engine::rotate(answered_[from % kCalendar / kWindow][core], turn, answered.data());
  std::uint32_t waiting = std::rotr(waiting_[core], static_cast<int>(turn));
  std::uint64_t first = 0;
#pragma GCC unroll 8
  for (unsigned o = 0; o < kWindow; ++o) {
    waiting |= answered[o];
    first |= static_cast<std::uint64_t>(std::countr_zero(waiting | 1u << kMaxThreads)) << (8 * o);
    waiting &= waiting - 1;
  }
  waiting_[core] = std::rotl(static_cast<std::uint16_t>(waiting), static_cast<int>(turn));
  return Engine::joined(first, turn);
}

inline Cycle Barrels::next_event(Cycle from) const {
  if (queued() || (back_[0] | back_[1] | back_[2] | back_[3]) != 0) return from;
  if (busy_windows_ == 0) return kNeverCycle;
  const int first = static_cast<int>(from % kCalendar / kWindow);
  return from + kWindow * static_cast<Cycle>(std::countr_zero(std::rotr(busy_windows_, first)));
}

}  // namespace polyloom::overlay

// SPDX-License-Identifier: Apache-2.0
// Issue order of one barrel core, a window of kWindow cycles at a time.
//
// Rule (what the RTL does each cycle). One queue of ready threads. At the start of cycle c, the thread whose
// non-latent instruction issued at c - kWindow joins the queue; after it joins one resumed thread: of those
// whose unit has answered, the first in circular order from thread (c / kWindow) mod 16. Then the head of the
// queue issues.
//
// How it is simulated. A core has at most 16 threads, so the queue with everything that can join it in a
// window fits a 64-bit word of 16 nibbles. In a window no thread issues twice, so the word can be built first
// and issued from afterwards. Answers wait in a calendar of 64 cycles.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "roles/overlay/sim/tile/bits.h"
#include "roles/overlay/sim/types.h"

namespace polyloom::overlay {

class Barrel {
 public:
  static constexpr unsigned kMaxThreads = 16;
  static constexpr unsigned kCalendar = 64;

  /// What a core did in a window. Byte o of `threads` is the thread that issued at offset o, valid if bit o
  /// of `issued` is set; bit o of `events` is set if that thread's run of plain instructions had ended.
  struct Issue {
    std::uint64_t threads;
    std::uint32_t issued, events;
  };

  /// The thread may join the queue from cycle `c` on, which lies in a window that has not been run, less than
  /// kCalendar cycles after the start of the current (or next) one.
  void resume_at(Cycle c, unsigned thread) {
    const unsigned at = c % kCalendar;
    busy_windows_ = static_cast<std::uint8_t>(busy_windows_ | 1u << (at / kWindow));
    answered_[at] = static_cast<std::uint16_t>(answered_[at] | 1u << thread);
    last_answer_[at] = static_cast<std::uint8_t>(kAnswer | thread);
  }

  /// Runs the window that starts at `from`. `left[t]` counts the plain instructions before thread t's next
  /// event and is decremented for every thread that issues.
  /// Engine: PortableEngine or FastEngine.
  template <class Engine>
  [[gnu::always_inline]] Issue window(Cycle from, std::uint8_t* left) {
    return Engine::window(*this, from, left);
  }

  /// Tells which threads come back kWindow cycles after they issued, as their instruction was not latent:
  /// byte o of `threads` where byte o of `offsets` is 1.
  void returning(std::uint64_t threads, std::uint64_t offsets) {
    back_threads_ = threads;
    back_ = offsets;
  }

  /// Some thread is left in the queue, or waits to join it.
  bool queued() const { return count_ != 0 || waiting_ != 0; }
  /// Something happens in the window that starts at `from`.
  bool active(Cycle from) const {
    return count_ != 0 || back_ != 0 || waiting_ != 0 ||
           ((busy_windows_ >> (from % kCalendar / kWindow)) & 1) != 0;
  }
  /// First window start not before `from` in which something happens; kNeverCycle if nothing is known.
  Cycle next_event(Cycle from) const;

 private:
  static constexpr unsigned kAnswer = 0x80;

  friend struct PortableEngine;
  friend struct FastEngine;

  /// Threads that join in a window. Byte o of `threads` has the one that returns at offset o in its low
  /// nibble and the one that is resumed in its high nibble (the order of joining), valid where byte o of
  /// `returned` or `resumed` is 1.
  struct Joining {
    std::uint64_t threads, returned, resumed;
    std::uint64_t mask() const { return returned * 0x0f | resumed * 0xf0; }
  };

  template <class Engine>
  Joining join(Cycle from);
  /// Lets threads join one a cycle when several wait. Gives a byte for each cycle: kAnswer | thread, or less
  /// than kAnswer if none joins.
  template <class Engine>
  std::uint64_t join_in_turn(Cycle from);

  std::uint64_t queue_ = 0;    ///< nibble i = i-th thread of the queue; zero beyond count_
  unsigned count_ = 0;         ///< threads in the queue
  std::uint16_t waiting_ = 0;  ///< threads that have been answered and not yet joined, from earlier windows
  std::uint8_t busy_windows_ = 0;              ///< bit w = calendar cycles 8w..8w+7 hold something
  std::uint64_t back_threads_ = 0, back_ = 0;  ///< by offset: the thread that comes back, and 1 if one does
  // By cycle mod 64: the threads that are answered (bit each), and one of them as kAnswer | thread, or 0.
  alignas(64) std::array<std::uint16_t, kCalendar> answered_{};
  std::array<std::uint8_t, kCalendar> last_answer_{};
};

// ----- hot path -----

/// Kept apart from join(), which seldom needs it.
template <class Engine>
[[gnu::noinline]] std::uint64_t Barrel::join_in_turn(Cycle from) {
  // Sets of threads are rotated so that the thread whose turn it is in this window is bit 0.
  const unsigned turn = static_cast<unsigned>(from / kWindow) % kMaxThreads;
  const auto rotate = [turn](std::uint32_t set) { return (set | set << kMaxThreads) >> turn & 0xffffu; };
  const std::uint16_t* answered = &answered_[from % kCalendar];
  std::uint32_t waiting = rotate(waiting_);
  std::uint64_t joined = 0;
#pragma GCC unroll 8
  for (unsigned o = 0; o < kWindow; ++o) {
    waiting |= rotate(answered[o]);
    const unsigned thread =
        (turn + static_cast<unsigned>(std::countr_zero(waiting | 1u << kMaxThreads))) & 15u;
    const std::uint32_t some = waiting != 0;
    joined |= static_cast<std::uint64_t>(some * kAnswer | thread)
              << (8 * o);  // without kAnswer, the rest is ignored
    waiting &= waiting - 1;
  }
  waiting_ = std::rotl(static_cast<std::uint16_t>(waiting), static_cast<int>(turn));
  return joined;
}

/// Engine::crowded(masks) tells whether one of eight sets has more than one member.
template <class Engine>
[[gnu::always_inline]] inline Barrel::Joining Barrel::join(Cycle from) {
  const unsigned first = from % kCalendar;
  std::uint64_t answers;
  std::memcpy(&answers, &last_answer_[first], sizeof answers);
  if (waiting_ != 0 || Engine::crowded(&answered_[first])) answers = join_in_turn<Engine>(from);
  std::memset(&last_answer_[first], 0, sizeof answers);
  std::memset(&answered_[first], 0, kWindow * sizeof answered_[0]);
  busy_windows_ = static_cast<std::uint8_t>(busy_windows_ & ~(1u << (first / kWindow)));
  return {back_threads_ | (answers & 0x0f0f0f0f0f0f0f0full) << 4, back_, (answers >> 7) & kBytesOfOne};
}

inline Cycle Barrel::next_event(Cycle from) const {
  if (count_ != 0 || back_ != 0 || waiting_ != 0) return from;
  if (busy_windows_ == 0) return kNeverCycle;
  const int first = static_cast<int>(from % kCalendar / kWindow);
  return from + kWindow * static_cast<Cycle>(std::countr_zero(std::rotr(busy_windows_, first)));
}

}  // namespace polyloom::overlay

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
// and issued from afterwards. Answers wait in a calendar of 64 cycles, one thread a cycle; the rare second
// one goes to a side table.
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
    if (answers_[at] != 0) [[unlikely]]
      return clash(at, thread);
    answers_[at] = static_cast<std::uint8_t>(kAnswer | thread);
  }

  /// Runs the window that starts at `from`. `left[t]` counts the plain instructions before thread t's next
  /// event and is decremented for every thread that issues.
  Issue window(Cycle from, std::uint8_t* left);

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

  friend struct FastEngine;  // another window()

  /// Threads that join in a window. Byte o of `threads` has the one that returns at offset o in its low
  /// nibble and the one that is resumed in its high nibble (the order of joining), valid where byte o of
  /// `returned` or `resumed` is 1.
  struct Joining {
    std::uint64_t threads, returned, resumed;
    std::uint64_t mask() const { return returned * 0x0f | resumed * 0xf0; }
  };

  void clash(unsigned at, unsigned thread);
  /// Lets threads join one a cycle when more than one waits. Takes and gives one answer in each byte.
  std::uint64_t resumed_in_turn(Cycle from, std::uint64_t answers);
  Joining join(Cycle from);

  std::uint64_t queue_ = 0;    ///< nibble i = i-th thread of the queue; zero beyond count_
  unsigned count_ = 0;         ///< threads in the queue
  std::uint16_t waiting_ = 0;  ///< threads that have been answered and not yet joined, from earlier windows
  std::uint8_t busy_windows_ = 0;              ///< bit w = calendar cycles 8w..8w+7 hold something
  std::uint8_t clash_windows_ = 0;             ///< ... something in more_answers_
  std::uint64_t back_threads_ = 0, back_ = 0;  ///< by offset: the thread that comes back, and 1 if one does
  alignas(64) std::array<std::uint8_t, kCalendar> answers_{};  ///< by cycle mod 64: kAnswer | thread, or 0
  std::array<std::uint16_t, kCalendar> more_answers_{};        ///< bit per thread
};

// ----- hot path -----

[[gnu::always_inline]] inline Barrel::Joining Barrel::join(Cycle from) {
  const unsigned first = from % kCalendar;
  std::uint64_t answers;
  std::memcpy(&answers, &answers_[first], sizeof answers);
  std::memset(&answers_[first], 0, sizeof answers);
  busy_windows_ = static_cast<std::uint8_t>(busy_windows_ & ~(1u << (first / kWindow)));
  if (((clash_windows_ >> (first / kWindow)) & 1) != 0 || waiting_ != 0) [[unlikely]] {
    answers = resumed_in_turn(from, answers);
  }
  return {back_threads_ | (answers & 0x0f0f0f0f0f0f0f0full) << 4, back_, (answers >> 7) & kBytesOfOne};
}

[[gnu::always_inline]] inline Barrel::Issue Barrel::window(Cycle from, std::uint8_t* left) {
  const Joining j = join(from);
  std::uint64_t queue = queue_ | pack_nibbles(j.threads, j.mask())
                                     << (4 * count_ & 63);  // full: nothing joins
  unsigned ready = count_;
  Issue r{0, 0, 0};
  for (unsigned o = 0; o < kWindow; ++o) {
    ready += byte_of(j.returned + j.resumed, o);
    const std::uint32_t can = ready != 0;
    const auto thread = static_cast<unsigned>(queue & 15u);
    std::uint8_t& l = left[thread];
    r.threads |= static_cast<std::uint64_t>(thread) << (8 * o);
    r.issued |= can << o;
    r.events |= (can & static_cast<std::uint32_t>(l == 0)) << o;
    l = static_cast<std::uint8_t>(l - can);
    queue >>= 4 * can;
    ready -= can;
  }
  queue_ = queue;
  count_ = ready;
  return r;
}

inline Cycle Barrel::next_event(Cycle from) const {
  if (count_ != 0 || back_ != 0 || waiting_ != 0) return from;
  if (busy_windows_ == 0) return kNeverCycle;
  const int first = static_cast<int>(from % kCalendar / kWindow);
  return from + kWindow * static_cast<Cycle>(std::countr_zero(std::rotr(busy_windows_, first)));
}

}  // namespace polyloom::overlay

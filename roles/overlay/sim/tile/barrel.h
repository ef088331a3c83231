// SPDX-License-Identifier: Apache-2.0
// Issue order of one barrel core, a window of kWindow cycles at a time.
//
// Rule (what the RTL does each cycle). One queue of ready threads. At the start of cycle c, the thread whose
// non-latent instruction issued at c - kWindow joins the queue; after it joins one resumed thread: of those
// whose unit has answered, the first in circular order from thread c mod 16. Then the head of the queue
// issues.
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
  template <bool fast>
  Issue window(Cycle from, std::uint8_t* left);

  /// Tells which offsets of the last window issued what is not latent: their threads come back kWindow cycles
  /// later.
  void returning(std::uint64_t threads, std::uint32_t offsets) {
    back_threads_ = threads;
    back_ = spread_bits(offsets);
  }

  /// Something happens in the window that starts at `from`.
  bool active(Cycle from) const {
    return count_ != 0 || back_ != 0 || waiting_ != 0 ||
           ((busy_windows_ >> (from % kCalendar / kWindow)) & 1) != 0;
  }
  /// First window start not before `from` in which something happens; kNeverCycle if nothing is known.
  Cycle next_event(Cycle from) const;

 private:
  static constexpr unsigned kAnswer = 0x80;

  [[gnu::noinline]] void clash(unsigned at, unsigned thread) {
    more_answers_[at] = static_cast<std::uint16_t>(more_answers_[at] | 1u << thread);
    clash_windows_ = static_cast<std::uint8_t>(clash_windows_ | 1u << (at / kWindow));
  }
  std::uint64_t resumed_in_turn(Cycle from, std::uint64_t answers);
  Issue issue_all(std::uint8_t* left);
  Issue issue_some(std::uint8_t* left, unsigned ready, std::uint64_t joining);

  std::uint64_t queue_ = 0;    ///< nibble i = i-th thread of the queue; zero beyond count_
  unsigned count_ = 0;         ///< threads in the queue
  std::uint16_t waiting_ = 0;  ///< threads that have been answered and not yet joined, from earlier windows
  std::uint8_t busy_windows_ = 0;              ///< bit w = calendar cycles 8w..8w+7 hold something
  std::uint8_t clash_windows_ = 0;             ///< ... something in more_answers_
  std::uint64_t back_threads_ = 0, back_ = 0;  ///< by offset: the thread that comes back, and 1 if one does
  alignas(64) std::array<std::uint8_t, kCalendar> answers_{};  ///< by cycle mod 64: kAnswer | thread, or 0
  std::array<std::uint16_t, kCalendar> more_answers_{};        ///< bit per thread
};

/// Lets threads join one a cycle when more than one waits. Takes and gives one answer in each byte.
[[gnu::noinline]] inline std::uint64_t Barrel::resumed_in_turn(Cycle from, std::uint64_t answers) {
  std::uint32_t waiting = waiting_;
  std::uint64_t joined = 0;
  for (unsigned o = 0; o < kWindow; ++o) {
    const unsigned at = (from + o) % kCalendar;
    const unsigned answer = byte_of(answers, o);
    if (answer != 0) waiting |= 1u << (answer & 15u);
    waiting |= more_answers_[at];
    more_answers_[at] = 0;
    if (waiting == 0) continue;
    const std::uint32_t from_turn = waiting & (~std::uint32_t{0} << ((from + o) % kMaxThreads));
    const auto thread = static_cast<unsigned>(std::countr_zero(from_turn != 0 ? from_turn : waiting));
    waiting &= ~(1u << thread);
    joined |= static_cast<std::uint64_t>(kAnswer | thread) << (8 * o);
  }
  waiting_ = static_cast<std::uint16_t>(waiting);
  clash_windows_ = static_cast<std::uint8_t>(clash_windows_ & ~(1u << (from % kCalendar / kWindow)));
  return joined;
}

[[gnu::always_inline]] inline Barrel::Issue Barrel::issue_all(std::uint8_t* left) {
  const std::uint64_t threads = spread_nibbles(static_cast<std::uint32_t>(queue_));
  std::uint32_t events = 0;
  for (unsigned o = 0; o < kWindow; ++o) {
    std::uint8_t& l = left[byte_of(threads, o)];
    events |= static_cast<std::uint32_t>(l == 0) << o;
    l = static_cast<std::uint8_t>(l - 1);
  }
  queue_ >>= 32;
  count_ -= kWindow;
  return {threads, 0xff, events};
}

[[gnu::always_inline]] inline Barrel::Issue Barrel::issue_some(std::uint8_t* left, unsigned ready,
                                                               std::uint64_t joining) {
  Issue r{0, 0, 0};
  std::uint64_t queue = queue_;
  for (unsigned o = 0; o < kWindow; ++o) {
    ready += byte_of(joining, o);
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

template <bool fast>
[[gnu::always_inline]] inline Barrel::Issue Barrel::window(Cycle from, std::uint8_t* left) {
  const unsigned first = from % kCalendar;
  std::uint64_t answers;
  std::memcpy(&answers, &answers_[first], sizeof answers);
  std::memset(&answers_[first], 0, sizeof answers);
  busy_windows_ = static_cast<std::uint8_t>(busy_windows_ & ~(1u << (first / kWindow)));
  if (((clash_windows_ >> (first / kWindow)) & 1) != 0 || waiting_ != 0) [[unlikely]] {
    answers = resumed_in_turn(from, answers);
  }
  // Returning threads in the low nibble of their cycle's byte, resumed ones in the high nibble: the order of
  // joining.
  const std::uint64_t resumed = (answers >> 7) & kBytesOfOne;
  const std::uint64_t both = back_threads_ | (answers & 0x0f0f0f0f0f0f0f0full) << 4;
  const std::uint64_t joining = back_ + resumed;
  queue_ |= pack_nibbles<fast>(both, back_ * 15 | resumed * 0xf0)
            << (4 * count_ & 63);  // full: nothing joins
  // Threads that are or were in the queue up to offset o, in byte o; if always more than o, one issues every
  // cycle.
  const std::uint64_t sofar = (joining + count_) * kBytesOfOne;
  const unsigned ready = count_;
  count_ = static_cast<unsigned>(sofar >> 56);
  const std::uint64_t enough =
      ((sofar | 0x8080808080808080ull) - 0x0807060504030201ull) & 0x8080808080808080ull;
  return enough == 0x8080808080808080ull ? issue_all(left) : issue_some(left, ready, joining);
}

inline Cycle Barrel::next_event(Cycle from) const {
  if (count_ != 0 || back_ != 0 || waiting_ != 0) return from;
  if (busy_windows_ == 0) return kNeverCycle;
  const int first = static_cast<int>(from % kCalendar / kWindow);
  return from + kWindow * static_cast<Cycle>(std::countr_zero(std::rotr(busy_windows_, first)));
}

}  // namespace polyloom::overlay

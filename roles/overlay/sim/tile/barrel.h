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
// and issued from afterwards. Responses wait in a calendar of 64 cycles. What the cores do is laid out core by
// core in eight bytes (one an offset), so that an engine can run the four at once in a vector of 32.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

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
  alignas(64) std::array<std::uint16_t, kSlots> at{};      ///< the token after next, counted over all buffers
  alignas(64) std::array<Token, kSlots> then{};            ///< that token, read before anything depends on it
  const TokenBuffer* buffers = nullptr;                    ///< by slot

  static unsigned first_token(unsigned slot) { return slot * kTokens; }
  const Token* token(unsigned index) const { return buffers->tokens.data() + index; }
  /// Takes the token at `index`.
  void take(unsigned slot, unsigned index) {
    const Token t = *token(index);
    left[slot] = t.plain();
    next[slot] = t.event();
    at[slot] = static_cast<std::uint16_t>(index + 1);
    then[slot] = *token(index + 1);
  }
};
static_assert(Progress::kSlots * kTokens <= 1u << 16);

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
    const unsigned at = c % kCalendar;
    busy_windows_ = static_cast<std::uint8_t>(busy_windows_ | 1u << at / kWindow);
    calendar_[at] |= std::uint64_t{1} << (kMaxThreads * core + thread);
  }

  /// As resume_at() for every grant of a unit (byte o of `granted`: 0x80 | core << 4 | thread, or 0), in
  /// cycle first + o.
  template <class Engine>
  [[gnu::always_inline]] void resume_granted(Cycle first, std::uint64_t granted) {
    const unsigned at = first % kCalendar;
    // The eight cycles lie in two windows. That one may get nothing does no harm.
    busy_windows_ |= std::rotl(std::uint8_t{3}, static_cast<int>(at / kWindow));
    Engine::response(&calendar_[at], granted);
  }

  /// As resume_granted(), with byte o of `all` added to the cycle.
  template <class Engine>
  [[gnu::always_inline]] void resume_granted(Cycle first, std::uint64_t granted, std::uint64_t all) {
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
  /// 8*core + offset. Gives whether anything is to be done in the next window, responses apart.
  template <class Engine>
  [[gnu::always_inline]] bool returning(const Threads& threads, std::uint32_t back) {
    return Engine::returning(*this, threads, back);
  }

  /// Instructions that a core has issued, in the current window too.
  std::uint64_t issued(unsigned core) const { return issued_.at(core); }

  /// First window start not before `from` in which something happens; kNeverCycle if nothing is known.
  Cycle next_event(Cycle from) const;

 private:
  static constexpr unsigned kResponse = 0x80;

  friend struct PortableEngine;
  friend struct FastEngine;

  bool queued() const { return (count_[0] | count_[1] | count_[2] | count_[3] | waiting_) != 0; }
  /// Which of the threads of each core is next in a window.
  static unsigned turn_of(Cycle from) { return static_cast<unsigned>(from / kWindow) % kMaxThreads; }
  /// The calendar's page for the window that starts at `from`, complete.
  std::uint64_t* open_page(Cycle from) {
    const unsigned at = from % kCalendar;
    busy_windows_ = static_cast<std::uint8_t>(busy_windows_ & ~(1u << at / kWindow));
    if (at == 0) {
      for (unsigned o = 0; o < kWindow; ++o) calendar_[o] |= std::exchange(calendar_[kCalendar + o], 0);
    }
    return &calendar_[at];
  }

  /// By cycle mod kCalendar: threads that are answered then, bit kMaxThreads * core + thread. A window's
  /// responses are entered at once: those beyond the end belong to the first entries.
  alignas(64) std::array<std::uint64_t, kCalendar + kWindow> calendar_{};
  // By core.
  alignas(32) std::array<std::uint64_t, kMaxCores> queue_{};  ///< nibble i = i-th thread; zero beyond count_
  alignas(32) std::array<std::uint64_t, kMaxCores> count_{};  ///< threads in the queue
  alignas(32) std::array<std::uint64_t, kMaxCores> issued_{};
  alignas(
      32) std::array<std::uint64_t, kMaxCores> back_threads_{};  ///< by offset: the thread that comes back,
  alignas(32) std::array<std::uint64_t, kMaxCores> back_{};      ///< and 1 if one does
  std::uint64_t waiting_ = 0;      ///< answered in earlier windows and not yet joined; bits as in calendar_
  std::uint8_t busy_windows_ = 0;  ///< bit w = the calendar holds something for window w
};

inline Cycle Barrels::next_event(Cycle from) const {
  if (queued() || (back_[0] | back_[1] | back_[2] | back_[3]) != 0) return from;
  if (busy_windows_ == 0) return kNeverCycle;
  const int first = static_cast<int>(from % kCalendar / kWindow);
  return from + kWindow * static_cast<Cycle>(std::countr_zero(std::rotr(busy_windows_, first)));
}

}  // namespace polyloom::overlay

// SPDX-License-Identifier: Apache-2.0
// A window of a tile: the timing engine's inner loop. Compiled twice, for two engines (portable_engine.cc,
// fast_engine.cc); all of it is inlined into their one function, so no code of one ends up in the other.
#pragma once

#include "roles/overlay/sim/tile/tile_impl.h"

namespace polyloom::overlay {

/// Takes the next token of every thread (by slot) whose run of plain instructions has ended.
[[gnu::always_inline]] inline void take_tokens(Tile::Impl& t, std::uint64_t events) {
  Progress& p = t.progress;
  const Token* tokens = p.token(0);
  for (; events != 0; events &= events - 1) {
    const auto slot = static_cast<unsigned>(__builtin_ctzll(events));
    const unsigned token = p.then[slot].bits;
    if ((token & Token::kFar) != 0) [[unlikely]] {
      t.far_token(slot);
      continue;
    }
    p.left[slot] = static_cast<std::uint8_t>(token);  // its top bit is clear, as the token is not far
    p.next[slot] = static_cast<std::uint8_t>(token >> 8);
    const unsigned at = p.at[slot] + 1u;
    p.at[slot] = static_cast<std::uint16_t>(at);
    p.then[slot] = tokens[at];
  }
}

template <class Engine>
[[gnu::always_inline]] inline std::uint64_t grant(Tile::Impl& t, UnitQueue& queue, std::uint32_t requested) {
  return requested == 0 && queue.empty() ? 0 : queue.serve<Engine>(requested, t.issued_threads);
}

/// Engine gives what Barrels and UnitQueue ask of it.
template <class Engine>
[[gnu::always_inline]] inline void advance_window(Tile::Impl& t, Cycle from) {
  const Issue w = t.barrels.window<Engine>(from, t.progress, t.issued_threads);
  t.issued = w.issued;
  take_tokens(t, w.events);
  t.special |= w.special;
  std::uint32_t back = w.issued & ~(w.cache | w.fpu | w.scratchpad | w.control);
  if (w.control != 0) back |= t.run_controls(from, w.control);
  t.busy = t.barrels.returning<Engine>(t.issued_threads, back);
  const std::uint64_t scratchpad = grant<Engine>(t, t.scratchpad_queue, w.scratchpad);
  const std::uint64_t cache = grant<Engine>(t, t.cache_queue, w.cache);
  const std::uint64_t fpu = grant<Engine>(t, t.fpu_queue, w.fpu);
  if (scratchpad != 0) {
    t.barrels.resume_granted<Engine>(from + kWindow + t.timing.scratchpad, scratchpad);
    t.totals.scratchpad_words += Engine::count_bits(scratchpad & UnitQueue::kGranted * kBytesOfOne);
    t.serve_scratchpad(scratchpad);
  }
  if (cache != 0) {
    // Nearly always hits alone.
    if (t.special == 0) {
      t.barrels.resume_granted<Engine>(from + kWindow + t.timing.cache_hit, cache);
      t.totals.hits += Engine::count_bits(cache & UnitQueue::kGranted * kBytesOfOne);
    } else {
      t.serve_cache(from, cache);
    }
  }
  if (fpu != 0) {
    t.totals.fpu_ops += Engine::count_bits(fpu & UnitQueue::kGranted * kBytesOfOne);
    const std::uint64_t latencies = Engine::latencies(fpu, t.progress, t.fpu_latency);
    const std::uint64_t divides = latencies & fpu & Tile::Impl::kDivides * kBytesOfOne;
    if (divides == 0) [[likely]] {
      t.barrels.resume_granted<Engine>(from + kWindow, fpu, latencies);
    } else {
      const std::uint64_t which = (divides >> 7) * 0xff;
      t.barrels.resume_granted<Engine>(from + kWindow, fpu & ~which, latencies);
      t.serve_divider(from, fpu & which);
    }
  }
}

}  // namespace polyloom::overlay

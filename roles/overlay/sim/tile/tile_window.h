// SPDX-License-Identifier: Apache-2.0
// A window of a tile: the timing engine's inner loop. Compiled twice, for two engines (portable_engine.cc,
// fast_engine.cc); all of it is inlined into their one function, so no code of one ends up in the other.
#pragma once

#include "roles/overlay/sim/tile/tile_impl.h"

namespace polyloom::overlay {

/// Takes the next token of every thread whose run of plain instructions has ended.
[[gnu::always_inline]] inline void take_events(Tile::Impl& t, std::uint32_t events) {
  for (; events != 0; events &= events - 1) {
    const auto bit = static_cast<unsigned>(__builtin_ctz(events));
    const unsigned slot = bit / 8 * 16 + byte_of(t.issued_threads[bit / 8], bit % 8);
    const std::uint8_t code = t.next[slot];
    t.current[slot] = code;
    t.requests[code >> 4] |= 1u << bit;
    const unsigned at = t.taken[slot];
    const Token token = t.buffers[slot].tokens[at];
    if (token.event() == event::refill || at % kTokenPiece == kTokenPiece - kTokenNotice) [[unlikely]] {
      t.far_token(slot);
      continue;
    }
    t.left[slot] = token.plain();
    t.next[slot] = token.event();
    t.taken[slot] = static_cast<std::uint8_t>(at + 1);
  }
}

template <class Engine>
[[gnu::always_inline]] inline std::uint64_t grant(Tile::Impl& t, Unit unit) {
  UnitQueue& q = t.units[static_cast<std::size_t>(unit)];
  const std::uint32_t asked = t.requests[static_cast<std::size_t>(unit)];
  return asked == 0 && q.empty() ? 0 : q.serve<Engine>(asked, t.issued_threads);
}

/// Engine gives what Barrel and UnitQueue ask of it, and the functions of bits.h.
template <class Engine>
[[gnu::always_inline]] inline void advance_window(Tile::Impl& t, Cycle from) {
  std::uint32_t events = 0, issued = 0;
  for (unsigned k = 0; k < t.num_cores; ++k) {
    Core& core = t.cores[k];
    if (!core.barrel.active(from)) continue;
    const Barrel::Issue w = core.barrel.window<Engine>(from, &t.left[16 * k]);
    t.issued_threads[k] = w.threads;
    issued |= w.issued << (8 * k);
    events |= w.events << (8 * k);
    core.issued += Engine::count_bits(w.issued);
  }
  t.issued = issued;
  t.requests = {};
  take_events(t, events);
  const auto of = [&t](Unit unit) { return t.requests[static_cast<std::size_t>(unit)]; };
  std::uint32_t back = issued & ~(of(Unit::cache) | of(Unit::fpu) | of(Unit::scratchpad) | of(Unit::control));
  if (of(Unit::control) != 0) back |= t.run_controls(from, of(Unit::control));
  bool busy = back != 0;
  for (unsigned k = 0; k < t.num_cores; ++k) {
    t.cores[k].barrel.returning(t.issued_threads[k], Engine::spread_bits(back >> (8 * k) & 0xffu));
    busy |= t.cores[k].barrel.queued();
  }
  t.busy = busy;
  const std::uint64_t scratchpad = grant<Engine>(t, Unit::scratchpad);
  const std::uint64_t cache = grant<Engine>(t, Unit::cache);
  const std::uint64_t fpu = grant<Engine>(t, Unit::fpu);
  if (scratchpad != 0) t.serve_scratchpad(from, scratchpad);
  if (cache != 0) t.serve_cache(from, cache);
  if (fpu != 0) t.serve_fpu(from, fpu);
}

}  // namespace polyloom::overlay

// SPDX-License-Identifier: Apache-2.0
// How large a board is.
#pragma once

#include <cstdint>

#include "spec/overlay_keys.h"

namespace polyloom::overlay {

/// Sizes of one board: keys of [overlay], each with its meaning and default in spec/keys/overlay.py.
struct BoardParams {
  std::uint64_t clock_hz = 250'000'000;
  unsigned tiles_x = keys::tiles_x.fallback;
  unsigned tiles_y = keys::tiles_y.fallback;
  unsigned cores_per_tile = keys::cores_per_tile.fallback;
  unsigned threads_per_core = keys::threads_per_core.fallback;
  unsigned instr_words = keys::instr_words.fallback;
  unsigned cache_ways = keys::cache_ways.fallback;
  unsigned cache_sets_per_thread = keys::cache_sets_per_thread.fallback;
  unsigned line_bytes = keys::line_bytes.fallback;
  unsigned dram_channels = keys::dram_channels.fallback;
  unsigned mailbox_slots = keys::mailbox_slots.fallback;
  unsigned max_flits = keys::max_flits.fallback;
  bool extra_send_slot = keys::extra_send_slot.fallback;
  bool header_every_flit = keys::header_every_flit.fallback;
  bool scratchpad_single_port = keys::scratchpad_single_port.fallback;
  bool programmable_routers = keys::programmable_routers.fallback;
  unsigned noc_cycles_per_flit = keys::noc_cycles_per_flit.fallback;

  unsigned tiles() const { return tiles_x * tiles_y; }
  unsigned threads_per_tile() const { return cores_per_tile * threads_per_core; }
  /// Mask bits that stand for a thread.
  std::uint64_t tile_mask() const { return ~std::uint64_t{0} >> (64 - threads_per_tile()); }
  unsigned threads() const { return tiles() * threads_per_tile(); }
};

}  // namespace polyloom::overlay

// SPDX-License-Identifier: Apache-2.0
// Words that every part of the overlay's fast model uses.
#pragma once

#include <cstdint>

namespace polyloom::overlay {

/// Cycles of the board's core clock since reset.
using Cycle = std::uint64_t;
inline constexpr Cycle kNeverCycle = ~Cycle{0};

/// A board advances in windows of this many cycles: the depth of the core pipeline, so a thread issues at
/// most one instruction in a window, and whatever a unit answers in a window is seen by cores in a later one.
inline constexpr Cycle kWindow = 8;

/// Sizes of one board. Names and defaults are those of the published configuration (reference: Tinsel paper
/// Fig. 2, Tinsel 0.8 configuration); every one can be set in a cluster file's [overlay] table.
struct BoardParams {
  std::uint64_t clock_hz = 250'000'000;
  unsigned tiles_x = 4, tiles_y = 4;
  unsigned cores_per_tile = 4;  ///< cores sharing a mailbox, a data cache and an FPU
  unsigned threads_per_core = 16;
  unsigned instr_words = 2048;  ///< words of one instruction memory, shared by two cores
  unsigned cache_ways = 16;
  unsigned cache_sets_per_thread = 4;
  unsigned line_bytes = 32;
  unsigned dram_channels = 2;    ///< slices; tiles are divided evenly over them
  unsigned mailbox_slots = 512;  ///< 64-byte slots of a tile's scratchpad
  unsigned max_flits = 4;        ///< 16-byte flits of the longest message
  bool extra_send_slot = false;
  /// Calibration presets carry mask and address in every flit as published; ours carries them once a message.
  bool header_every_flit = false;
  /// Published scratchpad: one flit read or write a cycle. Ours: one read and one write.
  bool scratchpad_single_port = false;
  /// Of the board router: it looks keys up in memory and makes copies (Multicast paper IV).
  bool programmable_routers = true;
  /// Published NoC links move one flit every two cycles.
  unsigned noc_cycles_per_flit = 1;

  unsigned tiles() const { return tiles_x * tiles_y; }
  unsigned threads_per_tile() const { return cores_per_tile * threads_per_core; }
  /// Mask bits that stand for a thread.
  std::uint64_t tile_mask() const { return ~std::uint64_t{0} >> (64 - threads_per_tile()); }
  unsigned threads() const { return tiles() * threads_per_tile(); }
};

}  // namespace polyloom::overlay

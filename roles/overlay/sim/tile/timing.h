// SPDX-License-Identifier: Apache-2.0
// Latencies of a tile's units. Every one can be set; defaults are those of the RTL (roles/overlay/rtl). The
// clusters tinsel-paper-* set those of the published overlay (Tinsel 0.8 facts, section 1.1).
#pragma once

#include "roles/overlay/sim/types.h"

namespace polyloom::overlay {

/// A latent instruction issued at cycle c and granted its unit at cycle g >= c (g = c without contention)
/// lets its thread issue again at g + kWindow + unit latency: eight cycles are the core's own pipeline.
struct TileTiming {
  // Shared FPU: one operation accepted a cycle. All that are pipelined take as long, so that results never
  // meet.
  unsigned mul = 10;
  unsigned fp_compare = 10;
  unsigned fp_convert = 10;
  unsigned fp_add = 10;
  unsigned fp_mul = 10;
  unsigned fp_fma = 10;
  // Its divider: one operation at a time, in order of their grants; latencies count from its start.
  unsigned div = 28;  ///< integer divide and remainder
  unsigned fp_div = 28;
  unsigned fp_sqrt = 28;
  unsigned divide_interval = 17;  ///< from the start of one to the start of the next
  // Mailbox scratchpad's core port: one word a cycle.
  unsigned scratchpad = 2;
  // Data cache: one lookup a cycle.
  unsigned cache_hit = 4;
  unsigned cache_max_misses = 32;  ///< misses in flight of a tile; further ones wait in order, hits pass them
  unsigned to_memory = 4;          ///< from a cache's lookup to its slice's memory queue
  /// From the cycle in which what a thread waits for holds, until it can issue again: 6 cycles are the
  /// calls', which the mailbox's model does without. With 9 or more, a wake-up is exact; with less, it is
  /// late by the rest of its window.
  unsigned wake = 9;
  unsigned from_memory =
      12;  ///< from the memory's answer to the waiting thread's next issue (at least kWindow)

  bool operator==(const TileTiming&) const = default;
};

/// Largest latency of a unit: answers are kept in a calendar of 64 cycles.
inline constexpr unsigned kMaxUnitLatency = 48;

}  // namespace polyloom::overlay

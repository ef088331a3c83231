// SPDX-License-Identifier: Apache-2.0
// Latencies of a tile's units. Every one can be set; defaults are those of the RTL (roles/overlay/rtl). The
// clusters tinsel-paper-* set those of the published overlay (Tinsel 0.8 facts, section 1.1).
#pragma once

#include "roles/overlay/sim/types.h"
#include "spec/overlay_timing_keys.h"

namespace polyloom::overlay {

/// A latent instruction issued at cycle c and granted its unit at cycle g >= c (g = c without contention)
/// lets its thread issue again at g + kWindow + unit latency: eight cycles are the core's own pipeline.
/// Meanings and defaults: spec/keys/overlay.py.
struct TileTiming {
  // Shared FPU: one operation accepted a cycle. All that are pipelined take as long, so that results never
  // meet.
  unsigned mul = timing::keys::mul.fallback;
  unsigned fp_compare = timing::keys::fp_compare.fallback;
  unsigned fp_convert = timing::keys::fp_convert.fallback;
  unsigned fp_add = timing::keys::fp_add.fallback;
  unsigned fp_mul = timing::keys::fp_mul.fallback;
  unsigned fp_fma = timing::keys::fp_fma.fallback;
  // Its divider: one operation at a time, in order of their grants; latencies count from its start.
  unsigned div = timing::keys::div.fallback;
  unsigned fp_div = timing::keys::fp_div.fallback;
  unsigned fp_sqrt = timing::keys::fp_sqrt.fallback;
  unsigned divide_interval = timing::keys::divide_interval.fallback;
  // Mailbox scratchpad's core port: one word a cycle.
  unsigned scratchpad = timing::keys::scratchpad.fallback;
  // Data cache: one lookup a cycle.
  unsigned cache_hit = timing::keys::cache_hit.fallback;
  unsigned cache_max_misses = timing::keys::cache_max_misses.fallback;
  unsigned to_memory = timing::keys::to_memory.fallback;
  /// 6 of its cycles are the calls', which the mailbox's model does without.
  unsigned wake = timing::keys::wake.fallback;
  unsigned from_memory = timing::keys::from_memory.fallback;

  bool operator==(const TileTiming&) const = default;
};

/// Largest latency of a unit: answers are kept in a calendar of 64 cycles.
inline constexpr unsigned kMaxUnitLatency = timing::keys::mul.high;

}  // namespace polyloom::overlay

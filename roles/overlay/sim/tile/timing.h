// SPDX-License-Identifier: Apache-2.0
// Latencies of a tile's units. Every one can be set; defaults are those of the RTL (roles/overlay/rtl). The
// clusters tinsel-paper-* set those of the published overlay (docs/sources/tinsel.md, 1.1).
#pragma once

#include "roles/overlay/sim/types.h"
#include "spec/overlay_timing_keys.h"

namespace polyloom::overlay {

/// A latent instruction issued at cycle c and granted its unit at cycle g >= c (g = c without contention)
/// lets its thread issue again at g + kWindow + unit latency: eight cycles are the core's own pipeline.
/// Shared FPU: one operation accepted a cycle; all that are pipelined take as long, so that results never
/// meet. Its divider: one operation at a time, in order of their grants; latencies count from its start.
/// Mailbox scratchpad's core port: one word a cycle. Data cache: one lookup a cycle. `wake`: 6 of its cycles
/// are the calls', which the mailbox's model does without.
using TileTiming = timing::keys::Values;

/// Largest latency of a unit: responses are kept in a calendar of 64 cycles.
inline constexpr unsigned kMaxUnitLatency = timing::keys::mul.high;

}  // namespace polyloom::overlay

// SPDX-License-Identifier: Apache-2.0
// Random numbers of a bead and of a pair of beads, in a step: functions of ids, step and seed alone.
#pragma once

#include <stdint.h>

#include "polite/types.h"

namespace dpd {

/// A permutation of 32 bits whose every output bit depends on every input bit (C. Wellons, hash-prospector).
INLINE uint32_t mixed(uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}
/// Of a bead in a step.
INLINE uint32_t draw(uint32_t id, uint32_t key, uint32_t step) { return mixed(mixed(step ^ key) + id); }
/// Of two beads, whichever comes first: uniform in -2^31 .. 2^31-1.
INLINE int32_t pair_draw(uint32_t one, uint32_t other) {
  const uint32_t x = (one ^ other) * 0x9e3779b1u;
  return (int32_t)((x ^ x >> 15) * 0x846ca68bu);
}

}  // namespace dpd

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
/// What pair_draw multiplies by: the golden ratio.
inline constexpr uint32_t kPairFactor = 0x9e3779b1u;
/// Of two beads' draws, in either order: uniform in -2^31 .. 2^31-1. Those of the three pairs of three beads
/// are uncorrelated, since XOR and the product are linear in different arithmetics.
INLINE int32_t pair_draw(uint32_t one, uint32_t other, uint32_t factor = kPairFactor) {
  return (int32_t)((one ^ other) * factor);
}

}  // namespace dpd

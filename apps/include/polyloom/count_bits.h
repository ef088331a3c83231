// SPDX-License-Identifier: Apache-2.0
// Bits set in a word, for sets of vertices or searches as bits.
#pragma once

#include <POLite.h>

/// Without the table or the instruction that small cores lack.
INLINE uint32_t count_bits(uint32_t x) {
  x -= (x >> 1) & 0x55555555;
  x = (x & 0x33333333) + ((x >> 2) & 0x33333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f;
  return (x * 0x01010101) >> 24;
}

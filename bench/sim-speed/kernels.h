// SPDX-License-Identifier: Apache-2.0
// What the simulator and QEMU both run: an integer mix and an fp32 loop over an array of 1 KiB. Same source,
// same compiler flags, so a round is the same number of instructions on both.
#pragma once

#include <stdint.h>

#define KERNEL_WORDS 256

/// Random numbers, array updates, a branch that cannot be predicted and a multiply.
static inline uint32_t integer_kernel(volatile void* memory, uint32_t rounds) {
  uint32_t* a = (uint32_t*)memory;
  uint32_t x = 2463534242u, sum = 0;
  for (uint32_t r = 0; r < rounds; r++) {
    for (uint32_t i = 0; i < KERNEL_WORDS; i++) {
      x ^= x << 13;
      x ^= x >> 17;
      x ^= x << 5;
      a[i] = (a[i] ^ x) + i;
      if (x & 64) {
        sum += a[i];
      } else {
        sum -= x >> 3;
      }
      if ((i & 7) == 7) sum *= 2654435761u;
    }
  }
  return sum;
}

/// Four multiplications and additions an element, no fused ones.
static inline uint32_t fp_kernel(volatile void* memory, uint32_t rounds) {
  float* a = (float*)memory;
  for (uint32_t i = 0; i < KERNEL_WORDS; i++) a[i] = (float)i * 0.01f;
  float sum = 0;
  for (uint32_t r = 0; r < rounds; r++) {
    for (uint32_t i = 0; i < KERNEL_WORDS; i++) {
      const float y = a[i] * 0.999f + 0.001f;
      sum = sum * 0.5f + y;
      a[i] = y;
    }
  }
  return (uint32_t)(sum * 1000.0f);
}

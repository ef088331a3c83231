/* SPDX-License-Identifier: Apache-2.0 */
/* float and double: arithmetic, comparisons, conversions, square root; quarters of integers without any float. */
/* words: 3 4607182418800017408 4611686018427387904 / 7 4599075939470750515 13836183955189137408 / -9 0 9218868437227405312 */
#include "intrinsics.h"



static float row[12], other[12];
static double wide[12];

static uint64_t bits(double x) {
  uint64_t word;
  __builtin_memcpy(&word, &x, sizeof word);
  return word;
}

static uint32_t bits32(float x) {
  uint32_t word;
  __builtin_memcpy(&word, &x, sizeof word);
  return word;
}

static double number(uint64_t word) {
  double x;
  __builtin_memcpy(&x, &word, sizeof x);
  return x;
}

void polyloom_kernel(void) {
  int n = (int)__polyloom_pop(0);
  double a = number(__polyloom_pop(0)), b = number(__polyloom_pop(0));
  __polyloom_push(1, bits(a + b));
  __polyloom_push(1, bits(a - b));
  __polyloom_push(1, bits(a * b));
  if (b != 0) __polyloom_push(1, bits(a / b));
  __polyloom_push(1, bits(__builtin_sqrt(a < 0 ? -a : a)));
  __polyloom_push(1, bits32((float)a / 3.0f + (float)n));
  __polyloom_push(1, (uint64_t)(a < b) | (uint64_t)(a <= b) << 1 | (uint64_t)(a == b) << 2 | (uint64_t)(a != b) << 3 |
                         (uint64_t)(a > b) << 4 | (uint64_t)(a >= b) << 5);
  for (int i = 0; i < 12; i++) {
    row[i] = (float)(i * n) / 7.0f;
    wide[i] = row[i] * 1.5 - i;
  }
  for (int i = 1; i < 11; i++) other[i] = (row[i - 1] + row[i + 1]) * 0.5f;
  float sum = 0;
  double total = 0;
  for (int i = 0; i < 12; i++) {
    sum += other[i];
    total += wide[i] * wide[i];
  }
  __polyloom_push(2, bits32(sum));
  __polyloom_push(2, bits(total));
  __polyloom_push(2, (uint64_t)(int64_t)total + (uint64_t)(int64_t)(int)sum + (unsigned)(total < 0 ? 0 : total));
  for (int i = -6; i < 6; i++) __polyloom_push(3, (uint64_t)(int64_t)(int)((i * n) / 4.0) + (uint64_t)(unsigned)((i + 9u) / 2.0));
}

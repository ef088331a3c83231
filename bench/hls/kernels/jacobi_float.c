// SPDX-License-Identifier: Apache-2.0
// Jacobi relaxation in single precision, four neighbours, two arrays: cycles a point. Word read: sweeps, an
// even number.
#include "intrinsics.h"

#define ROWS 34
#define COLUMNS 130

static float first[ROWS][COLUMNS], second[ROWS][COLUMNS];

static inline void sweep(float to[ROWS][COLUMNS], float from[ROWS][COLUMNS]) {
  for (int i = 1; i < ROWS - 1; i++)
    for (int j = 1; j < COLUMNS - 1; j++)
      to[i][j] = (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]) * 0.25f;
}

void polyloom_kernel(void) {
  const int sweeps = (int)__polyloom_pop(0);
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) first[i][j] = second[i][j] = (float)((i * 7919 + j * 104729) % 1000);
  const uint64_t begin = __polyloom_cycle();
  for (int n = 0; n < sweeps; n += 2) {
    sweep(second, first);
    sweep(first, second);
  }
  const uint64_t end = __polyloom_cycle();
  float sum = 0;
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) sum += first[i][j];
  __polyloom_push(0, (uint64_t)(int64_t)sum);
  __polyloom_push(1, end - begin);
  __polyloom_push(2, (uint64_t)sweeps * (ROWS - 2) * (COLUMNS - 2));
}

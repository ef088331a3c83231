// SPDX-License-Identifier: Apache-2.0
// Product of two matrices of integers: cycles a multiplication. Word read: how often.
#include "intrinsics.h"

#define SIZE 32

static int a[SIZE][SIZE], b[SIZE][SIZE], c[SIZE][SIZE];

void polyloom_kernel(void) {
  const int times = (int)__polyloom_pop(0);
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) {
      a[i][j] = (i * 31 + j * 17) % 100;
      b[i][j] = i - 3 * j;
    }
  const uint64_t begin = __polyloom_cycle();
  for (int n = 0; n < times; n++)
    for (int i = 0; i < SIZE; i++)
      for (int j = 0; j < SIZE; j++) {
        int sum = n;
        for (int k = 0; k < SIZE; k++) sum += a[i][k] * b[k][j];
        c[i][j] = sum;
      }
  const uint64_t end = __polyloom_cycle();
  uint32_t sum = 0;
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) sum = sum * 31 + (uint32_t)c[i][j];
  __polyloom_push(0, sum);
  __polyloom_push(1, end - begin);
  __polyloom_push(2, (uint64_t)times * SIZE * SIZE * SIZE);
}

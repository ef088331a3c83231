// SPDX-License-Identifier: Apache-2.0
// Prefix sum in place with a branch on the sum: cycles an element. Word read: how often.
#include "intrinsics.h"

#define LENGTH 2000

static int x[LENGTH];

void polyloom_kernel(void) {
  const int times = (int)__polyloom_pop(0);
  for (int i = 0; i < LENGTH; i++) x[i] = i * 7919 % 1000;
  const uint64_t begin = __polyloom_cycle();
  for (int n = 0; n < times; n++)
    for (int i = 1; i < LENGTH; i++) {
      x[i] += x[i - 1];
      if (x[i] > 5000) x[i] -= 7000;
    }
  const uint64_t end = __polyloom_cycle();
  int sum = 0;
  for (int i = 0; i < LENGTH; i++) sum += x[i];
  __polyloom_push(0, (uint64_t)(int64_t)sum);
  __polyloom_push(1, end - begin);
  __polyloom_push(2, (uint64_t)times * (LENGTH - 1));
}

// SPDX-License-Identifier: Apache-2.0
// Dot product of integers: cycles an element. Word read: how often.
#include "intrinsics.h"

#define LENGTH 2000

static int a[LENGTH], b[LENGTH];

void polyloom_kernel(void) {
  const int times = (int)__polyloom_pop(0);
  for (int i = 0; i < LENGTH; i++) {
    a[i] = i * 7919 % 1000;
    b[i] = 50 - i % 100;
  }
  const uint64_t begin = __polyloom_cycle();
  int sum = 0;
  for (int n = 0; n < times; n++)
    for (int i = 0; i < LENGTH; i++) sum += a[i] * b[i];
  const uint64_t end = __polyloom_cycle();
  __polyloom_push(0, (uint64_t)(int64_t)sum);
  __polyloom_push(1, end - begin);
  __polyloom_push(2, (uint64_t)times * LENGTH);
}

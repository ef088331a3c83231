/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of all kinds: counted, nested, while, break, continue, no iteration at all. */
/* words: 0 / 1 7 / 5 1 2 3 4 5 / 17 9 8 7 6 5 4 3 2 1 0 -1 -2 -3 -4 100 200 300 */
#include "intrinsics.h"

static int data[64], out[64][3];

static void sums(int n) {
  long total = 0;
  for (int i = 0; i < n; i++) total += (long)data[i] * (i + 1);
  __polyloom_push(1, total);
  int best = -1000, at = -1;
  for (int i = 0; i < n; i++) {
    if (data[i] < 0) continue;
    if (data[i] > best) {
      best = data[i];
      at = i;
    }
    if (best > 150) break;
  }
  __polyloom_push(1, best);
  __polyloom_push(2, at);
}

void polyloom_kernel(void) {
  int n = (int)__polyloom_pop(0);
  for (int i = 0; i < n; i++) data[i] = (int)__polyloom_pop(0);
  sums(n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++) out[i][j] = data[i] * (j - 1) + i;
  for (int i = n - 1; i >= 0; i--)
    for (int j = 0; j < 3; j++) __polyloom_push(1, (uint64_t)(int64_t)out[i][j]);
  unsigned collatz = (unsigned)n + 6, steps = 0;
  while (collatz != 1) {
    collatz = collatz & 1 ? 3 * collatz + 1 : collatz / 2;
    steps++;
  }
  __polyloom_push(2, steps);
  int k = 0;
  do {
    k += 3;
    if (k == 9) continue;
    __polyloom_push(2, (uint64_t)k);
  } while (k < n);
  /* a prefix sum in place: each iteration needs the one before */
  for (int i = 1; i < n; i++) data[i] += data[i - 1];
  for (int i = 2; i < n; i++) data[i] ^= data[i - 2] >> 1;
  for (int i = 0; i < n; i++) __polyloom_push(1, (uint64_t)(int64_t)data[i]);
  /* an iteration writes one half of a word whose other half another one reads */
  int seen = 0;
  for (int i = 1; i < n; i++) {
    data[i] = i ^ n;
    seen += data[i + 1];
  }
  __polyloom_push(1, (uint64_t)(int64_t)seen);
}

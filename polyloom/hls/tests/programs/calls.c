/* SPDX-License-Identifier: Apache-2.0 */
/* Shared functions that call each other, switch, global state, early end. */
/* words: 0 / 1 / 2 / 3 / 9 / 100 */
#include "intrinsics.h"

static unsigned state = 12345, calls;
static int stack[32], depth;

__attribute__((noinline)) static unsigned draw(void) {
  state = state * 1664525u + 1013904223u;
  calls++;
  return state >> 16;
}

__attribute__((noinline)) static void push(int value) { stack[depth++ & 31] = value; }
__attribute__((noinline)) static int pop(void) { return stack[--depth & 31]; }

__attribute__((noinline)) static int step(int kind, int a, int b) {
  switch (kind) {
    case 0:
      return a + b;
    case 1:
      return a - b;
    case 2:
    case 3:
      push(a);
      return (int)draw();
    case 7:
      push(b);
      push((int)draw());
      return pop() ^ pop();
    case -5:
      return a;
    default:
      return b ? a % b : 0;
  }
}

__attribute__((noinline)) static int twice(int kind, int a) { return step(kind, a, 3) + step(kind + 1, a, 5); }

void polyloom_kernel(void) {
  int n = (int)__polyloom_pop(0);
  int x = n;
  for (int i = 0; i < 12; i++) {
    x = twice((i * n) % 9, x) + step(i - 5, i, x & 0xff);
    __polyloom_push(1, (uint64_t)(int64_t)x);
    if (i == 9 && n == 9) __polyloom_halt();
  }
  __polyloom_push(2, calls);
  __polyloom_push(2, (uint64_t)__polyloom_rank());
}

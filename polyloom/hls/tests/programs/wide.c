/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of 128 bits, their conversions to and from floating point, and sums that may not fit, chosen by a
 * branch. */
/* words: 0 0 1 / 3 5 7 / -1 -1 -3 / 0x123456789abcdef0 0x9e3779b97f4a7c15 1000003 / 0x8000000000000000 0 5
 * / 0x80000000000003ff 0xffffffffffffffff 9 / 0x8000000000000400 0 4 / 0x8000000000000400 1 6
 * / 0x0000000000200000 0x0000000000000001 -8 / 0xffffff8000000000 0 2 / 0 0x8000000000000401 12345678901 */
#include "intrinsics.h"

typedef __int128 s128;
typedef unsigned __int128 u128;

static u128 kept[4];

static void push(u128 value) {
  __polyloom_push(1, (uint64_t)(value >> 64));
  __polyloom_push(1, (uint64_t)value);
}
static void push_double(double value) {
  const union {
    double number;
    uint64_t bits;
  } u = {value};
  __polyloom_push(2, u.bits);
}

static void overflows(long a, long b) {
  long sum;
  int count = 0, part;
  unsigned char small;
  for (int i = 0; i < 6; i++) {
    if (i & 1 ? __builtin_mul_overflow(a, i, &sum) : __builtin_add_overflow(a, b, &sum)) {
      count++;
      a = b >> i;
    } else {
      a = sum;
    }
  }
  const _Bool odd =
      b & 1 ? __builtin_sub_overflow((int)a, 2000000000, &part) : __builtin_mul_overflow((int)b, 99, &part);
  const _Bool bits =
      a & 2 ? __builtin_add_overflow((int)b, 7, &small) : __builtin_sub_overflow((int)a, (int)b, &small);
  __polyloom_push(3, (uint64_t)a);
  __polyloom_push(3, (uint64_t)(count * 4 + odd * 2 + bits));
  __polyloom_push(3, (uint64_t)(part * 256l + small));
}

void polyloom_kernel(void) {
  const uint64_t high = __polyloom_pop(0), low = __polyloom_pop(0);
  const long c = (long)__polyloom_pop(0);
  const u128 a = (u128)high << 64 | low;
  const s128 b = (s128)a;
  for (int i = 0; i < 4; i++) kept[i] = a * (u128)(s128)(c + i);
  push(kept[c & 3] - a);
  push(a / (u128)(s128)c);
  push(a % ((u128)(uint64_t)c << 30 | 1));
  push((u128)((b >> 1) / c));
  push((u128)((b >> 1) % c));
  push((a << (c & 127)) + (a >> (c & 63)) + (u128)(b >> (c & 127)));
  __polyloom_push(1, (uint64_t)(a < (u128)(s128)c) | (uint64_t)(b < c) << 1 | (uint64_t)(b == c) << 2);
  push_double((double)a);
  push_double((double)b);
  push_double((float)a);
  push_double((float)(b >> 3));
  const double small = (double)(b >> 2);
  push((u128)(s128)small);
  push((u128)(s128)(-small * 0.37));
  push((u128)(s128)((float)c * 0.3f));
  push((u128)((double)(a >> 1) * 1.5));
  overflows((long)high, c);
}

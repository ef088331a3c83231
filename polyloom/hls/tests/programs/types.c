/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of all widths, mixed; shifts, comparisons, division with its corner cases. */
/* words: 0 1 / 5 3 / -7 2 / 7 -2 / 0x8000000000000000 -1 / 0x80000000 0xffffffff / 123456789123456789 1000003 / -1 0x7fffffff / 255 16 */
#include "intrinsics.h"

static signed char sc[5];
static unsigned char uc[5];
static short ss[7];
static unsigned short us[7];
static long long ll[3];

void polyloom_kernel(void) {
  int64_t a = (int64_t)__polyloom_pop(0), b = (int64_t)__polyloom_pop(0);
  int x = (int)a, y = (int)b;
  unsigned ux = (unsigned)a, uy = (unsigned)b;
  for (int i = 0; i < 5; i++) {
    sc[i] = (signed char)(a >> i);
    uc[i] = (unsigned char)(b >> i);
  }
  for (int i = 0; i < 7; i++) {
    ss[i] = (short)(sc[i % 5] * uc[4 - i % 5]);
    us[i] = (unsigned short)(ss[i] + a);
  }
  for (int i = 0; i < 3; i++) ll[i] = (long long)ss[i] * us[i + 1] - b;
  for (int i = 0; i < 5; i++) __polyloom_push(1, (uint64_t)(sc[i] + uc[i]));
  for (int i = 0; i < 7; i++) __polyloom_push(1, (uint64_t)(int64_t)(ss[i] ^ us[i]));
  for (int i = 0; i < 3; i++) __polyloom_push(1, (uint64_t)ll[i]);
  if (b != 0 && !(a == INT64_MIN && b == -1)) {
    __polyloom_push(1, (uint64_t)(a / b));
    __polyloom_push(1, (uint64_t)(a % b));
    __polyloom_push(1, (uint64_t)a / (uint64_t)b);
    __polyloom_push(1, (uint64_t)a % (uint64_t)b);
  }
  if (y != 0 && !(x == INT32_MIN && y == -1)) {
    __polyloom_push(1, (uint64_t)(int64_t)(x / y));
    __polyloom_push(1, (uint64_t)(int64_t)(x % y));
    __polyloom_push(1, ux / uy);
    __polyloom_push(1, ux % uy);
  }
  __polyloom_push(1, (uint64_t)(int64_t)(x / 7 + x % 10 - x / -3));
  __polyloom_push(1, ux / 10 + ux % 1000 + (ux / 641) * 3);
  __polyloom_push(1, (uint64_t)(a / 10 + a % 16 + a / 8));
  __polyloom_push(1, (uint64_t)a / 7 + (uint64_t)a % 9);
  __polyloom_push(1, (uint64_t)(a >> (b & 63)) + ((uint64_t)a >> (b & 63)) + ((uint64_t)a << (b & 63)));
  __polyloom_push(1, (uint64_t)(int64_t)((x >> (y & 31)) + (int)(ux << (y & 31))));
  __polyloom_push(1, (uint64_t)(a < b) | (uint64_t)(ux < uy) << 1 | (uint64_t)(x <= y) << 2 | (uint64_t)(a == b) << 3);
  __polyloom_push(1, (uint64_t)(a * b) ^ (uint64_t)(x * y));
  unsigned __int128 wide = (unsigned __int128)(uint64_t)a * (uint64_t)b;
  __polyloom_push(1, (uint64_t)(wide >> 64));
  __polyloom_push(1, (uint64_t)__builtin_popcountll((uint64_t)a) + (uint64_t)__builtin_bswap32(ux));
  __polyloom_push(1, (uint64_t)(a ? __builtin_clzll((uint64_t)a) : 64) + (uint64_t)(ux ? __builtin_ctz(ux) : 32));
  __polyloom_push(1, (uint64_t)(x > y ? x : y) + (uint64_t)(ux > uy ? uy : ux));
}

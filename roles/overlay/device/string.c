// SPDX-License-Identifier: Apache-2.0
// What compilers call behind a program's back: there is no C library on a thread.
#include <stddef.h>
#include <stdint.h>

void* memcpy(void* restrict to, const void* restrict from, size_t n) {
  uint8_t* d = (uint8_t*)to;
  const uint8_t* s = (const uint8_t*)from;
  if ((((uintptr_t)d | (uintptr_t)s) & 3) == 0) {
    for (; n >= 4; n -= 4, d += 4, s += 4) *(uint32_t*)d = *(const uint32_t*)s;
  }
  for (; n > 0; n--) *d++ = *s++;
  return to;
}

void* memmove(void* to, const void* from, size_t n) {
  uint8_t* d = (uint8_t*)to;
  const uint8_t* s = (const uint8_t*)from;
  if (d < s) {
    for (; n > 0; n--) *d++ = *s++;
  } else {
    for (; n > 0; n--) d[n - 1] = s[n - 1];
  }
  return to;
}

void* memset(void* to, int c, size_t n) {
  uint8_t* d = (uint8_t*)to;
  const uint32_t word = (uint8_t)c * 0x01010101u;
  for (; n > 0 && ((uintptr_t)d & 3) != 0; n--) *d++ = (uint8_t)c;
  for (; n >= 4; n -= 4, d += 4) *(uint32_t*)d = word;
  for (; n > 0; n--) *d++ = (uint8_t)c;
  return to;
}

int memcmp(const void* a, const void* b, size_t n) {
  const uint8_t* x = (const uint8_t*)a;
  const uint8_t* y = (const uint8_t*)b;
  for (; n > 0; n--, x++, y++) {
    if (*x != *y) return *x < *y ? -1 : 1;
  }
  return 0;
}

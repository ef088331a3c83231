/* SPDX-License-Identifier: Apache-2.0 */
/* Whole numbers from text, random numbers, the end. */
#include "stdlib.h"

#include "../../arch/calls.h"
#include "../mpi/platform.h"
#include "errno.h"
#include "kernel.h"

void exit(int status) { polyloom_exit(status); }

void abort(void) {
  const struct polyloom_abort reason = {134, 0, POLYLOOM_CALL_Abort, 0xFFFF, -1, 0xFFFF};
  polyloom_platform_abort(&reason);
}

static int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

/* Too large values end at the greatest. */
unsigned long strtoul(const char* text, char** end, int base) {
  const char* at = text;
  unsigned long value = 0;
  int negative = 0, any = 0, too_large = 0;
  while (*at == ' ' || (*at >= '\t' && *at <= '\r')) at++;
  if (*at == '-' || *at == '+') negative = *at++ == '-';
  const int hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && digit_of(at[2]) < 16;
  if ((base == 0 || base == 16) && hex) {
    at += 2;
    base = 16;
  } else if (base == 0) {
    base = *at == '0' ? 8 : 10;
  }
  for (; digit_of(*at) < base; at++) {
    unsigned long next;
    too_large |= __builtin_mul_overflow(value, (unsigned long)base, &next);
    too_large |= __builtin_add_overflow(next, (unsigned long)digit_of(*at), &value);
    any = 1;
  }
  if (end != 0) *end = (char*)(any ? at : text);
  if (too_large) {
    errno = ERANGE;
    return ~0ul;
  }
  return negative ? 0ul - value : value;
}

long strtol(const char* text, char** end, int base) {
  const char* at = text;
  while (*at == ' ' || (*at >= '\t' && *at <= '\r')) at++;
  const int negative = *at == '-';
  const unsigned long value = strtoul(text, end, base);
  const unsigned long size = negative && value != ~0ul ? 0ul - value : value;
  if (size > 0x7FFFFFFFFFFFFFFFul) {
    if (!negative || size != 0x8000000000000000ul) errno = ERANGE;
    return negative ? (long)0x8000000000000000ul : 0x7FFFFFFFFFFFFFFFl;
  }
  return (long)value;
}

long long strtoll(const char* text, char** end, int base) { return strtol(text, end, base); }
unsigned long long strtoull(const char* text, char** end, int base) { return strtoul(text, end, base); }
int atoi(const char* text) { return (int)strtol(text, 0, 10); }
long atol(const char* text) { return strtol(text, 0, 10); }
long long atoll(const char* text) { return strtol(text, 0, 10); }

/* An additive feedback generator, x[i] = x[i-3] + x[i-31]: the numbers that glibc's rand gives for the same
 * seed. */
static uint32_t random_state[31];
static unsigned random_at;
static int random_seeded;

static uint32_t random_next(void) {
  const unsigned third = random_at >= 3 ? random_at - 3 : random_at + 28;
  const uint32_t value = random_state[random_at] + random_state[third];
  random_state[random_at] = value;
  random_at = random_at == 30 ? 0 : random_at + 1;
  return value;
}

void srand(unsigned seed) {
  int32_t word = seed == 0 ? 1 : (int32_t)seed;
  random_state[0] = (uint32_t)word;
  for (int i = 1; i < 31; i++) {
    const int32_t high = word / 127773,
                  low = word % 127773; /* 16807 * word modulo 2^31 - 1, without overflow */
    word = 16807 * low - 2836 * high;
    if (word < 0) word += 2147483647;
    random_state[i] = (uint32_t)word;
  }
  random_at = 3;
  random_seeded = 1;
  for (int i = 0; i < 310; i++) random_next();
}

int rand(void) {
  if (!random_seeded) srand(1);
  return (int)(random_next() >> 1);
}

long random(void) { return rand(); }
void srandom(unsigned seed) { srand(seed); }

int rand_r(unsigned* seed) {
  uint32_t at = *seed, value = 0;
  for (int part = 0; part < 3; part++) { /* 11, 10 and 10 bits */
    at = at * 1103515245u + 12345u;
    value = part == 0 ? at >> 16 & 2047u : value << 10 ^ (at >> 16 & 1023u);
  }
  *seed = at;
  return (int)value;
}

/* POSIX's generator of 48 bits. */
#define BITS_48 0xFFFFFFFFFFFFu
static uint64_t state_48;

static uint64_t next_48(uint64_t state) { return (state * 0x5DEECE66Du + 11) & BITS_48; }
static double share_of_1(uint64_t state) { return (double)(int64_t)state * 0x1p-48; }

void srand48(long seed) { state_48 = ((uint64_t)(uint32_t)seed << 16 | 0x330Eu) & BITS_48; }

long mrand48(void) {
  state_48 = next_48(state_48);
  return (int32_t)(uint32_t)(state_48 >> 16);
}

long lrand48(void) { return (long)((uint64_t)mrand48() >> 1 & 0x7FFFFFFFu); }

double drand48(void) {
  state_48 = next_48(state_48);
  return share_of_1(state_48);
}

double erand48(unsigned short state[3]) {
  const uint64_t next = next_48(state[0] | (uint64_t)state[1] << 16 | (uint64_t)state[2] << 32);
  for (int i = 0; i < 3; i++) state[i] = (unsigned short)(next >> 16 * i);
  return share_of_1(next);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Exact functions on doubles, by their bits. */
#include "math.h"

#include <stdint.h>

union bits {
  double number;
  uint64_t word;
};

#define SIGN 0x8000000000000000u
#define FRACTION 0x000FFFFFFFFFFFFFu

static int exponent_of(uint64_t word) { return (int)(word >> 52 & 0x7FF); }

double trunc(double x) {
  union bits u = {x};
  const int places = exponent_of(u.word) - 1023; /* binary digits before the point, less one */
  if (places >= 52) return x;
  u.word &= places < 0 ? SIGN : ~(FRACTION >> places);
  return u.number;
}

double floor(double x) {
  const double whole = trunc(x);
  return whole > x ? whole - 1.0 : whole;
}

double ceil(double x) {
  const double whole = trunc(x);
  return whole < x ? copysign(whole + 1.0, x) : whole;
}

double round(double x) {
  const double whole = trunc(x);
  return fabs(x - whole) >= 0.5 ? whole + copysign(1.0, x) : whole;
}

/* Long division of the fractions, a bit at a time. */
double fmod(double x, double y) {
  union bits a = {x}, b = {y};
  const uint64_t sign = a.word & SIGN;
  int ea = exponent_of(a.word), eb = exponent_of(b.word);
  uint64_t fa = a.word & FRACTION, fb = b.word & FRACTION;
  if ((b.word << 1) == 0 || ea == 0x7FF || y != y) return (x * y) / (x * y);
  if ((a.word << 1) < (b.word << 1)) return x;
  if (eb == 0x7FF || (a.word << 1) == 0) return x;
  if (ea != 0) fa |= FRACTION + 1;
  if (eb != 0) fb |= FRACTION + 1;
  ea += ea == 0;
  eb += eb == 0;
  for (; fa <= FRACTION; ea--) fa <<= 1; /* subnormal numbers get exponents below 1 */
  for (; fb <= FRACTION; eb--) fb <<= 1;
  for (; ea > eb; ea--) {
    if (fa >= fb) fa -= fb;
    fa <<= 1;
  }
  if (fa >= fb) fa -= fb;
  a.word = sign;
  if (fa == 0) return a.number;
  for (; fa <= FRACTION; ea--) fa <<= 1;
  a.word |= ea > 0 ? (fa & FRACTION) | (uint64_t)ea << 52 : fa >> (1 - ea);
  return a.number;
}

static int leading_zeros(uint64_t word) {
  int zeros = word == 0;
  for (int step = 32; step > 0; step /= 2) {
    if (word >> (64 - step) == 0) {
      zeros += step;
      word <<= step;
    }
  }
  return zeros;
}

/* 2^exponent times a whole number, of 53 bits unless it is 0. */
struct scaled {
  uint64_t digits;
  int exponent;
};

static struct scaled scaled_of(uint64_t word) {
  const int e = exponent_of(word);
  const uint64_t digits = (word & FRACTION) | (uint64_t)(e != 0) << 52;
  const int up = leading_zeros(digits) - 11;
  return (struct scaled){digits << up, (e != 0 ? e : 1) - 1075 - up};
}

/* Shifted right; the last bit of the result says whether any was lost. */
static uint64_t shifted(uint64_t word, int places) {
  if (places == 0) return word;
  return places > 63 ? word != 0 : word >> places | (word << (64 - places) != 0);
}

/* Rounded once: the product has two words, what is added is shifted to it. */
double fma(double x, double y, double z) {
  union bits a = {x}, b = {y}, c = {z};
  if (exponent_of(a.word) == 0x7FF || exponent_of(b.word) == 0x7FF || a.word << 1 == 0 || b.word << 1 == 0)
    return x * y + z;
  if (exponent_of(c.word) == 0x7FF) return z;
  const struct scaled p = scaled_of(a.word), q = scaled_of(b.word);
  struct scaled r = scaled_of(c.word);
  uint64_t sign = (a.word ^ b.word) & SIGN;
  const int is_difference = ((c.word ^ sign) & SIGN) != 0;
  const uint64_t ph = p.digits >> 32, pl = (uint32_t)p.digits, qh = q.digits >> 32, ql = (uint32_t)q.digits;
  const uint64_t middle = ph * ql + (pl * ql >> 32); /* of at most 54 bits, so no sum is too long */
  const uint64_t sum = pl * qh + (uint32_t)middle;
  uint64_t low = sum << 32 | (uint32_t)(pl * ql), high = ph * qh + (middle >> 32) + (sum >> 32);
  int exponent = p.exponent + q.exponent;
  uint64_t z_high = 0, z_low;
  int up = r.exponent - exponent; /* how far z is shifted */
  if (r.digits == 0) up = 0;
  if (up > 64) { /* then z stays, in the upper word, and the product is shifted */
    const int down = up - 64;
    low = down < 64 ? shifted(low, down) | high << (64 - down) : shifted(high, down - 64) | (low != 0);
    high = down < 64 ? high >> down : 0;
    exponent += down;
    up = 64;
  }
  if (up == 64) {
    z_high = r.digits;
    z_low = 0;
  } else if (up > 0) {
    z_high = r.digits >> (64 - up);
    z_low = r.digits << up;
  } else {
    z_low = shifted(r.digits, -up);
  }
  if (is_difference) {
    const int borrows = low < z_low;
    low -= z_low;
    high -= z_high + (uint64_t)borrows;
    if (high >> 63) {
      low = 0 - low;
      high = 0 - high - (low != 0);
      sign ^= SIGN;
    }
  } else {
    low += z_low;
    high += z_high + (low < z_low);
  }
  if ((high | low) == 0) return x * y + z; /* a zero, with the sign that C gives it */
  /* Into one word, its first bit set, its last one for what is lost. */
  const int first = high != 0 ? leading_zeros(high) : 64 + leading_zeros(low);
  uint64_t word = first >= 64 ? low << (first - 64)
                  : first > 0 ? high << first | low >> (64 - first) | (low << first != 0)
                              : high | (low != 0);
  const int biased = exponent + 64 - first + 63 + 1023;
  const int drop = biased > 0 ? 11 : 12 - biased, places = drop < 62 ? drop : 62;
  word = shifted(word, drop - places);
  uint64_t kept = word >> places;
  const uint64_t rest = word << (64 - places), half = SIGN;
  kept += rest > half || (rest == half && (kept & 1));
  a.word = sign | (biased >= 0x7FF ? 0x7FFull << 52 : kept + ((uint64_t)(biased > 0 ? biased - 1 : 0) << 52));
  return a.number;
}

/* In double, to the odd neighbour if it is not exact, so that the second rounding does no harm. */
float fmaf(float x, float y, float z) {
  const double product = (double)x * y;
  union bits sum = {product + z};
  const double part = sum.number - product, lost = (product - (sum.number - part)) + (z - part);
  if (fabs(sum.number) < HUGE_VAL && lost != 0 && (sum.word & 1) == 0)
    sum.word += (lost < 0) == (sum.number < 0) ? 1 : -1ull;
  return (float)sum.number;
}

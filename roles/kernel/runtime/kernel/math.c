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

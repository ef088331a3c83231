/* SPDX-License-Identifier: Apache-2.0 */
/* What is exact and cheap is here; the rest is newlib's. */
#ifndef POLYLOOM_MATH_H
#define POLYLOOM_MATH_H

#include "polyloom_none.h"

#define M_PI 3.14159265358979323846
#define M_E 2.7182818284590452354
#define M_SQRT2 1.41421356237309504880
#define HUGE_VAL __builtin_huge_val()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
static inline double fabs(double x) { return __builtin_fabs(x); }
static inline float fabsf(float x) { return __builtin_fabsf(x); }
static inline double sqrt(double x) { return __builtin_elementwise_sqrt(x); }
static inline float sqrtf(float x) { return __builtin_elementwise_sqrt(x); }
static inline double fmin(double a, double b) { return a < b || b != b ? a : b; }
static inline double fmax(double a, double b) { return a > b || b != b ? a : b; }
static inline float fminf(float a, float b) { return a < b || b != b ? a : b; }
static inline float fmaxf(float a, float b) { return a > b || b != b ? a : b; }
static inline double copysign(double x, double sign) { return __builtin_copysign(x, sign); }
/* Of any floating-point type: each is exactly that number as a double. These are functions, so that an
 * argument is computed once. As glibc says it, the infinity below zero is -1. */
static inline int polyloom_isnan(double x) { return x != x; }
static inline int polyloom_isinf(double x) { return (x == HUGE_VAL) - (x == -HUGE_VAL); }
static inline int polyloom_isfinite(double x) { return fabs(x) < HUGE_VAL; }
static inline int polyloom_signbit(double x) { return __builtin_copysign(1, x) < 0; }
#define isnan(x) polyloom_isnan(x)
#define isinf(x) polyloom_isinf(x)
#define isfinite(x) polyloom_isfinite(x)
#define signbit(x) polyloom_signbit(x)
double trunc(double x);
double floor(double x);
double ceil(double x);
double round(double x);
double fmod(double x, double y);
static inline float truncf(float x) { return (float)trunc(x); }
static inline float floorf(float x) { return (float)floor(x); }
static inline float ceilf(float x) { return (float)ceil(x); }
static inline float roundf(float x) { return (float)round(x); }
static inline float fmodf(float x, float y) { return (float)fmod(x, y); }

/* Of newlib (polyloom/transpile/newlib.py). */
#define POLYLOOM_OF_NEWLIB(name) \
  POLYLOOM_NOT_HERE_AS(#name " is newlib's, which is not installed: Debian's package newlib-source")
#define POLYLOOM_ONE(name)                        \
  POLYLOOM_OF_NEWLIB(name) double name(double x); \
  POLYLOOM_OF_NEWLIB(name##f) float name##f(float x);
#define POLYLOOM_TWO(name)                                  \
  POLYLOOM_OF_NEWLIB(name) double name(double x, double y); \
  POLYLOOM_OF_NEWLIB(name##f) float name##f(float x, float y);
POLYLOOM_ONE(sin)
POLYLOOM_ONE(cos)
POLYLOOM_ONE(tan)
POLYLOOM_ONE(asin)
POLYLOOM_ONE(acos)
POLYLOOM_ONE(atan)
POLYLOOM_ONE(sinh)
POLYLOOM_ONE(cosh)
POLYLOOM_ONE(tanh)
POLYLOOM_ONE(asinh)
POLYLOOM_ONE(acosh)
POLYLOOM_ONE(atanh)
POLYLOOM_ONE(exp)
POLYLOOM_ONE(exp2)
POLYLOOM_ONE(expm1)
POLYLOOM_ONE(log)
POLYLOOM_ONE(log2)
POLYLOOM_ONE(log10)
POLYLOOM_ONE(log1p)
POLYLOOM_ONE(cbrt)
POLYLOOM_ONE(erf)
POLYLOOM_ONE(erfc)
POLYLOOM_ONE(lgamma)
POLYLOOM_ONE(rint)
POLYLOOM_ONE(nearbyint)
POLYLOOM_ONE(logb)
POLYLOOM_TWO(atan2)
POLYLOOM_TWO(pow)
POLYLOOM_TWO(hypot)
POLYLOOM_TWO(remainder)
POLYLOOM_OF_NEWLIB(ldexp) double ldexp(double x, int exponent);
POLYLOOM_OF_NEWLIB(ldexpf) float ldexpf(float x, int exponent);
POLYLOOM_OF_NEWLIB(scalbn) double scalbn(double x, int exponent);
POLYLOOM_OF_NEWLIB(scalbnf) float scalbnf(float x, int exponent);
POLYLOOM_OF_NEWLIB(frexp) double frexp(double x, int* exponent);
POLYLOOM_OF_NEWLIB(frexpf) float frexpf(float x, int* exponent);
POLYLOOM_OF_NEWLIB(modf) double modf(double x, double* whole);
POLYLOOM_OF_NEWLIB(modff) float modff(float x, float* whole);
POLYLOOM_OF_NEWLIB(ilogb) int ilogb(double x);
POLYLOOM_OF_NEWLIB(lrint) long lrint(double x);
POLYLOOM_OF_NEWLIB(lrintf) long lrintf(float x);
POLYLOOM_OF_NEWLIB(llrint) long long llrint(double x);
POLYLOOM_OF_NEWLIB(lround) long lround(double x);
POLYLOOM_OF_NEWLIB(lroundf) long lroundf(float x);
POLYLOOM_OF_NEWLIB(llround) long long llround(double x);

/* Of the manager (calls.c). */
double tgamma(double x);
float tgammaf(float x);

POLYLOOM_NOT_HERE(fma) double fma(double x, double y, double z);
/* There is no arithmetic of long double. */
#define POLYLOOM_LONG(name) POLYLOOM_NOT_HERE(name) long double name(long double x);
POLYLOOM_LONG(sinl)

#endif

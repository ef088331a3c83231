/* SPDX-License-Identifier: Apache-2.0 */
/* What is exact and cheap is here; the rest is newlib's. */
#ifndef POLYLOOM_MATH_H
#define POLYLOOM_MATH_H

#include "polyloom_none.h"

#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN 2147483647
#define MATH_ERRNO 1
#define MATH_ERREXCEPT 2
#define math_errhandling 0
typedef float float_t;
typedef double double_t;
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
static inline float copysignf(float x, float sign) { return __builtin_copysignf(x, sign); }
static inline double nan(const char* tag) {
  (void)tag;
  return __builtin_nan("");
}
static inline float nanf(const char* tag) { return (float)nan(tag); }
/* Of any floating-point type: each is exactly that number as a double. These are functions, so that an
 * argument is computed once. As glibc says it, the infinity below zero is -1. */
static inline int polyloom_isnan(double x) { return x != x; }
static inline int polyloom_isinf(double x) { return (x == HUGE_VAL) - (x == -HUGE_VAL); }
static inline int polyloom_isfinite(double x) { return fabs(x) < HUGE_VAL; }
static inline int polyloom_signbit(double x) { return __builtin_copysign(1, x) < 0; }
static inline int polyloom_fpclassify(double x, double least_normal) {
  return x != x                             ? FP_NAN
         : __builtin_fabs(x) == HUGE_VAL    ? FP_INFINITE
         : x == 0                           ? FP_ZERO
         : __builtin_fabs(x) < least_normal ? FP_SUBNORMAL
                                            : FP_NORMAL;
}
#define fpclassify(x) polyloom_fpclassify(x, sizeof(x) == sizeof(float) ? 0x1p-126 : 0x1p-1022)
#define isnormal(x) (fpclassify(x) == FP_NORMAL)
#define isgreater(x, y) ((x) > (y))
#define isgreaterequal(x, y) ((x) >= (y))
#define isless(x, y) ((x) < (y))
#define islessequal(x, y) ((x) <= (y))
#define islessgreater(x, y) __builtin_islessgreater(x, y)
#define isunordered(x, y) __builtin_isunordered(x, y)
#define isnan(x) polyloom_isnan(x)
#define isinf(x) polyloom_isinf(x)
#define isfinite(x) polyloom_isfinite(x)
#define signbit(x) polyloom_signbit(x)
double trunc(double x);
double floor(double x);
double ceil(double x);
double round(double x);
double fmod(double x, double y);
double fma(double x, double y, double z);
float fmaf(float x, float y, float z);
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
POLYLOOM_ONE(j0)
POLYLOOM_ONE(j1)
POLYLOOM_ONE(y0)
POLYLOOM_ONE(y1)
POLYLOOM_TWO(atan2)
POLYLOOM_TWO(pow)
POLYLOOM_TWO(hypot)
POLYLOOM_TWO(remainder)
POLYLOOM_TWO(fdim)
POLYLOOM_TWO(nextafter)
POLYLOOM_OF_NEWLIB(ldexp) double ldexp(double x, int exponent);
POLYLOOM_OF_NEWLIB(ldexpf) float ldexpf(float x, int exponent);
POLYLOOM_OF_NEWLIB(scalbn) double scalbn(double x, int exponent);
POLYLOOM_OF_NEWLIB(scalbnf) float scalbnf(float x, int exponent);
POLYLOOM_OF_NEWLIB(frexp) double frexp(double x, int* exponent);
POLYLOOM_OF_NEWLIB(frexpf) float frexpf(float x, int* exponent);
POLYLOOM_OF_NEWLIB(modf) double modf(double x, double* whole);
POLYLOOM_OF_NEWLIB(modff) float modff(float x, float* whole);
#define POLYLOOM_TO(type, name)                 \
  POLYLOOM_OF_NEWLIB(name) type name(double x); \
  POLYLOOM_OF_NEWLIB(name##f) type name##f(float x);
POLYLOOM_TO(int, ilogb)
POLYLOOM_TO(long, lrint)
POLYLOOM_TO(long long, llrint)
POLYLOOM_TO(long, lround)
POLYLOOM_TO(long long, llround)
POLYLOOM_OF_NEWLIB(jn) double jn(int n, double x);
POLYLOOM_OF_NEWLIB(yn) double yn(int n, double x);
POLYLOOM_OF_NEWLIB(scalbln) double scalbln(double x, long exponent);
POLYLOOM_OF_NEWLIB(scalblnf) float scalblnf(float x, long exponent);
POLYLOOM_OF_NEWLIB(remquo) double remquo(double x, double y, int* quotient);
POLYLOOM_OF_NEWLIB(remquof) float remquof(float x, float y, int* quotient);
POLYLOOM_OF_NEWLIB(lgamma_r) double lgamma_r(double x, int* sign);
static inline void sincos(double x, double* sine, double* cosine) {
  *sine = sin(x);
  *cosine = cos(x);
}

/* Of the manager (calls.c). */
double tgamma(double x);
float tgammaf(float x);

/* There is no arithmetic of long double. */
#define POLYLOOM_LONG(name) POLYLOOM_NOT_HERE(name) long double name(long double x);
POLYLOOM_LONG(sinl)
POLYLOOM_LONG(cosl)
POLYLOOM_LONG(tanl)
POLYLOOM_LONG(asinl)
POLYLOOM_LONG(acosl)
POLYLOOM_LONG(atanl)
POLYLOOM_LONG(expl)
POLYLOOM_LONG(logl)
POLYLOOM_LONG(log2l)
POLYLOOM_LONG(log10l)
POLYLOOM_LONG(sqrtl)
POLYLOOM_LONG(cbrtl)
POLYLOOM_LONG(fabsl)
POLYLOOM_LONG(floorl)
POLYLOOM_LONG(ceill)
POLYLOOM_LONG(roundl)
POLYLOOM_LONG(truncl)
POLYLOOM_NOT_HERE(powl) long double powl(long double x, long double y);
POLYLOOM_NOT_HERE(fmodl) long double fmodl(long double x, long double y);
POLYLOOM_NOT_HERE(atan2l) long double atan2l(long double x, long double y);
POLYLOOM_NOT_HERE(hypotl) long double hypotl(long double x, long double y);

#endif

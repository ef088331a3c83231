/* SPDX-License-Identifier: Apache-2.0 */
/* What is exact and cheap: no table, no polynomial. The rest of C's functions is refused by name. */
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

POLYLOOM_NOT_HERE(sin) double sin(double x);
POLYLOOM_NOT_HERE(cos) double cos(double x);
POLYLOOM_NOT_HERE(tan) double tan(double x);
POLYLOOM_NOT_HERE(asin) double asin(double x);
POLYLOOM_NOT_HERE(acos) double acos(double x);
POLYLOOM_NOT_HERE(atan) double atan(double x);
POLYLOOM_NOT_HERE(atan2) double atan2(double x, double y);
POLYLOOM_NOT_HERE(sinh) double sinh(double x);
POLYLOOM_NOT_HERE(cosh) double cosh(double x);
POLYLOOM_NOT_HERE(tanh) double tanh(double x);
POLYLOOM_NOT_HERE(asinh) double asinh(double x);
POLYLOOM_NOT_HERE(acosh) double acosh(double x);
POLYLOOM_NOT_HERE(atanh) double atanh(double x);
POLYLOOM_NOT_HERE(exp) double exp(double x);
POLYLOOM_NOT_HERE(exp2) double exp2(double x);
POLYLOOM_NOT_HERE(expm1) double expm1(double x);
POLYLOOM_NOT_HERE(log) double log(double x);
POLYLOOM_NOT_HERE(log2) double log2(double x);
POLYLOOM_NOT_HERE(log10) double log10(double x);
POLYLOOM_NOT_HERE(log1p) double log1p(double x);
POLYLOOM_NOT_HERE(pow) double pow(double x, double y);
POLYLOOM_NOT_HERE(cbrt) double cbrt(double x);
POLYLOOM_NOT_HERE(hypot) double hypot(double x, double y);
POLYLOOM_NOT_HERE(erf) double erf(double x);
POLYLOOM_NOT_HERE(erfc) double erfc(double x);
POLYLOOM_NOT_HERE(tgamma) double tgamma(double x);
POLYLOOM_NOT_HERE(lgamma) double lgamma(double x);
POLYLOOM_NOT_HERE(ldexp) double ldexp(double x, int exponent);
POLYLOOM_NOT_HERE(frexp) double frexp(double x, int* exponent);
POLYLOOM_NOT_HERE(modf) double modf(double x, double* whole);
POLYLOOM_NOT_HERE(rint) double rint(double x);
POLYLOOM_NOT_HERE(nearbyint) double nearbyint(double x);
POLYLOOM_NOT_HERE(lrint) long lrint(double x);
POLYLOOM_NOT_HERE(llrint) long long llrint(double x);
POLYLOOM_NOT_HERE(lround) long lround(double x);
POLYLOOM_NOT_HERE(llround) long long llround(double x);
POLYLOOM_NOT_HERE(remainder) double remainder(double x, double y);
POLYLOOM_NOT_HERE(fma) double fma(double x, double y, double z);
POLYLOOM_NOT_HERE(sinf) float sinf(float x);
POLYLOOM_NOT_HERE(cosf) float cosf(float x);
POLYLOOM_NOT_HERE(tanf) float tanf(float x);
POLYLOOM_NOT_HERE(expf) float expf(float x);
POLYLOOM_NOT_HERE(logf) float logf(float x);
POLYLOOM_NOT_HERE(powf) float powf(float x, float y);
POLYLOOM_NOT_HERE(atanf) float atanf(float x);
POLYLOOM_NOT_HERE(atan2f) float atan2f(float x, float y);
POLYLOOM_NOT_HERE(log10f) float log10f(float x);
POLYLOOM_NOT_HERE(log2f) float log2f(float x);
POLYLOOM_NOT_HERE(exp2f) float exp2f(float x);
POLYLOOM_NOT_HERE(asinf) float asinf(float x);
POLYLOOM_NOT_HERE(acosf) float acosf(float x);
POLYLOOM_NOT_HERE(hypotf) float hypotf(float x, float y);
POLYLOOM_NOT_HERE(cbrtf) float cbrtf(float x);
POLYLOOM_NOT_HERE(rintf) float rintf(float x);
POLYLOOM_NOT_HERE(sinhf) float sinhf(float x);
POLYLOOM_NOT_HERE(coshf) float coshf(float x);
POLYLOOM_NOT_HERE(tanhf) float tanhf(float x);

#endif

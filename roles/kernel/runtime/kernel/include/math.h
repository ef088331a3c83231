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
#define isnan(x) ((x) != (x))
#define isinf(x) (fabs((double)(x)) == HUGE_VAL)
#define isfinite(x) (fabs((double)(x)) < HUGE_VAL)

static inline double fabs(double x) { return __builtin_fabs(x); }
static inline float fabsf(float x) { return __builtin_fabsf(x); }
static inline double sqrt(double x) { return __builtin_elementwise_sqrt(x); }
static inline float sqrtf(float x) { return __builtin_elementwise_sqrt(x); }
static inline double fmin(double a, double b) { return a < b || b != b ? a : b; }
static inline double fmax(double a, double b) { return a > b || b != b ? a : b; }
static inline float fminf(float a, float b) { return a < b || b != b ? a : b; }
static inline float fmaxf(float a, float b) { return a > b || b != b ? a : b; }
static inline double copysign(double x, double sign) { return __builtin_copysign(x, sign); }
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

POLYLOOM_NO_FUNCTION(sin)
POLYLOOM_NO_FUNCTION(cos)
POLYLOOM_NO_FUNCTION(tan)
POLYLOOM_NO_FUNCTION(asin)
POLYLOOM_NO_FUNCTION(acos)
POLYLOOM_NO_FUNCTION(atan)
POLYLOOM_NO_FUNCTION(atan2)
POLYLOOM_NO_FUNCTION(sinh)
POLYLOOM_NO_FUNCTION(cosh)
POLYLOOM_NO_FUNCTION(tanh)
POLYLOOM_NO_FUNCTION(asinh)
POLYLOOM_NO_FUNCTION(acosh)
POLYLOOM_NO_FUNCTION(atanh)
POLYLOOM_NO_FUNCTION(exp)
POLYLOOM_NO_FUNCTION(exp2)
POLYLOOM_NO_FUNCTION(expm1)
POLYLOOM_NO_FUNCTION(log)
POLYLOOM_NO_FUNCTION(log2)
POLYLOOM_NO_FUNCTION(log10)
POLYLOOM_NO_FUNCTION(log1p)
POLYLOOM_NO_FUNCTION(pow)
POLYLOOM_NO_FUNCTION(cbrt)
POLYLOOM_NO_FUNCTION(hypot)
POLYLOOM_NO_FUNCTION(erf)
POLYLOOM_NO_FUNCTION(erfc)
POLYLOOM_NO_FUNCTION(tgamma)
POLYLOOM_NO_FUNCTION(lgamma)
POLYLOOM_NO_FUNCTION(ldexp)
POLYLOOM_NO_FUNCTION(frexp)
POLYLOOM_NO_FUNCTION(modf)
POLYLOOM_NO_FUNCTION(rint)
POLYLOOM_NO_FUNCTION(nearbyint)
POLYLOOM_NO_FUNCTION(lrint)
POLYLOOM_NO_FUNCTION(llrint)
POLYLOOM_NO_FUNCTION(lround)
POLYLOOM_NO_FUNCTION(llround)
POLYLOOM_NO_FUNCTION(remainder)
POLYLOOM_NO_FUNCTION(fma)
POLYLOOM_NO_FUNCTION(sinf)
POLYLOOM_NO_FUNCTION(cosf)
POLYLOOM_NO_FUNCTION(tanf)
POLYLOOM_NO_FUNCTION(expf)
POLYLOOM_NO_FUNCTION(logf)
POLYLOOM_NO_FUNCTION(powf)
POLYLOOM_NO_FUNCTION(atanf)
POLYLOOM_NO_FUNCTION(atan2f)

#endif

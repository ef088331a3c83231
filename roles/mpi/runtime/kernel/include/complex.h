/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic is the compiler's, with what kernel/complex.c has; functions are newlib's. */
#ifndef POLYLOOM_COMPLEX_H
#define POLYLOOM_COMPLEX_H

#include <math.h>

#define complex _Complex
#define _Complex_I (__extension__ 1.0iF)
#define I _Complex_I
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#define CMPLXF(x, y) __builtin_complex((float)(x), (float)(y))
static inline double creal(double complex z) { return __real__ z; }
static inline double cimag(double complex z) { return __imag__ z; }
static inline double complex conj(double complex z) { return CMPLX(__real__ z, -__imag__ z); }
static inline float crealf(float complex z) { return __real__ z; }
static inline float cimagf(float complex z) { return __imag__ z; }
static inline float complex conjf(float complex z) { return CMPLXF(__real__ z, -__imag__ z); }

#define POLYLOOM_COMPLEX(name)                                    \
  POLYLOOM_OF_NEWLIB(name) double complex name(double complex z); \
  POLYLOOM_OF_NEWLIB(name##f) float complex name##f(float complex z);
#define POLYLOOM_OF_COMPLEX(name)                         \
  POLYLOOM_OF_NEWLIB(name) double name(double complex z); \
  POLYLOOM_OF_NEWLIB(name##f) float name##f(float complex z);
POLYLOOM_OF_COMPLEX(cabs)
POLYLOOM_OF_COMPLEX(carg)
POLYLOOM_COMPLEX(cproj)
POLYLOOM_COMPLEX(csqrt)
POLYLOOM_COMPLEX(cexp)
POLYLOOM_COMPLEX(clog)
POLYLOOM_COMPLEX(csin)
POLYLOOM_COMPLEX(ccos)
POLYLOOM_COMPLEX(ctan)
POLYLOOM_COMPLEX(casin)
POLYLOOM_COMPLEX(cacos)
POLYLOOM_COMPLEX(catan)
POLYLOOM_COMPLEX(csinh)
POLYLOOM_COMPLEX(ccosh)
POLYLOOM_COMPLEX(ctanh)
POLYLOOM_COMPLEX(casinh)
POLYLOOM_COMPLEX(cacosh)
POLYLOOM_COMPLEX(catanh)
POLYLOOM_OF_NEWLIB(cpow) double complex cpow(double complex z, double complex w);
POLYLOOM_OF_NEWLIB(cpowf) float complex cpowf(float complex z, float complex w);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A circuit rounds to nearest and counts no exceptions. */
#ifndef POLYLOOM_FENV_H
#define POLYLOOM_FENV_H

#include <polyloom_none.h>

typedef struct {
  unsigned polyloom;
} fenv_t;
typedef unsigned fexcept_t;
#define FE_TONEAREST 0
#define FE_DOWNWARD 1
#define FE_UPWARD 2
#define FE_TOWARDZERO 3
#define FE_INVALID 1
#define FE_DIVBYZERO 4
#define FE_OVERFLOW 8
#define FE_UNDERFLOW 16
#define FE_INEXACT 32
#define FE_ALL_EXCEPT 61
#define FE_DFL_ENV ((const fenv_t*)0)
static inline int fegetround(void) { return FE_TONEAREST; }
static inline int fesetround(int way) { return way != FE_TONEAREST; }
POLYLOOM_NOT_HERE(feclearexcept) int feclearexcept(int which);
POLYLOOM_NOT_HERE(fetestexcept) int fetestexcept(int which);
POLYLOOM_NOT_HERE(feraiseexcept) int feraiseexcept(int which);
POLYLOOM_NOT_HERE(fegetexceptflag) int fegetexceptflag(fexcept_t* into, int which);
POLYLOOM_NOT_HERE(fesetexceptflag) int fesetexceptflag(const fexcept_t* flags, int which);
POLYLOOM_NOT_HERE(fegetenv) int fegetenv(fenv_t* into);
POLYLOOM_NOT_HERE(fesetenv) int fesetenv(const fenv_t* environment);
POLYLOOM_NOT_HERE(feholdexcept) int feholdexcept(fenv_t* into);
POLYLOOM_NOT_HERE(feupdateenv) int feupdateenv(const fenv_t* environment);

#endif

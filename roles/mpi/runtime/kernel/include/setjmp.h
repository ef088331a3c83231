/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POLYLOOM_SETJMP_H
#define POLYLOOM_SETJMP_H

#include <polyloom_none.h>

typedef unsigned long jmp_buf[40];
POLYLOOM_NOT_HERE(setjmp) int setjmp(jmp_buf place);
POLYLOOM_NOT_HERE(longjmp) __attribute__((noreturn)) void longjmp(jmp_buf place, int value);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#undef assert
#ifdef NDEBUG
#define assert(x) ((void)0)
#else
#define POLYLOOM_TEXT(x) #x
#define POLYLOOM_LINE(x) POLYLOOM_TEXT(x)
#define assert(x) \
  ((x) ? (void)0  \
       : (fputs(__FILE__ ":" POLYLOOM_LINE(__LINE__) ": assertion `" #x "' failed\n", stderr), abort()))
#endif
#define static_assert _Static_assert

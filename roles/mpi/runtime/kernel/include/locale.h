/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel has the "C" locale. */
#ifndef POLYLOOM_LOCALE_H
#define POLYLOOM_LOCALE_H

#include <polyloom_none.h>
#include <stddef.h>

#define LC_CTYPE 0
#define LC_NUMERIC 1
#define LC_TIME 2
#define LC_COLLATE 3
#define LC_MONETARY 4
#define LC_ALL 6
struct lconv {
  char *decimal_point, *thousands_sep, *grouping;
};
static inline char* setlocale(int category, const char* name) {
  (void)category;
  return name == NULL || name[0] == 0 || (name[0] == 'C' && name[1] == 0) ? (char*)"C" : NULL;
}
POLYLOOM_NOT_HERE(localeconv) struct lconv* localeconv(void);

#endif

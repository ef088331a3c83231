/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POLYLOOM_WCTYPE_H
#define POLYLOOM_WCTYPE_H

#include <wchar.h>

POLYLOOM_NOT_HERE(iswalpha) int iswalpha(wint_t letter);
POLYLOOM_NOT_HERE(iswdigit) int iswdigit(wint_t letter);
POLYLOOM_NOT_HERE(iswspace) int iswspace(wint_t letter);
POLYLOOM_NOT_HERE(iswupper) int iswupper(wint_t letter);
POLYLOOM_NOT_HERE(iswlower) int iswlower(wint_t letter);
POLYLOOM_NOT_HERE(towupper) wint_t towupper(wint_t letter);
POLYLOOM_NOT_HERE(towlower) wint_t towlower(wint_t letter);

#endif

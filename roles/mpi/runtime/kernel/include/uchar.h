/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POLYLOOM_UCHAR_H
#define POLYLOOM_UCHAR_H

#include <wchar.h>

typedef __CHAR16_TYPE__ char16_t;
typedef __CHAR32_TYPE__ char32_t;
POLYLOOM_NOT_HERE(mbrtoc32) size_t mbrtoc32(char32_t* into, const char* text, size_t most, mbstate_t* state);
POLYLOOM_NOT_HERE(c32rtomb) size_t c32rtomb(char* into, char32_t letter, mbstate_t* state);

#endif

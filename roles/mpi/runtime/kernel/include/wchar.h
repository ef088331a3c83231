/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POLYLOOM_WCHAR_H
#define POLYLOOM_WCHAR_H

#include <polyloom_none.h>
#include <stdio.h>

typedef __WINT_TYPE__ wint_t;
typedef struct {
  unsigned long polyloom;
} mbstate_t;
#define WEOF ((wint_t)-1)
POLYLOOM_NOT_HERE(wprintf) int wprintf(const wchar_t* format, ...);
POLYLOOM_NOT_HERE(fwprintf) int fwprintf(FILE* file, const wchar_t* format, ...);
POLYLOOM_NOT_HERE(swprintf) int swprintf(wchar_t* into, size_t most, const wchar_t* format, ...);
POLYLOOM_NOT_HERE(fgetwc) wint_t fgetwc(FILE* file);
POLYLOOM_NOT_HERE(fputwc) wint_t fputwc(wchar_t letter, FILE* file);
POLYLOOM_NOT_HERE(wcslen) size_t wcslen(const wchar_t* text);
POLYLOOM_NOT_HERE(wcscpy) wchar_t* wcscpy(wchar_t* to, const wchar_t* from);
POLYLOOM_NOT_HERE(wcscmp) int wcscmp(const wchar_t* a, const wchar_t* b);
POLYLOOM_NOT_HERE(wcscat) wchar_t* wcscat(wchar_t* to, const wchar_t* from);
POLYLOOM_NOT_HERE(wcstol) long wcstol(const wchar_t* text, wchar_t** end, int base);
POLYLOOM_NOT_HERE(mbrtowc) size_t mbrtowc(wchar_t* into, const char* text, size_t most, mbstate_t* state);
POLYLOOM_NOT_HERE(wcrtomb) size_t wcrtomb(char* into, wchar_t letter, mbstate_t* state);

#endif

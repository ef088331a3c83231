/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POLYLOOM_STDLIB_H
#define POLYLOOM_STDLIB_H

#include <stddef.h>

#include "polyloom_none.h"

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647

typedef struct {
  int quot, rem;
} div_t;
typedef struct {
  long quot, rem;
} ldiv_t;
typedef ldiv_t lldiv_t;

void exit(int status) __attribute__((noreturn));
void abort(void) __attribute__((noreturn));
int atexit(void (*function)(void));
void* malloc(size_t size);
void* calloc(size_t count, size_t size);
void* realloc(void* block, size_t size);
void free(void* block);
int atoi(const char* text);
long atol(const char* text);
long long atoll(const char* text);
long strtol(const char* text, char** end, int base);
unsigned long strtoul(const char* text, char** end, int base);
long long strtoll(const char* text, char** end, int base);
unsigned long long strtoull(const char* text, char** end, int base);
/* Of the manager (calls.c). */
double strtod(const char* text, char** end);
float strtof(const char* text, char** end);
double atof(const char* text);
/* glibc's numbers, of one generator for both names. */
int rand(void);
void srand(unsigned seed);
long random(void);
void srandom(unsigned seed);
int rand_r(unsigned* seed);
double drand48(void);
double erand48(unsigned short state[3]);
long lrand48(void);
long mrand48(void);
void srand48(long seed);
int posix_memalign(void** into, size_t alignment, size_t size);
void* aligned_alloc(size_t alignment, size_t size);
/* A kernel has no environment. */
static inline char* getenv(const char* name) {
  (void)name;
  return 0;
}
static inline int abs(int x) { return x < 0 ? -x : x; }
static inline long labs(long x) { return x < 0 ? -x : x; }
static inline long long llabs(long long x) { return x < 0 ? -x : x; }
static inline div_t div(int a, int b) {
  const div_t r = {a / b, a % b};
  return r;
}
static inline ldiv_t ldiv(long a, long b) {
  const ldiv_t r = {a / b, a % b};
  return r;
}
static inline lldiv_t lldiv(long long a, long long b) { return ldiv(a, b); }

/* Part of their callers, so that ``order`` is a function that is known. Equal elements stay in their order.
 */
void* polyloom_sort_room(size_t bytes);
static inline __attribute__((always_inline)) void qsort(void* base, size_t count, size_t size,
                                                        int (*order)(const void*, const void*)) {
  char *from = (char*)base, *to = (char*)polyloom_sort_room(count * size);
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t first = 0; first < count; first += 2 * width) {
      const size_t middle = first + width < count ? first + width : count;
      const size_t end = first + 2 * width < count ? first + 2 * width : count;
      for (size_t left = first, right = middle, at = first; at < end; at++) {
        const int takes_right =
            left == middle || (right < end && order(from + left * size, from + right * size) > 0);
        const char* next = from + (takes_right ? right++ : left++) * size;
        for (size_t byte = 0; byte < size; byte++) to[at * size + byte] = next[byte];
      }
    }
    char* other = from;
    from = to;
    to = other;
  }
  if (from != (char*)base)
    for (size_t byte = 0; byte < count * size; byte++) to[byte] = from[byte];
}
static inline __attribute__((always_inline)) void* bsearch(const void* key, const void* base, size_t count,
                                                           size_t size,
                                                           int (*order)(const void*, const void*)) {
  const char* from = (const char*)base;
  while (count > 0) {
    const char* middle = from + count / 2 * size;
    const int sign = order(key, middle);
    if (sign == 0) return (void*)middle;
    if (sign > 0) from = middle + size;
    count = sign > 0 ? count - count / 2 - 1 : count / 2;
  }
  return 0;
}

POLYLOOM_NOT_HERE(strtold) long double strtold(const char* text, char** end);
POLYLOOM_NOT_HERE(setenv) int setenv(const char* name, const char* value, int overwrite);
POLYLOOM_NOT_HERE(unsetenv) int unsetenv(const char* name);
POLYLOOM_NOT_HERE(putenv) int putenv(char* text);
POLYLOOM_NOT_HERE(system) int system(const char* command);
POLYLOOM_NOT_HERE(at_quick_exit) int at_quick_exit(void (*function)(void));
POLYLOOM_NOT_HERE(_Exit) __attribute__((noreturn)) void _Exit(int status);
POLYLOOM_NOT_HERE(quick_exit) __attribute__((noreturn)) void quick_exit(int status);
POLYLOOM_NOT_HERE(realpath) char* realpath(const char* name, char* into);
POLYLOOM_NOT_HERE(mkstemp) int mkstemp(char* name);
POLYLOOM_NOT_HERE(mblen) int mblen(const char* text, size_t most);
POLYLOOM_NOT_HERE(mbtowc) int mbtowc(wchar_t* into, const char* text, size_t most);
POLYLOOM_NOT_HERE(wctomb) int wctomb(char* into, wchar_t letter);
POLYLOOM_NOT_HERE(mbstowcs) size_t mbstowcs(wchar_t* into, const char* text, size_t most);
POLYLOOM_NOT_HERE(wcstombs) size_t wcstombs(char* into, const wchar_t* text, size_t most);

#endif

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

void exit(int status) __attribute__((noreturn));
void abort(void) __attribute__((noreturn));
void* malloc(size_t size);
void* calloc(size_t count, size_t size);
void* realloc(void* block, size_t size);
void free(void* block);
int atoi(const char* text);
long atol(const char* text);
long long atoll(const char* text);
long strtol(const char* text, char** end, int base);
unsigned long strtoul(const char* text, char** end, int base);
int rand(void);
void srand(unsigned seed);
static inline int abs(int x) { return x < 0 ? -x : x; }
static inline long labs(long x) { return x < 0 ? -x : x; }
static inline long long llabs(long long x) { return x < 0 ? -x : x; }
static inline div_t div(int a, int b) {
  const div_t r = {a / b, a % b};
  return r;
}

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

POLYLOOM_NOT_HERE(atof) double atof(const char* text);
POLYLOOM_NOT_HERE(strtod) double strtod(const char* text, char** end);
POLYLOOM_NOT_HERE(strtof) float strtof(const char* text, char** end);
POLYLOOM_NOT_HERE(strtoll) long long strtoll(const char* text, char** end, int base);
POLYLOOM_NOT_HERE(strtoull) unsigned long long strtoull(const char* text, char** end, int base);
POLYLOOM_NOT_HERE(getenv) char* getenv(const char* name);
POLYLOOM_NOT_HERE(setenv) int setenv(const char* name, const char* value, int overwrite);
POLYLOOM_NOT_HERE(system) int system(const char* command);
POLYLOOM_NOT_HERE(atexit) int atexit(void (*function)(void));
POLYLOOM_NOT_HERE(_Exit) __attribute__((noreturn)) void _Exit(int status);
POLYLOOM_NOT_HERE(quick_exit) __attribute__((noreturn)) void quick_exit(int status);
POLYLOOM_NOT_HERE(random) long random(void);
POLYLOOM_NOT_HERE(srandom) void srandom(unsigned seed);
POLYLOOM_NOT_HERE(drand48) double drand48(void);
POLYLOOM_NOT_HERE(srand48) void srand48(long seed);
POLYLOOM_NOT_HERE(lrand48) long lrand48(void);
POLYLOOM_NOT_HERE(erand48) double erand48(unsigned short state[3]);
POLYLOOM_NOT_HERE(rand_r) int rand_r(unsigned* state);
POLYLOOM_NOT_HERE(aligned_alloc) void* aligned_alloc(size_t alignment, size_t size);
POLYLOOM_NOT_HERE(posix_memalign) int posix_memalign(void** into, size_t alignment, size_t size);

#endif

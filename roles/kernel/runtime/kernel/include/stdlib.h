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

POLYLOOM_NO_FUNCTION(atof)
POLYLOOM_NO_FUNCTION(strtod)
POLYLOOM_NO_FUNCTION(strtof)
POLYLOOM_NO_FUNCTION(qsort)
POLYLOOM_NO_FUNCTION(bsearch)
POLYLOOM_NO_FUNCTION(getenv)
POLYLOOM_NO_FUNCTION(system)
POLYLOOM_NO_FUNCTION(atexit)
POLYLOOM_NO_FUNCTION(random)
POLYLOOM_NO_FUNCTION(srandom)
POLYLOOM_NO_FUNCTION(drand48)
POLYLOOM_NO_FUNCTION(srand48)
POLYLOOM_NO_FUNCTION(lrand48)
POLYLOOM_NO_FUNCTION(rand_r)
POLYLOOM_NO_FUNCTION(aligned_alloc)
POLYLOOM_NO_FUNCTION(posix_memalign)

#endif

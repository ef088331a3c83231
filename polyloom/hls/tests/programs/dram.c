/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in DRAM, and pointers that may be there or in block RAM. */
/* words: 4 / 30 */
#include "intrinsics.h"

#ifdef __riscv
#define BASE __polyloom_heap
#else
static char native_dram[1 << 16];
#define BASE native_dram
#endif

static int local[40];
static char* top = BASE + 64;

static void* allocate(unsigned bytes) {
  void* result = top;
  top += (bytes + 15) & ~15u;
  return result;
}

__attribute__((noinline)) static long total(const int* values, int n) {
  long sum = 0;
  for (int i = 0; i < n; i++) sum += values[i];
  return sum;
}

void polyloom_kernel(void) {
  int n = (int)__polyloom_pop(0);
  int* a = allocate((unsigned)n * sizeof(int));
  short* b = allocate((unsigned)n * sizeof(short));
  char** list = allocate(4 * sizeof(char*));
  for (int i = 0; i < n; i++) {
    a[i] = i * i - 7;
    b[i] = (short)(i * 3);
    local[i] = -i;
  }
  list[0] = (char*)a;
  list[1] = (char*)local;
  list[2] = (char*)b;
  __polyloom_push(1, (uint64_t)total(a, n));
  __polyloom_push(1, (uint64_t)total(local, n));
  __polyloom_push(1, (uint64_t)(list[0][4] + list[1][4] + list[2][2]));
  __builtin_memcpy(local, a, (unsigned)n * sizeof(int));
  for (int i = 0; i < n; i++) __polyloom_push(2, (uint64_t)(int64_t)(local[i] + b[i]));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses made of numbers meet addresses of objects and of lists in DRAM: a heap with a list of free
 * blocks. */
/* words: 1 / 2 / 7 */
#include "intrinsics.h"

#ifdef __riscv
#define BASE ((uint32_t)(uintptr_t)__polyloom_heap)
#define AT(number) ((void*)(uintptr_t)(number))
#else
static char native_dram[1 << 16];
#define BASE 0u
#define AT(number) ((void*)(native_dram + (number)))
#endif

struct head {
  uint64_t bytes;
  struct head* next;
};

static struct {
  struct head head;
  uint64_t words[8];
} first = {{64, 0}, {0}};
static uint32_t used;
static struct head* freed = &first.head;

static void* take(uint32_t bytes) {
  if (freed != 0 && freed->bytes >= bytes) {
    struct head* const found = freed;
    freed = found->next;
    return found + 1;
  }
  struct head* const made = AT(BASE + used);
  made->bytes = bytes;
  used += 16 + ((bytes + 15) & ~15u);
  return made + 1;
}

void polyloom_kernel(void) {
  const unsigned n = (unsigned)__polyloom_pop(0);
  for (unsigned i = 0; i < n; i++) {
    uint64_t* const block = take(64); /* the first is an object, the others are in DRAM */
    for (unsigned j = 0; j < 8; j++) block[j] = i * 10 + j;
    for (unsigned j = 0; j < 8; j++) __polyloom_push(0, block[7 - j]);
  }
  uint64_t sum = 0;
  for (unsigned j = 0; j < 8; j++) sum += first.words[j];
  __polyloom_push(0, sum);
}

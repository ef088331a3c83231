/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses made of numbers meet addresses of objects and of lists in DRAM: a heap with a list of free
 * blocks. */
/* words: 3 0 / 7 1 / 7 2 */
#include "intrinsics.h"

#ifdef __riscv
#define BASE 0x80000000u
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

static uint32_t used;
static struct head* freed;
static uint64_t spare[16];

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

static void give(void* block) {
  struct head* const head = (struct head*)block - 1;
  head->next = freed;
  freed = head;
}

void polyloom_kernel(void) {
  const unsigned n = (unsigned)__polyloom_pop(0);
  const uint64_t which = __polyloom_pop(0);
  uint64_t** table = take(n * sizeof *table);
  for (unsigned i = 0; i < n; i++) {
    table[i] = i == which ? spare : take(64);
    for (unsigned j = 0; j < 8; j++) table[i][j] = i * 10 + j;
    if (i == 2 && which != 2) give(table[1 == which ? 0 : 1]);
  }
  for (unsigned i = 0; i < n; i++) {
    for (unsigned j = 0; j < 8; j++) __polyloom_push(0, table[i][j]);
  }
  uint64_t sum = 0;
  for (unsigned j = 0; j < 8; j++) sum += spare[j];
  __polyloom_push(0, sum);
}

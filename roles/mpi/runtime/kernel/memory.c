/* SPDX-License-Identifier: Apache-2.0 */
/* malloc in DRAM, in what large static objects leave of it: blocks are cut from the heap's begin on; freed
 * ones are kept in a list and taken again by the first request that they fit, the last one goes back. */
#include "errno.h"
#include "kernel.h"
#include "stdlib.h"
#include "string.h"

#define HEAP_BYTES (POLYLOOM_DRAM_BYTES - (POLYLOOM_HEAP - 0x80000000u))
#define HEAD 16u

struct head {
  uint64_t bytes; /* of the block, without the head; a multiple of 16 */
  struct head* next;
};

static uint32_t used; /* bytes of the heap */
static struct head* freed;

static void* no_room(void) {
  errno = ENOMEM;
  return 0;
}

static struct head* head_of(void* block) { return (struct head*)((char*)block - HEAD); }

void* malloc(size_t size) {
  if (size > HEAP_BYTES) return no_room();
  const uint32_t bytes = ((uint32_t)size + 15u) & ~15u;
  struct head* before = 0;
  for (struct head* at = freed; at != 0; at = at->next) {
    if (at->bytes >= bytes) {
      if (before != 0) {
        before->next = at->next;
      } else {
        freed = at->next;
      }
      return (char*)at + HEAD;
    }
    before = at;
  }
  if (HEAP_BYTES - used < HEAD || HEAP_BYTES - used - HEAD < bytes) return no_room();
  struct head* const made = (struct head*)(uintptr_t)(POLYLOOM_HEAP + used);
  made->bytes = bytes;
  used += HEAD + bytes;
  return (char*)made + HEAD;
}

void free(void* block) {
  if (block == 0) return;
  struct head* const head = head_of(block);
  const uint32_t at = (uint32_t)(uintptr_t)head - POLYLOOM_HEAP;
  if (at + HEAD + (uint32_t)head->bytes == used) {
    used = at;
    return;
  }
  head->next = freed;
  freed = head;
}

/* What lies before the place becomes a block of its own, and is freed. */
void* aligned_alloc(size_t alignment, size_t size) {
  if (alignment <= 16) return malloc(size);
  char* const block = malloc(size + alignment);
  if (block == 0) return 0;
  const uint32_t before = (uint32_t)(-(uintptr_t)block & (alignment - 1));
  if (before == 0) return block;
  struct head* const made = head_of(block + before);
  made->bytes = head_of(block)->bytes - before;
  head_of(block)->bytes = before - HEAD;
  free(block);
  return block + before;
}

int posix_memalign(void** into, size_t alignment, size_t size) {
  void* const block = aligned_alloc(alignment, size);
  if (block == 0) return ENOMEM;
  *into = block;
  return 0;
}

void* calloc(size_t count, size_t size) {
  if (size != 0 && count > HEAP_BYTES / size) return no_room();
  void* const block = malloc(count * size);
  if (block != 0) memset(block, 0, count * size);
  return block;
}

void* realloc(void* block, size_t size) {
  if (block == 0) return malloc(size);
  const uint64_t old = head_of(block)->bytes;
  if (size <= old) return block;
  void* const made = malloc(size);
  if (made == 0) return 0;
  memcpy(made, block, old);
  free(block);
  return made;
}

/* Where qsort merges into: in block RAM if it is little. It stays, as the next call will want it. */
void* polyloom_sort_room(size_t bytes) {
  static _Alignas(16) char near[4096];
  static void* far;
  static size_t far_bytes;
  if (bytes <= sizeof near) return near;
  if (bytes > far_bytes) {
    free(far);
    far = malloc(bytes);
    far_bytes = bytes;
    if (far == 0) abort();
  }
  return far;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers to several arrays, structs, function results through pointers, swapping of arrays, copies,
 * addresses as numbers. */
/* words: 1 5 / 2 9 / 3 1000 / 4 -77 / 8 12345678901 */
#include "intrinsics.h"

struct item {
  char tag;
  short parts[3];
  long weight;
  struct item* next;
};

static struct item items[6];
static int first[16], second[16], table[4][5] = {{1, 2, 3}, {4, 5, 6, 7, 8}, {9}};
static const char* const names[3] = {"alpha", "be", "gamma ray"};
static const unsigned char squares[] = {0, 1, 4, 9, 16, 25, 36, 49, 64};

__attribute__((noinline)) static int sum(const int* from, int n) {
  int total = 0;
  for (int i = 0; i < n; i++) total += from[i];
  return total;
}

__attribute__((noinline)) static void swap(int* a, int* b) {
  int keep = *a;
  *a = *b;
  *b = keep;
}

__attribute__((noinline)) static struct item* longest(struct item* list) {
  struct item* best = list;
  for (; list; list = list->next)
    if (list->weight > best->weight) best = list;
  return best;
}

static unsigned length(const char* text) {
  unsigned n = 0;
  while (*text++) n++;
  return n;
}

static int one[3] = {10, 11, 12}, two[4] = {20, 21, 22}, three[3] = {30, 31, 32};
static unsigned low[64];

/* Addresses as numbers, which LLVM folds to constants of several objects, and the same with n, which it does
 * not. */
static void numbers(int n) {
  uintptr_t a = (uintptr_t)one, b = (uintptr_t)two, c = (uintptr_t)three;
  one[0] += n;
  two[0] += 2 * n;
  a ^= b;
  b ^= a;
  a ^= b;
  __polyloom_push(1, (uint64_t) * (int*)a * 1000 + (uint64_t) * (int*)b);
  *(int*)a += 5;
  __polyloom_push(1, (uint64_t)two[0]);
  const uintptr_t from_one = c - (uintptr_t)one; /* where three is, seen from one */
  __polyloom_push(1, (uint64_t)((int*)((uintptr_t)one + from_one))[n % 3]);
  const uintptr_t sum = (uintptr_t)one + (uintptr_t)two + c;
  __polyloom_push(1, (uint64_t)((int*)(sum - (uintptr_t)two - c))[2]);
  __polyloom_push(1, (uint64_t)((int*)(((uintptr_t)two | 1) & ~(uintptr_t)1))[1]); /* with a tag */
  uintptr_t key = (uintptr_t)(n & 1 ? one : two) ^ (uintptr_t)three;               /* a list linked by xor */
  *(int*)(key ^ (uintptr_t)three) = 77 + n;
  __polyloom_push(1, (uint64_t)one[0] * 1000 + (uint64_t)two[0]);
  /* Numbers that look like addresses in DRAM are none. */
  unsigned crc = (unsigned)n * 0xEDB88320u;
  for (int i = 0; i < 64; i++) {
    crc = crc & 1 ? 0xEDB88320u ^ (crc >> 1) : crc >> 1;
    low[crc & 63] += crc;
  }
  for (int i = 0; i < 64; i += 9) __polyloom_push(1, low[i]);
}

void polyloom_kernel(void) {
  int n = (int)__polyloom_pop(0);
  long w = (long)__polyloom_pop(0);
  for (int i = 0; i < 6; i++) {
    items[i].tag = (char)(i + w);
    for (int k = 0; k < 3; k++) items[i].parts[k] = (short)(w * k - i);
    items[i].weight = w * (i % 4) - i;
    items[i].next = i < 5 ? &items[i + 1] : 0;
  }
  struct item* best = longest(items);
  __polyloom_push(1, (uint64_t)(best - items));
  __polyloom_push(1, (uint64_t)best->weight + (uint64_t)best->parts[n % 3] + (uint64_t)best->tag);
  struct item copy = items[n % 6];
  copy.parts[1] += 5;
  items[(n + 1) % 6] = copy;
  __polyloom_push(1, (uint64_t)items[(n + 1) % 6].parts[1]);
  int *from = first, *to = second;
  for (int i = 0; i < 16; i++) first[i] = (int)w + i;
  for (int round = 0; round < n; round++) {
    for (int i = 1; i < 15; i++) to[i] = from[i - 1] + from[i + 1];
    int* keep = from;
    from = to;
    to = keep;
  }
  __polyloom_push(2, (uint64_t)(int64_t)sum(from, 16));
  __polyloom_push(2, (uint64_t)(int64_t)sum(to, 16));
  __polyloom_push(2, (uint64_t)(int64_t)sum(&table[1][1], 7));
  swap(&first[1], &second[n]);
  swap(&first[1], &first[3]);
  __polyloom_push(2, (uint64_t)(int64_t)(first[1] - first[3]));
  __polyloom_push(1, length(names[n % 3]));
  __polyloom_push(1, squares[n] + (unsigned char)names[n % 3][1]);
  __builtin_memmove(first + 2, first, 9 * sizeof(int));
  __builtin_memset(second + 1, n, 13);
  __builtin_memmove(second, second + 1, 10);
  numbers(n);
  const int half = 8;
  for (int round = 0; round < 3; round++) {
    int parts = half * 2; /* known to the compiler only after it has looked */
    int scaled[parts];
    for (int i = 0; i < parts; i++) scaled[i] = second[i] * n + round;
    __polyloom_push(2, (uint64_t)(int64_t)sum(scaled + round, half));
  }
  for (int i = 0; i < 16; i++) __polyloom_push(3, (uint64_t)(int64_t)(first[i] ^ second[i]));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Output: a kernel sends the address of the format and its arguments, the manager formats (PROTOCOL.md,
 * PRINT). */
#include "../wire/system.h"
#include "kernel.h"
#include "stdio.h"

#define WORDS 180 /* of a packet */
#define HEAD 2

static uint64_t record[WORDS] __attribute__((aligned(16)));
static uint64_t kinds;
static unsigned arguments, words;

void polyloom_print_begin(void) {
  kinds = 0;
  arguments = 0;
  words = HEAD;
}

/* What a packet has no room for goes ahead of the record. */
static void add(uint64_t word) {
  if (words == WORDS) {
    polyloom_tell_manager(POLYLOOM_PRINT_PART, record + HEAD, (WORDS - HEAD) * 8);
    words = HEAD;
  }
  record[words++] = word;
}

static void put(unsigned kind, uint64_t word) {
  kinds |= (uint64_t)kind << (4 * arguments);
  arguments++;
  add(word);
}

void polyloom_print_integer(long long value) { put(POLYLOOM_PRINT_INTEGER, (uint64_t)value); }

void polyloom_print_double(double value) {
  union {
    double number;
    uint64_t bits;
  } u;
  u.number = value;
  put(POLYLOOM_PRINT_DOUBLE, u.bits);
}

void polyloom_print_pointer(const void* value) { put(POLYLOOM_PRINT_POINTER, (uint64_t)(uintptr_t)value); }

void polyloom_print_string(const char* value) {
  uint32_t bytes = 0;
  while (value[bytes] != 0) bytes++;
  put(POLYLOOM_PRINT_STRING, bytes | (uint64_t)(uint32_t)(uintptr_t)value << 32);
  uint64_t word = 0;
  for (uint32_t i = 0; i < bytes; i++) {
    word |= (uint64_t)(unsigned char)value[i] << (8 * (i & 7));
    if ((i & 7) == 7 || i + 1 == bytes) {
      add(word);
      word = 0;
    }
  }
}

void polyloom_print_end(unsigned stream, const char* format) {
  record[0] = (uint32_t)(uintptr_t)format | (uint64_t)arguments << 32 | (uint64_t)stream << 40;
  record[1] = kinds;
  polyloom_tell_manager(POLYLOOM_PRINT, record, words * 8);
}

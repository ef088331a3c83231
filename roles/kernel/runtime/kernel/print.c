/* SPDX-License-Identifier: Apache-2.0 */
/* Output: a kernel sends the address of the format, or its text, and its arguments, the manager formats
 * (PROTOCOL.md, PRINT). */
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

void polyloom_print_word(unsigned kind, unsigned long long word) {
  kinds |= (uint64_t)kind << (4 * arguments);
  arguments++;
  add(word);
}

void polyloom_print_more(unsigned long long word) { add(word); }

void polyloom_print_string(const char* text, size_t limit) {
  if (text == 0) return polyloom_print_word(POLYLOOM_PRINT_POINTER, 0);
  uint32_t bytes = 0;
  while (bytes < limit && text[bytes] != 0) bytes++;
  polyloom_print_word(POLYLOOM_PRINT_STRING, bytes | (uint64_t)(uint32_t)(uintptr_t)text << 32);
  uint64_t word = 0;
  for (uint32_t i = 0; i < bytes; i++) {
    word |= (uint64_t)(unsigned char)text[i] << (8 * (i & 7));
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

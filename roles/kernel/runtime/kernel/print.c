/* SPDX-License-Identifier: Apache-2.0 */
/* Output: a kernel sends the address of the format and its arguments, the manager formats (PROTOCOL.md,
 * PRINT). */
#include "../wire/system.h"
#include "kernel.h"
#include "stdio.h"

#define WORDS 180 /* of a packet */

static uint64_t record[WORDS] __attribute__((aligned(16)));
static uint64_t kinds;
static unsigned arguments, words;

void polyloom_print_begin(void) {
  kinds = 0;
  arguments = 0;
  words = 2;
}

static void put(unsigned kind, uint64_t word) {
  if (arguments == POLYLOOM_PRINT_ARGUMENTS || words == WORDS) return;
  kinds |= (uint64_t)kind << (4 * arguments);
  arguments++;
  record[words++] = word;
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

/* As much of it as the packet holds. */
void polyloom_print_string(const char* value) {
  const unsigned head = words;
  put(POLYLOOM_PRINT_STRING, 0);
  if (words == head) return;
  uint64_t word = 0;
  unsigned bytes = 0;
  for (; value[bytes] != 0 && words < WORDS; bytes++) {
    word |= (uint64_t)(unsigned char)value[bytes] << (8 * (bytes & 7));
    if ((bytes & 7) == 7) {
      record[words++] = word;
      word = 0;
    }
  }
  if ((bytes & 7) != 0) record[words++] = word;
  record[head] = bytes;
}

void polyloom_print_end(unsigned stream, const char* format) {
  record[0] = (uint32_t)(uintptr_t)format | (uint64_t)arguments << 32 | (uint64_t)stream << 40;
  record[1] = kinds;
  polyloom_tell_manager(POLYLOOM_PRINT, record, words * 8);
}

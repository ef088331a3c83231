/* SPDX-License-Identifier: Apache-2.0 */
/* Records: a kernel sends the address of a format, or its text, and arguments; the manager formats and prints
 * (PROTOCOL.md, PRINT), or calls a function of its C library and responds (CALL). */
#include <stdarg.h>

#include "errno.h"
#include "kernel.h"
#include "stdio.h"
#include "string.h"

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
    polyloom_report_manager(POLYLOOM_PRINT_PART, record + HEAD, (WORDS - HEAD) * 8);
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

static void send(int tag, unsigned stream, const char* format) {
  record[0] = (uint32_t)(uintptr_t)format | (uint64_t)arguments << 32 | (uint64_t)stream << 40;
  record[1] = kinds;
  polyloom_report_manager(tag, record, words * 8);
}

void polyloom_print_end(unsigned stream, const char* format) { send(POLYLOOM_PRINT, stream, format); }

void polyloom_print_split(void) {
  send(POLYLOOM_PRINT_FIRST, 0, 0);
  polyloom_print_begin();
}

/* What a format says of its arguments, which are in memory. */
__attribute__((noinline)) void polyloom_print_list(const char* format, va_list list) {
  for (; *format != 0; format++) {
    int is_long = 0;
    if (*format != '%') continue;
    for (format++; *format != 0 && strchr("0123456789-+ #'.*hlqjzt", *format) != 0; format++) {
      if (*format == '*') polyloom_print_word(POLYLOOM_PRINT_INTEGER, (unsigned long long)va_arg(list, int));
      if (strchr("lqjzt", *format) != 0) is_long = 1;
    }
    if (*format == 0) break;
    if (arguments >= 14) polyloom_print_split();
    if (*format == 's') {
      polyloom_print_string(va_arg(list, const char*), ~(size_t)0);
    } else if (strchr("fFeEgGaA", *format) != 0) {
      polyloom_add(polyloom_double(va_arg(list, double)));
    } else if (*format != '%') {
      const long value = is_long || *format == 'p' ? va_arg(list, long) : va_arg(list, int);
      polyloom_print_word(*format == 'p' ? POLYLOOM_PRINT_POINTER : POLYLOOM_PRINT_INTEGER,
                          (unsigned long)value);
    }
  }
}

static struct polyloom_result result __attribute__((aligned(16)));

__attribute__((noinline)) long polyloom_call(unsigned function, const char* format) {
  send(POLYLOOM_CALL, function, format);
  polyloom_hear_manager(&result, sizeof result);
  if (result.error != 0) errno = result.error;
  return result.value;
}

uint32_t polyloom_call_bytes(unsigned part) { return part < result.parts ? result.bytes[part] : 0; }

__attribute__((noinline)) void polyloom_call_take(unsigned part, void* into) {
  const uint32_t bytes = polyloom_call_bytes(part);
  if (bytes != 0) polyloom_hear_manager(into, bytes);
}

__attribute__((noinline)) int polyloom_print_count(void) {
  polyloom_print_begin();
  return (int)polyloom_call(POLYLOOM_C_printf, 0);
}

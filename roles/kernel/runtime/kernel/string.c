/* SPDX-License-Identifier: Apache-2.0 */
#include "string.h"

#include <stdint.h>

typedef uint64_t __attribute__((may_alias)) word_t; /* of memory that has any type */

static int in_words(const void* a, const void* b, size_t bytes) {
  return (((uintptr_t)a | (uintptr_t)b | bytes) & 7u) == 0;
}

void* memcpy(void* restrict to, const void* restrict from, size_t bytes) {
  if (in_words(to, from, bytes)) {
    word_t* const t = (word_t*)to;
    const word_t* const f = (const word_t*)from;
    for (uint32_t i = 0; i < (uint32_t)bytes / 8; i++) t[i] = f[i];
  } else {
    char* const t = (char*)to;
    const char* const f = (const char*)from;
    for (uint32_t i = 0; i < (uint32_t)bytes; i++) t[i] = f[i];
  }
  return to;
}

void* memmove(void* to, const void* from, size_t bytes) {
  char* const t = (char*)to;
  const char* const f = (const char*)from;
  if ((uintptr_t)to - (uintptr_t)from >= bytes) return memcpy(to, from, bytes);
  for (uint32_t i = (uint32_t)bytes; i-- > 0;) t[i] = f[i];
  return to;
}

void* memset(void* to, int value, size_t bytes) {
  if (in_words(to, to, bytes)) {
    word_t* const t = (word_t*)to;
    const uint64_t word = (unsigned char)value * 0x0101010101010101u;
    for (uint32_t i = 0; i < (uint32_t)bytes / 8; i++) t[i] = word;
  } else {
    char* const t = (char*)to;
    for (uint32_t i = 0; i < (uint32_t)bytes; i++) t[i] = (char)value;
  }
  return to;
}

int memcmp(const void* a, const void* b, size_t bytes) {
  const unsigned char* const x = (const unsigned char*)a;
  const unsigned char* const y = (const unsigned char*)b;
  for (uint32_t i = 0; i < (uint32_t)bytes; i++) {
    if (x[i] != y[i]) return x[i] - y[i];
  }
  return 0;
}

size_t strlen(const char* text) {
  uint32_t i = 0;
  while (text[i] != 0) i++;
  return i;
}

int strncmp(const char* a, const char* b, size_t most) {
  for (size_t i = 0; i < most; i++) {
    const unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];
    if (x != y || x == 0) return x - y;
  }
  return 0;
}

int strcmp(const char* a, const char* b) { return strncmp(a, b, 0xFFFFFFFFu); }

char* strcpy(char* restrict to, const char* restrict from) {
  uint32_t i = 0;
  do {
    to[i] = from[i];
  } while (from[i++] != 0);
  return to;
}

char* strncpy(char* restrict to, const char* restrict from, size_t bytes) {
  uint32_t i = 0;
  for (; i < bytes && from[i] != 0; i++) to[i] = from[i];
  for (; i < bytes; i++) to[i] = 0;
  return to;
}

char* strcat(char* restrict to, const char* restrict from) {
  strcpy(to + strlen(to), from);
  return to;
}

char* strchr(const char* text, int c) {
  for (uint32_t i = 0;; i++) {
    if (text[i] == (char)c) return (char*)text + i;
    if (text[i] == 0) return 0;
  }
}

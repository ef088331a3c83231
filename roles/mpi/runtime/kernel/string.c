/* SPDX-License-Identifier: Apache-2.0 */
#include "string.h"

#include <stdint.h>

#include "ctype.h"
#include "stdlib.h"
#include "strings.h"

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

char* stpcpy(char* restrict to, const char* restrict from) { return strcpy(to, from) + strlen(from); }

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

char* strrchr(const char* text, int c) {
  const char* found = 0;
  for (uint32_t i = 0;; i++) {
    if (text[i] == (char)c) found = text + i;
    if (text[i] == 0) return (char*)found;
  }
}

void* memchr(const void* from, int c, size_t bytes) {
  const char* const f = (const char*)from;
  for (uint32_t i = 0; i < (uint32_t)bytes; i++) {
    if (f[i] == (char)c) return (void*)(f + i);
  }
  return 0;
}

size_t strnlen(const char* text, size_t most) {
  size_t i = 0;
  while (i < most && text[i] != 0) i++;
  return i;
}

/* As strlen, up to the first character that is one of the set, or none of it. */
static size_t span(const char* text, const char* set, int is_of_set) {
  uint32_t i = 0;
  while (text[i] != 0 && (strchr(set, text[i]) != 0) == is_of_set) i++;
  return i;
}

size_t strspn(const char* text, const char* set) { return span(text, set, 1); }
size_t strcspn(const char* text, const char* set) { return span(text, set, 0); }

char* strpbrk(const char* text, const char* set) {
  const char* const at = text + span(text, set, 0);
  return *at != 0 ? (char*)at : 0;
}

char* strtok_r(char* restrict text, const char* restrict between, char** restrict rest) {
  char* const begin = (text != 0 ? text : *rest) + span(text != 0 ? text : *rest, between, 1);
  char* const end = begin + span(begin, between, 0);
  *rest = *end != 0 ? end + 1 : end;
  *end = 0;
  return begin != end ? begin : 0;
}

char* strtok(char* restrict text, const char* restrict between) {
  static char* rest;
  return strtok_r(text, between, &rest);
}

char* strsep(char** rest, const char* between) {
  char* const begin = *rest;
  if (begin == 0) return 0;
  char* const end = begin + span(begin, between, 0);
  *rest = *end != 0 ? end + 1 : 0;
  *end = 0;
  return begin;
}

char* strstr(const char* text, const char* part) {
  const size_t bytes = strlen(part);
  for (;; text++) {
    if (strncmp(text, part, bytes) == 0) return (char*)text;
    if (*text == 0) return 0;
  }
}

char* strncat(char* restrict to, const char* restrict from, size_t most) {
  char* const end = to + strlen(to);
  const size_t bytes = strnlen(from, most);
  memcpy(end, from, bytes);
  end[bytes] = 0;
  return to;
}

char* strndup(const char* text, size_t most) {
  const size_t bytes = strnlen(text, most);
  char* const copy = malloc(bytes + 1);
  if (copy == 0) return 0;
  memcpy(copy, text, bytes);
  copy[bytes] = 0;
  return copy;
}

char* strdup(const char* text) { return strndup(text, strlen(text)); }

int strncasecmp(const char* a, const char* b, size_t most) {
  for (size_t i = 0; i < most; i++) {
    const int x = tolower((unsigned char)a[i]), y = tolower((unsigned char)b[i]);
    if (x != y || x == 0) return x - y;
  }
  return 0;
}

int strcasecmp(const char* a, const char* b) { return strncasecmp(a, b, 0xFFFFFFFFu); }

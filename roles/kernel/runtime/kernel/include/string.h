/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POLYLOOM_STRING_H
#define POLYLOOM_STRING_H

#include <stddef.h>

#include "polyloom_none.h"

void* memcpy(void* restrict to, const void* restrict from, size_t bytes);
void* memmove(void* to, const void* from, size_t bytes);
void* memset(void* to, int value, size_t bytes);
int memcmp(const void* a, const void* b, size_t bytes);
size_t strlen(const char* text);
int strcmp(const char* a, const char* b);
int strncmp(const char* a, const char* b, size_t most);
char* strcpy(char* restrict to, const char* restrict from);
char* strncpy(char* restrict to, const char* restrict from, size_t bytes);
char* strcat(char* restrict to, const char* restrict from);
char* strchr(const char* text, int c);

POLYLOOM_NOT_HERE(strtok) char* strtok(char* restrict text, const char* restrict between);
POLYLOOM_NOT_HERE(strtok_r)
char* strtok_r(char* restrict text, const char* restrict between, char** restrict rest);
POLYLOOM_NOT_HERE(strdup) char* strdup(const char* text);
POLYLOOM_NOT_HERE(strndup) char* strndup(const char* text, size_t most);
POLYLOOM_NOT_HERE(strstr) char* strstr(const char* text, const char* part);
POLYLOOM_NOT_HERE(strrchr) char* strrchr(const char* text, int c);
POLYLOOM_NOT_HERE(strspn) size_t strspn(const char* text, const char* set);
POLYLOOM_NOT_HERE(strcspn) size_t strcspn(const char* text, const char* set);
POLYLOOM_NOT_HERE(strpbrk) char* strpbrk(const char* text, const char* set);
POLYLOOM_NOT_HERE(strerror) char* strerror(int number);
POLYLOOM_NOT_HERE(strncat) char* strncat(char* restrict to, const char* restrict from, size_t most);
POLYLOOM_NOT_HERE(strnlen) size_t strnlen(const char* text, size_t most);
POLYLOOM_NOT_HERE(strcasecmp) int strcasecmp(const char* a, const char* b);
POLYLOOM_NOT_HERE(strncasecmp) int strncasecmp(const char* a, const char* b, size_t most);
POLYLOOM_NOT_HERE(memchr) void* memchr(const void* from, int c, size_t bytes);

#endif

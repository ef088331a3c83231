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

POLYLOOM_NO_FUNCTION(strtok)
POLYLOOM_NO_FUNCTION(strtok_r)
POLYLOOM_NO_FUNCTION(strdup)
POLYLOOM_NO_FUNCTION(strstr)
POLYLOOM_NO_FUNCTION(strrchr)
POLYLOOM_NO_FUNCTION(strspn)
POLYLOOM_NO_FUNCTION(strcspn)
POLYLOOM_NO_FUNCTION(strpbrk)
POLYLOOM_NO_FUNCTION(strerror)
POLYLOOM_NO_FUNCTION(strncat)
POLYLOOM_NO_FUNCTION(memchr)

#endif

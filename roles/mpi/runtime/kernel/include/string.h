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

char* strrchr(const char* text, int c);
void* memchr(const void* from, int c, size_t bytes);
size_t strnlen(const char* text, size_t most);
size_t strspn(const char* text, const char* set);
size_t strcspn(const char* text, const char* set);
char* strpbrk(const char* text, const char* set);
char* strtok(char* restrict text, const char* restrict between);
char* strtok_r(char* restrict text, const char* restrict between, char** restrict rest);
char* strsep(char** rest, const char* between);
char* stpcpy(char* restrict to, const char* restrict from);
char* strstr(const char* text, const char* part);
char* strncat(char* restrict to, const char* restrict from, size_t most);
char* strdup(const char* text);
char* strndup(const char* text, size_t most);
static inline int strcoll(const char* a, const char* b) { return strcmp(a, b); } /* of the "C" locale */
/* Of the manager (calls.c). */
char* strerror(int number);

POLYLOOM_NOT_HERE(strxfrm) size_t strxfrm(char* restrict to, const char* restrict from, size_t most);

#include <strings.h>

#endif

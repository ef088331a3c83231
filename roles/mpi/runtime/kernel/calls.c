/* SPDX-License-Identifier: Apache-2.0 */
/* What the manager's C library does for a kernel (arch/system.h, enum polyloom_c_function). */
#include "ctype.h"
#include "errno.h"
#include "kernel.h"
#include "math.h"
#include "stdio.h"
#include "stdlib.h"
#include "string.h"

int polyloom_errno;

static __attribute__((noinline)) long of_integers(unsigned function, size_t first, long second, long third) {
  polyloom_print_begin();
  polyloom_print_word(POLYLOOM_PRINT_INTEGER, first);
  polyloom_print_word(POLYLOOM_PRINT_INTEGER, (unsigned long)second);
  polyloom_print_word(POLYLOOM_PRINT_INTEGER, (unsigned long)third);
  return polyloom_call(function, 0);
}

static long of_file(unsigned function, FILE* file) { return of_integers(function, (size_t)file, 0, 0); }

static __attribute__((noinline)) long of_texts(unsigned function, const char* first, const char* second) {
  polyloom_print_begin();
  polyloom_print_string(first, ~(size_t)0);
  polyloom_print_string(second, ~(size_t)0);
  return polyloom_call(function, 0);
}

FILE* fopen(const char* name, const char* mode) {
  return (FILE*)(size_t)of_texts(POLYLOOM_C_fopen, name, mode);
}
FILE* tmpfile(void) { return (FILE*)(size_t)of_file(POLYLOOM_C_tmpfile, 0); }
int remove(const char* name) { return (int)of_texts(POLYLOOM_C_remove, name, ""); }
int rename(const char* from, const char* to) { return (int)of_texts(POLYLOOM_C_rename, from, to); }

int fclose(FILE* file) { return (int)of_file(POLYLOOM_C_fclose, file); }
int fgetc(FILE* file) { return (int)of_file(POLYLOOM_C_fgetc, file); }
int ungetc(int c, FILE* file) { return (int)of_integers(POLYLOOM_C_ungetc, (size_t)file, c, 0); }
int fseek(FILE* file, long offset, int from) {
  return (int)of_integers(POLYLOOM_C_fseek, (size_t)file, offset, from);
}
long ftell(FILE* file) { return of_file(POLYLOOM_C_ftell, file); }
int feof(FILE* file) { return (int)of_file(POLYLOOM_C_feof, file); }
int ferror(FILE* file) { return (int)of_file(POLYLOOM_C_ferror, file); }
void clearerr(FILE* file) { of_file(POLYLOOM_C_clearerr, file); }

size_t fread(void* into, size_t size, size_t count, FILE* file) {
  const long items = of_integers(POLYLOOM_C_fread, (size_t)file, (long)size, (long)count);
  polyloom_call_take(0, into);
  return (size_t)items;
}

size_t fwrite(const void* from, size_t size, size_t count, FILE* file) {
  polyloom_report_manager(POLYLOOM_CALL_DATA, from, (uint32_t)(size * count));
  return (size_t)of_integers(POLYLOOM_C_fwrite, (size_t)file, (long)size, 0);
}

char* fgets(char* into, int most, FILE* file) {
  of_integers(POLYLOOM_C_fgets, (size_t)file, most, 0);
  if (polyloom_call_bytes(0) == 0) return 0;
  polyloom_call_take(0, into);
  return into;
}

ssize_t getline(char** line, size_t* size, FILE* file) {
  const long length = of_file(POLYLOOM_C_getline, file);
  const size_t bytes = polyloom_call_bytes(0);
  if (bytes == 0) return -1;
  if (*line == 0 || *size < bytes) {
    *line = realloc(*line, bytes);
    *size = bytes;
  }
  polyloom_call_take(0, *line);
  return length;
}

char* strerror(int number) {
  static char text[64] __attribute__((aligned(16)));
  of_integers(POLYLOOM_C_strerror, (size_t)number, 0, 0);
  polyloom_call_take(0, text);
  return text;
}

union bits {
  long word;
  double number;
};

/* What may belong to a number goes over; the manager says how much of it does. */
static double real(unsigned function, const char* text, char** end) {
  uint32_t begin = 0;
  while (isspace((unsigned char)text[begin])) begin++;
  uint32_t bytes = 0;
  while (isalnum((unsigned char)text[begin + bytes]) ||
         (text[begin + bytes] != 0 && strchr("+-._()", text[begin + bytes])))
    bytes++;
  polyloom_print_begin();
  polyloom_print_string(text + begin, bytes);
  const union bits value = {polyloom_call(function, 0)};
  uint32_t taken = 0;
  polyloom_call_take(0, &taken);
  if (end != 0) *end = (char*)text + (taken != 0 ? begin + taken : 0);
  return value.number;
}

double strtod(const char* text, char** end) { return real(POLYLOOM_C_strtod, text, end); }
float strtof(const char* text, char** end) { return (float)real(POLYLOOM_C_strtof, text, end); }
double atof(const char* text) { return strtod(text, 0); }

static double of_real(unsigned function, double x) {
  polyloom_print_begin();
  polyloom_add(polyloom_double(x));
  const union bits value = {polyloom_call(function, 0)};
  return value.number;
}

double tgamma(double x) { return of_real(POLYLOOM_C_tgamma, x); }
float tgammaf(float x) { return (float)of_real(POLYLOOM_C_tgammaf, x); }

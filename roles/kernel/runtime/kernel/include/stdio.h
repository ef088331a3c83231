/* SPDX-License-Identifier: Apache-2.0 */
/* Output of kernels. Formats are constants, and a call has at most 14 arguments. The manager formats, so only
 * it knows how many characters printf and fprintf write: who uses that number gets a type's name that says so
 * from the compiler. Input, files and formatting into buffers are for CPU ranks. */
#ifndef POLYLOOM_STDIO_H
#define POLYLOOM_STDIO_H

#include <stddef.h>

#include "polyloom_none.h"

typedef struct polyloom_file FILE;
#define stdout ((FILE*)1)
#define stderr ((FILE*)2)
#define EOF (-1)
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
#define BUFSIZ 1024

void polyloom_print_begin(void);
void polyloom_print_integer(long long value);
void polyloom_print_double(double value);
void polyloom_print_pointer(const void* value);
void polyloom_print_string(const char* value);
void polyloom_print_end(unsigned stream, const char* format);

struct printf_does_not_count_characters_on_an_FPGA {
  char none;
};

/* clang-format off */
#define POLYLOOM_PRINT_ARGUMENT(x)              \
  _Generic((x),                                 \
      float: polyloom_print_double,             \
      double: polyloom_print_double,            \
      char*: polyloom_print_string,             \
      const char*: polyloom_print_string,       \
      unsigned char*: polyloom_print_pointer,   \
      const unsigned char*: polyloom_print_pointer, \
      void*: polyloom_print_pointer,            \
      const void*: polyloom_print_pointer,      \
      default: polyloom_print_integer)(x);

#define POLYLOOM_EACH_0()
#define POLYLOOM_EACH_1(x) POLYLOOM_PRINT_ARGUMENT(x)
#define POLYLOOM_EACH_2(x, ...) POLYLOOM_PRINT_ARGUMENT(x) POLYLOOM_EACH_1(__VA_ARGS__)
#define POLYLOOM_EACH_3(x, ...) POLYLOOM_PRINT_ARGUMENT(x) POLYLOOM_EACH_2(__VA_ARGS__)
#define POLYLOOM_EACH_4(x, ...) POLYLOOM_PRINT_ARGUMENT(x) POLYLOOM_EACH_3(__VA_ARGS__)
#define POLYLOOM_EACH_5(x, ...) POLYLOOM_PRINT_ARGUMENT(x) POLYLOOM_EACH_4(__VA_ARGS__)
#define POLYLOOM_EACH_6(x, ...) POLYLOOM_PRINT_ARGUMENT(x) POLYLOOM_EACH_5(__VA_ARGS__)
#define POLYLOOM_EACH_7(x, ...) POLYLOOM_PRINT_ARGUMENT(x) POLYLOOM_EACH_6(__VA_ARGS__)
#define POLYLOOM_EACH_8(x, ...) POLYLOOM_PRINT_ARGUMENT(x) POLYLOOM_EACH_7(__VA_ARGS__)
#define POLYLOOM_EACH_9(x, ...) POLYLOOM_PRINT_ARGUMENT(x) POLYLOOM_EACH_8(__VA_ARGS__)
#define POLYLOOM_EACH_10(x, ...) POLYLOOM_PRINT_ARGUMENT(x) POLYLOOM_EACH_9(__VA_ARGS__)
#define POLYLOOM_EACH_11(x, ...) POLYLOOM_PRINT_ARGUMENT(x) POLYLOOM_EACH_10(__VA_ARGS__)
#define POLYLOOM_EACH_12(x, ...) POLYLOOM_PRINT_ARGUMENT(x) POLYLOOM_EACH_11(__VA_ARGS__)
#define POLYLOOM_EACH_13(x, ...) POLYLOOM_PRINT_ARGUMENT(x) POLYLOOM_EACH_12(__VA_ARGS__)
#define POLYLOOM_EACH_14(x, ...) POLYLOOM_PRINT_ARGUMENT(x) POLYLOOM_EACH_13(__VA_ARGS__)
#define POLYLOOM_PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, n, ...) n
#define POLYLOOM_COUNT(...) POLYLOOM_PICK(__VA_ARGS__, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
#define POLYLOOM_PASTE(a, b) a##b
#define POLYLOOM_EACH_OF(n) POLYLOOM_PASTE(POLYLOOM_EACH_, n)
#define POLYLOOM_EACH(...) __VA_OPT__(POLYLOOM_EACH_OF(POLYLOOM_COUNT(__VA_ARGS__))(__VA_ARGS__))
#define POLYLOOM_PRINT(stream, format, ...)                  \
  (__extension__({                                           \
    polyloom_print_begin();                                  \
    POLYLOOM_EACH(__VA_ARGS__)                               \
    polyloom_print_end((unsigned)(size_t)(stream), (format)); \
  }))
/* clang-format on */

/* clang-format off */
#define POLYLOOM_PRINTF(file, ...)                                          \
  (__extension__({                                                          \
    POLYLOOM_PRINT(file, __VA_ARGS__);                                      \
    const struct printf_does_not_count_characters_on_an_FPGA polyloom_count = {0}; \
    polyloom_count;                                                         \
  }))
/* The value of these is what C says: not negative, or the character. */
#define POLYLOOM_PUT(file, format, s)      \
  (__extension__({                         \
    POLYLOOM_PRINT(file, format, (s));     \
    1;                                     \
  }))
#define fputc(c, file)                               \
  (__extension__({                                   \
    const int polyloom_put = (unsigned char)(c);     \
    POLYLOOM_PRINT(file, "%c", polyloom_put);        \
    polyloom_put;                                    \
  }))
/* clang-format on */
#define printf(...) POLYLOOM_PRINTF(1, __VA_ARGS__)
#define fprintf(file, ...) POLYLOOM_PRINTF(file, __VA_ARGS__)
#define puts(s) POLYLOOM_PUT(1, "%s\n", s)
#define fputs(s, file) POLYLOOM_PUT(file, "%s", s)
#define putchar(c) fputc(c, stdout)
#define putc(c, file) fputc(c, file)
#define perror(s) POLYLOOM_PRINT(2, "%s\n", (s))

static inline int fflush(FILE* file) {
  (void)file;
  return 0;
}
static inline int setvbuf(FILE* file, char* buffer, int mode, size_t size) {
  (void)file, (void)buffer, (void)mode, (void)size;
  return 0;
}
static inline void setbuf(FILE* file, char* buffer) { (void)file, (void)buffer; }

POLYLOOM_NO_FUNCTION(scanf)
POLYLOOM_NO_FUNCTION(fscanf)
POLYLOOM_NO_FUNCTION(sscanf)
POLYLOOM_NO_FUNCTION(fgets)
POLYLOOM_NO_FUNCTION(getchar)
POLYLOOM_NO_FUNCTION(getc)
POLYLOOM_NO_FUNCTION(fgetc)
POLYLOOM_NO_FUNCTION(gets)
POLYLOOM_NO_FUNCTION(ungetc)
POLYLOOM_NO_FUNCTION(sprintf)
POLYLOOM_NO_FUNCTION(snprintf)
POLYLOOM_NO_FUNCTION(vprintf)
POLYLOOM_NO_FUNCTION(vfprintf)
POLYLOOM_NO_FUNCTION(vsprintf)
POLYLOOM_NO_FUNCTION(vsnprintf)
POLYLOOM_NO_FUNCTION(fopen)
POLYLOOM_NO_FUNCTION(freopen)
POLYLOOM_NO_FUNCTION(fclose)
POLYLOOM_NO_FUNCTION(fread)
POLYLOOM_NO_FUNCTION(fwrite)
POLYLOOM_NO_FUNCTION(fseek)
POLYLOOM_NO_FUNCTION(ftell)
POLYLOOM_NO_FUNCTION(rewind)
POLYLOOM_NO_FUNCTION(feof)
POLYLOOM_NO_FUNCTION(ferror)
POLYLOOM_NO_FUNCTION(clearerr)
POLYLOOM_NO_FUNCTION(remove)
POLYLOOM_NO_FUNCTION(rename)
POLYLOOM_NO_FUNCTION(tmpfile)
POLYLOOM_NO_FUNCTION(getline)

#endif

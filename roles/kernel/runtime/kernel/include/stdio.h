/* SPDX-License-Identifier: Apache-2.0 */
/* Output of kernels. Formats are constants, and a call has at most 14 arguments. The manager formats, so only
 * it knows how many characters printf and fprintf write: a rank that uses that number cannot be an FPGA.
 * Input, files and formatting into buffers are for CPU ranks. */
#ifndef POLYLOOM_STDIO_H
#define POLYLOOM_STDIO_H

#include <stddef.h>

#include "polyloom_none.h"

typedef struct polyloom_file FILE;
#define stdout ((FILE*)1)
#define stderr ((FILE*)2)
#define stdin ((FILE*)3)
#define EOF (-1)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
#define BUFSIZ 1024

void polyloom_print_begin(void);
void polyloom_print_integer(long long value);
void polyloom_print_double(double value);
void polyloom_print_pointer(const void* value);
void polyloom_print_string(const char* value);
static inline void polyloom_print_bytes(const void* value) { polyloom_print_string((const char*)value); }
void polyloom_print_end(unsigned stream, const char* format);

POLYLOOM_NOT_HERE_AS(
    "the number of characters that printf returns is not known to an FPGA kernel; ignore it there")
__attribute__((const)) int polyloom_print_count(void);
POLYLOOM_NOT_HERE_AS(
    "a print of an FPGA kernel has at most 14 arguments after its format; print them by several calls")
void polyloom_print_too_many(void);

/* clang-format off */
#define POLYLOOM_PRINT_ARGUMENT(x)              \
  _Generic((x),                                 \
      float: polyloom_print_double,             \
      double: polyloom_print_double,            \
      char*: polyloom_print_string,             \
      const char*: polyloom_print_string,       \
      signed char*: polyloom_print_bytes,       \
      const signed char*: polyloom_print_bytes, \
      unsigned char*: polyloom_print_bytes,     \
      const unsigned char*: polyloom_print_bytes, \
      void*: polyloom_print_pointer,            \
      const void*: polyloom_print_pointer,      \
      default: polyloom_print_integer)(x);

/* Each hands the rest on to the next one, as a macro does not expand itself. */
#define POLYLOOM_EACH(...) __VA_OPT__(POLYLOOM_EACH_1(__VA_ARGS__))
#define POLYLOOM_EACH_1(x, ...) POLYLOOM_PRINT_ARGUMENT(x) __VA_OPT__(POLYLOOM_EACH_2(__VA_ARGS__))
#define POLYLOOM_EACH_2(x, ...) POLYLOOM_PRINT_ARGUMENT(x) __VA_OPT__(POLYLOOM_EACH_3(__VA_ARGS__))
#define POLYLOOM_EACH_3(x, ...) POLYLOOM_PRINT_ARGUMENT(x) __VA_OPT__(POLYLOOM_EACH_4(__VA_ARGS__))
#define POLYLOOM_EACH_4(x, ...) POLYLOOM_PRINT_ARGUMENT(x) __VA_OPT__(POLYLOOM_EACH_5(__VA_ARGS__))
#define POLYLOOM_EACH_5(x, ...) POLYLOOM_PRINT_ARGUMENT(x) __VA_OPT__(POLYLOOM_EACH_6(__VA_ARGS__))
#define POLYLOOM_EACH_6(x, ...) POLYLOOM_PRINT_ARGUMENT(x) __VA_OPT__(POLYLOOM_EACH_7(__VA_ARGS__))
#define POLYLOOM_EACH_7(x, ...) POLYLOOM_PRINT_ARGUMENT(x) __VA_OPT__(POLYLOOM_EACH_8(__VA_ARGS__))
#define POLYLOOM_EACH_8(x, ...) POLYLOOM_PRINT_ARGUMENT(x) __VA_OPT__(POLYLOOM_EACH_9(__VA_ARGS__))
#define POLYLOOM_EACH_9(x, ...) POLYLOOM_PRINT_ARGUMENT(x) __VA_OPT__(POLYLOOM_EACH_10(__VA_ARGS__))
#define POLYLOOM_EACH_10(x, ...) POLYLOOM_PRINT_ARGUMENT(x) __VA_OPT__(POLYLOOM_EACH_11(__VA_ARGS__))
#define POLYLOOM_EACH_11(x, ...) POLYLOOM_PRINT_ARGUMENT(x) __VA_OPT__(POLYLOOM_EACH_12(__VA_ARGS__))
#define POLYLOOM_EACH_12(x, ...) POLYLOOM_PRINT_ARGUMENT(x) __VA_OPT__(POLYLOOM_EACH_13(__VA_ARGS__))
#define POLYLOOM_EACH_13(x, ...) POLYLOOM_PRINT_ARGUMENT(x) __VA_OPT__(POLYLOOM_EACH_14(__VA_ARGS__))
#define POLYLOOM_EACH_14(x, ...) POLYLOOM_PRINT_ARGUMENT(x) __VA_OPT__(POLYLOOM_EACH_15(__VA_ARGS__))
#define POLYLOOM_EACH_15(...) polyloom_print_too_many();
#define POLYLOOM_PRINT(stream, format, ...)                  \
  (__extension__({                                           \
    polyloom_print_begin();                                  \
    POLYLOOM_EACH(__VA_ARGS__)                               \
    polyloom_print_end((unsigned)(size_t)(stream), (format)); \
  }))
/* clang-format on */

/* clang-format off */
#define POLYLOOM_PRINTF(file, ...)     \
  (__extension__({                     \
    POLYLOOM_PRINT(file, __VA_ARGS__); \
    polyloom_print_count();            \
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

POLYLOOM_NOT_HERE(scanf) int scanf(const char* format, ...);
POLYLOOM_NOT_HERE(fscanf) int fscanf(FILE* file, const char* format, ...);
POLYLOOM_NOT_HERE(sscanf) int sscanf(const char* text, const char* format, ...);
POLYLOOM_NOT_HERE(vscanf) int vscanf(const char* format, __builtin_va_list arguments);
POLYLOOM_NOT_HERE(vfscanf) int vfscanf(FILE* file, const char* format, __builtin_va_list arguments);
POLYLOOM_NOT_HERE(vsscanf) int vsscanf(const char* text, const char* format, __builtin_va_list arguments);
POLYLOOM_NOT_HERE(fgets) char* fgets(char* into, int most, FILE* file);
POLYLOOM_NOT_HERE(getchar) int getchar(void);
POLYLOOM_NOT_HERE(getc) int getc(FILE* file);
POLYLOOM_NOT_HERE(fgetc) int fgetc(FILE* file);
POLYLOOM_NOT_HERE(gets) char* gets(char* into);
POLYLOOM_NOT_HERE(ungetc) int ungetc(int c, FILE* file);
POLYLOOM_NOT_HERE(sprintf) int sprintf(char* into, const char* format, ...);
POLYLOOM_NOT_HERE(snprintf) int snprintf(char* into, size_t most, const char* format, ...);
POLYLOOM_NOT_HERE(vprintf) int vprintf(const char* format, __builtin_va_list arguments);
POLYLOOM_NOT_HERE(vfprintf) int vfprintf(FILE* file, const char* format, __builtin_va_list arguments);
POLYLOOM_NOT_HERE(vsprintf) int vsprintf(char* into, const char* format, __builtin_va_list arguments);
POLYLOOM_NOT_HERE(vsnprintf)
int vsnprintf(char* into, size_t most, const char* format, __builtin_va_list arguments);
POLYLOOM_NOT_HERE(fopen) FILE* fopen(const char* name, const char* mode);
POLYLOOM_NOT_HERE(freopen) FILE* freopen(const char* name, const char* mode, FILE* file);
POLYLOOM_NOT_HERE(fdopen) FILE* fdopen(int descriptor, const char* mode);
POLYLOOM_NOT_HERE(fclose) int fclose(FILE* file);
POLYLOOM_NOT_HERE(fread) size_t fread(void* into, size_t size, size_t count, FILE* file);
POLYLOOM_NOT_HERE(fwrite) size_t fwrite(const void* from, size_t size, size_t count, FILE* file);
POLYLOOM_NOT_HERE(fseek) int fseek(FILE* file, long offset, int from);
POLYLOOM_NOT_HERE(ftell) long ftell(FILE* file);
POLYLOOM_NOT_HERE(rewind) void rewind(FILE* file);
POLYLOOM_NOT_HERE(feof) int feof(FILE* file);
POLYLOOM_NOT_HERE(ferror) int ferror(FILE* file);
POLYLOOM_NOT_HERE(clearerr) void clearerr(FILE* file);
POLYLOOM_NOT_HERE(fileno) int fileno(FILE* file);
POLYLOOM_NOT_HERE(remove) int remove(const char* name);
POLYLOOM_NOT_HERE(rename) int rename(const char* from, const char* to);
POLYLOOM_NOT_HERE(tmpfile) FILE* tmpfile(void);
POLYLOOM_NOT_HERE(popen) FILE* popen(const char* command, const char* mode);
POLYLOOM_NOT_HERE(pclose) int pclose(FILE* file);
POLYLOOM_NOT_HERE(getline) long getline(char** line, size_t* size, FILE* file);

#endif

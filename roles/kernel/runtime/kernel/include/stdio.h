/* SPDX-License-Identifier: Apache-2.0 */
/* Output of kernels. A call has at most 14 arguments. The manager formats, so only
 * it knows how many characters printf and fprintf write: a rank that uses that number cannot be an FPGA.
 * Input, files and formatting into buffers are for CPU ranks. */
#ifndef POLYLOOM_STDIO_H
#define POLYLOOM_STDIO_H

#include <stddef.h>

#include "../../wire/system.h"
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

/* An argument of a print. All of a call are computed before the first goes to the record: what computes one
 * may print itself. */
struct polyloom_argument {
  unsigned kind;           /* enum polyloom_print_kind */
  unsigned long long word; /* its bits; of a long double the lower ones */
  unsigned long long high;
  const char* text;
  size_t limit; /* bytes from there to the end of the array, so that %.3s needs no zero behind it */
};

void polyloom_print_begin(void);
void polyloom_print_word(unsigned kind, unsigned long long word);
void polyloom_print_more(unsigned long long word);
void polyloom_print_string(const char* text, size_t limit);
/* Without a format, the first argument is its text. */
void polyloom_print_end(unsigned stream, const char* format);

POLYLOOM_NOT_HERE_AS(
    "the number of characters that printf returns is not known to an FPGA kernel; ignore it there")
__attribute__((const)) int polyloom_print_count(void);
POLYLOOM_NOT_HERE_AS(
    "a print of an FPGA kernel has at most 14 arguments after its format; print them by several calls")
void polyloom_print_too_many(void);

#define POLYLOOM_INLINE static inline __attribute__((always_inline))
POLYLOOM_INLINE struct polyloom_argument polyloom_integer(long long value) {
  return (struct polyloom_argument){.kind = POLYLOOM_PRINT_INTEGER, .word = (unsigned long long)value};
}
POLYLOOM_INLINE struct polyloom_argument polyloom_pointer(const volatile void* value) {
  return (struct polyloom_argument){.kind = POLYLOOM_PRINT_POINTER, .word = (size_t)value};
}
POLYLOOM_INLINE struct polyloom_argument polyloom_double(double value) {
  const union {
    double number;
    unsigned long long bits;
  } u = {value};
  return (struct polyloom_argument){.kind = POLYLOOM_PRINT_DOUBLE, .word = u.bits};
}
/* There is no arithmetic of long double: it is a constant, or a double or float made longer. */
POLYLOOM_INLINE struct polyloom_argument polyloom_long_double(long double value) {
#if __LDBL_MANT_DIG__ == 113
  if (!((double)value == value || value != value)) {
    const union {
      long double number;
      unsigned long long bits[2];
    } u = {value};
    return (struct polyloom_argument){.kind = POLYLOOM_PRINT_QUAD, .word = u.bits[0], .high = u.bits[1]};
  }
#endif
  return polyloom_double((double)value);
}
POLYLOOM_INLINE struct polyloom_argument polyloom_string(const char* value) {
  return (struct polyloom_argument){
      .kind = POLYLOOM_PRINT_STRING, .text = value, .limit = __builtin_dynamic_object_size(value, 0)};
}
POLYLOOM_INLINE struct polyloom_argument polyloom_bytes(const void* value) {
  return polyloom_string((const char*)value);
}
POLYLOOM_INLINE void polyloom_add(struct polyloom_argument a) {
  if (a.kind == POLYLOOM_PRINT_STRING) {
    polyloom_print_string(a.text, a.limit);
  } else {
    polyloom_print_word(a.kind, a.word);
    if (a.kind == POLYLOOM_PRINT_QUAD) polyloom_print_more(a.high);
  }
}

/* clang-format off */
#define POLYLOOM_ARGUMENT(x)             \
  _Generic((x),                          \
      float: polyloom_double,            \
      double: polyloom_double,           \
      long double: polyloom_long_double, \
      char*: polyloom_string,            \
      const char*: polyloom_string,      \
      signed char*: polyloom_bytes,      \
      const signed char*: polyloom_bytes, \
      unsigned char*: polyloom_bytes,    \
      const unsigned char*: polyloom_bytes, \
      default: __builtin_choose_expr(__builtin_classify_type(x) == POLYLOOM_POINTER_CLASS, polyloom_pointer, \
                                     polyloom_integer))(x)
#define POLYLOOM_POINTER_CLASS 5 /* as the compiler numbers kinds of types */
#define POLYLOOM_TAKE(n, x) const struct polyloom_argument polyloom_##n = POLYLOOM_ARGUMENT(x);
#define POLYLOOM_ADD(n, x) polyloom_add(polyloom_##n);

/* Does something with each of the arguments; each hands the rest on to the next one, as a macro does not expand
 * itself. */
#define POLYLOOM_EACH(does, ...) __VA_OPT__(POLYLOOM_EACH_1(does, __VA_ARGS__))
#define POLYLOOM_EACH_1(does, x, ...) does(1, x) __VA_OPT__(POLYLOOM_EACH_2(does, __VA_ARGS__))
#define POLYLOOM_EACH_2(does, x, ...) does(2, x) __VA_OPT__(POLYLOOM_EACH_3(does, __VA_ARGS__))
#define POLYLOOM_EACH_3(does, x, ...) does(3, x) __VA_OPT__(POLYLOOM_EACH_4(does, __VA_ARGS__))
#define POLYLOOM_EACH_4(does, x, ...) does(4, x) __VA_OPT__(POLYLOOM_EACH_5(does, __VA_ARGS__))
#define POLYLOOM_EACH_5(does, x, ...) does(5, x) __VA_OPT__(POLYLOOM_EACH_6(does, __VA_ARGS__))
#define POLYLOOM_EACH_6(does, x, ...) does(6, x) __VA_OPT__(POLYLOOM_EACH_7(does, __VA_ARGS__))
#define POLYLOOM_EACH_7(does, x, ...) does(7, x) __VA_OPT__(POLYLOOM_EACH_8(does, __VA_ARGS__))
#define POLYLOOM_EACH_8(does, x, ...) does(8, x) __VA_OPT__(POLYLOOM_EACH_9(does, __VA_ARGS__))
#define POLYLOOM_EACH_9(does, x, ...) does(9, x) __VA_OPT__(POLYLOOM_EACH_10(does, __VA_ARGS__))
#define POLYLOOM_EACH_10(does, x, ...) does(10, x) __VA_OPT__(POLYLOOM_EACH_11(does, __VA_ARGS__))
#define POLYLOOM_EACH_11(does, x, ...) does(11, x) __VA_OPT__(POLYLOOM_EACH_12(does, __VA_ARGS__))
#define POLYLOOM_EACH_12(does, x, ...) does(12, x) __VA_OPT__(POLYLOOM_EACH_13(does, __VA_ARGS__))
#define POLYLOOM_EACH_13(does, x, ...) does(13, x) __VA_OPT__(POLYLOOM_EACH_14(does, __VA_ARGS__))
#define POLYLOOM_EACH_14(does, x, ...) does(14, x) __VA_OPT__(POLYLOOM_EACH_15(does, __VA_ARGS__))
#define POLYLOOM_EACH_15(...) polyloom_print_too_many();

/* The manager knows the text of a literal by its address; that of any other format goes with the record. */
#define POLYLOOM_IS_LITERAL(format) \
  (__builtin_constant_p(format) && sizeof(format) == __builtin_strlen(format) + 1)
#define POLYLOOM_PRINT(stream, format, ...)                                   \
  (__extension__({                                                            \
    const unsigned polyloom_stream = (unsigned)(size_t)(stream);              \
    const char* const polyloom_format = (format);                             \
    POLYLOOM_EACH(POLYLOOM_TAKE, __VA_ARGS__)                                 \
    polyloom_print_begin();                                                   \
    if (!POLYLOOM_IS_LITERAL(format)) polyloom_add(polyloom_string(polyloom_format)); \
    POLYLOOM_EACH(POLYLOOM_ADD, __VA_ARGS__)                                  \
    polyloom_print_end(polyloom_stream, POLYLOOM_IS_LITERAL(format) ? polyloom_format : 0); \
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

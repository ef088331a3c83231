/* SPDX-License-Identifier: Apache-2.0 */
/* The manager formats, reads text and has the files. A print goes to it without a response; what printf
 * returns is asked for where it is used. */
#ifndef POLYLOOM_STDIO_H
#define POLYLOOM_STDIO_H

#include <stddef.h>
#include <sys/types.h>

#include "../../../arch/system.h"
#include "errno.h"
#include "polyloom_none.h"

typedef struct polyloom_file FILE;
typedef long fpos_t;
#define stdout ((FILE*)POLYLOOM_STDOUT)
#define stderr ((FILE*)POLYLOOM_STDERR)
#define stdin ((FILE*)POLYLOOM_STDIN)
#define EOF (-1)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define FOPEN_MAX 16
#define L_tmpnam 20
#define TMP_MAX 238328

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

/* Sends the first arguments of a record that has more than 14. */
void polyloom_print_split(void);

/* Instead of print_end: a call of the manager's C library. Returns its value and sets errno; then come the
 * parts of the response in their order, which the kernel takes all. */
long polyloom_call(unsigned function, const char* format);
unsigned polyloom_call_bytes(unsigned part);
void polyloom_call_take(unsigned part, void* into);
/* What the last print has returned; pure, so that it is not requested where it is not used. */
__attribute__((pure)) int polyloom_print_count(void);
POLYLOOM_NOT_HERE_AS("an FPGA kernel prints and scans at most 30 arguments by a call; use several calls")
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
#define POLYLOOM_ADD(n, x) \
  if ((n) == 15 || (n) == 29) polyloom_print_split(); \
  polyloom_add(polyloom_##n);

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
#define POLYLOOM_EACH_15(does, x, ...) does(15, x) __VA_OPT__(POLYLOOM_EACH_16(does, __VA_ARGS__))
#define POLYLOOM_EACH_16(does, x, ...) does(16, x) __VA_OPT__(POLYLOOM_EACH_17(does, __VA_ARGS__))
#define POLYLOOM_EACH_17(does, x, ...) does(17, x) __VA_OPT__(POLYLOOM_EACH_18(does, __VA_ARGS__))
#define POLYLOOM_EACH_18(does, x, ...) does(18, x) __VA_OPT__(POLYLOOM_EACH_19(does, __VA_ARGS__))
#define POLYLOOM_EACH_19(does, x, ...) does(19, x) __VA_OPT__(POLYLOOM_EACH_20(does, __VA_ARGS__))
#define POLYLOOM_EACH_20(does, x, ...) does(20, x) __VA_OPT__(POLYLOOM_EACH_21(does, __VA_ARGS__))
#define POLYLOOM_EACH_21(does, x, ...) does(21, x) __VA_OPT__(POLYLOOM_EACH_22(does, __VA_ARGS__))
#define POLYLOOM_EACH_22(does, x, ...) does(22, x) __VA_OPT__(POLYLOOM_EACH_23(does, __VA_ARGS__))
#define POLYLOOM_EACH_23(does, x, ...) does(23, x) __VA_OPT__(POLYLOOM_EACH_24(does, __VA_ARGS__))
#define POLYLOOM_EACH_24(does, x, ...) does(24, x) __VA_OPT__(POLYLOOM_EACH_25(does, __VA_ARGS__))
#define POLYLOOM_EACH_25(does, x, ...) does(25, x) __VA_OPT__(POLYLOOM_EACH_26(does, __VA_ARGS__))
#define POLYLOOM_EACH_26(does, x, ...) does(26, x) __VA_OPT__(POLYLOOM_EACH_27(does, __VA_ARGS__))
#define POLYLOOM_EACH_27(does, x, ...) does(27, x) __VA_OPT__(POLYLOOM_EACH_28(does, __VA_ARGS__))
#define POLYLOOM_EACH_28(does, x, ...) does(28, x) __VA_OPT__(POLYLOOM_EACH_29(does, __VA_ARGS__))
#define POLYLOOM_EACH_29(does, x, ...) does(29, x) __VA_OPT__(POLYLOOM_EACH_30(does, __VA_ARGS__))
#define POLYLOOM_EACH_30(does, x, ...) does(30, x) __VA_OPT__(POLYLOOM_EACH_31(does, __VA_ARGS__))
#define POLYLOOM_EACH_31(...) polyloom_print_too_many();

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
#define perror(s) POLYLOOM_PRINT(2, "%s: %m\n", (s), errno)

/* Into memory; `most` bytes at most. */
/* clang-format off */
#define POLYLOOM_FORMAT(into, most, format, ...)                              \
  (__extension__({                                                            \
    char* const polyloom_into = (into);                                       \
    const size_t polyloom_most = (most);                                      \
    const char* const polyloom_format = (format);                             \
    POLYLOOM_EACH(POLYLOOM_TAKE, __VA_ARGS__)                                 \
    polyloom_print_begin();                                                   \
    if (!POLYLOOM_IS_LITERAL(format)) polyloom_add(polyloom_string(polyloom_format)); \
    polyloom_add(polyloom_integer((long long)polyloom_most));                 \
    POLYLOOM_EACH(POLYLOOM_ADD, __VA_ARGS__)                                  \
    const int polyloom_value =                                                \
        (int)polyloom_call(POLYLOOM_C_snprintf, POLYLOOM_IS_LITERAL(format) ? polyloom_format : 0); \
    polyloom_call_take(0, polyloom_into);                                     \
    polyloom_value;                                                           \
  }))
#define snprintf(into, most, ...) POLYLOOM_FORMAT(into, most, __VA_ARGS__)
#define sprintf(into, ...) POLYLOOM_FORMAT(into, ~(size_t)0 >> 1, __VA_ARGS__)

/* The arguments as memory has them: kinds are those that the format names. */
void polyloom_print_list(const char* format, __builtin_va_list list);
#define vfprintf(file, format, list)                       \
  (__extension__({                                         \
    const unsigned polyloom_stream = (unsigned)(size_t)(file); \
    const char* const polyloom_format = (format);          \
    polyloom_print_begin();                                \
    polyloom_add(polyloom_string(polyloom_format));        \
    polyloom_print_list(polyloom_format, list);            \
    polyloom_print_end(polyloom_stream, 0);                \
    polyloom_print_count();                                \
  }))
#define vprintf(format, list) vfprintf(stdout, format, list)
#define vsnprintf(into, most, format, list)                \
  (__extension__({                                         \
    char* const polyloom_into = (into);                    \
    const size_t polyloom_most = (most);                   \
    const char* const polyloom_format = (format);          \
    polyloom_print_begin();                                \
    polyloom_add(polyloom_string(polyloom_format));        \
    polyloom_add(polyloom_integer((long long)polyloom_most)); \
    polyloom_print_list(polyloom_format, list);            \
    const int polyloom_value = (int)polyloom_call(POLYLOOM_C_snprintf, 0); \
    polyloom_call_take(0, polyloom_into);                  \
    polyloom_value;                                        \
  }))
#define vsprintf(into, format, list) vsnprintf(into, ~(size_t)0 >> 1, format, list)

/* From text or a file; each part of the response goes where it belongs. */
#define POLYLOOM_TAKE_PLACE(n, x) void* const polyloom_##n = (void*)(x);
#define POLYLOOM_COUNT(n, x) + 1
#define POLYLOOM_TAKE_PART(n, x) polyloom_call_take((n) - 1, polyloom_##n);
#define POLYLOOM_SCAN(function, source, format, ...)                          \
  (__extension__({                                                            \
    const struct polyloom_argument polyloom_source = (source);                \
    const char* const polyloom_format = (format);                             \
    POLYLOOM_EACH(POLYLOOM_TAKE_PLACE, __VA_ARGS__)                           \
    polyloom_print_begin();                                                   \
    if (!POLYLOOM_IS_LITERAL(format)) polyloom_add(polyloom_string(polyloom_format)); \
    polyloom_add(polyloom_source);                                            \
    polyloom_add(polyloom_integer(0 POLYLOOM_EACH(POLYLOOM_COUNT, __VA_ARGS__))); \
    const int polyloom_value = (int)polyloom_call(function, POLYLOOM_IS_LITERAL(format) ? polyloom_format : 0); \
    POLYLOOM_EACH(POLYLOOM_TAKE_PART, __VA_ARGS__)                            \
    polyloom_value;                                                           \
  }))
/* clang-format on */
#define sscanf(text, ...) POLYLOOM_SCAN(POLYLOOM_C_sscanf, polyloom_string(text), __VA_ARGS__)
#define fscanf(file, ...) POLYLOOM_SCAN(POLYLOOM_C_fscanf, polyloom_integer((long long)(file)), __VA_ARGS__)
#define scanf(...) fscanf(stdin, __VA_ARGS__)

/* Of the host, in the job's working directory. Prints into a file wait for nothing, the rest for the response.
 */
FILE* fopen(const char* name, const char* mode);
FILE* tmpfile(void);
int fclose(FILE* file);
size_t fread(void* into, size_t size, size_t count, FILE* file);
size_t fwrite(const void* from, size_t size, size_t count, FILE* file);
char* fgets(char* into, int most, FILE* file);
ssize_t getline(char** line, size_t* size, FILE* file);
int fgetc(FILE* file);
int ungetc(int c, FILE* file);
int fseek(FILE* file, long offset, int from);
long ftell(FILE* file);
int feof(FILE* file);
int ferror(FILE* file);
void clearerr(FILE* file);
int remove(const char* name);
int rename(const char* from, const char* to);
#define getc(file) fgetc(file)
#define getchar() fgetc(stdin)
#define fseeko(file, offset, from) fseek(file, offset, from)
#define ftello(file) ftell(file)
static inline void rewind(FILE* file) {
  fseek(file, 0, SEEK_SET);
  clearerr(file);
}
static inline int fgetpos(FILE* file, fpos_t* into) { return (*into = ftell(file)) < 0 ? -1 : 0; }
static inline int fsetpos(FILE* file, const fpos_t* place) { return fseek(file, *place, SEEK_SET); }
/* What is printed goes on its way at once; a file is asked whether all has come. */
static inline int fflush(FILE* file) { return (size_t)file > POLYLOOM_STDIN && ferror(file) ? EOF : 0; }
static inline int setvbuf(FILE* file, char* buffer, int mode, size_t size) {
  (void)file, (void)buffer, (void)mode, (void)size;
  return 0;
}
static inline void setbuf(FILE* file, char* buffer) { (void)file, (void)buffer; }

POLYLOOM_NOT_HERE(vscanf) int vscanf(const char* format, __builtin_va_list arguments);
POLYLOOM_NOT_HERE(vfscanf) int vfscanf(FILE* file, const char* format, __builtin_va_list arguments);
POLYLOOM_NOT_HERE(vsscanf) int vsscanf(const char* text, const char* format, __builtin_va_list arguments);
POLYLOOM_NOT_HERE(asprintf) int asprintf(char** into, const char* format, ...);
POLYLOOM_NOT_HERE(gets) char* gets(char* into);
POLYLOOM_NOT_HERE(freopen) FILE* freopen(const char* name, const char* mode, FILE* file);
POLYLOOM_NOT_HERE(fdopen) FILE* fdopen(int descriptor, const char* mode);
POLYLOOM_NOT_HERE(fileno) int fileno(FILE* file);
POLYLOOM_NOT_HERE(tmpnam) char* tmpnam(char* into);
POLYLOOM_NOT_HERE(popen) FILE* popen(const char* command, const char* mode);
POLYLOOM_NOT_HERE(pclose) int pclose(FILE* file);

#endif

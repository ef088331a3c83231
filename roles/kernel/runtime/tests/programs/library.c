/* SPDX-License-Identifier: Apache-2.0 */
/* Covers: what a kernel's C library has, printed; the same program with the machine's own library says what
 * is right. Leaves out: time. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void numbers(void) {
  static const char* const texts[] = {
      "0", "12", "-34", " +56x", "0x1F", "077", "99999999999999999999", "-99999999999999999999", "", "z"};
  for (int i = 0; i < 10; i++) {
    char* end;
    const long value = strtol(texts[i], &end, i % 2 ? 0 : 10);
    printf("%s: %ld, rest %s, %d\n", texts[i], value, end, atoi(texts[i]) == (int)strtol(texts[i], NULL, 10));
  }
  for (int i = 0; i < 5; i++) printf("%d ", rand());
  srand(42);
  for (int i = 0; i < 40; i++) printf("%d%c", rand() % 1000, i % 20 == 19 ? '\n' : ' ');
  printf("%d %ld %d %d\n", abs(-3), labs(-4l), div(17, 5).quot, div(-17, 5).rem);
}

static void strings(void) {
  char a[64] = "polyloom", b[64], c[16];
  strcpy(b, a);
  strcat(b, " weaves");
  strncpy(c, b, 15);
  c[15] = 0;
  printf("%s %s %lu %d %d %d\n", b, c, (unsigned long)strlen(b), strcmp(a, b) < 0, strncmp(a, b, 8),
         strcmp(b, a) > 0);
  memmove(b + 2, b, 10);
  printf("%s %s %d\n", b, strchr(a, 'l'), memcmp(a, "polylooM", 8) > 0);
  memset(b, 'x', 5);
  printf("%.8s|%10.3s|%-6s|%c%c\n", b, a, "ab", 'o', 'k');
}

static void long_texts(void) {
  static char text[5000];
  static unsigned char octets[3001];
  for (int i = 0; i < 4999; i++) text[i] = (char)('a' + i % 26);
  for (int i = 0; i < 3000; i++) octets[i] = (unsigned char)('A' + i % 23);
  printf("%d %s %s %d %s %.1f\n", 1, text, octets, 2, text + 4990, 3.5);
  printf("%2$s %1$d %2$.3s\n", 5, (const unsigned char*)"octets");
}

static int calls;
static int twice(int x) {
  printf("twice %d\n", x);
  calls++;
  return 2 * x;
}
static double next(void) { return 1.5 * ++calls; }
static const char* chosen(int which) {
  puts("chosen");
  return which ? "one %d\n" : "none %d\n";
}
static void through(const char* format, int value, const char* text) { printf(format, value, text); }

/* Prints inside the arguments of prints. */
static void nested(int three) {
  printf("result %d\n", twice(three));
  printf("%d, %s, %d\n", 7, "text", twice(twice(three)));
  fprintf((puts("where"), stdout), "late %d\n", three);
  printf(chosen(three), three);
  printf("%c\n", putchar('p'));
}

/* Formats that are no literals, and strings without a zero at their end. */
static void formats(int three) {
  static const char padded[16] = "padded %d\n", rows[2][12] = {"row 0 %d\n", "row 1 %d\n"};
  static const char* const table[] = {"%d first %s\n", "%d second %s\n"};
  static char plain[] = "plain %d\n", four[4] = {'a', 'b', 'c', 'd'};
  char local[16], text[8];
  printf(padded, three);
  printf(plain, three);
  plain[0] = 'b';
  printf(plain, three);
  printf(rows[three & 1], three);
  printf(three > 5 ? "big %d\n" : "small %d\n", three);
  through("%d through %s\n", three, "a function");
  for (int i = 0; i < 2; i++) through(table[i], i, local == text ? "" : "a table");
  for (int i = 0; i < 11; i++) local[i] = "local %hhd\n"[i];
  local[11] = 0;
  printf(local, three + 300);
  strcpy(text, "ahoi\n");
  printf(text);
  printf("%.4s|%.*s|%-6.2s|%s\n", four, three, four, four + 1, (const char*)0);
  printf("%.3Lf %Le %Lg %La\n", (long double)1.5, (long double)(three * 0.25), (long double)0.5f, 2.5L);
  printf("%2$d %1$*3$d|%%|\n", three, three * 7, 4);
  printf("cut\0off %d\n", three);
  printf(&"behind %d\n"[3], three);
}

static void blocks(void) {
  int* many[20];
  unsigned sum = 0;
  for (int i = 0; i < 20; i++) {
    many[i] = malloc((size_t)(i * 100 + 1) * sizeof(int));
    for (int k = 0; k <= i * 100; k++) many[i][k] = i * k;
  }
  for (int i = 0; i < 20; i += 2) free(many[i]);
  for (int i = 0; i < 20; i += 2) {
    many[i] = calloc((size_t)(i * 50 + 1), sizeof(int));
    for (int k = 0; k <= i * 50; k++) sum += (unsigned)many[i][k] != 0;
  }
  for (int i = 1; i < 20; i += 2) {
    many[i] = realloc(many[i], (size_t)(i * 300 + 1) * sizeof(int));
    for (int k = 0; k <= i * 100; k++) sum += (unsigned)many[i][k];
  }
  for (int i = 19; i >= 0; i--) free(many[i]);
  printf("blocks: %u, too much %d\n", sum, malloc((size_t)1 << 62) == NULL);
}

static void reals(void) {
  static const double x[] = {0.0,   -0.0,  0.5,   -0.5, 1.5, 2.5, -2.5, 1e15 + 0.5, 4503599627370495.5,
                             1e300, -7.25, 1e-310};
  for (int i = 0; i < 12; i++) {
    printf("%g: %g %g %g %g %g\n", x[i], floor(x[i]), ceil(x[i]), round(x[i]), trunc(x[i]), fabs(x[i]));
    printf("%a %a %a\n", sqrt(fabs(x[i])), fmax(x[i], 0.1), fmin(x[i], 0.1));
    for (int k = 1; k < 12; k++) printf("%a ", x[k] == 0 ? 0 : fmod(x[i], x[k]));
    printf("\n");
  }
  calls = 0;
  const int nan = isnan(next()), infinite = isinf(next()), finite = isfinite((float)next());
  printf("%d %d %d after %d\n", nan, infinite, finite, calls);
  printf("%d %d %d %d\n", isnan(NAN) != 0, isinf(-INFINITY), isfinite(1.0) != 0, isnan(next() - next()));
  printf("%d %d %d %d\n", signbit(-0.0) != 0, signbit(1.0f) != 0, isinf((float)HUGE_VAL), isfinite(NAN));
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("arguments:");
  for (int i = 1; i < argc; i++) printf(" [%s]", argv[i]);
  printf("\n");
  numbers();
  strings();
  long_texts();
  nested(argc - 1);
  formats(argc - 1);
  blocks();
  reals();
  printf("%d %u %x %ld %lu %lld %hd %hhu %5.2f %e %c %p %%\n", -1, 4000000000u, 255, -5l, 5ul, -7ll,
         (short)-3, (unsigned char)200, 3.14159, 1e-7, 'c', (void*)0x1234);
  printf("%" PRId64 " %" PRIu32 " %zu %d %f\n", INT64_MIN, UINT32_MAX, sizeof(long), true, (double)1.5f);
  puts("a line");
  const int put = putchar(putchar('!') + 1), line = puts(" (both)"), error = fputs("", stdout);
  printf("%d %d %d\n", put, line >= 0, error >= 0);
  fprintf(stderr, "to stderr %d\n", 2);
  assert(argc >= 1);
  MPI_Finalize();
  return 3;
}

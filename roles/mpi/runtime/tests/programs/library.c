/* SPDX-License-Identifier: Apache-2.0 */
/* Covers: what a kernel's C library has, printed; the same program with the machine's own library says what
 * is right. Leaves out: time. */
#include <assert.h>
#include <complex.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

static int calls;

static void numbers(void) {
  static const char* const texts[] = {
      "0", "12", "-34", " +56x", "0x1F", "077", "99999999999999999999", "-99999999999999999999", "", "z"};
  for (int i = 0; i < 10; i++) {
    char* end;
    errno = 0;
    const long value = strtol(texts[i], &end, i % 2 ? 0 : 10);
    printf("%s: %ld, rest %s, %d, %d\n", texts[i], value, end, errno == ERANGE,
           atoi(texts[i]) == (int)strtol(texts[i], NULL, 10));
  }
  for (int i = 0; i < 5; i++) printf("%d ", rand());
  srand(42);
  for (int i = 0; i < 40; i++) printf("%d%c", rand() % 1000, i % 20 == 19 ? '\n' : ' ');
  unsigned seed = 9;
  unsigned short state[3] = {1, 2, 3};
  srandom(7);
  srand48(5);
  for (int i = 0; i < 6; i++) {
    printf("%ld %d ", random(), rand_r(&seed));
    printf("%.17g ", drand48());
    printf("%.17g ", erand48(state));
    printf("%ld\n", i % 2 ? lrand48() : mrand48());
  }
  printf("%lld %llu %ld %ld\n", strtoll("-101", NULL, 2), strtoull("zz", NULL, 36), ldiv(-17, 5).rem,
         (long)imaxdiv(17, 5).quot);
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

static void more_strings(const char* none) {
  char line[] = " one, two,,three ", text[64] = "a", *rest, *word;
  for (word = strtok(line, " ,"); word != NULL; word = strtok(NULL, " ,")) printf("<%s>", word);
  char path[] = "/usr//bin", fields[] = "a;;b", *all = fields;
  while ((word = strsep(&all, ";")) != NULL) printf("<%s>", word);
  printf("%s %d", text, (int)(stpcpy(text, "stp") - text));
  for (word = strtok_r(path, "/", &rest); word; word = strtok_r(NULL, "/", &rest)) printf("<%s>", word);
  printf("\n%s %d %s %d\n", strstr("find the needle", "nee"), strstr("abc", "cd") == none, strstr("ab", ""),
         strrchr("abc", 'd') == none);
  printf("%s %s %s\n", strrchr("a/b/c", '/'), strpbrk("hello", "xl"), (char*)memchr("memory", 'm', 3));
  printf("%zu %zu %zu %zu\n", strspn("aabbc", "ab"), strcspn("aabbc", "cd"), strnlen("long", 3),
         strnlen("ab", 3));
  char* const copies[] = {strdup("copy"), strndup("copies", 3)};
  printf("%s %s %s\n", copies[0], copies[1], strncat(text, "bcdef", 3));
  free(copies[0]);
  free(copies[1]);
  printf("%d %d %d %d\n", strcasecmp("HeLLo", "hEllo"), strncasecmp("abc", "ABD", 2),
         strcasecmp("a", "B") < 0, getenv("POLYLOOM_HAS_NO_SUCH") == none);
  for (int c = -1; c < 256; c++) {
    const int is[] = {isalpha(c), isdigit(c), isspace(c),  ispunct(c),
                      isprint(c), iscntrl(c), isxdigit(c), isgraph(c)};
    for (int i = 0; i < 8; i++) putchar(is[i] != 0 ? '1' : '0');
    printf(" %d %d\n", tolower(c), toupper(c));
  }
}

/* What the manager's library does. */
static void forwarded(int three, const char* name) {
  char text[64], word[32] = "", letters[4] = "";
  char* end;
  int a = -1, b = -1, at = -1;
  double x = 0;
  float f = 0;
  long l = 0;
  short h = 0;
  const int first = printf("%s and %d\n", "counted", three), second = fprintf(stdout, "%5.1f\n", 1.5);
  printf("%d %d\n", first, second);
  a = snprintf(text, sizeof text, "%d, %s, %.3f", three, "text", 2.5);
  printf("%s: %d, %d\n", text, a, snprintf(text, 5, "%s", "shortened"));
  printf("%s %d %d\n", text, snprintf(NULL, 0, "%d", 12345),
         sprintf(word, "%c%s", 'w', three > 2 ? "ord" : ""));
  printf("%s %d %d %d %d %d %d %d %d %d %d %d %d %d %s %d %.1f\n", word, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
         12, 13, "fifteen", 16, 17.5);
  printf("%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3,
         4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, three);
  a = sscanf("12 -7 3.5 2.25 some words 99", "%d %d %lf %f %31s %3c%*s %ld", &a, &b, &x, &f, word, letters,
             &l);
  printf("%d: %d %g %g %s %s %ld\n", a, b, x, (double)f, word, letters, l);
  a = sscanf("key=[a b]70000", "%[a-z]=[%[^]]]%n%hd", word, text, &at, &h);
  printf("%d: %s %s %d %d\n", a, word, text, at, h);
  printf("%d %d", sscanf("x", "%d", &a), sscanf("", "%d", &a));
  printf(" %d\n", a);
  static const char* const texts[] = {"1.5e3x", " -0x1.8p3 ", "inf",   "nan(7)z", "-.5",
                                      "e5",     "",           "1e999", "1e-400"};
  for (int i = 0; i < 9; i++) {
    errno = 0;
    x = strtod(texts[i], &end);
    printf("%g %s %d ", x, end, errno == ERANGE);
    printf("%g %d\n", (double)strtof(texts[i], &end), atof(texts[i]) == x);
  }
  printf("%.15g %.7g %s\n", tgamma(three + 0.5), (double)tgammaf(4.5f), strerror(ENOENT));

  double numbers[600], back[600] = {0};
  for (int i = 0; i < 600; i++) numbers[i] = i * 0.5;
  FILE* file = fopen(name, "w+");
  printf("%d\n", fprintf(file, "%d %s\nsecond line\nthird", three, "words"));
  fputc('\n', file);
  fputs("fourth\n", file);
  printf("%zu ", fwrite(numbers, sizeof numbers[0], 600, file));
  printf("%ld ", ftell(file));
  rewind(file);
  printf("%d ", fscanf(file, "%d %31s", &a, word));
  printf("%d %s %d\n", a, word, fgetc(file));
  while (fgets(text, 9, file) != NULL && text[0] != 'f') printf("<%s>", text);
  printf("%d %ld\n", ferror(file), ftell(file));
  printf("%zu ", fread(back, sizeof back[0], 1000, file));
  printf("%d ", memcmp(numbers, back, sizeof back));
  printf("%d ", feof(file) != 0);
  printf("%d\n", fgetc(file));
  printf("%d ", fseek(file, 2, SEEK_SET));
  printf("%d ", ungetc('q', file));
  for (int i = 0; i < 3; i++) putchar(getc(file));
  printf("%d ", fclose(file));
  file = fopen(name, "r");
  size_t room = 0;
  char* line = NULL;
  for (int i = 0; i < 2; i++) {
    const long length = getline(&line, &room, file);
    printf("%ld %s", length, line);
  }
  free(line);
  fclose(file);
  printf("%d ", remove(name));
  file = fopen(name, "r");
  printf("%d %d\n", file == NULL, errno == ENOENT);
  fwrite("as bytes\n", 1, 9, stdout);
  perror("said");
  file = tmpfile();
  fprintf(file, "%s", "temporary");
  rewind(file);
  printf("%s\n", fgets(text, sizeof text, file));
  fclose(file);
}

static void listed(const char* format, ...) {
  char text[80];
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  const int length = vsnprintf(text, sizeof text, format, list), printed = vprintf(format, again);
  va_end(again);
  va_end(list);
  printf("%d %d %s", length, printed, text);
}

static void calendar(void) {
  const time_t moment = 86400 * 366 + 3661;
  char text[64];
  struct tm fields = *gmtime(&moment);
  printf("%d-%d-%d %d:%d:%d, day %d\n", fields.tm_year, fields.tm_mon, fields.tm_mday, fields.tm_hour,
         fields.tm_min, fields.tm_sec, fields.tm_yday);
  printf("%zu ", strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &fields));
  printf("%s %s", text, asctime(&fields));
  printf("%d %.1f\n", mktime(localtime(&moment)) == moment, difftime(moment, 1));
}

static void options(void) {
  static char words[][12] = {"program", "-ab", "file", "-cvalue", "--long=3", "-c", "v2",
                             "more",    "-x",  "--lo", "4",       "--",       "-a", "-c"};
  static const struct option names[] = {
      {"long", required_argument, NULL, 'l'}, {"flag", no_argument, &calls, 7}, {NULL, 0, NULL, 0}};
  char* list[15] = {0};
  for (int i = 0; i < 14; i++) list[i] = words[i];
  for (int found; (found = getopt_long(14, list, ":abc:", names, NULL)) != -1;)
    printf("%c %s %c|", found, optarg != NULL ? optarg : "none", found == '?' ? optopt : ' ');
  for (int i = 0; i < 14; i++) printf(" %s", list[i]);
  printf(" from %d\n", optind);
}

static void complex_numbers(int three) {
  const double complex z = three + 0.5 * I, w = conj(z) / (z - 1) * (2 - I);
  const float complex f = (float)three - 2.5f * I, g = f * f / (f + 3);
  printf("%a %a %a %a\n", creal(w), cimag(w), (double)crealf(g), (double)cimagf(g));
  printf("%a %a %a\n", fma(0.1 * three, 10, -3), fma(three, 1e-310, 1e-320),
         (double)fmaf(0.1f * (float)three, 10, -3));
  static const double x[] = {0, 1e-310, 1, 1e-40, NAN, INFINITY};
  for (int i = 0; i < 6; i++) {
    const int kinds[] = {FP_NAN, FP_INFINITE, FP_ZERO, FP_SUBNORMAL, FP_NORMAL};
    for (int k = 0; k < 5; k++)
      printf("%d%d", fpclassify(x[i]) == kinds[k], fpclassify((float)x[i]) == kinds[k]);
    printf(" %d%d%d\n", isnormal(x[i]) != 0, isgreater(x[i], 0.5) != 0, isunordered(x[i], 1.0) != 0);
  }
}

static void long_texts(void) {
  static char text[5000];
  static unsigned char octets[3001];
  for (int i = 0; i < 4999; i++) text[i] = (char)('a' + i % 26);
  for (int i = 0; i < 3000; i++) octets[i] = (unsigned char)('A' + i % 23);
  printf("%d %s %s %d %s %.1f\n", 1, text, octets, 2, text + 4990, 3.5);
  printf("%2$s %1$d %2$.3s\n", 5, (const unsigned char*)"octets");
}

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
  void *even = NULL, *apart = aligned_alloc(64, 192);
  sum +=
      (unsigned)posix_memalign(&even, 256, 1000) + (unsigned)((uintptr_t)even % 256 + (uintptr_t)apart % 64);
  memset(even, 1, 1000);
  memset(apart, 2, 192);
  free(even);
  free(apart);
  printf("blocks: %u, too much %d\n", sum, malloc((size_t)1 << 62) == NULL && errno == ENOMEM);
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
  nested(argc - 2);
  formats(argc - 2);
  blocks();
  reals();
  more_strings(NULL);
  forwarded(argc - 2, argv[argc - 1]);
  listed("none\n");
  listed("%hhd %5.1f %-*s|%c%% %lu %.*e %p\n", 300, 2.5, 6, "text", 'c', 1ul << 40, 2, 12345.678, (void*)16);
  listed("%d%d%d%d%d%d%d%d%d%d%d%d%d %*d %*d %s\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, "end");
  calendar();
  options();
  complex_numbers(argc - 2);
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

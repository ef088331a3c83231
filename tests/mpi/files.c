/* SPDX-License-Identifier: Apache-2.0 */
/* Every rank, FPGAs too: formats and reads text, reads and writes files, takes its options, asks for the
 * date. */
#include <complex.h>
#include <errno.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct pair { /* has no register of its own */
  long first, second;
};
static struct pair swapped(struct pair p) {
  if (p.first < 0) return p;
  return (struct pair){p.second, p.first};
}
static __attribute__((noinline)) struct pair doubled(struct pair p) {
  return (struct pair){2 * p.first, 2 * p.second};
}
static struct pair (*const changes[])(struct pair) = {swapped, doubled};

static void print_results(int rank) {
  char text[40], word[16], *part;
  int number, used;
  double real;
  const int printed = printf("rank %d: counted\n", rank);
  const int length = snprintf(text, sizeof text, "%d=%s/%.2f", rank, "word", rank * 0.75);
  printf("rank %d: %d %d %s\n", rank, printed, length, text);
  const int found = sscanf(text, "%d=%15[a-z]/%lf%n", &number, word, &real, &used);
  printf("rank %d: %d: %d %s %g %d\n", rank, found, number, word, real, used);
  printf("rank %d:", rank);
  for (part = strtok(text, "=/"); part != NULL; part = strtok(NULL, "=/")) printf(" %s", part);
  printf(" %g\n", strtod("1e-3 rest", NULL));
}

static void use_files(int rank) {
  char line[80];
  double numbers[200], back[200];
  FILE* file = fopen(__FILE__, "r");
  printf("rank %d: %s", rank, fgets(line, sizeof line, file));
  fclose(file);
  for (int i = 0; i < 200; i++) numbers[i] = i + rank * 0.5;
  file = tmpfile();
  fprintf(file, "begin %d\n", rank);
  const size_t written = fwrite(numbers, sizeof numbers[0], 200, file);
  rewind(file);
  int number = -1;
  const int found = fscanf(file, "begin %d", &number), next = fgetc(file);
  const size_t got = fread(back, sizeof back[0], 300, file);
  printf("rank %d: %zu, %d: %d %d, %zu %d %d\n", rank, written, found, number, next, got,
         memcmp(numbers, back, sizeof back), feof(file) != 0);
  fclose(file);
  if (fopen("/nowhere/at/all", "r") == NULL) printf("rank %d: %d\n", rank, errno == ENOENT);
  if (rank != 0) {
    const int ends[] = {getchar(), scanf("%d", &number)}; /* the input is empty */
    printf("rank %d: %d %d\n", rank, ends[0], ends[1]);
  }
}

static void say(int rank, const char* format, ...) {
  char text[100];
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  vsnprintf(text, sizeof text, format, again);
  va_end(again);
  printf("rank %d: %d %s, ", rank, (int)strlen(text), text);
  vprintf(format, list);
  putchar('\n');
  va_end(list);
}

static double sum_of(int count, ...) {
  double sum = 0;
  va_list list;
  va_start(list, count);
  for (int i = 0; i < count; i++) sum += i % 2 ? va_arg(list, double) : va_arg(list, int);
  va_end(list);
  return sum;
}

static void at_last(void) { puts("at last"); }
static void before_that(void) { puts("before that"); }

int main(int argc, char** argv) {
  int rank, letter, level = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while ((letter = getopt(argc, argv, "l:")) != -1) level = letter == 'l' ? atoi(optarg) : -1;
  print_results(rank + level - 1);
  use_files(rank);
  say(rank, "nothing");
  for (int i = 0; i < 2; i++)
    say(rank, "%d %s %*.2f %lx|%-3c|%%", i - 1, i ? "text" : "", 6, 1.5, 1ul << 40, 'c');
  say(rank, "%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d %s", 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, rank, "end");
  printf("rank %d: %g\n", rank, sum_of(4, 1, 2.5, rank, 0.5));
  const struct pair p = changes[rank % 2]((struct pair){rank - 1, 5});
  const double complex z = (rank + 1.5 * I) * (0.5 - I) / (2 + I);
  const time_t begin = time(NULL);
  printf("rank %d: %ld %ld %a %a %d\n", rank, p.first, p.second, creal(z), cimag(z), begin > 1700000000);
  printf("rank %d: %.9f\n", rank, cabs(z) + cabs(z - rank)); /* has a struct as parameter */
  if (atexit(at_last) == 0 && rank % 2 == 0) atexit(before_that);
  MPI_Finalize();
  return 0;
}

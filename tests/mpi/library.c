/* SPDX-License-Identifier: Apache-2.0 */
/* What programs use of C's library and of the language: mathematics, sorting, searching, functions that call
 * themselves. */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
  int key;
  double place;
};

static struct point points[60];
static int up(const void* a, const void* b) {
  return ((const struct point*)a)->key - ((const struct point*)b)->key;
}
static int down(const void* a, const void* b) { return *(const int*)b - *(const int*)a; }

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static int is_odd(int n);
static int is_even(int n) { return n == 0 || is_odd(n - 1); }
static int is_odd(int n) { return n != 0 && is_even(n - 1); }

/* The integral of a function by halving intervals until two rules agree. */
static double area(double from, double to, int depth) {
  const double middle = (from + to) / 2, width = to - from;
  const double rough = width * (exp(-from * from) + exp(-to * to)) / 2;
  const double fine = rough / 2 + width / 2 * exp(-middle * middle);
  if (depth == 0 || fabs(fine - rough) < 1e-6) return fine;
  return area(from, middle, depth - 1) + area(middle, to, depth - 1);
}

static void complex_functions(int rank) {
  const double complex z = 0.5 + rank * 0.25 + (1.5 - rank) * I,
                       of[] = {csqrt(z), cexp(z), clog(z), cpow(z, 1.5 + I), csin(z)};
  for (int i = 0; i < 5; i++) printf("rank %d: %.11f %.11f\n", rank, creal(of[i]), cimag(of[i]));
  printf("rank %d: %.11f %.11f %.5f\n", rank, cabs(z), carg(z), (double)cabsf((float complex)z));
  printf("rank %d: %.11f %.11f %a %a\n", rank, j0(rank + 1.5), yn(2, rank + 0.5), nextafter(rank, 9),
         fdim(2, rank));
  printf("rank %d: %a %.13g\n", rank, fma(0.1 + rank, 10, -1), tgamma(rank + 0.3));
}

int main(int argc, char** argv) {
  int rank, size, numbers[7] = {5, -3, 9, 0, 2, 7, 7}, wanted = 9;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  qsort(numbers, 7, sizeof numbers[0], down);
  srand((unsigned)rank + 5);
  for (int i = 0; i < 60; i++) points[i] = (struct point){rand() % 9, i};
  qsort(points, 60, sizeof points[0], up);
  double order = 0;
  for (int i = 0; i < 60; i++) order = order * 0.9 + points[i].key + points[i].place / 100;
  const double huge = pow(10, 200 + rank) * pow(10, 150), small = pow(10, -200) * pow(10, -110 - rank);
  printf("rank %d: %d %d %d %d\n", rank, isinf(huge), isinf(-huge), isfinite(small) != 0,
         isnan(huge - huge) != 0);
  const int* found = bsearch(&wanted, numbers, 7, sizeof numbers[0], down);
  const double x = 0.3 * rank + 0.2;
  double pair[2], back[2];
  unsigned long words[2];
  memcpy(words, (const double[]){x, -x}, sizeof words);
  words[0] ^= 1ul << 63;
  memcpy(pair, words, sizeof pair);
  memmove(back, pair, sizeof back);
  printf("rank %d: %g %g by their bits\n", rank, back[0] - 1, back[1] * 2);
  printf("rank %d: %d %d at %d, order %.9f\n", rank, numbers[0], numbers[6], (int)(found - numbers), order);
  printf("rank %d: sin %.12f exp %.12f pow %.12f log %.12f\n", rank, sin(x), exp(x), pow(x, 1.7), log(x));
  printf("rank %d: atan2 %.12f float %.5f\n", rank, atan2(x, 0.4), (double)cosf((float)x));
  printf("rank %d: fibonacci %d even %d area %.9f\n", rank, fibonacci(rank + 9), is_even(rank + 6),
         area(0, x, 12));
  complex_functions(rank);
  MPI_Finalize();
  return 0;
}

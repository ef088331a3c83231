/* SPDX-License-Identifier: Apache-2.0 */
/* The same equation as jacobi.c, without the root in the middle: each rank keeps its strip and exchanges
 * border rows with its neighbours; the inner rows are computed while those travel. Any number of ranks up to
 * N. */
#include <mpi.h>
#include <stdio.h>

#ifndef N
#define N 64
#endif
#ifndef COLUMNS
#define COLUMNS N
#endif
#ifndef ITERATIONS
#define ITERATIONS 5
#endif

#ifndef RANKS
#define RANKS 1 /* at least so many will run: smaller strips, less memory */
#endif

typedef int Strip[(N + RANKS - 1) / RANKS + 2][COLUMNS];

static Strip even, odd;

static inline void row(Strip to, Strip from, int i, int is_border) {
  for (int j = 0; j < COLUMNS; j++) {
    const int keep = is_border || j == 0 || j == COLUMNS - 1;
    to[i][j] = keep ? from[i][j] : (from[i][j - 1] + from[i][j + 1] + from[i - 1][j] + from[i + 1][j]) / 4;
  }
}

/* Part of its caller, so that a kernel knows which of the two arrays is read and which is written. */
static inline __attribute__((always_inline)) void step(Strip to, Strip from, int rank, int size, int rows) {
  const int up = rank == 0 ? MPI_PROC_NULL : rank - 1, down = rank == size - 1 ? MPI_PROC_NULL : rank + 1;
  MPI_Request requests[4];
  MPI_Irecv(from[0], COLUMNS, MPI_INT, up, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(from[rows + 1], COLUMNS, MPI_INT, down, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(from[rows], COLUMNS, MPI_INT, down, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(from[1], COLUMNS, MPI_INT, up, 1, MPI_COMM_WORLD, &requests[3]);
  for (int i = 2; i < rows; i++) row(to, from, i, 0);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  row(to, from, 1, rank == 0 || (rows == 1 && rank == size - 1));
  if (rows > 1) row(to, from, rows, rank == size - 1);
}

int main(int argc, char* argv[]) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int first = rank * N / size, rows = (rank + 1) * N / size - first;
  if (rows + 2 > (int)(sizeof even / sizeof *even)) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < COLUMNS; j++) even[i + 1][j] = first + i == 0 ? 1000000 : j == 0 ? 500000 : 0;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int l = 0; l < ITERATIONS; l += 2) {
    step(odd, even, rank, size, rows);
    if (l + 1 < ITERATIONS) step(even, odd, rank, size, rows);
  }
  const double seconds = MPI_Wtime() - start;
  double longest = 0;
  MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  /* A sum that does not depend on how the rows are dealt. */
  unsigned long sum = 0, total = 0;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < COLUMNS; j++) {
      const int value = ITERATIONS % 2 == 0 ? even[i + 1][j] : odd[i + 1][j];
      sum += (unsigned long)value * (unsigned long)((first + i) * COLUMNS + j + 1);
    }
  }
  MPI_Reduce(&sum, &total, 1, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("jacobi with halos %d x %d, %d iterations: checksum %lu\n", N, COLUMNS, ITERATIONS, total);
    printf("time of an iteration: %.4f ms\n", longest * 1e3 / ITERATIONS);
  }
  MPI_Finalize();
  return 0;
}

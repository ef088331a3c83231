/* SPDX-License-Identifier: Apache-2.0 */
/* The same equation as jacobi.c, without the root in the middle: each rank keeps its strip and exchanges
 * border rows with its neighbours; the inner rows are computed while those travel. Any number of ranks up to
 * N. */
#include <mpi.h>
#include <stdio.h>

#ifndef N
#define N 64
#endif
#ifndef ITERATIONS
#define ITERATIONS 5
#endif

static int strip[2][N + 2][N];

static void row(int (*to)[N], int (*from)[N], int i, int is_border) {
  for (int j = 0; j < N; j++) {
    const int keep = is_border || j == 0 || j == N - 1;
    to[i][j] = keep ? from[i][j] : (from[i][j - 1] + from[i][j + 1] + from[i - 1][j] + from[i + 1][j]) / 4;
  }
}

int main(int argc, char* argv[]) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int first = rank * N / size, rows = (rank + 1) * N / size - first;
  const int up = rank == 0 ? MPI_PROC_NULL : rank - 1, down = rank == size - 1 ? MPI_PROC_NULL : rank + 1;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < N; j++) strip[0][i + 1][j] = first + i == 0 ? 1000000 : j == 0 ? 500000 : 0;
  }
  const double start = MPI_Wtime();
  for (int l = 0; l < ITERATIONS; l++) {
    int(*from)[N] = strip[l % 2];
    int(*to)[N] = strip[(l + 1) % 2];
    MPI_Request requests[4];
    MPI_Irecv(from[0], N, MPI_INT, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(from[rows + 1], N, MPI_INT, down, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(from[rows], N, MPI_INT, down, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(from[1], N, MPI_INT, up, 1, MPI_COMM_WORLD, &requests[3]);
    for (int i = 2; i < rows; i++) row(to, from, i, 0);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    row(to, from, 1, rank == 0);
    if (rows > 1) row(to, from, rows, rank == size - 1);
    if (rows == 1 && rank == size - 1) row(to, from, 1, 1);
  }
  const double seconds = MPI_Wtime() - start;
  /* A sum that does not depend on how the rows are dealt. */
  unsigned long sum = 0, total = 0;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < N; j++) {
      sum += (unsigned long)strip[ITERATIONS % 2][i + 1][j] * (unsigned long)((first + i) * N + j + 1);
    }
  }
  MPI_Reduce(&sum, &total, 1, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("jacobi with halos %d x %d, %d iterations: checksum %lu\n", N, N, ITERATIONS, total);
    printf("time of an iteration: %.3f ms\n", seconds * 1e3 / ITERATIONS);
  }
  MPI_Finalize();
  return 0;
}

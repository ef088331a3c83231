/* SPDX-License-Identifier: Apache-2.0 */
/* Laplace's equation on an N x N grid by Jacobi's iteration, as Listing 5 of the ZRLMPI paper: in every
 * iteration the root scatters its rows, sends each rank the row above and below its strip, and gathers what
 * they have computed. N must be a multiple of the number of ranks. */
#include <stdio.h>

#include "mpi.h"

#ifndef N
#define N 64
#endif
#ifndef ITERATIONS
#define ITERATIONS 5
#endif
#ifndef RANKS
#define RANKS 1 /* at least so many will run: smaller strips, less memory */
#endif

static int grid[N][N];
static int local_grid[N / RANKS + 2][N];
static int local_new[N / RANKS + 2][N];

int main() {
  int rank, size;
  MPI_Status status;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rows = N / size;
  if (rows * size != N || rows > N / RANKS) {
    if (rank == 0) printf("%d rows cannot be dealt to %d ranks\n", N, size);
    MPI_Finalize();
    return 0;
  }
  if (rank == 0) {
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) grid[i][j] = i == 0 ? 1000000 : j == 0 ? 500000 : 0;
    }
  }
  const double start = MPI_Wtime();
  for (int l = 0; l < ITERATIONS; l++) {
    MPI_Scatter(&grid[0][0], rows * N, MPI_INTEGER, &local_grid[1][0], rows * N, MPI_INTEGER, 0,
                MPI_COMM_WORLD);
    if (rank == 0) {
      for (int r = 1; r < size; r++) {
        const int above = r * rows - 1, below = r == size - 1 ? N - 1 : (r + 1) * rows;
        MPI_Send(&grid[above][0], N, MPI_INTEGER, r, 0, MPI_COMM_WORLD);
        MPI_Send(&grid[below][0], N, MPI_INTEGER, r, 0, MPI_COMM_WORLD);
      }
      if (size > 1) {
        for (int j = 0; j < N; j++) local_grid[rows + 1][j] = grid[rows][j];
      }
    } else {
      MPI_Recv(&local_grid[0][0], N, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, &status);
      MPI_Recv(&local_grid[rows + 1][0], N, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, &status);
    }
    for (int i = 1; i < rows + 1; i++) {
      const int is_border = (i == 1 && rank == 0) || (i == rows && rank == size - 1);
      for (int j = 0; j < N; j++) {
        if (is_border || j == 0 || j == N - 1) {
          local_new[i][j] = local_grid[i][j];
        } else {
          local_new[i][j] =
              (local_grid[i][j - 1] + local_grid[i][j + 1] + local_grid[i - 1][j] + local_grid[i + 1][j]) / 4;
        }
      }
    }
    MPI_Gather(&local_new[1][0], rows * N, MPI_INTEGER, &grid[0][0], rows * N, MPI_INTEGER, 0,
               MPI_COMM_WORLD);
  }
  const double seconds = MPI_Wtime() - start;
  if (rank == 0) {
    unsigned sum = 0;
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) sum = sum * 31u + (unsigned)grid[i][j];
    }
    printf("jacobi %d x %d, %d iterations: checksum %u, middle of the second row %d\n", N, N, ITERATIONS, sum,
           grid[1][N / 2]);
    printf("time of an iteration: %.3f ms\n", seconds * 1e3 / ITERATIONS);
  }
  MPI_Finalize();
  return 0;
}

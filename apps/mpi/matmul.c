/* SPDX-License-Identifier: Apache-2.0 */
/* C = A B of N x N doubles: rows of A are scattered unevenly where they must, B is broadcast, rows of C are
 * gathered. */
#include <mpi.h>
#include <stdio.h>

#ifndef N
#define N 48
#endif

static double a[N][N], b[N][N], c[N][N], my_a[N][N], my_c[N][N];
static int counts[N], places[N];

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > N) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int r = 0; r < size; r++) {
    places[r] = r * N / size * N;
    counts[r] = (r + 1) * N / size * N - places[r];
  }
  if (rank == 0) {
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        a[i][j] = (i * 3 + j * 5) % 7 - 3;
        b[i][j] = (i * 2 + j) % 5 * 0.25;
      }
    }
  }
  const double start = MPI_Wtime();
  const int rows = counts[rank] / N;
  MPI_Scatterv(a, counts, places, MPI_DOUBLE, my_a, counts[rank], MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Bcast(b, N * N, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < N; j++) {
      double sum = 0.0;
      for (int k = 0; k < N; k++) sum += my_a[i][k] * b[k][j];
      my_c[i][j] = sum;
    }
  }
  MPI_Gatherv(my_c, counts[rank], MPI_DOUBLE, c, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    double trace = 0.0, sum = 0.0;
    for (int i = 0; i < N; i++) {
      trace += c[i][i];
      for (int j = 0; j < N; j++) sum += c[i][j] * ((i + 2 * j) % 3);
    }
    printf("matmul %d: trace %.4f, weighted sum %.4f\n", N, trace, sum);
    printf("time: %.6f s\n", MPI_Wtime() - start);
  }
  MPI_Finalize();
  return 0;
}

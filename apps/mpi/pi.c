/* SPDX-License-Identifier: Apache-2.0 */
/* Pi as the integral of 4 / (1 + x^2) from 0 to 1, by the midpoint rule; intervals dealt to the ranks in
 * turn. */
#include <mpi.h>
#include <stdio.h>

#ifndef INTERVALS
#define INTERVALS 10000
#endif

int main(int argc, char** argv) {
  int rank, size, intervals = 0;
  double pi = 0.0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const double start = MPI_Wtime();
  if (rank == 0) intervals = INTERVALS;
  MPI_Bcast(&intervals, 1, MPI_INT, 0, MPI_COMM_WORLD);
  const double step = 1.0 / intervals;
  double sum = 0.0;
  for (int i = rank; i < intervals; i += size) {
    const double x = (i + 0.5) * step;
    sum += 4.0 / (1.0 + x * x);
  }
  sum *= step;
  MPI_Reduce(&sum, &pi, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("pi is about %.12f with %d intervals\n", pi, intervals);
    printf("time: %.6f s\n", MPI_Wtime() - start);
  }
  MPI_Finalize();
  return 0;
}

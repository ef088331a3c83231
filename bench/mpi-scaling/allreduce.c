/* SPDX-License-Identifier: Apache-2.0 */
/* All-reduce of COUNT integers, ROUNDS times after one that does not count. Each rank checks each sum. */
#include <mpi.h>
#include <stdio.h>

#ifndef COUNT
#define COUNT 2
#endif
#ifndef ROUNDS
#define ROUNDS 4
#endif

static int mine[COUNT], sum[COUNT];

int main(int argc, char** argv) {
  int rank, size, wrong = 0;
  double start = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < COUNT; i++) mine[i] = rank + i;
  for (int round = 0; round <= ROUNDS; round++) {
    if (round == 1) start = MPI_Wtime();
    MPI_Allreduce(mine, sum, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  const double seconds = MPI_Wtime() - start;
  for (int i = 0; i < COUNT; i++) wrong += sum[i] != size * (size - 1) / 2 + size * i;
  if (wrong != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank == 0) printf("time of a round: %.3f us\n", seconds * 1e6 / ROUNDS);
  MPI_Finalize();
  return 0;
}

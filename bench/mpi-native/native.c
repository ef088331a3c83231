/* SPDX-License-Identifier: Apache-2.0 */
/* Microseconds of a round trip between two ranks, or of an all-reduce of all: the least of 20 batches.
   Arguments: pingpong or allreduce, bytes, rounds a batch. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 20 };

int main(int argc, char** argv) {
  int rank;
  double least = 1e9;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int bytes = argc > 2 ? atoi(argv[2]) : 1, rounds = argc > 3 ? atoi(argv[3]) : 1000;
  char *a = calloc(1, (size_t)bytes), *b = calloc(1, (size_t)bytes);
  for (int batch = 0; batch < BATCHES; batch++) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int round = 0; round < rounds; round++) {
      if (strcmp(argv[1], "allreduce") == 0) {
        MPI_Allreduce(a, b, bytes / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      } else if (rank == 0) {
        MPI_Send(a, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(a, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (rank == 1) {
        MPI_Recv(a, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(a, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      }
    }
    const double us = (MPI_Wtime() - start) / rounds * 1e6;
    if (us < least) least = us;
  }
  if (rank == 0) printf("us %.4f\n", least);
  MPI_Finalize();
  return 0;
}

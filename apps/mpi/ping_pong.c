/* SPDX-License-Identifier: Apache-2.0 */
/* Rank 0 and rank 1 bounce a buffer; others only look on. Prints what came back, and the time of a round. */
#include <mpi.h>
#include <stdio.h>

#ifndef COUNT
#define COUNT 1000
#endif
#ifndef ROUNDS
#define ROUNDS 5
#endif

static int buffer[COUNT];

int main(int argc, char** argv) {
  int rank, size;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < COUNT; i++) buffer[i] = i;
  if (size > 1 && rank == 0) {
    const double start = MPI_Wtime();
    for (int round = 0; round < ROUNDS; round++) {
      MPI_Send(buffer, COUNT, MPI_INT, 1, round, MPI_COMM_WORLD);
      MPI_Recv(buffer, COUNT, MPI_INT, 1, round, MPI_COMM_WORLD, &status);
    }
    const double seconds = MPI_Wtime() - start;
    unsigned sum = 0;
    int count;
    MPI_Get_count(&status, MPI_INT, &count);
    for (int i = 0; i < COUNT; i++) sum = sum * 31u + (unsigned)buffer[i];
    printf("%d rounds of %d ints, checksum %u\n", ROUNDS, count, sum);
    printf("time of a round: %.3f us\n", seconds * 1e6 / ROUNDS);
  } else if (rank == 1) {
    for (int round = 0; round < ROUNDS; round++) {
      MPI_Recv(buffer, COUNT, MPI_INT, 0, round, MPI_COMM_WORLD, &status);
      for (int i = 0; i < COUNT; i++) buffer[i] += round + i;
      MPI_Send(buffer, COUNT, MPI_INT, 0, round, MPI_COMM_WORLD);
    }
  } else if (rank == 0) {
    printf("no one to play with\n");
  }
  MPI_Finalize();
  return 0;
}

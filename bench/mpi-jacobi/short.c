/* SPDX-License-Identifier: Apache-2.0 */
/* A short message there and back, as often as the first argument says: for counting packets. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int messages = argc > 1 ? atoi(argv[1]) : 0;
  const double start = MPI_Wtime();
  for (int i = 0; i < messages; i++) {
    if (rank == 1) {
      MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
      MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 2) {
      MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      value++;
      MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
  }
  if (rank == 1 && messages > 0) printf("time of a round: %.3f us\n", (MPI_Wtime() - start) * 1e6 / messages);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}

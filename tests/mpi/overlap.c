/* SPDX-License-Identifier: Apache-2.0 */
/* More sums under way at once than an FPGA has requests for, in jobs of many ranks; each rank ends them in
 * its own order, and messages pass between them. */
#include <mpi.h>
#include <stdio.h>

enum { MANY = 8 };

int main(int argc, char** argv) {
  int rank, size, values[MANY], sums[MANY], got, all = 0;
  MPI_Request r[MANY];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < MANY; i++) {
    values[i] = rank * i;
    MPI_Iallreduce(&values[i], &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[i]);
  }
  for (int i = 0; i < MANY; i++) MPI_Wait(&r[rank % 2 ? MANY - 1 - i : i], MPI_STATUS_IGNORE);
  MPI_Iallreduce(&rank, &sums[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &r[2]);
  MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
  for (int i = 0; i < MANY; i++) all += sums[i];
  printf("rank %d: %d, from %d\n", rank, all, got);
  MPI_Finalize();
  return 0;
}

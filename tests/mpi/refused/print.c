/* SPDX-License-Identifier: Apache-2.0 */
/* refused: print.c:13: an FPGA kernel prints and scans at most 30 arguments by a call */
#include <mpi.h>
#include <stdio.h>

#define TEN 1, 2, 3, 4, 5, 6, 7, 8, 9, 10

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%d\n", TEN, TEN, TEN, 31);
  if (rank == 1) printf("%d\n", TEN, TEN, TEN, 31);
  MPI_Finalize();
  return 0;
}

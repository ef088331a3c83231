/* SPDX-License-Identifier: Apache-2.0 */
/* refused: mathematics.c:11: sinl */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("%Lf\n", sinl(rank + 0.5L));
  MPI_Finalize();
  return 0;
}

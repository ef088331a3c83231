/* SPDX-License-Identifier: Apache-2.0 */
/* refused: mathematics.c:11: tgamma */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("%f\n", tgamma(rank + 0.5));
  MPI_Finalize();
  return 0;
}

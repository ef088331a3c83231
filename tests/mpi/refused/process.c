/* SPDX-License-Identifier: Apache-2.0 */
/* refused: process.c:9: popen */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int value = 0;
  MPI_Init(&argc, &argv);
  FILE* file = popen("date", "r");
  if (file == NULL || fscanf(file, "%d", &value) != 1) MPI_Abort(MPI_COMM_WORLD, 1);
  printf("%d\n", value);
  MPI_Finalize();
  return 0;
}

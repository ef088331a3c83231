/* SPDX-License-Identifier: Apache-2.0 */
/* refused: one_sided.c:10: MPI_Win_create */
#include <mpi.h>

int main(int argc, char** argv) {
  int value = 0;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  /* One-sided communication is not there. */
  MPI_Win_create(&value, sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}

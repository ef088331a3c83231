/* SPDX-License-Identifier: Apache-2.0 */
/* Covers: short floating-point reductions have the order x0 op (x1 op (...)) at every root and in every
 * algorithm. Prints what an own sum in that order differs by, which is nothing. Leaves out: long ones, whose
 * order is free. */
#include "say.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  double mine[8], all[8 * 64], sum[8];
  int wrong = 0;
  for (int i = 0; i < 8; i++) mine[i] = 1.0 / (3 + rank * 17 + i) * (i % 2 ? 1e10 : 1e-10);
  MPI_Allgather(mine, 8, MPI_DOUBLE, all, 8, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int root = 0; root <= size; root++) {
    if (root < size) {
      MPI_Reduce(mine, sum, 8, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
    } else {
      MPI_Allreduce(mine, sum, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 8 && (rank == root || root == size); i++) {
      double want = all[8 * (size - 1) + i];
      for (int r = size - 2; r >= 0; r--) want = all[8 * r + i] + want;
      wrong += want != sum[i];
    }
  }
  SAY("wrong: %d", wrong);
  MPI_Finalize();
  return wrong != 0;
}

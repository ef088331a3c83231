/* SPDX-License-Identifier: Apache-2.0 */
/* refused: recursion.c:7: recursion */
#include <mpi.h>
#include <stdio.h>

static int depth;
__attribute__((noinline)) static int walk(int n) { return n < 2 ? depth++ : walk(n - 1) + walk(n - 2); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  printf("%d\n", walk(argc + 20));
  MPI_Finalize();
  return 0;
}

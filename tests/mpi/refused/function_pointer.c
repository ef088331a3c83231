/* SPDX-License-Identifier: Apache-2.0 */
/* refused: function_pointer.c:11: call through pointers */
#include <mpi.h>
#include <stdio.h>

__attribute__((noinline)) static int twice(int x) { return 2 * x; }
__attribute__((noinline)) static int half(int x) { return x / 2; }

int main(int argc, char** argv) {
  int rank, value = argc;
  int (*volatile operation)(int) = argc > 1 ? twice : half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  /* Which function it is, nobody knows before the program runs. */
  int (*chosen)(int) = operation;
  value = chosen(value + rank);
  printf("%d\n", value);
  MPI_Finalize();
  return 0;
}

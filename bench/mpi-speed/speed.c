/* SPDX-License-Identifier: Apache-2.0 */
/* What simulating costs: TIMES (the first argument) rounds, in each of which the FPGAs smooth ROWS rows of
 * integers and pass a message of BYTES around; rank 0 waits. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef ROWS
#define ROWS 0
#endif
#ifndef BYTES
#define BYTES 0
#endif
#define COLUMNS 64

static int even[ROWS + 2][COLUMNS], odd[ROWS + 2][COLUMNS];
static char token[BYTES + 1];

static inline void smooth(int to[ROWS + 2][COLUMNS], int from[ROWS + 2][COLUMNS]) {
  for (int i = 1; i <= ROWS; i++) {
    for (int j = 1; j < COLUMNS - 1; j++) {
      to[i][j] = (from[i][j - 1] + from[i][j + 1] + from[i - 1][j] + from[i + 1][j]) / 4;
    }
  }
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int times = argc > 1 ? atoi(argv[1]) : 1, next = rank + 1 < size ? rank + 1 : 1;
  const int before = rank > 1 ? rank - 1 : size - 1;
  for (int j = 0; j < COLUMNS; j++) even[0][j] = odd[0][j] = 1000000 + rank;
  for (int t = 0; rank > 0 && t < times; t++) {
    smooth(odd, even);
    smooth(even, odd);
    if (BYTES > 0) {
      if (rank > 1 || t > 0) MPI_Recv(token, BYTES, MPI_CHAR, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(token, BYTES, MPI_CHAR, next, 0, MPI_COMM_WORLD);
    }
  }
  if (BYTES > 0 && rank == 1 && times > 0)
    MPI_Recv(token, BYTES, MPI_CHAR, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  long sum = 0, total = 0;
  for (int j = 0; j < COLUMNS; j++) sum += even[ROWS][j] + token[0];
  MPI_Reduce(&sum, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %ld\n", total);
  MPI_Finalize();
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A static array of 8 MiB, which an FPGA has in DRAM, with a few initial values; messages from and into it,
 * and a heap beside it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT (1 << 20)
#define STRIDE 8191
#define PART 3000

static double field[COUNT] = {1.5, -2.25, [9] = 40};
static int small[100];

static double total(void) {
  double sum = 0;
  for (int i = 0; i < COUNT; i += STRIDE) sum += field[i];
  return sum + field[1] + field[9] + field[COUNT - 1];
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("rank %d begins with %g\n", rank, total());
  for (int i = 0; i < COUNT; i += STRIDE) field[i] += i + rank;
  field[COUNT - 1] = 7 + rank;
  for (int i = 0; i < 100; i++) small[i] = i * i;

  /* around in a ring: from the middle to the end, which the receiver adds to its beginning */
  for (int i = 0; i < PART; i++) field[COUNT / 2 + i] = 0.25 * i + rank;
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request request;
  MPI_Irecv(field + COUNT - PART - 1, PART, MPI_DOUBLE, before, 5, MPI_COMM_WORLD, &request);
  MPI_Send(field + COUNT / 2, PART, MPI_DOUBLE, next, 5, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < PART; i++) field[i] += field[COUNT - PART - 1 + i];

  int* const block = malloc(PART * sizeof *block);
  for (int i = 0; i < PART; i++) block[i] = i - rank;
  double all[4] = {total(), 0, 0, 0}, sums[4];
  for (int i = 0; i < PART; i++) all[1] += field[i] * 3 - block[i];
  for (int i = 0; i < 100; i++) all[2] += small[i];
  printf("rank %d has %.10g, %.10g, %g\n", rank, all[0], all[1], all[2]);
  MPI_Reduce(all, sums, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("together %.10g, %.10g, %g\n", sums[0], sums[1], sums[2]);
  free(block);
  MPI_Finalize();
  return 0;
}

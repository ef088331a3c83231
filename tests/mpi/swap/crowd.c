/* SPDX-License-Identifier: Apache-2.0 */
/* All ranks send to all others at once, long and short, more than an FPGA's receive store takes. Usage: crowd
 * ROUNDS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES 5000

static unsigned char out[BYTES], in[8][BYTES];

int main(int argc, char** argv) {
  int rank, size;
  unsigned sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < atoi(argv[1]); round++) {
    MPI_Request requests[16];
    int open = 0;
    const int bytes = BYTES - round * 613 % 4000;
    for (int i = 0; i < bytes; i++) out[i] = (unsigned char)(i * rank + round);
    for (int r = 0; r < size; r++)
      if (r != rank) MPI_Irecv(in[r], bytes, MPI_BYTE, r, round, MPI_COMM_WORLD, &requests[open++]);
    for (int r = 0; r < size; r++)
      if (r != rank) MPI_Isend(out, bytes, MPI_BYTE, r, round, MPI_COMM_WORLD, &requests[open++]);
    MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
    for (int r = 0; r < size; r++)
      for (int i = 0; i < bytes && r != rank; i++) sum = sum * 31 + in[r][i];
  }
  printf("rank %d: %u\n", rank, sum);
  MPI_Finalize();
  return 0;
}

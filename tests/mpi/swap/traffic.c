/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of random lengths, tags and pairs, blocking and not, with and without a receive that waits, from
 * block RAM and from DRAM, with work in between; then collectives. Usage: traffic SEED MESSAGES. Each rank
 * prints a sum of all that it has received. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 6000 /* bytes of a message: several packets */
#define FLIGHTS 6 /* that are started before any is waited for */

static unsigned char small[FLIGHTS][MOST + 8], got[FLIGHTS][MOST + 8];
static unsigned state;

static unsigned draw(unsigned below) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % below;
}

static unsigned sum_of(unsigned sum, const unsigned char* bytes, int count) {
  for (int i = 0; i < count; i++) sum = (sum ^ bytes[i]) * 16777619u;
  return sum;
}

int main(int argc, char** argv) {
  int rank, size;
  unsigned sum = 2166136261u;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  state = (unsigned)atoi(argv[1]) * 2654435761u;
  const int messages = atoi(argv[2]);
  unsigned char* large = malloc(FLIGHTS * (MOST + 8));
  for (int first = 0; first < messages; first += FLIGHTS) {
    MPI_Request requests[2 * FLIGHTS];
    int open = 0, lengths[FLIGHTS], received[FLIGHTS];
    for (int f = 0; f < FLIGHTS; f++) {
      /* All ranks draw the same. */
      const int from = (int)draw((unsigned)size), to = (int)draw((unsigned)size), tag = (int)draw(3);
      const int length = draw(3) ? (int)draw(100) : (int)draw(MOST);
      const int shift = (int)draw(8), in_dram = (int)draw(2), late = (int)draw(4), synchronous = draw(4) == 0;
      lengths[f] = length;
      received[f] = to == rank;
      for (int i = 0; i < late * 50 * (rank + 1); i++) sum += i & sum >> 3;
      if (to == rank)
        MPI_Irecv(got[f] + shift, length, MPI_BYTE, from, first + 3 * f + tag, MPI_COMM_WORLD,
                  &requests[open++]);
      if (from != rank) continue;
      unsigned char* data = in_dram ? large + f * (MOST + 8) : small[f];
      for (int i = 0; i < length; i++) data[shift + i] = (unsigned char)(i * 7 + f + first + (i >> 8));
      if (synchronous)
        MPI_Issend(data + shift, length, MPI_BYTE, to, first + 3 * f + tag, MPI_COMM_WORLD,
                   &requests[open++]);
      else
        MPI_Isend(data + shift, length, MPI_BYTE, to, first + 3 * f + tag, MPI_COMM_WORLD, &requests[open++]);
    }
    MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
    for (int f = 0; f < FLIGHTS; f++)
      if (received[f]) sum = sum_of(sum, got[f], lengths[f]);
  }
  double share = rank + 0.25, all = 0, row[40];
  for (int i = 0; i < 40; i++) row[i] = i * share;
  MPI_Allreduce(MPI_IN_PLACE, row, 40, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&share, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Bcast(row, 40, MPI_DOUBLE, size - 1, MPI_COMM_WORLD);
  printf("rank %d: %u %.17g %.17g\n", rank, sum, row[39], all);
  MPI_Finalize();
  return 0;
}

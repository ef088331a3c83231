/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that go wrong in one way each; the first argument says which, the second which rank does it. One
   goes well if the network does not keep it from that: ring, whose second argument is a number of rounds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is(const char* word, const char* name) { return strcmp(word, name) == 0; }

enum { LONGEST = 600 };
static int out[LONGEST], in[LONGEST];

/* Each rank sends to the next one and receives from the one before; returns how many numbers were wrong. */
static int ring(int rank, int next, int before, int rounds) {
  int wrong = 0;
  for (int round = 0; round < rounds; round++) {
    const int count = 1 + round * 37 % LONGEST;
    MPI_Request request;
    for (int i = 0; i < count; i++) out[i] = rank * 1000000 + round * 1000 + i;
    MPI_Isend(out, count, MPI_INT, next, round, MPI_COMM_WORLD, &request);
    MPI_Recv(in, count, MPI_INT, before, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++) wrong += in[i] != before * 1000000 + round * 1000 + i;
  }
  return wrong;
}

int main(int argc, char** argv) {
  int rank, size, small = 0, big[4] = {1, 2, 3, 4};
  double number = 1.5;
  const char* what = argc > 1 ? argv[1] : "nothing";
  const int who = argc > 2 ? atoi(argv[2]) : 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  if (is(what, "abort") && rank == who) MPI_Abort(MPI_COMM_WORLD, 9);
  if (is(what, "abort")) MPI_Recv(&small, 1, MPI_INT, who, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (is(what, "deadlock")) MPI_Recv(&small, 1, MPI_INT, next, 40 + rank, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (is(what, "truncate")) {
    if (rank == who) MPI_Recv(&small, 1, MPI_INT, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (next == who) MPI_Send(big, 4, MPI_INT, who, 5, MPI_COMM_WORLD);
  }
  if (is(what, "type")) {
    if (rank == who) MPI_Recv(&number, 1, MPI_DOUBLE, before, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (next == who) MPI_Send(big, 2, MPI_INT, who, 6, MPI_COMM_WORLD);
  }
  if (is(what, "ring")) printf("rank %d: %d rounds, %d wrong\n", rank, who, ring(rank, next, before, who));
  if (is(what, "stranger") && rank == who) MPI_Send(big, 1, MPI_INT, size + 3, 0, MPI_COMM_WORLD);
  if (is(what, "leave") && rank == who) return 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (is(what, "kill") && rank == who) abort();
  MPI_Finalize();
  return is(what, "exit") && rank == who ? 7 : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Covers: dup, split with keys and MPI_UNDEFINED, messages and collectives that must not meet across
 * communicators. Leaves out: intercommunicators and groups, which Polyloom does not have. */
#include "say.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm dup, parts, again, some;
  int value, part_rank, part_size, result;
  MPI_Status s;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_compare(MPI_COMM_WORLD, dup, &result);
  SAY("dup congruent %d", result == MPI_CONGRUENT);
  /* The same tag in both: each receive takes that of its communicator, whatever came first. */
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request r[2];
  const int in_world = rank, in_dup = rank + 100;
  MPI_Isend(&in_world, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(&in_dup, 1, MPI_INT, next, 5, dup, &r[1]);
  MPI_Recv(&value, 1, MPI_INT, before, 5, dup, &s);
  SAY("dup got %d", value);
  MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
  SAY("world got %d", value);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  /* Halves, in reverse order of their ranks. */
  MPI_Comm_split(dup, rank % 2, -rank, &parts);
  MPI_Comm_rank(parts, &part_rank);
  MPI_Comm_size(parts, &part_size);
  SAY("part: rank %d of %d", part_rank, part_size);
  MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, parts);
  SAY("part's sum %d", value);
  int all[64];
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, parts);
  for (int i = 0; i < part_size; i++) SAY("part's member %d is %d", i, all[i]);
  value = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, (part_rank + 1) % part_size, 1, &value, 1, MPI_INT, MPI_ANY_SOURCE, 1,
               parts, &s);
  SAY("part's neighbour %d as %d", value, s.MPI_SOURCE);
  /* Only some. */
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 7 : MPI_UNDEFINED, 0, &some);
  SAY("some: %d", some != MPI_COMM_NULL);
  if (some != MPI_COMM_NULL) {
    value = rank + 10;
    MPI_Bcast(&value, 1, MPI_INT, 0, some);
    SAY("some's first says %d", value);
    MPI_Comm_free(&some);
    SAY("freed %d", some == MPI_COMM_NULL);
  }
  for (int i = 0; i < 20; i++) { /* places are used again */
    MPI_Comm_split(parts, 0, 0, &again);
    MPI_Allreduce(&i, &value, 1, MPI_INT, MPI_MAX, again);
    MPI_Comm_free(&again);
  }
  SAY("again %d", value);
  MPI_Comm_size(MPI_COMM_SELF, &part_size);
  MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  SAY("self: %d of %d", value, part_size);
  MPI_Comm_free(&parts);
  MPI_Comm_free(&dup);
  MPI_Finalize();
  return 0;
}

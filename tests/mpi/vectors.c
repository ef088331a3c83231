/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives with a length, a place or a type for each rank: separate buffers and in place, all roots,
 * blocks without data, with gaps between them and in another order than the ranks. */
#include <mpi.h>
#include <stdio.h>

enum { MOST = 8, WORDS = 2048 };
static int rank, size, a[WORDS], b[WORDS], lengths[MOST], places[MOST], sent[MOST], sent_at[MOST];

static void say(const char* what, int root) {
  unsigned sum = 2166136261u;
  for (int i = 0; i < WORDS; i++) sum = (sum ^ (unsigned)b[i]) * 16777619u;
  printf("rank %d: %s %d: %08x\n", rank, what, root, sum);
}

static void start(int salt) {
  for (int i = 0; i < WORDS; i++) {
    a[i] = salt * 100003 + rank * 1009 + i;
    b[i] = -(salt * 7 + rank * 13 + i);
  }
}

static void rooted(int root) {
  start(root);
  MPI_Gatherv(a, lengths[rank], MPI_INT, b, lengths, places, MPI_INT, root, MPI_COMM_WORLD);
  say("gatherv", root);
  start(root + 1);
  MPI_Gatherv(rank == root ? MPI_IN_PLACE : a, lengths[rank], MPI_INT, b, lengths, places, MPI_INT, root,
              MPI_COMM_WORLD);
  say("gatherv in place", root);
  start(root + 2);
  MPI_Scatterv(a, lengths, places, MPI_INT, b, lengths[rank], MPI_INT, root, MPI_COMM_WORLD);
  say("scatterv", root);
  start(root + 3);
  MPI_Scatterv(a, lengths, places, MPI_INT, rank == root ? MPI_IN_PLACE : b, lengths[rank], MPI_INT, root,
               MPI_COMM_WORLD);
  say("scatterv in place", root);
}

static void of_all(void) {
  MPI_Datatype types[MOST];
  int bytes[MOST], sent_bytes[MOST];
  start(10);
  MPI_Allgatherv(a, lengths[rank], MPI_INT, b, lengths, places, MPI_INT, MPI_COMM_WORLD);
  say("allgatherv", -1);
  start(11);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, b, lengths, places, MPI_INT, MPI_COMM_WORLD);
  say("allgatherv in place", -1);
  start(12);
  MPI_Alltoall(a, 5, MPI_INT, b, 5, MPI_INT, MPI_COMM_WORLD);
  say("alltoall", -1);
  start(13);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, b, 5, MPI_INT, MPI_COMM_WORLD);
  say("alltoall in place", -1);
  /* From rank i to rank k: i + 2 k words. */
  for (int i = 0; i < size; i++) {
    sent[i] = rank + 2 * i;
    sent_at[i] = 40 * (size - i);
    lengths[i] = i + 2 * rank;
    places[i] = 41 * i;
    types[i] = i % 2 ? MPI_FLOAT : MPI_INT;
    bytes[i] = 4 * places[i];
    sent_bytes[i] = 4 * sent_at[i];
  }
  start(14);
  MPI_Alltoallv(a, sent, sent_at, MPI_INT, b, lengths, places, MPI_INT, MPI_COMM_WORLD);
  say("alltoallv", -1);
  MPI_Datatype mine[MOST];
  for (int i = 0; i < size; i++) mine[i] = rank % 2 ? MPI_FLOAT : MPI_INT;
  start(15);
  MPI_Alltoallw(a, sent, sent_bytes, mine, b, lengths, bytes, types, MPI_COMM_WORLD);
  say("alltoallw", -1);
  /* In place both ways must have the same length. */
  for (int i = 0; i < size; i++) lengths[i] = 3 + i + rank;
  start(16);
  MPI_Alltoallv(MPI_IN_PLACE, 0, 0, MPI_INT, b, lengths, places, MPI_INT, MPI_COMM_WORLD);
  say("alltoallv in place", -1);
  for (int i = 0; i < size; i++) types[i] = MPI_UNSIGNED;
  start(17);
  MPI_Alltoallw(MPI_IN_PLACE, 0, 0, 0, b, lengths, bytes, types, MPI_COMM_WORLD);
  say("alltoallw in place", -1);
}

static void reductions(void) {
  for (int i = 0; i < size; i++) lengths[i] = i % 2 ? 3 * i : 50;
  start(20);
  MPI_Reduce_scatter(a, b, lengths, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say("reduce_scatter", -1);
  start(21);
  MPI_Reduce_scatter(MPI_IN_PLACE, b, lengths, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  /* What is behind the result may be anything. */
  for (int i = lengths[rank]; i < WORDS; i++) b[i] = 0;
  say("reduce_scatter in place", -1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int at = 0;
  for (int i = size - 1; i >= 0; i--) {
    lengths[i] = (i * 37 + 5) % 90 * ((i + 1) % 3);
    places[i] = at + i;
    at += lengths[i] + 3;
  }
  for (int root = 0; root < size; root++) rooted(root);
  of_all();
  reductions();
  MPI_Finalize();
  return 0;
}

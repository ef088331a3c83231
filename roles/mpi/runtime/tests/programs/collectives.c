/* SPDX-License-Identifier: Apache-2.0 */
/* Covers: data movement by collectives, all roots, block sizes from nothing to many packets, in place and
 * with other datatypes at the ends. Leaves out: reductions (reductions.c). */
#include "say.h"

enum { LARGEST = 20000, RANKS = 8 };
static int a[LARGEST * RANKS], b[LARGEST * RANKS];
static const int counts[] = {0, 1, 2, 5, 31, 33, 64, 100, 359, 360, 361, 2000, 5001, LARGEST};
enum { COUNTS = sizeof counts / sizeof *counts };

static void say(const char* what, int root, int count, int ints) {
  SAY("%s root %d count %d: %016llx", what, root, count,
      (unsigned long long)hash(b, (size_t)ints * sizeof(int)));
}

static void start(int count, int salt) {
  fill(a, (size_t)count * (size_t)size * sizeof(int), (unsigned)(rank * 7919 + salt));
  fill(b, (size_t)count * (size_t)size * sizeof(int), (unsigned)(rank * 104729 + salt));
}

static void rooted(int root, int n, int salt) {
  start(n, salt);
  MPI_Bcast(b, n, MPI_INT, root, MPI_COMM_WORLD);
  say("bcast", root, n, n);
  start(n, salt + 1);
  MPI_Scatter(a, n, MPI_INT, b, n, MPI_INT, root, MPI_COMM_WORLD);
  say("scatter", root, n, n);
  start(n, salt + 2);
  if (rank == root) {
    MPI_Scatter(a, n, MPI_INT, MPI_IN_PLACE, n, MPI_INT, root, MPI_COMM_WORLD);
  } else {
    MPI_Scatter(a, n, MPI_INT, b, n, MPI_INT, root, MPI_COMM_WORLD);
  }
  say("scatter in place", root, n, n);
  start(n, salt + 3);
  MPI_Gather(a, n, MPI_INT, b, n, MPI_INT, root, MPI_COMM_WORLD);
  say("gather", root, n, rank == root ? n * size : n);
  start(n, salt + 4);
  if (rank == root) {
    MPI_Gather(MPI_IN_PLACE, n, MPI_INT, b, n, MPI_INT, root, MPI_COMM_WORLD);
  } else {
    MPI_Gather(a, n, MPI_INT, b, n, MPI_INT, root, MPI_COMM_WORLD);
  }
  say("gather in place", root, n, rank == root ? n * size : n);
}

static void of_all(int n, int salt) {
  start(n, salt);
  MPI_Allgather(a, n, MPI_INT, b, n, MPI_INT, MPI_COMM_WORLD);
  say("allgather", -1, n, n * size);
  start(n, salt + 1);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, b, n, MPI_INT, MPI_COMM_WORLD);
  say("allgather in place", -1, n, n * size);
  start(n, salt + 2);
  MPI_Alltoall(a, n, MPI_INT, b, n, MPI_INT, MPI_COMM_WORLD);
  say("alltoall", -1, n, n * size);
}

static void uneven(int root) {
  int sizes[RANKS], places[RANKS], total = 0;
  for (int i = 0; i < size; i++) {
    sizes[i] = (i * 37 + 5) % 400 * (i % 3);
    places[i] = total + i; /* gaps */
    total += sizes[i] + 1;
  }
  start(LARGEST, root);
  MPI_Scatterv(a, sizes, places, MPI_INT, b, sizes[rank], MPI_INT, root, MPI_COMM_WORLD);
  say("scatterv", root, sizes[rank], sizes[rank]);
  start(LARGEST, root + 1);
  MPI_Gatherv(a, sizes[rank], MPI_INT, b, sizes, places, MPI_INT, root, MPI_COMM_WORLD);
  say("gatherv", root, total, total);
  start(LARGEST, root + 2);
  MPI_Allgatherv(a, sizes[rank], MPI_INT, b, sizes, places, MPI_INT, MPI_COMM_WORLD);
  say("allgatherv", root, total, total);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int i = 0; i < COUNTS; i++) {
    for (int root = 0; root < size; root++) {
      if (counts[i] <= 400 || root == size / 2) rooted(root, counts[i], i * 100 + root);
    }
    of_all(counts[i], i * 1000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int root = 0; root < size; root++) uneven(root);
  MPI_Finalize();
  return 0;
}

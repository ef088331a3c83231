/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives that do not block: each of them, several at once, ended by each call that ends requests, beside
 * messages and blocking ones; in place. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 8, N = 6 };
static int rank, size;
static int out[MOST * N], in[MOST * N];

static void start(int salt) {
  for (int i = 0; i < MOST * N; i++) {
    out[i] = 1000 * salt + 100 * rank + i;
    in[i] = -1 - i;
  }
}

static void say(const char* what, const int* data, int count) {
  unsigned sum = 2166136261u;
  for (int i = 0; i < count; i++) sum = (sum ^ (unsigned)data[i]) * 16777619u;
  printf("rank %d: %s: %08x\n", rank, what, sum);
}

static void moved(void) {
  int counts[MOST], places[MOST], out_counts[MOST], out_places[MOST];
  MPI_Request r;
  for (int i = 0; i < size; i++) {
    counts[i] = 1 + (i + rank) % 3;
    places[i] = N * i + 1;
    out_counts[i] = 1 + (i + rank) % 3;
    out_places[i] = N * i;
  }
  for (int root = 0; root<size; root += size> 1 ? size - 1 : 1) {
    start(root);
    MPI_Ibcast(out, N, MPI_INT, root, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    say("bcast", out, N);
    start(root + 1);
    MPI_Igather(out, 2, MPI_INT, in, 2, MPI_INT, root, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    say("gather", in, MOST * N);
    start(root + 2);
    MPI_Iscatter(out, 3, MPI_INT, rank == root ? MPI_IN_PLACE : in, 3, MPI_INT, root, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    say("scatter", in, MOST * N);
    start(root + 3);
    int each[MOST];
    for (int i = 0; i < size; i++) each[i] = 1 + i % 3;
    MPI_Igatherv(out, each[rank], MPI_INT, in, each, places, MPI_INT, root, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    say("gatherv", in, MOST * N);
    start(root + 4);
    MPI_Iscatterv(out, each, places, MPI_INT, in, each[rank], MPI_INT, root, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    say("scatterv", in, MOST * N);
    start(root + 5);
    MPI_Iallgatherv(out, each[rank], MPI_INT, in, each, places, MPI_INT, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    say("allgatherv", in, MOST * N);
  }
  start(20);
  MPI_Iallgather(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  say("allgather", in, MOST * N);
  MPI_Iallgather(MPI_IN_PLACE, 0, MPI_INT, out, 2, MPI_INT, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  say("allgather in place", out, MOST * N);
  start(21);
  MPI_Ialltoall(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  say("alltoall", in, MOST * N);
  start(22);
  MPI_Ialltoallv(out, out_counts, out_places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  say("alltoallv", in, MOST * N);
}

static void reduced(void) {
  double values[N], sums[N];
  int counts[MOST];
  MPI_Request r;
  for (int i = 0; i < N; i++) values[i] = rank + 0.5 * i;
  MPI_Iallreduce(values, sums, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  printf("rank %d: allreduce %g %g\n", rank, sums[0], sums[N - 1]);
  MPI_Iallreduce(MPI_IN_PLACE, values, N, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  printf("rank %d: in place %g %g\n", rank, values[0], values[N - 1]);
  start(1);
  MPI_Ireduce(out, in, N, MPI_INT, MPI_SUM, size - 1, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  say("reduce", in, N);
  start(2);
  MPI_Iscan(out, in, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  say("scan", in, N);
  start(3);
  MPI_Iexscan(out, in, N, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  if (rank > 0) say("exscan", in, N);
  start(4);
  MPI_Ireduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  say("reduce_scatter_block", in, 2);
  for (int i = 0; i < size; i++) counts[i] = i % 3;
  start(5);
  MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  say("reduce_scatter", in, N);
}

/* Not all ranks end them in the same order, and messages and blocking collectives go on between them. */
static void together(int how) {
  enum { MANY = 4 };
  MPI_Request r[MANY + 1];
  int sums[MANY], got = -1, index, flag = 0, count = 0, indices[MANY + 1], max,
                  before = (rank + size - 1) % size;
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  start(7);
  for (int i = 0; i < MANY; i++)
    MPI_Iallreduce(&out[i], &sums[i], 1, MPI_INT, MPI_SUM, i % 2 ? other : MPI_COMM_WORLD, &r[i]);
  MPI_Irecv(&got, 1, MPI_INT, before, 5, MPI_COMM_WORLD, &r[MANY]);
  MPI_Allreduce(&rank, &max, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD);
  if (how == 0) {
    MPI_Waitall(MANY + 1, r, MPI_STATUSES_IGNORE);
  } else if (how == 1) {
    for (int i = 0; i < MANY + 1; i++) MPI_Waitany(MANY + 1, r, &index, MPI_STATUS_IGNORE);
    MPI_Waitany(MANY + 1, r, &index, MPI_STATUS_IGNORE);
    printf("rank %d: none left %d\n", rank, index == MPI_UNDEFINED);
  } else {
    while (!flag) MPI_Testall(MANY + 1, r, &flag, MPI_STATUSES_IGNORE);
  }
  printf("rank %d: together %d %d %d %d, from %d, most %d\n", rank, sums[0], sums[1], sums[2], sums[3], got,
         max);
  MPI_Ibarrier(other, &r[0]);
  MPI_Ibcast(sums, MANY, MPI_INT, 0, MPI_COMM_WORLD, &r[1]);
  while (count < 2) {
    int some;
    MPI_Testsome(2, r, &some, indices, MPI_STATUSES_IGNORE);
    if (some != MPI_UNDEFINED) count += some;
  }
  MPI_Ibarrier(MPI_COMM_WORLD, &r[0]);
  for (flag = 0; !flag;) MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
  printf("rank %d: of rank 0 %d, ended %d\n", rank, sums[3], r[0] == MPI_REQUEST_NULL);
  MPI_Comm_free(&other);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  moved();
  reduced();
  together((rank + argc) % 3);
  MPI_Finalize();
  return 0;
}

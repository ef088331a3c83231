/* SPDX-License-Identifier: Apache-2.0 */
/* Every collective operation with every root, several lengths and operators, in place and not, on the world
 * and on communicators split from it. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define MOST 600
#define RANKS 8

static int in[MOST * RANKS], out[MOST * RANKS];
static unsigned total;

static void note(const int* values, int count) {
  for (int i = 0; i < count; i++) total = (total ^ (unsigned)values[i]) * 16777619u;
}

static void fill(int rank, int count, int seed) {
  for (int i = 0; i < count; i++) in[i] = (rank + 1) * 1000 + i * 3 + seed;
}

static void rooted(MPI_Comm comm, int rank, int size, int count) {
  for (int root = 0; root < size; root++) {
    memset(out, 0, sizeof out);
    fill(rank, count, root);
    MPI_Bcast(in, count, MPI_INT, root, comm);
    note(in, count);
    fill(rank, count * size, root);
    MPI_Scatter(in, count, MPI_INT, out, count, MPI_INT, root, comm);
    note(out, count);
    fill(rank, count, root);
    MPI_Gather(in, count, MPI_INT, out, count, MPI_INT, root, comm);
    if (rank == root) note(out, count * size);
    MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, root, comm);
    if (rank == root) note(out, count);
    if (rank == root) {
      memcpy(out, in, (size_t)count * sizeof *in);
      MPI_Reduce(MPI_IN_PLACE, out, count, MPI_INT, MPI_MAX, root, comm);
      note(out, count);
    } else {
      MPI_Reduce(in, NULL, count, MPI_INT, MPI_MAX, root, comm);
    }
  }
}

static void symmetric(MPI_Comm comm, int rank, int size, int count) {
  memset(out, 0, sizeof out);
  fill(rank, count * size, 1);
  MPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, comm);
  note(out, count * size);
  MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, comm);
  note(out, count * size);
  fill(rank, count, 2);
  MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, comm);
  note(out, count);
  MPI_Allreduce(in, out, count, MPI_INT, MPI_BXOR, comm);
  note(out, count);
  MPI_Scan(in, out, count, MPI_INT, MPI_SUM, comm);
  note(out, count);
  MPI_Allreduce(MPI_IN_PLACE, in, count, MPI_INT, MPI_MIN, comm);
  note(in, count);
  MPI_Barrier(comm);
}

static void doubles(int rank, int size) {
  double mine[3] = {rank + 0.5, 1.0 / (rank + 1), -rank}, all[3];
  MPI_Allreduce(mine, all, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  printf("rank %d: maxima %.3f %.3f %.3f of %d\n", rank, all[0], all[1], all[2], size);
}

int main(int argc, char** argv) {
  int rank, size, part_rank, part_size;
  static const int counts[] = {0, 1, 7, 64, MOST};
  MPI_Comm part, copy;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < (int)(sizeof counts / sizeof *counts); i++) {
    rooted(MPI_COMM_WORLD, rank, size, counts[i]);
    symmetric(MPI_COMM_WORLD, rank, size, counts[i]);
  }
  printf("rank %d: world %08x\n", rank, total);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
  MPI_Comm_dup(part, &copy);
  MPI_Comm_rank(copy, &part_rank);
  MPI_Comm_size(copy, &part_size);
  rooted(copy, part_rank, part_size, 5);
  symmetric(part, part_rank, part_size, 9);
  printf("rank %d: %d of %d in its part, %08x\n", rank, part_rank, part_size, total);
  doubles(rank, size);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&part);
  MPI_Finalize();
  return 0;
}

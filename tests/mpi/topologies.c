/* SPDX-License-Identifier: Apache-2.0 */
/* Grids of ranks, their parts and neighbours; groups, communicators of groups; many communicators. */
#include <mpi.h>
#include <stdio.h>

static int rank, size;

static void dims(void) {
  static const int counts[] = {1, 2, 6, 12, 16, 24, 60, 97, 128, 210, 1000};
  for (int i = 0; i < (int)(sizeof counts / sizeof *counts); i++) {
    int two[2] = {0, 0}, three[3] = {0, 0, 0}, some[3] = {0, 2, 0};
    MPI_Dims_create(counts[i], 2, two);
    MPI_Dims_create(counts[i], 3, three);
    if (counts[i] % 2 == 0) MPI_Dims_create(counts[i], 3, some);
    if (rank == 0)
      printf("%d: %d %d, %d %d %d, %d %d %d\n", counts[i], two[0], two[1], three[0], three[1], three[2],
             some[0], some[1], some[2]);
  }
}

static void grid(void) {
  int shape[2] = {0, 0}, periods[2] = {1, 0}, got[2], got_periods[2], at[2], kind, mapped;
  MPI_Comm comm, row, same;
  MPI_Dims_create(size, 2, shape);
  MPI_Cart_map(MPI_COMM_WORLD, 2, shape, periods, &mapped);
  MPI_Cart_create(MPI_COMM_WORLD, 2, shape, periods, 0, &comm);
  MPI_Comm_dup(comm, &same);
  MPI_Topo_test(same, &kind);
  MPI_Cart_get(same, 2, got, got_periods, at);
  printf("rank %d: mapped %d, a grid %d, %d x %d, periods %d %d, at %d %d\n", rank, mapped, kind == MPI_CART,
         got[0], got[1], got_periods[0], got_periods[1], at[0], at[1]);
  for (int d = 0; d < 2; d++) {
    for (int by = -2; by <= 2; by++) {
      int from, to;
      MPI_Cart_shift(comm, d, by, &from, &to);
      printf("rank %d: by %d in %d: %d %d\n", rank, by, d, from == MPI_PROC_NULL ? -1 : from,
             to == MPI_PROC_NULL ? -1 : to);
    }
  }
  for (int i = 0; i < size; i++) {
    int back;
    MPI_Cart_coords(comm, i, 2, at);
    at[0] -= 3 * shape[0]; /* that dimension goes round */
    MPI_Cart_rank(comm, at, &back);
    if (back != i) printf("rank %d: WRONG: %d is %d\n", rank, i, back);
  }
  int mine[4], all[4] = {-1, -1, -1, -1}, each[4] = {-1, -1, -1, -1};
  for (int i = 0; i < 4; i++) mine[i] = 10 * rank + i;
  MPI_Neighbor_allgather(mine, 1, MPI_INT, all, 1, MPI_INT, comm);
  MPI_Neighbor_alltoall(mine, 1, MPI_INT, each, 1, MPI_INT, comm);
  printf("rank %d: neighbours %d %d %d %d, each %d %d %d %d\n", rank, all[0], all[1], all[2], all[3], each[0],
         each[1], each[2], each[3]);
  const int remain[2] = {0, 1};
  int ndims, sum;
  MPI_Cart_sub(comm, remain, &row);
  MPI_Cartdim_get(row, &ndims);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, row);
  printf("rank %d: a part of %d dimensions, sum %d\n", rank, ndims, sum);
  MPI_Comm_free(&row);
  MPI_Comm_free(&same);
  MPI_Comm_free(&comm);
}

static void say(const char* what, MPI_Group group) {
  MPI_Group world;
  int count, mine, ranks[64], in_world[64];
  MPI_Group_size(group, &count);
  MPI_Group_rank(group, &mine);
  for (int i = 0; i < count; i++) ranks[i] = i;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_translate_ranks(group, count, ranks, world, in_world);
  printf("rank %d: %s: %d as %d:", rank, what, count, mine == MPI_UNDEFINED ? -1 : mine);
  for (int i = 0; i < count; i++) printf(" %d", in_world[i]);
  printf("\n");
  MPI_Group_free(&world);
}

static void groups(void) {
  int some[] = {size - 1, 0}, ranges[1][3] = {{size - 1, 0, -2}}, result;
  MPI_Group world, few, odd, both, made;
  MPI_Comm comm;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, size > 1 ? 2 : 1, some, &few);
  say("few", few);
  MPI_Group_range_incl(world, 1, ranges, &odd);
  say("each second from the last", odd);
  MPI_Group_range_excl(world, 1, ranges, &made);
  say("the others", made);
  MPI_Group_free(&made);
  MPI_Group_excl(world, 1, some, &made);
  say("but the last", made);
  MPI_Group_free(&made);
  MPI_Group_union(few, odd, &both);
  say("union", both);
  MPI_Group_compare(both, odd, &result);
  printf("rank %d: %d %d\n", rank, result == MPI_UNEQUAL, result == MPI_SIMILAR);
  MPI_Group_intersection(few, odd, &made);
  say("intersection", made);
  MPI_Group_free(&made);
  MPI_Group_difference(world, few, &made);
  say("difference", made);
  MPI_Group_free(&made);
  MPI_Comm_create(MPI_COMM_WORLD, few, &comm);
  printf("rank %d: in few %d\n", rank, comm != MPI_COMM_NULL);
  if (comm != MPI_COMM_NULL) {
    int sum, mine;
    MPI_Comm_rank(comm, &mine);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    printf("rank %d: as %d, sum %d\n", rank, mine, sum);
    MPI_Comm_free(&comm);
  }
  MPI_Group_rank(odd, &result);
  if (result != MPI_UNDEFINED) {
    int last = rank;
    MPI_Comm_create_group(MPI_COMM_WORLD, odd, 7, &comm);
    MPI_Bcast(&last, 1, MPI_INT, 0, comm);
    printf("rank %d: %d\n", rank, last);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&both);
  MPI_Group_free(&odd);
  MPI_Group_free(&few);
  MPI_Group_free(&world);
}

static void many(void) {
  MPI_Comm comms[50];
  int value = 0, sum = 0;
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < 50; i++)
      MPI_Comm_split(MPI_COMM_WORLD, rank % 2, round % 2 ? rank : -rank, &comms[i]);
    value = rank;
    MPI_Bcast(&value, 1, MPI_INT, 0, comms[49]);
    sum = 10 * sum + value;
    for (int i = 0; i < 50; i++) MPI_Comm_free(&comms[i]);
  }
  printf("rank %d: of many %d\n", rank, sum);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  dims();
  grid();
  groups();
  many();
  MPI_Finalize();
  return 0;
}

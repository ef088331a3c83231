/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of an array that is dealt to a grid of ranks. */
#include <mpi.h>
#include <stdio.h>

enum { CELLS = 80 };
static int rank, size;
static int out[CELLS], in[CELLS];

static void say(const char* what, const void* data, int bytes) {
  const unsigned char* at = data;
  unsigned sum = 2166136261u;
  for (int i = 0; i < bytes; i++) sum = (sum ^ at[i]) * 16777619u;
  printf("rank %d: %s: %08x\n", rank, what, sum);
}

static void start(int salt) {
  for (int i = 0; i < CELLS; i++) {
    out[i] = salt * 100003 + rank * 10007 + i;
    in[i] = -i;
  }
}

/* Matrices dealt to a grid of ranks, and put together again. */
static void dealt(void) {
  static const int ways[][2] = {{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
                                {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},
                                {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC}};
  int grid[2] = {0, 0}, global[2] = {7, 10}, bytes;
  MPI_Aint lower, extent;
  MPI_Dims_create(size, 2, grid);
  for (int way = 0; way < 6; way++) {
    const int* const how = ways[way % 3];
    int args[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    MPI_Datatype part;
    if (how[0] == MPI_DISTRIBUTE_CYCLIC) args[0] = 1 + way % 2;
    if (how[1] == MPI_DISTRIBUTE_CYCLIC && way > 2) args[1] = 3;
    MPI_Type_create_darray(size, rank, 2, global, how, args, grid, way > 2 ? MPI_ORDER_FORTRAN : MPI_ORDER_C,
                           MPI_INT, &part);
    MPI_Type_commit(&part);
    MPI_Type_size(part, &bytes);
    MPI_Type_get_extent(part, &lower, &extent);
    printf("rank %d: dealt %d bytes, from %ld %ld\n", rank, bytes, (long)lower, (long)extent);
    start(70 + way);
    MPI_Sendrecv(out, 1, part, rank, 1, in, bytes / 4, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("dealt", in, sizeof in);
    start(80 + way);
    MPI_Sendrecv(out, bytes / 4, MPI_INT, rank, 1, in, 1, part, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("put together", in, sizeof in);
    MPI_Type_free(&part);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  dealt();
  MPI_Finalize();
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Types with gaps in collectives. */
#include <mpi.h>
#include <stdio.h>

enum { N = 12, CELLS = N * N * N };
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

static void collectives(void) {
  MPI_Datatype column, resized;
  MPI_Type_vector(6, 1, 8, MPI_INT, &column);
  MPI_Type_create_resized(column, 0, 4, &resized);
  MPI_Type_commit(&resized);
  for (int root = 0; root < size; root++) {
    start(30 + root);
    MPI_Gather(out, 6, MPI_INT, in, 1, resized, root, MPI_COMM_WORLD);
    say("gathered as columns", in, sizeof in);
    start(40 + root);
    MPI_Scatter(out, 1, resized, in, 6, MPI_INT, root, MPI_COMM_WORLD);
    say("scattered columns", in, sizeof in);
    start(50 + root);
    MPI_Scatter(out, 6, MPI_INT, in, 1, resized, root, MPI_COMM_WORLD);
    say("scattered to columns", in, sizeof in);
  }
  start(60);
  MPI_Allgather(out, 1, resized, in, 1, resized, MPI_COMM_WORLD);
  say("allgather", in, sizeof in);
  start(61);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, in, 1, resized, MPI_COMM_WORLD);
  say("allgather in place", in, sizeof in);
  start(62);
  MPI_Alltoall(out, 1, resized, in, 6, MPI_INT, MPI_COMM_WORLD);
  say("alltoall of columns", in, sizeof in);
  start(63);
  MPI_Alltoall(out, 6, MPI_INT, in, 1, resized, MPI_COMM_WORLD);
  say("alltoall to columns", in, sizeof in);
  int counts[8], places[8];
  for (int i = 0; i < size; i++) {
    counts[i] = 1 + i % 2;
    places[i] = 50 * i;
  }
  start(64);
  MPI_Allgatherv(out, counts[rank] * 6, MPI_INT, in, counts, places, resized, MPI_COMM_WORLD);
  say("allgatherv", in, sizeof in);
  start(65);
  MPI_Gatherv(out, counts[rank], resized, in, counts, places, resized, size - 1, MPI_COMM_WORLD);
  say("gatherv", in, sizeof in);
  MPI_Type_free(&resized);
  MPI_Type_free(&column);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  collectives();
  MPI_Finalize();
  return 0;
}

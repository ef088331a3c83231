/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives that do not block, of types with gaps and by the program's own operator. */
#include <mpi.h>
#include <stdio.h>

/* Maps x -> p x + q, one after the other, with a gap between p and q: not commutative. */
static void compose(void* in_data, void* inout, int* length, MPI_Datatype* type) {
  const unsigned* a = in_data;
  unsigned* b = inout;
  (void)type;
  for (int i = 0; i < *length; i++, a += 4, b += 4) {
    b[2] = a[2] + a[0] * b[2];
    b[0] *= a[0];
  }
}

int main(int argc, char** argv) {
  MPI_Datatype pair, map, column;
  MPI_Op op;
  MPI_Request r[2];
  int rank, size, out[64], in[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
  MPI_Type_create_resized(pair, 0, 16, &map);
  MPI_Type_commit(&map);
  MPI_Type_vector(3, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Op_create(compose, 0, &op);
  for (int i = 0; i < 64; i++) {
    out[i] = 100 * rank + i + 1;
    in[i] = -1 - i;
  }
  MPI_Iallreduce(out, in, 2, map, op, MPI_COMM_WORLD, &r[0]);
  MPI_Ialltoall(out, 1, column, in + 8, 3, MPI_INT, MPI_COMM_WORLD, &r[1]);
  MPI_Type_free(&pair);
  MPI_Type_free(&column); /* what is under way goes on */
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  printf("rank %d: maps %d %d, %d %d\n", rank, in[0], in[2], in[4], in[6]);
  for (int i = 0; i < 3 * size; i++) printf("rank %d: columns %d: %d\n", rank, i, in[8 + i]);
  MPI_Type_free(&map);
  MPI_Op_free(&op);
  MPI_Finalize();
  return 0;
}

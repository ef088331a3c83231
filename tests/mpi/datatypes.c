/* SPDX-License-Identifier: Apache-2.0 */
/* Derived datatypes: each constructor, types of types, their sizes and bounds, in messages; what a short
 * message leaves as it was. */
#include <mpi.h>
#include <stdio.h>

enum { N = 12, CELLS = N * N * N };
static int rank, size, next, before;
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

/* There and back: to the next as the type, then as integers; to the other side as integers, then as the type.
 */
static void send(const char* what, MPI_Datatype type, int count) {
  int bytes, elements, whole;
  MPI_Aint lower, extent, true_lower, true_extent;
  MPI_Status s;
  MPI_Type_commit(&type);
  MPI_Type_size(type, &bytes);
  MPI_Type_get_extent(type, &lower, &extent);
  MPI_Type_get_true_extent(type, &true_lower, &true_extent);
  printf("rank %d: %s: %d bytes, from %ld %ld, true %ld %ld\n", rank, what, bytes, (long)lower, (long)extent,
         (long)true_lower, (long)true_extent);
  start(1);
  MPI_Sendrecv(out, count, type, next, 1, in, CELLS, MPI_INT, before, 1, MPI_COMM_WORLD, &s);
  MPI_Get_count(&s, MPI_INT, &elements);
  say(what, in, sizeof in);
  start(2);
  MPI_Sendrecv(out, elements, MPI_INT, before, 2, in, count, type, next, 2, MPI_COMM_WORLD, &s);
  MPI_Get_count(&s, type, &whole);
  MPI_Get_elements(&s, type, &elements);
  printf("rank %d: %s: %d whole, %d elements\n", rank, what, whole, elements);
  say(what, in, sizeof in);
  MPI_Type_free(&type);
}

static void constructors(void) {
  static const int lengths[] = {3, 0, 1, 2}, places[] = {9, 1, 0, 4};
  static const MPI_Aint offsets[] = {80, 8, 0, 32};
  MPI_Datatype a, b, c;
  MPI_Type_contiguous(7, MPI_INT, &a);
  send("contiguous", a, 3);
  MPI_Type_vector(N, 1, N, MPI_INT, &a);
  send("a column", a, 1);
  MPI_Type_vector(5, 2, 3, MPI_INT, &a);
  send("vectors", a, 3);
  MPI_Type_vector(4, 3, 3, MPI_INT, &a);
  send("a vector without gaps", a, 2);
  MPI_Type_create_hvector(4, 2, 24, MPI_INT, &a);
  send("hvector", a, 2);
  MPI_Type_indexed(4, lengths, places, MPI_INT, &a);
  send("indexed", a, 2);
  MPI_Type_create_hindexed(4, lengths, offsets, MPI_INT, &a);
  send("hindexed", a, 2);
  MPI_Type_create_indexed_block(4, 2, places, MPI_INT, &a);
  send("indexed_block", a, 1);
  MPI_Type_create_hindexed_block(3, 2, offsets, MPI_INT, &a);
  send("hindexed_block", a, 1);
  MPI_Type_vector(3, 1, 2, MPI_INT, &a);
  MPI_Type_create_resized(a, 0, 4, &b);
  send("woven", b, 2);
  MPI_Type_create_resized(a, -4, 40, &b);
  send("with room before", b, 3);
  MPI_Type_dup(a, &b);
  MPI_Type_free(&a);
  send("of a type that is no more", b, 2);
  const int sizes[] = {N, N, N}, parts[] = {3, 4, 5}, from[] = {2, 1, 3};
  MPI_Type_create_subarray(3, sizes, parts, from, MPI_ORDER_C, MPI_INT, &a);
  send("subarray", a, 1);
  MPI_Type_create_subarray(3, sizes, parts, from, MPI_ORDER_FORTRAN, MPI_INT, &a);
  send("subarray of Fortran", a, 1);
  /* A matrix by columns, then twice of it, in pieces of pieces. */
  MPI_Type_vector(4, 1, 6, MPI_INT, &a);
  MPI_Type_create_hvector(6, 1, 4, a, &b);
  MPI_Type_contiguous(2, b, &c);
  MPI_Type_free(&a);
  MPI_Type_free(&b);
  send("transposed", c, 2);
}

/* What MPI_BOTTOM is for: places that have nothing to do with one another. */
static void absolute(void) {
  static int first = 1, second[3] = {2, 3, 4};
  const int lengths[] = {1, 3};
  MPI_Aint offsets[2];
  MPI_Datatype type;
  first += 10 * rank;
  MPI_Get_address(&first, &offsets[0]);
  MPI_Get_address(second, &offsets[1]);
  MPI_Type_create_hindexed(2, lengths, offsets, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Sendrecv(MPI_BOTTOM, 1, type, next, 7, in, 4, MPI_INT, before, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("rank %d: %d %d %d %d\n", rank, in[0], in[1], in[2], in[3]);
  MPI_Type_free(&type);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  constructors();
  absolute();
  MPI_Finalize();
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Derived datatypes: each constructor, types of types, their sizes and bounds; in messages of every kind, in
 * collectives, packed by hand; what a short message leaves as it was. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { N = 12, CELLS = N * N * N };
struct particle {
  char kind;
  double at[3];
  int number;
  short charge;
};
static int rank, size, next, before;
static int out[CELLS], in[CELLS];
static struct particle few[8], got[8];

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

static MPI_Datatype particle_type(void) {
  static const int lengths[] = {1, 3, 1, 1};
  static const MPI_Aint offsets[] = {offsetof(struct particle, kind), offsetof(struct particle, at),
                                     offsetof(struct particle, number), offsetof(struct particle, charge)};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT, MPI_SHORT};
  MPI_Datatype type;
  MPI_Type_create_struct(4, lengths, offsets, types, &type);
  MPI_Type_commit(&type);
  return type;
}

static void fill(void) {
  memset(few, 0, sizeof few);
  memset(got, 0x55, sizeof got);
  for (int i = 0; i < 8; i++) {
    few[i].kind = (char)('a' + i);
    for (int k = 0; k < 3; k++) few[i].at[k] = rank + 0.25 * i + k;
    few[i].number = 100 * rank + i;
    few[i].charge = (short)-i;
  }
}

static void structures(void) {
  MPI_Datatype type = particle_type();
  MPI_Aint lower, extent;
  MPI_Request r[4];
  MPI_Status s[4];
  int bytes, count, flag = 0;
  MPI_Type_size(type, &bytes);
  MPI_Type_get_extent(type, &lower, &extent);
  printf("rank %d: a particle: %d bytes, extent %ld\n", rank, bytes, (long)extent);
  fill();
  MPI_Irecv(&got[0], 4, type, before, 3, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(&got[4], 4, type, next, 4, MPI_COMM_WORLD, &r[1]);
  MPI_Isend(&few[0], 3, type, next, 3, MPI_COMM_WORLD, &r[2]);
  MPI_Issend(&few[3], 4, type, before, 4, MPI_COMM_WORLD, &r[3]);
  MPI_Type_free(&type); /* what is under way goes on */
  while (!flag) MPI_Testall(4, r, &flag, s);
  say("particles", got, sizeof got);
  type = particle_type();
  MPI_Get_count(&s[0], type, &count);
  printf("rank %d: %d particles from %d\n", rank, count, s[0].MPI_SOURCE);
  fill();
  MPI_Sendrecv_replace(few, 8, type, next, 5, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("replaced", few, sizeof few);
  fill();
  MPI_Bcast(rank == 0 ? few : got, 8, type, 0, MPI_COMM_WORLD);
  say("bcast", got, sizeof got);
  /* By hand. */
  char packed[600];
  int position = 0, room;
  fill();
  MPI_Pack_size(8, type, MPI_COMM_WORLD, &room);
  MPI_Pack(&rank, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
  MPI_Pack(few, 8, type, packed, sizeof packed, &position, MPI_COMM_WORLD);
  printf("rank %d: packed %d of %d\n", rank, position, room + 4);
  MPI_Sendrecv_replace(packed, position, MPI_PACKED, next, 6, before, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  position = 0;
  MPI_Unpack(packed, sizeof packed, &position, &count, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Unpack(packed, sizeof packed, &position, got, 8, type, MPI_COMM_WORLD);
  printf("rank %d: from %d\n", rank, count);
  say("unpacked", got, sizeof got);
  MPI_Type_free(&type);
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
  structures();
  collectives();
  absolute();
  MPI_Finalize();
  return 0;
}

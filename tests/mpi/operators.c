/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of the program, also ones that are not commutative, of basic types and of structures with gaps;
 * functions of the program that are called through pointers. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

enum { N = 40 };
struct line { /* x -> a x + b: composition depends on the order */
  int a;
  char unused;
  int b;
};
static int rank, size;

static void larger(void* in, void* inout, int* count, MPI_Datatype* type) {
  const int* a = in;
  int* b = inout;
  (void)type;
  for (int i = 0; i < *count; i++) {
    if (a[i] > b[i]) b[i] = a[i];
  }
}

static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  const struct line* left = in;
  struct line* right = inout;
  (void)type;
  for (int i = 0; i < *count; i++) {
    right[i].b = left[i].a * right[i].b + left[i].b;
    right[i].a = left[i].a * right[i].a;
  }
}

static void fill(struct line* lines, int count, int salt) {
  for (int i = 0; i < count; i++) {
    lines[i].a = (rank + i + salt) % 3 + 1;
    lines[i].unused = 'u';
    lines[i].b = (rank * 7 + i * 3 + salt) % 11;
  }
}

static void say(const char* what, const struct line* lines, int count) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    sum = sum * 31 + (unsigned)lines[i].a * 7 + (unsigned)lines[i].b + (unsigned)lines[i].unused;
  printf("rank %d: %s: %u, first %d x + %d\n", rank, what, sum, lines[0].a, lines[0].b);
}

static void of_numbers(MPI_Op op) {
  int mine[N], most[N] = {0}, all;
  for (int i = 0; i < N; i++) mine[i] = (rank * 37 + i * 11) % 101;
  MPI_Reduce(mine, most, N, MPI_INT, op, size - 1, MPI_COMM_WORLD);
  printf("rank %d: the largest: %d %d\n", rank, most[0], most[N - 1]);
  MPI_Allreduce(&mine[3], &all, 1, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Scan(MPI_IN_PLACE, mine, N, MPI_INT, op, MPI_COMM_WORLD);
  printf("rank %d: of all: %d, up to here %d\n", rank, all, mine[5]);
}

static void of_structures(MPI_Op op, MPI_Datatype type) {
  struct line mine[N], result[N];
  int counts[16];
  fill(mine, N, 0);
  fill(result, N, 1);
  MPI_Reduce(mine, result, N, type, op, 0, MPI_COMM_WORLD);
  say("reduce", result, N);
  fill(result, N, 2);
  MPI_Allreduce(MPI_IN_PLACE, result, N, type, op, MPI_COMM_WORLD);
  say("allreduce", result, N);
  fill(result, N, 3);
  MPI_Scan(mine, result, N, type, op, MPI_COMM_WORLD);
  say("scan", result, N);
  fill(result, N, 4);
  MPI_Exscan(mine, result, N, type, op, MPI_COMM_WORLD);
  if (rank > 0) say("exscan", result, N);
  for (int i = 0; i < size; i++) counts[i] = 1 + i % 3;
  MPI_Reduce_scatter(mine, result, counts, type, op, MPI_COMM_WORLD);
  say("reduce_scatter", result, counts[rank]);
  MPI_Reduce_scatter_block(mine, result, 2, type, op, MPI_COMM_WORLD);
  say("reduce_scatter_block", result, 2);
  MPI_Reduce_local(mine, result, N, type, op);
  say("reduce_local", result, 2);
}

static int twice(int x) { return 2 * x; }
static int half(int x) { return x / 2; }
static int of_rank(int x) { return x * rank; }

int main(int argc, char** argv) {
  static const int lengths[] = {1, 1};
  static const MPI_Aint offsets[] = {offsetof(struct line, a), offsetof(struct line, b)};
  static const MPI_Datatype types[] = {MPI_INT, MPI_INT};
  int (*functions[3])(int) = {twice, half, of_rank};
  MPI_Datatype type;
  MPI_Op most, composed;
  int commutes;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Type_create_struct(2, lengths, offsets, types, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(larger, 1, &most);
  MPI_Op_create(compose, 0, &composed);
  MPI_Op_commutative(composed, &commutes);
  of_numbers(most);
  of_structures(composed, type);
  printf("rank %d: commutes %d; by pointers %d %d\n", rank, commutes, functions[(rank + argc) % 3](21),
         functions[rank % 2](10));
  MPI_Op_free(&most);
  MPI_Op_free(&composed);
  MPI_Type_free(&type);
  MPI_Finalize();
  return 0;
}

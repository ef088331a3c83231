/* SPDX-License-Identifier: Apache-2.0 */
/* C that the published transpiler got wrong (docs/sources/mpi.md, 5): each line of output is a
 * fact of the language, the same on every rank, CPU or FPGA. Rank 0 prints what the others computed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 0xFFu

typedef struct {
  int id;
  double weight;
  char name[6];
} Item;

static int counter = 3;

static void send_up(long long value, int tag) { MPI_Send(&value, 1, MPI_LONG_LONG, 0, tag, MPI_COMM_WORLD); }

static long long collect(long long mine, int rank, int size, int tag) {
  long long sum = mine;
  if (rank != 0) {
    send_up(mine, tag);
  } else {
    for (int r = 1; r < size; r++) {
      long long other;
      MPI_Recv(&other, 1, MPI_LONG_LONG, r, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum = sum * 31 + other;
    }
  }
  return sum;
}

static int role_of(int rank) {
  switch (rank) {
    case 0:
      return 100;
    case 1:
      return 200;
    case 2:
    case 3:
      return 300 + rank;
    default:
      return -1;
  }
}

static long long assignments(int rank) {
  int x = 1, y;
  x += 5;
  ++x;
  x--;
  int* p = &x;
  *p = *p * 2 + rank;
  if (rank % 2 == 0) {
    y = 10;
  } else {
    y = 20;
  }
  int z = y;
  {
    int y = 7; /* hides the outer one */
    z += y;
  }
  while (x < 40) x = x + 1;
  counter += rank;
  return x * 10000LL + y * 100 + z + counter;
}

static long long arithmetic(int rank) {
  volatile int seven = -7;
  long long big = 1LL << 40;
  unsigned u = LIMIT + 1U;
  float f = 1.5f * (float)(rank + 1);
  short s = (short)(70000 + rank);
  unsigned char c = (unsigned char)(250 + 3 * rank);
  return (seven % 2) * 1000 + seven / 2 + big / 3 + (long long)(u << 4) + (long long)(f * 4.0f) + s * 3 + c +
         (seven >> 1) + (long long)(3000000000u / 7u) - (long long)sizeof(long) * 5;
}

static long long structures(int rank) {
  Item items[3], *q = items;
  memset(items, 0, sizeof items);
  for (int i = 0; i < 3; i++) {
    items[i].id = i * rank + 1;
    items[i].weight = 0.25 * i + rank;
    strcpy(items[i].name, i == 1 ? "beta" : "alpha");
  }
  long long sum = 0;
  for (; q < items + 3; q++)
    sum += q->id * 10 + (long long)(q->weight * 8.0) + (long long)strlen(q->name) + q->name[1];
  return sum;
}

static long long dynamic(int rank) {
  int rows = 3 + rank, columns = 5;
  int** table = malloc((size_t)rows * sizeof *table);
  if (table == NULL) {
    perror("malloc");
    exit(1);
  }
  for (int i = 0; i < rows; i++) {
    table[i] = calloc((size_t)columns, sizeof **table);
    for (int j = 0; j < columns; j++) table[i][j] = i * j + rank;
  }
  long long sum = 0;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) sum += table[i][j];
  for (int i = 0; i < rows; i++) free(table[i]);
  free(table);
  return sum;
}

int main(int argc, char* argv[]) {
  int rank, size, k = 0;
  int rc = MPI_Init(&argc, &argv);
  rc += MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  rc += MPI_Comm_size(MPI_COMM_WORLD, &size);
  int repeat = argc > 1 ? atoi(argv[1]) : 2;

  for (int i = 0; i < repeat; i++) MPI_Bcast(rank == 0 ? &i : &k, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) k = repeat - 1;
  int y = k + 1;

  long long facts[6];
  facts[0] = collect(y, rank, size, 7);
  facts[1] = collect(assignments(rank), rank, size, 8);
  facts[2] = collect(arithmetic(rank), rank, size, 9);
  facts[3] = collect(structures(rank), rank, size, 10);
  facts[4] = collect(dynamic(rank), rank, size, 11);
  facts[5] = collect(role_of(rank), rank, size, 12);
  int loops = 0;
  while (rank == 0 && loops < 3) loops++;
  const int both = loops && rank == 0 ? 1 : 0;
  if (rank == 0) {
    for (int i = 0; i < 6; i++) printf("fact %d: %lld\n", i, facts[i]);
    printf("rc %d loops %d both %d arguments %d last %s\n", rc, loops, both, argc,
           argc > 1 ? argv[argc - 1] : "none");
  }
  MPI_Finalize();
  return EXIT_SUCCESS;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Odd-even transposition sort: each rank sorts its block; then neighbours exchange blocks and keep the lower
 * or the upper half, as often as there are ranks. */
#include <mpi.h>
#include <stdio.h>

#ifndef COUNT
#define COUNT 256 /* of each rank */
#endif

static int mine[COUNT], other[COUNT], merged[COUNT];

/* Without recursion, so that it can be a circuit. */
static void sort(int* data, int count) {
  for (int gap = count / 2; gap > 0; gap /= 2) {
    for (int i = gap; i < count; i++) {
      const int value = data[i];
      int at = i;
      for (; at >= gap && data[at - gap] > value; at -= gap) data[at] = data[at - gap];
      data[at] = value;
    }
  }
}

static void keep(int is_lower) {
  int a = is_lower ? 0 : COUNT - 1, b = a;
  for (int i = 0; i < COUNT; i++) {
    if (is_lower) {
      merged[i] = mine[a] <= other[b] ? mine[a++] : other[b++];
    } else {
      merged[COUNT - 1 - i] = mine[a] > other[b] ? mine[a--] : other[b--];
    }
  }
  for (int i = 0; i < COUNT; i++) mine[i] = merged[i];
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  unsigned state = 99u * (unsigned)rank + 7u;
  for (int i = 0; i < COUNT; i++) {
    state = state * 1103515245u + 12345u;
    mine[i] = (int)(state >> 8 & 0xFFFFF);
  }
  sort(mine, COUNT);
  for (int phase = 0; phase < size; phase++) {
    const int partner = (rank + phase) % 2 == 0 ? rank + 1 : rank - 1;
    if (partner < 0 || partner >= size) continue;
    MPI_Sendrecv(mine, COUNT, MPI_INT, partner, phase, other, COUNT, MPI_INT, partner, phase, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    keep(rank < partner);
  }
  /* Is it sorted across ranks, and what is it? */
  int last = -1, wrong = 0, all_wrong;
  unsigned long sum = 0, all_sum;
  MPI_Sendrecv(&mine[COUNT - 1], 1, MPI_INT, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 0, &last, 1, MPI_INT,
               rank > 0 ? rank - 1 : MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < COUNT; i++) {
    wrong += mine[i] < last;
    last = mine[i];
    sum += (unsigned long)mine[i] * (unsigned long)(rank * COUNT + i + 1);
  }
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&sum, &all_sum, 1, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("sorted %d numbers, out of order %d, checksum %lu\n", size * COUNT, all_wrong, all_sum);
  MPI_Finalize();
  return 0;
}

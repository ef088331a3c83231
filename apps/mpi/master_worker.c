/* SPDX-License-Identifier: Apache-2.0 */
/* Rank 0 deals tasks to the workers that are free (MPI_ANY_SOURCE, MPI_ANY_TAG) and adds up the results; a
 * worker counts the steps of the Collatz sequence from its task. Alone, rank 0 works itself. */
#include <mpi.h>
#include <stdio.h>

#ifndef TASKS
#define TASKS 200
#endif

enum { WORK = 1, RESULT = 2, STOP = 3 };

static int steps_from(long n) {
  int steps = 0;
  for (; n != 1; steps++) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

static void work(void) {
  for (;;) {
    int task;
    MPI_Status status;
    MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == STOP) return;
    const int result[2] = {task, steps_from(task + 1)};
    MPI_Send(result, 2, MPI_INT, 0, RESULT, MPI_COMM_WORLD);
  }
}

static void deal(int size) {
  int next = 0, busy = 0, longest = 0, of = 0;
  long sum = 0;
  for (int worker = 1; worker < size && next < TASKS; worker++, next++, busy++) {
    MPI_Send(&next, 1, MPI_INT, worker, WORK, MPI_COMM_WORLD);
  }
  while (busy > 0 || next < TASKS) {
    int result[2];
    MPI_Status status;
    status.MPI_SOURCE = 0;
    if (busy > 0) {
      MPI_Recv(result, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      busy--;
    } else {
      result[0] = next;
      result[1] = steps_from(next + 1);
      next++;
    }
    sum += result[1];
    if (result[1] > longest || (result[1] == longest && result[0] < of)) {
      longest = result[1];
      of = result[0];
    }
    if (status.MPI_SOURCE > 0 && next < TASKS) {
      MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, WORK, MPI_COMM_WORLD);
      next++;
      busy++;
    }
  }
  for (int worker = 1; worker < size; worker++) MPI_Send(NULL, 0, MPI_INT, worker, STOP, MPI_COMM_WORLD);
  printf("%d tasks: %ld steps, the longest from %d with %d\n", TASKS, sum, of + 1, longest);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const double start = MPI_Wtime();
  if (rank == 0) {
    deal(size);
    printf("time: %.6f s\n", MPI_Wtime() - start);
  } else {
    work();
  }
  MPI_Finalize();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Wall-clock time of MPI collectives between processes of this machine. Usage: mpirun -n N bench_mpi
// MAX_BYTES SECONDS
//
// For sizes from 1 KiB in steps of 16: as many calls as fit in SECONDS (at least 3), each after a barrier;
// the time of a call is its slowest rank's. Prints one JSON array of [operation, bytes, median, worst] with
// bytes as nccl-tests counts them: all ranks' blocks of one buffer.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxCalls = 1000, kOperations = 4 };
static const char* const kNames[kOperations] = {"all_to_all", "all_reduce", "broadcast", "all_gather"};

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void call(int operation, float* send, float* recv, int count, int ranks) {
  switch (operation) {
    case 0:
      MPI_Alltoall(send, count / ranks, MPI_FLOAT, recv, count / ranks, MPI_FLOAT, MPI_COMM_WORLD);
      break;
    case 1:
      MPI_Allreduce(send, recv, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      break;
    case 2:
      MPI_Bcast(send, count, MPI_FLOAT, 0, MPI_COMM_WORLD);
      break;
    default:
      MPI_Allgather(send, count / ranks, MPI_FLOAT, recv, count / ranks, MPI_FLOAT, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) {
    if (rank == 0) fprintf(stderr, "usage: bench_mpi MAX_BYTES SECONDS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const size_t most = strtoull(argv[1], NULL, 10);
  const double budget = atof(argv[2]);
  float *send = calloc(1, most), *recv = calloc(1, most);
  if (!send || !recv) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(send, 1, most);
  memset(recv, 0, most);
  if (rank == 0) printf("[");
  for (int operation = 0; operation < kOperations; ++operation) {
    for (size_t bytes = 1024; bytes <= most; bytes *= 16) {
      double times[kMaxCalls], spent = 0;
      int calls = 0, more = 1;
      call(operation, send, recv, (int)(bytes / sizeof(float)), ranks);
      while (more) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        call(operation, send, recv, (int)(bytes / sizeof(float)), ranks);
        const double own = MPI_Wtime() - begin;
        MPI_Allreduce(&own, &times[calls], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        spent += times[calls++];
        more = calls < 3 || (spent < budget && calls < kMaxCalls);
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
      }
      qsort(times, (size_t)calls, sizeof times[0], by_value);
      if (rank == 0) {
        printf("%s[\"%s\", %zu, %.9f, %.9f]", operation == 0 && bytes == 1024 ? "" : ", ", kNames[operation],
               bytes, times[calls / 2], times[calls - 1]);
      }
    }
  }
  if (rank == 0) printf("]\n");
  MPI_Finalize();
  return 0;
}

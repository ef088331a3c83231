/* SPDX-License-Identifier: Apache-2.0 */
/* Programs at the limits of an engine; the first argument says which, the others how far and between which
   ranks: prints N (rank 1 prints while N receives wait), requests N (rank 1 starts N receives), reversed N
   FROM TO (N messages are received in the opposite order of their sends), stop (rank 1's circuit stops
   without a word), left (rank 0's process ends without a word), unreceived TO (rank 0 sends
   a message that no rank receives), bytes TEXT (rank 1 prints what is no UTF-8),
   null, element, divide, send, receive (what a CPU would notice, or should, on rank 1). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 300 };
static int values[MOST];
static MPI_Request requests[MOST];

static int is(const char* word, const char* name) { return strcmp(word, name) == 0; }

static void prints(int rank, int count) {
  if (rank == 0) {
    int flag; /* a call takes a microsecond of simulated time */
    for (int i = 0; i < 1000; i++) MPI_Iprobe(1, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++) MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
  }
  if (rank == 1) {
    for (int i = 0; i < count; i++) MPI_Irecv(&values[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < 8; i++) printf("line %d\n", i);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
}

static void reversed(int rank, int count, int from, int to) {
  int wrong = 0;
  if (rank == from) {
    for (int i = 0; i < count; i++) {
      values[i] = 100 + i;
      MPI_Isend(&values[i], 1, MPI_INT, to, i, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
  if (rank == to) {
    for (int i = count; i-- > 0;) {
      MPI_Recv(&values[i], 1, MPI_INT, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      wrong += values[i] != 100 + i;
    }
    printf("%d reversed, %d wrong\n", count, wrong);
  }
}

static int eight[8];

/* What is wrong depends on the argument, so that no compiler sees it. */
static void wrong(const char* what, int count) {
  if (is(what, "null")) *(volatile int*)(size_t)count = 5;
  if (is(what, "element")) printf("%d\n", eight[count]);
  if (is(what, "divide")) printf("%d\n", 5 / count);
  if (is(what, "send")) MPI_Send(eight, count, MPI_INT, 0, 7, MPI_COMM_WORLD);
  if (is(what, "receive")) MPI_Recv(eight, count, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  int rank;
  const char* what = argc > 1 ? argv[1] : "nothing";
  const int count = argc > 2 ? atoi(argv[2]) : 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("rank %d begins\n", rank);
  if (is(what, "prints")) prints(rank, count);
  if (is(what, "requests") && rank == 1) {
    for (int i = 0; i < count; i++) MPI_Irecv(&values[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
  }
  if (is(what, "reversed")) reversed(rank, count, atoi(argv[3]), atoi(argv[4]));
  if (is(what, "bytes") && rank == 1) {
    printf("\xff\xfe %s ", argv[2]);
    printf("%c\n", 0xF0);
  }
  if (rank == 1) wrong(what, count);
#ifdef POLYLOOM_KERNEL
  void __polyloom_halt(void);
  if (is(what, "stop") && rank == 1) __polyloom_halt();
#else
  if (is(what, "left") && rank == 0) _exit(0);
  static int large[300000];
  if (is(what, "unreceived") && rank == 0) MPI_Send(large, 300000, MPI_INT, count, 5, MPI_COMM_WORLD);
#endif
  MPI_Finalize();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Ends as its argument says: truncate, type, rank, abort, unfinished, deadlock, circle, collective; compute:
   it takes long, and goes well. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  int a[4] = {0};
  begin(&argc, &argv);
  const int other = rank ^ 1;
  if (!strcmp(how, "truncate")) {
    if (rank == 1) MPI_Send(a, 4, MPI_INT, 0, 5, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(a, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (!strcmp(how, "type")) {
    if (rank == 1) MPI_Send(a, 4, MPI_INT, 0, 5, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(a, 4, MPI_FLOAT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (!strcmp(how, "rank")) {
    if (rank == 1) MPI_Send(a, 4, MPI_INT, 99, 5, MPI_COMM_WORLD);
  } else if (!strcmp(how, "abort")) {
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 42);
  } else if (!strcmp(how, "unfinished")) {
    if (rank == 1) exit(0);
  } else if (!strcmp(how, "deadlock")) {
    if (rank == 1) MPI_Recv(a, 4, MPI_INT, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (!strcmp(how, "circle")) {
    MPI_Ssend(a, 4, MPI_INT, other, 3, MPI_COMM_WORLD);
    MPI_Recv(a, 4, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (!strcmp(how, "collective")) {
    if (rank == 1) MPI_Bcast(a, 4, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(a, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (!strcmp(how, "compute")) {
    sleep(3);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Covers: errors that are returned. Leaves out: fatal ones, which end the job (test_shipped_programs.py). */
#include "say.h"

static void say_error(const char* what, int error) {
  int class;
  MPI_Error_class(error, &class);
  SAY("%s: %s", what,
      class == MPI_SUCCESS        ? "success"
      : class == MPI_ERR_TRUNCATE ? "truncated"
      : class == MPI_ERR_RANK     ? "rank"
      : class == MPI_ERR_TAG      ? "tag"
      : class == MPI_ERR_COUNT    ? "count"
      : class == MPI_ERR_COMM     ? "comm"
      : class == MPI_ERR_ROOT     ? "root"
      : class == MPI_ERR_OP       ? "op"
                                  : "other");
}

static char big[20000], small[16];

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Status s;
  MPI_Request r;
  for (int bytes = 17; bytes <= 20000; bytes += 19983) {
    MPI_Isend(big, bytes, MPI_CHAR, next, 1, MPI_COMM_WORLD, &r);
    say_error("too long", MPI_Recv(small, 16, MPI_CHAR, before, 1, MPI_COMM_WORLD, &s));
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Sendrecv(big, 3, MPI_CHAR, next, 2, small, 16, MPI_CHAR, before, 2, MPI_COMM_WORLD, &s);
    SAY("life goes on: %d", s.MPI_TAG);
  }
  say_error("rank", MPI_Send(small, 1, MPI_CHAR, size, 0, MPI_COMM_WORLD));
  say_error("rank", MPI_Recv(small, 1, MPI_CHAR, -7, 0, MPI_COMM_WORLD, &s));
  say_error("tag", MPI_Send(small, 1, MPI_CHAR, next, -5, MPI_COMM_WORLD));
  say_error("count", MPI_Send(small, -1, MPI_CHAR, next, 0, MPI_COMM_WORLD));
  say_error("root", MPI_Bcast(small, 1, MPI_CHAR, size, MPI_COMM_WORLD));
  say_error("op", MPI_Reduce(big, big + 100, 1, MPI_FLOAT, MPI_BAND, 0, MPI_COMM_WORLD));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}

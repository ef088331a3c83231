/* SPDX-License-Identifier: Apache-2.0 */
/* Jacobi with scatter and gather as the published transpiler expands them: one message after the other, each
 * of which ends when its receiver has taken it (the paper's section IV-D: request, clear to send, data,
 * acknowledgement), as MPI_Ssend does. */
#include <mpi.h>
#include <string.h>

static int serial_scatter(const void* from, int count, void* to, int root, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (rank != root) return MPI_Recv(to, count, MPI_INT, root, 0, comm, MPI_STATUS_IGNORE);
  for (int r = 0; r < size; r++) {
    const int* const chunk = (const int*)from + r * count;
    if (r != root) MPI_Ssend(chunk, count, MPI_INT, r, 0, comm);
    if (r == root) memcpy(to, chunk, (size_t)count * sizeof(int));
  }
  return MPI_SUCCESS;
}

static int serial_gather(const void* from, int count, void* to, int root, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (rank != root) return MPI_Ssend(from, count, MPI_INT, root, 1, comm);
  for (int r = 0; r < size; r++) {
    int* const chunk = (int*)to + r * count;
    if (r != root) MPI_Recv(chunk, count, MPI_INT, r, 1, comm, MPI_STATUS_IGNORE);
    if (r == root) memcpy(chunk, from, (size_t)count * sizeof(int));
  }
  return MPI_SUCCESS;
}

#define MPI_Scatter(from, n, type, to, m, type2, root, comm) serial_scatter(from, n, to, root, comm)
#define MPI_Gather(from, n, type, to, m, type2, root, comm) serial_gather(from, n, to, root, comm)
#include "../../apps/mpi/jacobi.c"

/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives of neighbours, in grids and graphs. Those that block are the others and a wait. */
#include "blocks.h"
#include "flight.h"
#include "nonblocking.h"
#include "topology.h"

struct neighbours {
  int in, out, is_grid;
  const int *sources, *destinations;
  int of_grid[2 * POLYLOOM_DIMS];
};

static int find(MPI_Comm comm, struct neighbours* n) {
  if (!polyloom_comm_ok(comm)) return MPI_ERR_COMM;
  n->is_grid = polyloom_grids_made && polyloom_grids[comm].is_grid;
  if (n->is_grid) {
    n->in = n->out = 2 * polyloom_grids[comm].ndims;
    n->sources = n->destinations = n->of_grid;
    polyloom_grid_neighbours(comm, n->of_grid);
    return MPI_SUCCESS;
  }
  const int is_graph =
      polyloom_graphs_made && polyloom_graph_neighbours(comm, &n->sources, &n->in, &n->destinations, &n->out);
  return is_graph ? MPI_SUCCESS : MPI_ERR_TOPOLOGY;
}

/* `offsets`: of blocks in bytes, instead of their places. */
static char* at(const struct blocks* b, const MPI_Aint* offsets, int i) {
  return offsets == 0 ? place_of(b, i) : b->base + offsets[i];
}

/* In a grid the neighbours on both sides may be the same rank. Its first message is what it sends up, for
 * here what comes from below; of several edges between two ranks of a graph, the first belong together. */
POLYLOOM_ONCE static int exchange(int call, const struct blocks* out, const MPI_Aint* out_offsets,
                                  const struct blocks* in, const MPI_Aint* in_offsets, MPI_Comm comm,
                                  MPI_Request* request) {
  struct neighbours n;
  struct polyloom_nonblocking* o;
  int error = find(comm, &n);
  for (int i = 0; error == MPI_SUCCESS && i < n.in; i++)
    error = polyloom_check(comm, count_of(in, i), type_of(in, i), 0);
  for (int i = 0; error == MPI_SUCCESS && i < n.out; i++)
    error = polyloom_check(comm, count_of(out, i), type_of(out, i), 0);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, call, error, -1, -1);
  error = polyloom_nonblocking_new(comm, call, (unsigned)(n.in + n.out), &o);
  if (error != MPI_SUCCESS) return error;
  for (int i = 0; i < n.in; i++) {
    if (n.sources[i] == MPI_PROC_NULL) continue;
    polyloom_nonblocking_receive(o, at(in, in_offsets, i), count_of(in, i), type_of(in, i), n.sources[i]);
  }
  for (int i = 0; i < n.out; i++) {
    const int k = n.is_grid ? i ^ 1 : i;
    if (n.destinations[k] == MPI_PROC_NULL) continue;
    polyloom_nonblocking_send(o, at(out, out_offsets, k), count_of(out, k), type_of(out, k),
                              n.destinations[k], 0);
  }
  return polyloom_nonblocking_start(o, request);
}

static int complete(int call, int started, MPI_Comm comm, MPI_Request* request) {
  int done;
  if (started != MPI_SUCCESS) return started;
  const int error = polyloom_nonblocking_end(POLYLOOM_WAIT, request, &done);
  return error == MPI_SUCCESS ? error : polyloom_fail(comm, call, error, -1, -1);
}

/* Each call, waiting and not: parameters, the blocks that it sends, those that it takes, offsets of both. */
#define PARAMETERS(...) __VA_ARGS__
#define CALL(name, parameters, sent, sent_offsets, taken, taken_offsets)                                    \
  int MPI_Ineighbor_##name(parameters, MPI_Comm comm, MPI_Request* request) {                               \
    const struct blocks out = sent, in = taken;                                                             \
    return exchange(POLYLOOM_CALL_Ineighbor_##name, &out, sent_offsets, &in, taken_offsets, comm, request); \
  }                                                                                                         \
  int MPI_Neighbor_##name(parameters, MPI_Comm comm) {                                                      \
    const struct blocks out = sent, in = taken;                                                             \
    const int call = POLYLOOM_CALL_Neighbor_##name;                                                         \
    MPI_Request request;                                                                                    \
    return complete(call, exchange(call, &out, sent_offsets, &in, taken_offsets, comm, &request), comm,     \
                    &request);                                                                              \
  }
#define LIST(...) \
  { __VA_ARGS__ }

CALL(allgather,
     PARAMETERS(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype),
     LIST((char*)sendbuf, 0, 0, 0, sendcount, sendtype, 0), 0,
     LIST((char*)recvbuf, 0, 0, 0, recvcount, recvtype, recvcount), 0)
CALL(allgatherv,
     PARAMETERS(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                const int recvcounts[], const int displs[], MPI_Datatype recvtype),
     LIST((char*)sendbuf, 0, 0, 0, sendcount, sendtype, 0), 0,
     LIST((char*)recvbuf, recvcounts, displs, 0, 0, recvtype, 0), 0)
CALL(alltoall,
     PARAMETERS(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype),
     LIST((char*)sendbuf, 0, 0, 0, sendcount, sendtype, sendcount), 0,
     LIST((char*)recvbuf, 0, 0, 0, recvcount, recvtype, recvcount), 0)
CALL(alltoallv,
     PARAMETERS(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype),
     LIST((char*)sendbuf, sendcounts, sdispls, 0, 0, sendtype, 0), 0,
     LIST((char*)recvbuf, recvcounts, rdispls, 0, 0, recvtype, 0), 0)
CALL(alltoallw,
     PARAMETERS(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                const MPI_Aint rdispls[], const MPI_Datatype recvtypes[]),
     LIST((char*)sendbuf, sendcounts, 0, sendtypes, 0, MPI_BYTE, 0), sdispls,
     LIST((char*)recvbuf, recvcounts, 0, recvtypes, 0, MPI_BYTE, 0), rdispls)

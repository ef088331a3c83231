/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of nonblocking.h: which messages each collective is made of. */
#include "blocks.h"
#include "combine.h"
#include "flight.h"
#include "nonblocking.h"
#include "operators.h"

/* --- Data that moves --- */

/* Every rank has a block for every other; one's own stays here. */
POLYLOOM_ONCE static int all_to_all(int call, const struct blocks* out, const struct blocks* in,
                                    int is_in_place, MPI_Comm comm, MPI_Request* request) {
  const int size = polyloom_comm_size(comm), rank = polyloom_comm_rank(comm);
  struct polyloom_nonblocking* o;
  const int error = polyloom_nonblocking_new(comm, call, 2 * (unsigned)(size - 1), &o);
  if (error != MPI_SUCCESS) return error;
  if (!is_in_place) o->error = copy(in, rank, out, rank);
  for (int i = 1; i < size; i++) {
    const int from = (rank + size - i) % size, to = (rank + i) % size;
    polyloom_nonblocking_receive(o, place_of(in, from), count_of(in, from), type_of(in, from), from);
    polyloom_nonblocking_send(o, place_of(out, to), count_of(out, to), type_of(out, to), to, is_in_place);
  }
  return polyloom_nonblocking_start(o, request);
}

/* The root has a block for every rank, or takes one of each; the others have `own`. */
POLYLOOM_ONCE static int rooted(int call, const struct blocks* blocks, const struct blocks* own,
                                int is_gather, int in_place, int root, MPI_Comm comm, MPI_Request* request) {
  const int size = polyloom_comm_size(comm), rank = polyloom_comm_rank(comm);
  const struct blocks* const mine = rank == root ? blocks : own;
  struct polyloom_nonblocking* o;
  const int error = polyloom_nonblocking_new(comm, call, (unsigned)size, &o);
  if (error != MPI_SUCCESS) return error;
  if (rank == root && !in_place)
    o->error = is_gather ? copy(blocks, root, own, 0) : copy(own, 0, blocks, root);
  for (int i = 1; i < (rank == root ? size : 2); i++) {
    const int peer = rank == root ? (root + i) % size : root, at = rank == root ? peer : 0;
    if ((rank == root) == is_gather) {
      polyloom_nonblocking_receive(o, place_of(mine, at), count_of(mine, at), type_of(mine, at), peer);
    } else {
      polyloom_nonblocking_send(o, place_of(mine, at), count_of(mine, at), type_of(mine, at), peer, 0);
    }
  }
  return polyloom_nonblocking_start(o, request);
}

/* What all of these check, of the two kinds of data that a call names. */
static int check(int call, int count, MPI_Datatype type, int other_count, MPI_Datatype other, int root,
                 MPI_Comm comm) {
  int error = polyloom_check(comm, count, type, root);
  if (error == MPI_SUCCESS) error = polyloom_check(comm, other_count, other, root);
  return error == MPI_SUCCESS ? error : polyloom_fail(comm, call, error, -1, -1);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  const int error = check(POLYLOOM_CALL_Ibarrier, 0, MPI_BYTE, 0, MPI_BYTE, 0, comm);
  const struct blocks none = {0, 0, 0, 0, 0, MPI_BYTE, 0};
  return error != MPI_SUCCESS ? error : all_to_all(POLYLOOM_CALL_Ibarrier, &none, &none, 0, comm, request);
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
               MPI_Request* request) {
  const int error = check(POLYLOOM_CALL_Ibcast, count, datatype, 0, MPI_BYTE, root, comm);
  const struct blocks all = {(char*)buffer, 0, 0, 0, count, datatype, 0};
  return error != MPI_SUCCESS ? error : rooted(POLYLOOM_CALL_Ibcast, &all, &all, 0, 1, root, comm, request);
}

/* What only the root names is nothing at the others. */
static int is_root(int root, MPI_Comm comm) {
  return polyloom_comm_ok(comm) && polyloom_comm_rank(comm) == root;
}

static int gather(int call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                  const struct blocks* all, int root, MPI_Comm comm, MPI_Request* request) {
  const int at_root = is_root(root, comm), in_place = sendbuf == MPI_IN_PLACE;
  const int error = check(call, in_place ? 0 : sendcount, in_place ? MPI_BYTE : sendtype,
                          at_root ? all->count : 0, at_root ? all->type : MPI_BYTE, root, comm);
  const struct blocks own = {(char*)sendbuf, 0, 0, 0, sendcount, sendtype, 0};
  return error != MPI_SUCCESS ? error : rooted(call, all, &own, 1, in_place, root, comm, request);
}

int MPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  const struct blocks all = {(char*)recvbuf, 0, 0, 0, recvcount, recvtype, recvcount};
  return gather(POLYLOOM_CALL_Igather, sendbuf, sendcount, sendtype, &all, root, comm, request);
}

int MPI_Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Request* request) {
  const struct blocks all = {(char*)recvbuf, recvcounts, displs, 0, 0, recvtype, 0};
  return gather(POLYLOOM_CALL_Igatherv, sendbuf, sendcount, sendtype, &all, root, comm, request);
}

static int scatter(int call, const struct blocks* all, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                   int root, MPI_Comm comm, MPI_Request* request) {
  const int at_root = is_root(root, comm), in_place = recvbuf == MPI_IN_PLACE;
  const int error = check(call, in_place ? 0 : recvcount, in_place ? MPI_BYTE : recvtype,
                          at_root ? all->count : 0, at_root ? all->type : MPI_BYTE, root, comm);
  const struct blocks own = {(char*)recvbuf, 0, 0, 0, recvcount, recvtype, 0};
  return error != MPI_SUCCESS ? error : rooted(call, all, &own, 0, in_place, root, comm, request);
}

int MPI_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  const struct blocks all = {(char*)sendbuf, 0, 0, 0, sendcount, sendtype, sendcount};
  return scatter(POLYLOOM_CALL_Iscatter, &all, recvbuf, recvcount, recvtype, root, comm, request);
}

int MPI_Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Request* request) {
  const struct blocks all = {(char*)sendbuf, sendcounts, displs, 0, 0, sendtype, 0};
  return scatter(POLYLOOM_CALL_Iscatterv, &all, recvbuf, recvcount, recvtype, root, comm, request);
}

/* One block of mine to all; in place it is the one that is there. */
static int allgather(int call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                     const struct blocks* in, MPI_Comm comm, MPI_Request* request) {
  const int in_place = sendbuf == MPI_IN_PLACE;
  const int error =
      check(call, in_place ? 0 : sendcount, in_place ? MPI_BYTE : sendtype, in->count, in->type, 0, comm);
  if (error != MPI_SUCCESS) return error;
  const int rank = polyloom_comm_rank(comm);
  const struct blocks own = {(char*)sendbuf, 0, 0, 0, sendcount, sendtype, 0};
  const struct blocks there = {place_of(in, rank), 0, 0, 0, count_of(in, rank), in->type, 0};
  return all_to_all(call, in_place ? &there : &own, in, 0, comm, request);
}

int MPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  const struct blocks in = {(char*)recvbuf, 0, 0, 0, recvcount, recvtype, recvcount};
  return allgather(POLYLOOM_CALL_Iallgather, sendbuf, sendcount, sendtype, &in, comm, request);
}

int MPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                    MPI_Request* request) {
  const struct blocks in = {(char*)recvbuf, recvcounts, displs, 0, 0, recvtype, 0};
  return allgather(POLYLOOM_CALL_Iallgatherv, sendbuf, sendcount, sendtype, &in, comm, request);
}

static int alltoall(int call, const struct blocks* out, const struct blocks* in, MPI_Comm comm,
                    MPI_Request* request) {
  const int in_place = out->base == (char*)MPI_IN_PLACE;
  const int error =
      check(call, in->count, in->type, in_place ? 0 : out->count, in_place ? MPI_BYTE : out->type, 0, comm);
  return error != MPI_SUCCESS ? error : all_to_all(call, in_place ? in : out, in, in_place, comm, request);
}

int MPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  const struct blocks out = {(char*)sendbuf, 0, 0, 0, sendcount, sendtype, sendcount};
  const struct blocks in = {(char*)recvbuf, 0, 0, 0, recvcount, recvtype, recvcount};
  return alltoall(POLYLOOM_CALL_Ialltoall, &out, &in, comm, request);
}

int MPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                   void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                   MPI_Comm comm, MPI_Request* request) {
  const struct blocks out = {(char*)sendbuf, sendcounts, sdispls, 0, 0, sendtype, 0};
  const struct blocks in = {(char*)recvbuf, recvcounts, rdispls, 0, 0, recvtype, 0};
  return alltoall(POLYLOOM_CALL_Ialltoallv, &out, &in, comm, request);
}

int MPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                   const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request) {
  const struct blocks out = {(char*)sendbuf, sendcounts, sdispls, sendtypes, 0, MPI_BYTE, 0};
  const struct blocks in = {(char*)recvbuf, recvcounts, rdispls, recvtypes, 0, MPI_BYTE, 0};
  return alltoall(POLYLOOM_CALL_Ialltoallw, &out, &in, comm, request);
}

/* --- Reductions: whose value goes to whom; the one that wants the sum combines it --- */

enum { TO_ALL = -1, TO_LATER = -2 }; /* or to a root */

/* `counts`: of the blocks for each rank of which the values consist; null: one that is for all. */
POLYLOOM_ONCE static int reduce(int call, const void* sendbuf, void* recvbuf, const int* counts, int block,
                                int count, MPI_Datatype type, int who, int is_exclusive, MPI_Op op,
                                MPI_Comm comm, MPI_Request* request) {
  const int size = polyloom_comm_size(comm), rank = polyloom_comm_rank(comm);
  const int64_t extent = polyloom_type_extent(type);
  const unsigned wire = polyloom_type_wire(type);
  const char* const own = (const char*)(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf);
  const int ranks = who == TO_LATER ? rank + !is_exclusive : who == TO_ALL || who == rank ? size : 0;
  int64_t before = 0, at = 0; /* elements before one's own block, before that of a peer */
  struct polyloom_nonblocking* o;
  const int error = polyloom_nonblocking_new(comm, call, 2 * (unsigned)size, &o);
  if (error != MPI_SUCCESS) return error;
  const int64_t mine = counts != 0 ? counts[rank] : block > 0 ? block : count;
  for (int i = 0; i < rank; i++) before += counts != 0 ? counts[i] : block;
  const uint32_t each = (uint32_t)mine * polyloom_type_bytes(type);
  if (ranks > 0 && each > 0) {
    o->values = (char*)polyloom_platform_keep((uint32_t)ranks * each);
    if (o->values == 0) o->error = MPI_ERR_INTERN;
    o->ranks = ranks;
    o->result = recvbuf;
    o->elements = mine;
    o->type = type;
    o->op = op;
    polyloom_type_use(type);
    if (o->values != 0 && rank < ranks)
      polyloom_pack(own + before * extent, mine, type, o->values + (size_t)rank * each, each);
  }
  for (int i = 0; i < size; i++) {
    const int64_t theirs = counts != 0 ? counts[i] : block > 0 ? block : count;
    if (i != rank && theirs > 0 && (who == TO_ALL || who == i || (who == TO_LATER && i > rank)))
      polyloom_nonblocking_send(o, own + at * extent, theirs, type, i, 0);
    if (i != rank && i < ranks && each > 0 && o->values != 0)
      polyloom_nonblocking_receive(o, o->values + (size_t)i * each,
                                   each / polyloom_basic_bytes((MPI_Datatype)wire), (MPI_Datatype)wire, i);
    at += counts != 0 ? counts[i] : block;
  }
  return polyloom_nonblocking_start(o, request);
}

/* Tells LLVM which operation on which type there is, where it knows them: in the program. */
POLYLOOM_SPECIALIZE static inline int check_reduction(int call, int count, MPI_Datatype type, MPI_Op op,
                                                      int root, MPI_Comm comm) {
  int error = polyloom_check(comm, count, type, root);
  if (error == MPI_SUCCESS && polyloom_operator(op)) {
    if (!polyloom_operator_exists(op)) error = MPI_ERR_OP;
  } else if (error == MPI_SUCCESS) {
    error = polyloom_combine(0, 0, 0, type, op);
    polyloom_nonblocking_uses(type, op);
  }
  return error == MPI_SUCCESS ? error : polyloom_fail(comm, call, error, -1, -1);
}

POLYLOOM_SPECIALIZE int MPI_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                                    MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
  const int error = check_reduction(POLYLOOM_CALL_Ireduce, count, datatype, op, root, comm);
  return error != MPI_SUCCESS ? error
                              : reduce(POLYLOOM_CALL_Ireduce, sendbuf, recvbuf, 0, 0, count, datatype, root,
                                       0, op, comm, request);
}

POLYLOOM_SPECIALIZE int MPI_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                                       MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  const int error = check_reduction(POLYLOOM_CALL_Iallreduce, count, datatype, op, 0, comm);
  return error != MPI_SUCCESS ? error
                              : reduce(POLYLOOM_CALL_Iallreduce, sendbuf, recvbuf, 0, 0, count, datatype,
                                       TO_ALL, 0, op, comm, request);
}

POLYLOOM_SPECIALIZE int MPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                            MPI_Request* request) {
  const int error = check_reduction(POLYLOOM_CALL_Ireduce_scatter, 0, datatype, op, 0, comm);
  return error != MPI_SUCCESS ? error
                              : reduce(POLYLOOM_CALL_Ireduce_scatter, sendbuf, recvbuf, recvcounts, 0, 0,
                                       datatype, TO_ALL, 0, op, comm, request);
}

POLYLOOM_SPECIALIZE int MPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                                  MPI_Request* request) {
  const int error = check_reduction(POLYLOOM_CALL_Ireduce_scatter_block, recvcount, datatype, op, 0, comm);
  return error != MPI_SUCCESS ? error
                              : reduce(POLYLOOM_CALL_Ireduce_scatter_block, sendbuf, recvbuf, 0, recvcount, 0,
                                       datatype, TO_ALL, 0, op, comm, request);
}

POLYLOOM_SPECIALIZE int MPI_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                                  MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  const int error = check_reduction(POLYLOOM_CALL_Iscan, count, datatype, op, 0, comm);
  return error != MPI_SUCCESS ? error
                              : reduce(POLYLOOM_CALL_Iscan, sendbuf, recvbuf, 0, 0, count, datatype, TO_LATER,
                                       0, op, comm, request);
}

POLYLOOM_SPECIALIZE int MPI_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                                    MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  const int error = check_reduction(POLYLOOM_CALL_Iexscan, count, datatype, op, 0, comm);
  return error != MPI_SUCCESS ? error
                              : reduce(POLYLOOM_CALL_Iexscan, sendbuf, recvbuf, 0, 0, count, datatype,
                                       TO_LATER, 1, op, comm, request);
}

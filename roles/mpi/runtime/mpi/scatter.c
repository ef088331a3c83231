/* SPDX-License-Identifier: Apache-2.0 */
/* Scatter and Gather of blocks of one size.
 *
 * Linear: the root's messages are all under way at once, so its link is the limit. Tree (binomial, for blocks
 * so small that calls count): the node at place p of the tree, counted from the root, has the blocks of
 * places p to p + span - 1. */
#include "choose.h"
#include "flight.h"

#define AT(base, bytes) ((char*)(base) + (bytes))

static inline void copy(void* to, const void* from, size_t bytes) {
  if (bytes > 0 && to != from) __builtin_memcpy(to, from, bytes);
}

/* Places in the subtree of `place`; the root's is all. */
static inline int span_of(int place, int size) {
  int span = 1;
  while (span < size && !(place & span)) span *= 2;
  return place + span > size ? size - place : span;
}
/* The lowest set bit: distance to the parent; for the root, the first power of two not below size. */
static inline int step_of(int place, int size) {
  int step = 1;
  while (step < size && !(place & step)) step *= 2;
  return step;
}

static inline void scatter_tree(struct polyloom_flight* f, const void* sendbuf, void* recvbuf, uint32_t bytes,
                                MPI_Datatype type, int root, int rank, int size) {
  const int place = (rank + size - root) % size;
  char* const blocks = (char*)polyloom_platform_scratch(POLYLOOM_TREE_BYTES);
  if (place == 0) {
    for (int i = 0; i < size; i++)
      copy(blocks + bytes * (unsigned)i, AT(sendbuf, bytes * (unsigned)((root + i) % size)), bytes);
  } else {
    const int parent = (place - step_of(place, size) + root) % size;
    polyloom_flight_receive(f, blocks, bytes * (unsigned)span_of(place, size), type, parent);
    polyloom_flight_drain(f);
  }
  for (int step = step_of(place, size) / 2; step > 0; step /= 2) {
    const int child = place + step;
    if (child >= size) continue;
    polyloom_flight_send(f, blocks + bytes * (unsigned)step, bytes * (unsigned)span_of(child, size), type,
                         (child + root) % size);
  }
  if (recvbuf != MPI_IN_PLACE) copy(recvbuf, blocks, bytes);
  polyloom_flight_drain(f);
}

static inline void gather_tree(struct polyloom_flight* f, const void* own, void* recvbuf, uint32_t bytes,
                               MPI_Datatype type, int root, int rank, int size) {
  const int place = (rank + size - root) % size;
  char* const blocks = (char*)polyloom_platform_scratch(POLYLOOM_TREE_BYTES);
  copy(blocks, own, bytes);
  for (int step = 1; step < step_of(place, size); step *= 2) {
    const int child = place + step;
    if (child >= size) break;
    polyloom_flight_receive(f, blocks + bytes * (unsigned)step, bytes * (unsigned)span_of(child, size), type,
                            (child + root) % size);
  }
  polyloom_flight_drain(f);
  if (place != 0) {
    const int parent = (place - step_of(place, size) + root) % size;
    polyloom_flight_send(f, blocks, bytes * (unsigned)span_of(place, size), type, parent);
    polyloom_flight_drain(f);
    return;
  }
  for (int i = 0; i < size; i++)
    copy(AT(recvbuf, bytes * (unsigned)((root + i) % size)), blocks + bytes * (unsigned)i, bytes);
}

int MPI_Scatter(const void* all, int sendcount, MPI_Datatype sendtype, void* own, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm) {
  struct polyloom_flight f;
  const int known = polyloom_comm_ok(comm);
  const int rank = known ? polyloom_comm_rank(comm) : 0;
  const int count = rank == root ? sendcount : recvcount;
  const MPI_Datatype type = rank == root ? sendtype : recvtype;
  const int error = polyloom_check(comm, count, type, root);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Scatter, error, root, -1);
  const int size = polyloom_comm_size(comm);
  const uint32_t bytes = (uint32_t)count * polyloom_type_bytes(type);
  polyloom_flight_begin(&f, comm, POLYLOOM_CALL_Scatter);
  if (bytes == 0) return MPI_SUCCESS;
  const MPI_Datatype wire = (MPI_Datatype)polyloom_type_wire(type);
  const int packs_all = rank == root && polyloom_type_has_gaps(sendtype);
  const int packs_own = own != MPI_IN_PLACE && polyloom_type_has_gaps(recvtype);
  void* const sendbuf =
      packs_all ? polyloom_flatten(all, (int64_t)sendcount * size, sendtype, 1) : (void*)all;
  void* const recvbuf = packs_own ? polyloom_flatten(own, recvcount, recvtype, 0) : own;
  if ((packs_all && sendbuf == 0) || (packs_own && recvbuf == 0))
    return polyloom_fail(comm, POLYLOOM_CALL_Scatter, MPI_ERR_INTERN, root, -1);
  if (polyloom_choose(POLYLOOM_SCATTER, bytes, size) == POLYLOOM_TREE) {
    scatter_tree(&f, sendbuf, recvbuf, bytes, wire, root, rank, size);
  } else if (rank == root) {
    for (int i = 1; i < size; i++) {
      const int to = (root + i) % size;
      polyloom_flight_send(&f, AT(sendbuf, (size_t)bytes * (unsigned)to), bytes, wire, to);
    }
    if (recvbuf != MPI_IN_PLACE) copy(recvbuf, AT(sendbuf, (size_t)bytes * (unsigned)root), bytes);
  } else {
    polyloom_flight_receive(&f, recvbuf, bytes, wire, root);
  }
  if (packs_all || packs_own) polyloom_flight_drain(&f);
  if (packs_all) polyloom_unflatten(sendbuf, 0, 0, sendtype, 0, 0);
  if (packs_own) polyloom_unflatten(recvbuf, own, recvcount, recvtype, bytes, 1);
  return polyloom_flight_result(&f);
}

int MPI_Gather(const void* own, int sendcount, MPI_Datatype sendtype, void* all, int recvcount,
               MPI_Datatype recvtype, int root, MPI_Comm comm) {
  struct polyloom_flight f;
  const int known = polyloom_comm_ok(comm);
  const int rank = known ? polyloom_comm_rank(comm) : 0;
  const int count = rank == root ? recvcount : sendcount;
  const MPI_Datatype type = rank == root ? recvtype : sendtype;
  const int error = polyloom_check(comm, count, type, root);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Gather, error, root, -1);
  const int size = polyloom_comm_size(comm);
  const uint32_t bytes = (uint32_t)count * polyloom_type_bytes(type);
  polyloom_flight_begin(&f, comm, POLYLOOM_CALL_Gather);
  if (bytes == 0) return MPI_SUCCESS;
  const MPI_Datatype wire = (MPI_Datatype)polyloom_type_wire(type);
  const int in_place = own == MPI_IN_PLACE;
  const int packs_all = rank == root && polyloom_type_has_gaps(recvtype);
  const int packs_own = !in_place && polyloom_type_has_gaps(sendtype);
  void* const sendbuf = packs_own ? polyloom_flatten(own, sendcount, sendtype, 1) : (void*)own;
  void* const recvbuf =
      packs_all ? polyloom_flatten(all, (int64_t)recvcount * size, recvtype, in_place) : all;
  if ((packs_all && recvbuf == 0) || (packs_own && sendbuf == 0))
    return polyloom_fail(comm, POLYLOOM_CALL_Gather, MPI_ERR_INTERN, root, -1);
  char* const place =
      AT(recvbuf, (size_t)bytes * (unsigned)root); /* the root's, where it has its own block */
  if (polyloom_choose(POLYLOOM_GATHER, bytes, size) == POLYLOOM_TREE) {
    gather_tree(&f, in_place ? place : sendbuf, recvbuf, bytes, wire, root, rank, size);
  } else if (rank == root) {
    for (int i = 1; i < size; i++) {
      const int from = (root + i) % size;
      polyloom_flight_receive(&f, AT(recvbuf, (size_t)bytes * (unsigned)from), bytes, wire, from);
    }
    if (!in_place) copy(place, sendbuf, bytes);
  } else {
    polyloom_flight_send(&f, sendbuf, bytes, wire, root);
  }
  if (packs_all || packs_own) polyloom_flight_drain(&f);
  if (packs_own) polyloom_unflatten(sendbuf, 0, 0, sendtype, 0, 0);
  if (packs_all)
    polyloom_unflatten(recvbuf, all, (int64_t)recvcount * size, recvtype, bytes * (uint32_t)size, 1);
  return polyloom_flight_result(&f);
}

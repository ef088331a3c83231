/* SPDX-License-Identifier: Apache-2.0 */
/* Barrier, Bcast, Allgather. */
#include "choose.h"
#include "flight.h"

#define AT(base, bytes) ((char*)(base) + (bytes))

/* Dissemination: after round k each rank has heard of 2^(k+1) ranks. Linear: to rank 0 and back. */
int MPI_Barrier(MPI_Comm comm) {
  struct polyloom_flight f;
  const int error = polyloom_check(comm, 0, MPI_BYTE, 0);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Barrier, error, -1, -1);
  const int size = polyloom_comm_size(comm), rank = polyloom_comm_rank(comm);
  polyloom_flight_begin(&f, comm, POLYLOOM_CALL_Barrier);
  if (polyloom_choose(POLYLOOM_BARRIER, 0, size) == POLYLOOM_TREE) {
    for (int step = 1; step < size; step *= 2) {
      polyloom_flight_send(&f, 0, 0, MPI_BYTE, (rank + step) % size);
      polyloom_flight_receive(&f, 0, 0, MPI_BYTE, (rank + size - step) % size);
      polyloom_flight_drain(&f);
    }
  } else if (rank == 0) {
    for (int i = 1; i < size; i++) polyloom_flight_receive(&f, 0, 0, MPI_BYTE, i);
    polyloom_flight_drain(&f);
    for (int i = 1; i < size; i++) polyloom_flight_send(&f, 0, 0, MPI_BYTE, i);
  } else {
    polyloom_flight_send(&f, 0, 0, MPI_BYTE, 0);
    polyloom_flight_receive(&f, 0, 0, MPI_BYTE, 0);
  }
  return polyloom_flight_result(&f);
}

/* Block b of a buffer cut into `size` blocks of whole words. */
struct block {
  uint32_t at, bytes;
};
static inline struct block block_of(uint32_t bytes, int size, int b) {
  const uint32_t each = ((bytes + (uint32_t)size - 1) / (uint32_t)size + 7u) & ~7u;
  const uint64_t at = (uint64_t)each * (uint32_t)b;
  struct block r;
  r.at = at < bytes ? (uint32_t)at : bytes;
  r.bytes = bytes - r.at < each ? bytes - r.at : each;
  return r;
}

/* Each passes on what it got last; after size - 1 steps all have all blocks. */
static inline void ring(struct polyloom_flight* f, void* buffer, uint32_t bytes, MPI_Datatype type, int rank,
                        int size, int shift) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int step = 0; step < size - 1; step++) {
    const struct block out = block_of(bytes, size, (rank - shift + 2 * size - step) % size);
    const struct block in = block_of(bytes, size, (rank - shift + 2 * size - step - 1) % size);
    if (in.bytes > 0) polyloom_flight_receive(f, AT(buffer, in.at), in.bytes, type, before);
    if (out.bytes > 0) polyloom_flight_send(f, AT(buffer, out.at), out.bytes, type, next);
    polyloom_flight_drain(f);
  }
}

static inline void bcast_tree(struct polyloom_flight* f, void* buffer, uint32_t bytes, MPI_Datatype type,
                              int root, int rank, int size) {
  const int place = (rank + size - root) % size;
  int step = 1;
  while (step < size && !(place & step)) step *= 2;
  if (place != 0) {
    polyloom_flight_receive(f, buffer, bytes, type, (place - step + root) % size);
    polyloom_flight_drain(f);
  }
  for (step /= 2; step > 0; step /= 2) {
    if (place + step < size) polyloom_flight_send(f, buffer, bytes, type, (place + step + root) % size);
  }
}

/* The root sends each rank its block; then the blocks go round. Block b is of the rank b places after the
 * root. */
static inline void bcast_ring(struct polyloom_flight* f, void* buffer, uint32_t bytes, MPI_Datatype type,
                              int root, int rank, int size) {
  if (rank == root) {
    for (int i = 1; i < size; i++) {
      const struct block b = block_of(bytes, size, i);
      if (b.bytes > 0) polyloom_flight_send(f, AT(buffer, b.at), b.bytes, type, (root + i) % size);
    }
  } else {
    const struct block b = block_of(bytes, size, (rank + size - root) % size);
    if (b.bytes > 0) polyloom_flight_receive(f, AT(buffer, b.at), b.bytes, type, root);
    polyloom_flight_drain(f);
  }
  ring(f, buffer, bytes, type, rank, size, root);
}

int MPI_Bcast(void* data, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  struct polyloom_flight f;
  const int error = polyloom_check(comm, count, datatype, root);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Bcast, error, root, -1);
  const int size = polyloom_comm_size(comm), rank = polyloom_comm_rank(comm);
  const uint32_t bytes = (uint32_t)count * polyloom_type_bytes(datatype);
  if (size == 1 || bytes == 0) return MPI_SUCCESS;
  void* const buffer = polyloom_flat(data, count, datatype, rank == root);
  if (polyloom_type_has_gaps(datatype) && buffer == 0)
    return polyloom_fail(comm, POLYLOOM_CALL_Bcast, MPI_ERR_INTERN, root, -1);
  polyloom_flight_begin(&f, comm, POLYLOOM_CALL_Bcast);
  const MPI_Datatype wire = (MPI_Datatype)polyloom_type_wire(datatype);
  const enum polyloom_algorithm how = polyloom_choose(POLYLOOM_BCAST, bytes, size);
  if (how == POLYLOOM_RING) {
    bcast_ring(&f, buffer, bytes, wire, root, rank, size);
  } else if (how == POLYLOOM_TREE) {
    bcast_tree(&f, buffer, bytes, wire, root, rank, size);
  } else if (rank == root) {
    for (int i = 1; i < size; i++) polyloom_flight_send(&f, buffer, bytes, wire, (root + i) % size);
  } else {
    polyloom_flight_receive(&f, buffer, bytes, wire, root);
  }
  if (polyloom_type_has_gaps(datatype)) {
    polyloom_flight_drain(&f);
    polyloom_unflatten(buffer, data, count, datatype, bytes, rank != root);
  }
  return polyloom_flight_result(&f);
}

int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* all, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm) {
  struct polyloom_flight f;
  const int in_place = sendbuf == MPI_IN_PLACE;
  int error = polyloom_check(comm, recvcount, recvtype, 0);
  if (error == MPI_SUCCESS && !in_place) error = polyloom_check(comm, sendcount, sendtype, 0);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Allgather, error, -1, -1);
  const int size = polyloom_comm_size(comm), rank = polyloom_comm_rank(comm);
  const uint32_t bytes = (uint32_t)recvcount * polyloom_type_bytes(recvtype);
  polyloom_flight_begin(&f, comm, POLYLOOM_CALL_Allgather);
  if (bytes == 0) return MPI_SUCCESS;
  char* const recvbuf = (char*)polyloom_flat(all, (int64_t)recvcount * size, recvtype, in_place);
  if (polyloom_type_has_gaps(recvtype) && recvbuf == 0)
    return polyloom_fail(comm, POLYLOOM_CALL_Allgather, MPI_ERR_INTERN, -1, -1);
  char* const own = AT(recvbuf, (size_t)bytes * (unsigned)rank);
  if (!in_place && own != sendbuf) polyloom_pack(sendbuf, sendcount, sendtype, own, bytes);
  const MPI_Datatype wire = (MPI_Datatype)polyloom_type_wire(recvtype);
  const int is_ring = polyloom_choose(POLYLOOM_ALLGATHER, bytes, size) == POLYLOOM_RING;
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int i = 1; i < size; i++) {
    /* ring: what came last goes on; direct: one's own block to the rank i places on, to each its turn */
    const int out = is_ring ? (rank + size - i + 1) % size : rank;
    const int in = (rank + size - i) % size;
    polyloom_flight_receive(&f, AT(recvbuf, (size_t)bytes * (unsigned)in), bytes, wire,
                            is_ring ? before : in);
    polyloom_flight_send(&f, AT(recvbuf, (size_t)bytes * (unsigned)out), bytes, wire,
                         is_ring ? next : (rank + i) % size);
    if (is_ring) polyloom_flight_drain(&f);
  }
  if (polyloom_type_has_gaps(recvtype)) {
    polyloom_flight_drain(&f);
    polyloom_unflatten(recvbuf, all, (int64_t)recvcount * size, recvtype, bytes * (uint32_t)size, 1);
  }
  return polyloom_flight_result(&f);
}

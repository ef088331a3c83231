/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions. Buffers travel in pieces of some packets, which are combined where they arrive, so nothing is
 * kept but some pieces, and the levels of a tree work at the same time.
 *
 * Order of operations (it matters for floating point): linear, and for all floating-point buffers of at most
 * POLYLOOM_ORDERED_BYTES: x0 op (x1 op (... op x[n-1])), as Open MPI's basic linear. Tree: at each node its
 * own, then its children's by distance. Ring: each block begins at its own rank and goes round. All are the
 * same in every run. */
#include "choose.h"
#include "combine.h"
#include "flight.h"
#include "operators.h"

#define AT(base, bytes) ((char*)(base) + (bytes))
#define PIECE 5760u /* of all element sizes a multiple; each costs a handshake of RTS, CTS, DONE */
#define AHEAD 2u    /* pieces that may arrive before they are wanted */
#define POLYLOOM_ORDERED_BYTES 64u

/* Those from whom a rank gets partial results, in the order of their use; its own comes before number `own`.
 */
struct sources {
  int is_tree, count, own, root, size, place;
  int parent; /* or -1 */
};

static inline struct sources linear_sources(int root, int rank, int size) {
  struct sources s = {0, 0, 0, root, size, 0, rank == root ? -1 : root};
  if (rank == root) {
    s.count = size - 1;
    s.own = size - 1 - root;
  }
  return s;
}

static inline struct sources tree_sources(int root, int rank, int size) {
  struct sources s = {1, 0, 0, root, size, (rank + size - root) % size, -1};
  int step = 1;
  while (step < size && !(s.place & step)) {
    if (s.place + step < size) s.count++;
    step *= 2;
  }
  if (s.place != 0) s.parent = (s.place - step + root) % size;
  return s;
}

static inline int source_of(const struct sources* s, int i) {
  if (s->is_tree) return (s->place + (1 << i) + s->root) % s->size;
  const int rank = s->size - 1 - i; /* from the last down, without the root */
  return rank > s->root ? rank : rank - 1;
}

struct buffer {
  const char* own;
  char* result; /* of a rank without parent */
  int count;
  MPI_Datatype type;
  MPI_Op op;
};

static inline uint32_t piece_bytes(uint32_t bytes, uint32_t piece) {
  return bytes - piece * PIECE < PIECE ? bytes - piece * PIECE : PIECE;
}

POLYLOOM_SPECIALIZE static inline void reduce(struct polyloom_flight* f, const struct buffer* b,
                                              const struct sources* s) {
  static char arrived[AHEAD][PIECE] __attribute__((aligned(16)));
  static char sum[AHEAD][PIECE] __attribute__((aligned(16)));
  MPI_Request request[AHEAD];
  const uint32_t each = polyloom_basic_bytes(b->type), bytes = (uint32_t)b->count * each;
  const uint32_t pieces = (bytes + PIECE - 1) / PIECE;
  uint32_t posted_piece = 0, posted = 0, taken = 0;
  int posted_source = 0;
  for (uint32_t piece = 0; piece < pieces; piece++) {
    const uint32_t length = piece_bytes(bytes, piece);
    const char* const own = b->own + piece * PIECE;
    char* const to = sum[piece % AHEAD];
    if (s->count == 0) {
      polyloom_flight_send(f, own, length, b->type, s->parent);
      continue;
    }
    /* The send that used this place before must have ended. */
    if (f->count >= AHEAD) polyloom_flight_oldest(f);
    int begun = 0;
    for (int i = 0; i <= s->count; i++) {
      if (i == s->own) {
        if (begun) {
          polyloom_combine(to, own, (int)(length / each), b->type, b->op);
        } else {
          __builtin_memcpy(to, own, length);
        }
        begun = 1;
      }
      if (i == s->count) break;
      while (posted < taken + AHEAD && posted_piece < pieces) {
        request[posted % AHEAD] =
            polyloom_flight_start(f, POLYLOOM_RECV, arrived[posted % AHEAD], piece_bytes(bytes, posted_piece),
                                  b->type, source_of(s, posted_source));
        posted++;
        if (++posted_source == s->count) {
          posted_source = 0;
          posted_piece++;
        }
      }
      if (request[taken % AHEAD] != MPI_REQUEST_NULL) polyloom_flight_end(f, request[taken % AHEAD]);
      if (begun) {
        polyloom_combine(to, arrived[taken % AHEAD], (int)(length / each), b->type, b->op);
      } else {
        __builtin_memcpy(to, arrived[taken % AHEAD], length);
      }
      begun = 1;
      taken++;
    }
    if (s->parent >= 0) {
      polyloom_flight_send(f, to, length, b->type, s->parent);
    } else {
      __builtin_memcpy(b->result + piece * PIECE, to, length);
    }
  }
  polyloom_flight_drain(f);
}

/* Is there such an operation on that type? Asked by all ranks, also by those that combine nothing. */
POLYLOOM_SPECIALIZE static inline int check(MPI_Comm comm, int count, MPI_Datatype type, MPI_Op op,
                                            int root) {
  const int error = polyloom_check(comm, count, type, root);
  return error != MPI_SUCCESS ? error : polyloom_combine(0, 0, 0, type, op);
}

static inline int is_ordered(MPI_Datatype type, uint32_t bytes) {
  return (type == MPI_FLOAT || type == MPI_DOUBLE) && bytes <= POLYLOOM_ORDERED_BYTES;
}

POLYLOOM_SPECIALIZE static inline void reduce_to(struct polyloom_flight* f, const void* sendbuf,
                                                 void* recvbuf, int count, MPI_Datatype type, MPI_Op op,
                                                 int root, int rank, int size, enum polyloom_algorithm how) {
  const uint32_t bytes = (uint32_t)count * polyloom_basic_bytes(type);
  const char* const own = (const char*)(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf);
  if (bytes == 0) return;
  if (size == 1) {
    if (own != (char*)recvbuf) __builtin_memcpy(recvbuf, own, bytes);
    return;
  }
  const struct buffer b = {own, (char*)recvbuf, count, type, op};
  const struct sources s = how == POLYLOOM_TREE && !is_ordered(type, bytes)
                               ? tree_sources(root, rank, size)
                               : linear_sources(root, rank, size);
  reduce(f, &b, &s);
}

POLYLOOM_SPECIALIZE int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                                   MPI_Op op, int root, MPI_Comm comm) {
  struct polyloom_flight f;
  if (polyloom_operator(op))
    return polyloom_operator_reduce(POLYLOOM_CALL_Reduce, sendbuf, recvbuf, count, datatype, op, root, comm);
  const int error = check(comm, count, datatype, op, root);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Reduce, error, root, -1);
  const int size = polyloom_comm_size(comm);
  const uint32_t bytes = (uint32_t)count * polyloom_basic_bytes(datatype);
  polyloom_flight_begin(&f, comm, POLYLOOM_CALL_Reduce);
  reduce_to(&f, sendbuf, recvbuf, count, datatype, op, root, polyloom_comm_rank(comm), size,
            polyloom_choose(POLYLOOM_REDUCE, bytes, size));
  return polyloom_flight_result(&f);
}

/* Elements of block i when `count` are dealt to `size` ranks. */
static inline int begin_of(int count, int size, int i) {
  const int each = count / size, more = count % size;
  return i * each + (i < more ? i : more);
}

/* Blocks go round and grow; then the sums go round. */
POLYLOOM_SPECIALIZE static inline void allreduce_ring(struct polyloom_flight* f, char* data, int count,
                                                      MPI_Datatype type, MPI_Op op, int rank, int size) {
  static char arrived[AHEAD][PIECE] __attribute__((aligned(16)));
  MPI_Request request[AHEAD];
  const uint32_t each = polyloom_basic_bytes(type);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int step = 0; step < 2 * (size - 1); step++) {
    const int out = (rank + 2 * size - step) % size, in = (out + size - 1) % size;
    const uint32_t out_at = (uint32_t)begin_of(count, size, out) * each;
    const uint32_t out_bytes = (uint32_t)begin_of(count, size, out + 1) * each - out_at;
    const uint32_t in_at = (uint32_t)begin_of(count, size, in) * each;
    const uint32_t in_bytes = (uint32_t)begin_of(count, size, in + 1) * each - in_at;
    if (step >= size - 1) {
      if (in_bytes > 0) polyloom_flight_receive(f, data + in_at, in_bytes, type, before);
      if (out_bytes > 0) polyloom_flight_send(f, data + out_at, out_bytes, type, next);
      polyloom_flight_drain(f);
      continue;
    }
    const uint32_t pieces = (in_bytes + PIECE - 1) / PIECE;
    uint32_t posted = 0, sent = 0;
    for (uint32_t piece = 0; piece < pieces || sent < out_bytes;) {
      for (; posted < pieces && posted < piece + AHEAD; posted++) {
        request[posted % AHEAD] = polyloom_flight_start(f, POLYLOOM_RECV, arrived[posted % AHEAD],
                                                        piece_bytes(in_bytes, posted), type, before);
      }
      while (sent < out_bytes && sent / PIECE < piece + AHEAD) {
        const uint32_t length = piece_bytes(out_bytes, sent / PIECE);
        polyloom_flight_send(f, data + out_at + sent, length, type, next);
        sent += length;
      }
      if (piece == pieces) continue;
      if (request[piece % AHEAD] != MPI_REQUEST_NULL) polyloom_flight_end(f, request[piece % AHEAD]);
      polyloom_combine(data + in_at + piece * PIECE, arrived[piece % AHEAD],
                       (int)(piece_bytes(in_bytes, piece) / each), type, op);
      piece++;
    }
    polyloom_flight_drain(f);
  }
}

POLYLOOM_SPECIALIZE int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                                      MPI_Op op, MPI_Comm comm) {
  struct polyloom_flight f;
  if (polyloom_operator(op))
    return polyloom_operator_reduce(POLYLOOM_CALL_Allreduce, sendbuf, recvbuf, count, datatype, op, -1, comm);
  const int error = check(comm, count, datatype, op, 0);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Allreduce, error, -1, -1);
  const int size = polyloom_comm_size(comm), rank = polyloom_comm_rank(comm);
  const uint32_t bytes = (uint32_t)count * polyloom_basic_bytes(datatype);
  const enum polyloom_algorithm how = polyloom_choose(POLYLOOM_ALLREDUCE, bytes, size);
  polyloom_flight_begin(&f, comm, POLYLOOM_CALL_Allreduce);
  if (how == POLYLOOM_RING && !is_ordered(datatype, bytes)) {
    if (sendbuf != MPI_IN_PLACE) __builtin_memcpy(recvbuf, sendbuf, bytes);
    allreduce_ring(&f, (char*)recvbuf, count, datatype, op, rank, size);
    return polyloom_flight_result(&f);
  }
  reduce_to(&f, sendbuf, recvbuf, count, datatype, op, 0, rank, size, how);
  const int result = polyloom_flight_result(&f);
  return result != MPI_SUCCESS ? result : MPI_Bcast(recvbuf, count, datatype, 0, comm);
}

/* Block by block to the rank that wants it; without a list of counts all are of the same. */
POLYLOOM_SPECIALIZE static inline int reduce_scatter(int call, const void* sendbuf, void* recvbuf,
                                                     const int* counts, int count, MPI_Datatype datatype,
                                                     MPI_Op op, MPI_Comm comm) {
  struct polyloom_flight f;
  if (polyloom_operator(op))
    return polyloom_operator_scatter(call, sendbuf, recvbuf, counts, count, datatype, op, comm);
  const int error = check(comm, count, datatype, op, 0);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, call, error, -1, -1);
  const int size = polyloom_comm_size(comm), rank = polyloom_comm_rank(comm);
  const uint32_t each = polyloom_basic_bytes(datatype);
  const char* const all = (const char*)(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf);
  uint32_t at = 0, own = 0;
  polyloom_flight_begin(&f, comm, call);
  for (int i = 0; i < size; i++) {
    const int here = counts == 0 ? count : counts[i];
    /* In place, one's result must not cover blocks that are still to be sent: it goes to its block, then to
     * the front. */
    char* const result = sendbuf == MPI_IN_PLACE ? AT(recvbuf, at) : (char*)recvbuf;
    reduce_to(&f, all + at, result, here, datatype, op, i, rank, size, POLYLOOM_LINEAR);
    if (i == rank) own = at;
    at += (uint32_t)here * each;
  }
  if (sendbuf == MPI_IN_PLACE && own > 0)
    __builtin_memmove(recvbuf, AT(recvbuf, own), (size_t)(counts == 0 ? count : counts[rank]) * each);
  return polyloom_flight_result(&f);
}

POLYLOOM_SPECIALIZE int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return reduce_scatter(POLYLOOM_CALL_Reduce_scatter_block, sendbuf, recvbuf, 0, recvcount, datatype, op,
                        comm);
}

POLYLOOM_SPECIALIZE int MPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return reduce_scatter(POLYLOOM_CALL_Reduce_scatter, sendbuf, recvbuf, recvcounts, 0, datatype, op, comm);
}

/* A chain: what comes from the rank before is combined with one's own and passed on. */
POLYLOOM_SPECIALIZE static inline int scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type,
                                           MPI_Op op, MPI_Comm comm, int call, int is_exclusive) {
  static char arrived[AHEAD][PIECE] __attribute__((aligned(16)));
  static char sum[AHEAD][PIECE] __attribute__((aligned(16)));
  struct polyloom_flight f;
  MPI_Request request[AHEAD];
  if (polyloom_operator(op))
    return polyloom_operator_scan(call, sendbuf, recvbuf, count, type, op, comm, is_exclusive);
  const int error = check(comm, count, type, op, 0);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, call, error, -1, -1);
  const int size = polyloom_comm_size(comm), rank = polyloom_comm_rank(comm);
  const uint32_t each = polyloom_basic_bytes(type), bytes = (uint32_t)count * each;
  const uint32_t pieces = (bytes + PIECE - 1) / PIECE;
  const char* const own = (const char*)(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf);
  char* const result = (char*)recvbuf;
  uint32_t posted = 0;
  polyloom_flight_begin(&f, comm, call);
  for (uint32_t piece = 0; piece < pieces; piece++) {
    const uint32_t at = piece * PIECE, length = piece_bytes(bytes, piece);
    char* const to = sum[piece % AHEAD];
    char* const from = arrived[piece % AHEAD];
    if (f.count >= AHEAD) polyloom_flight_oldest(&f);
    for (; rank > 0 && posted < pieces && posted < piece + AHEAD; posted++) {
      request[posted % AHEAD] = polyloom_flight_start(&f, POLYLOOM_RECV, arrived[posted % AHEAD],
                                                      piece_bytes(bytes, posted), type, rank - 1);
    }
    __builtin_memcpy(to, own + at, length);
    if (rank > 0) {
      if (request[piece % AHEAD] != MPI_REQUEST_NULL) polyloom_flight_end(&f, request[piece % AHEAD]);
      polyloom_combine(to, from, (int)(length / each), type, op);
    }
    if (!is_exclusive) __builtin_memcpy(result + at, to, length);
    if (is_exclusive && rank > 0) __builtin_memcpy(result + at, from, length);
    if (rank + 1 < size) polyloom_flight_send(&f, to, length, type, rank + 1);
  }
  return polyloom_flight_result(&f);
}

POLYLOOM_SPECIALIZE int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                                 MPI_Op op, MPI_Comm comm) {
  return scan(sendbuf, recvbuf, count, datatype, op, comm, POLYLOOM_CALL_Scan, 0);
}

POLYLOOM_SPECIALIZE int MPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                                   MPI_Op op, MPI_Comm comm) {
  return scan(sendbuf, recvbuf, count, datatype, op, comm, POLYLOOM_CALL_Exscan, 1);
}

POLYLOOM_SPECIALIZE int MPI_Reduce_local(const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype,
                                         MPI_Op op) {
  const int error = polyloom_operator(op) ? polyloom_operate(inbuf, inoutbuf, count, datatype, op)
                                          : polyloom_combine(inoutbuf, inbuf, count, datatype, op);
  return error == MPI_SUCCESS ? error
                              : polyloom_fail(MPI_COMM_WORLD, POLYLOOM_CALL_Reduce_local, error, -1, -1);
}

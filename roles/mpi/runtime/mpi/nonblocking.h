/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives that do not block: messages between each two ranks that have something for each other, all
 * started by the call, so that they need no call until they have arrived. The call that completes the request
 * does the rest: unpacking, and combining values in the order of the ranks. */
#pragma once

#include "internal.h"

struct polyloom_transfer {
  char *data, *flat; /* the program's; where it travels from or to */
  int64_t count;
  MPI_Datatype type;
  uint32_t bytes;
  unsigned op;
  int peer;
  MPI_Request request; /* under way */
};

struct polyloom_nonblocking {
  int is_used, tag, error;
  MPI_Comm comm;
  struct polyloom_transfer* transfers;
  unsigned count, started, first, open; /* before `first` none is under way; open: how many are */
  /* Of a reduction: values of so many ranks, one after the other; null: nothing is to be combined. */
  char* values;
  int ranks;
  void* result;
  int64_t elements;
  MPI_Datatype type;
  MPI_Op op;
};

static inline int polyloom_is_nonblocking(MPI_Request r) {
  return polyloom_nonblocking_made && polyloom_is_extra(r) &&
         polyloom_extra_of(r)->kind == POLYLOOM_NONBLOCKING;
}

/* A new one of at most so many messages. MPI_SUCCESS, or an error, which has been handled. */
int polyloom_nonblocking_new(MPI_Comm comm, int call, unsigned most, struct polyloom_nonblocking** made);
/* `copies`: what is sent is copied first, because its place is that of something else that arrives. */
void polyloom_nonblocking_send(struct polyloom_nonblocking* o, const void* data, int64_t count,
                               MPI_Datatype type, int peer, int copies);
void polyloom_nonblocking_receive(struct polyloom_nonblocking* o, void* data, int64_t count,
                                  MPI_Datatype type, int peer);
/* Starts it. Returns as above. */
int polyloom_nonblocking_start(struct polyloom_nonblocking* o, MPI_Request* request);

/* As MPI_Wait or MPI_Test; an error is returned, not handled. */
int polyloom_nonblocking_end(unsigned op, MPI_Request* request, int* done);
/* Could it end? It stays. */
int polyloom_nonblocking_test(MPI_Request request);
/* A communicator gets this number. */
void polyloom_nonblocking_new_comm(MPI_Comm comm);
/* Before a wait for any request: while collectives have messages that could not be started yet, starts them
 * as there is room, until the request is complete. */
void polyloom_nonblocking_meanwhile(MPI_Request request);

/* --- Reductions --- */

/* values[0] op (values[1] op (...)) to the place of the last; `each` bytes a rank. */
int polyloom_nonblocking_combine(char* values, int ranks, uint32_t each, int count, MPI_Datatype type,
                                 MPI_Op op);

/* clang-format off */
#define POLYLOOM_COMBINED_TYPES(X) \
  X(INT8_T) X(INT16_T) X(INT32_T) X(INT64_T) X(UINT8_T) X(UINT16_T) X(UINT32_T) X(UINT64_T) \
  X(FLOAT) X(DOUBLE) X(BYTE) X(C_BOOL) X(2INT) X(FLOAT_INT) X(DOUBLE_INT)
/* clang-format on */
#define POLYLOOM_OPERATIONS(X) \
  X(SUM) X(PROD) X(MIN) X(MAX) X(LAND) X(LOR) X(LXOR) X(BAND) X(BOR) X(BXOR) X(MINLOC) X(MAXLOC)
#define X(name) extern int polyloom_uses_##name;
POLYLOOM_COMBINED_TYPES(X)
POLYLOOM_OPERATIONS(X)
#undef X
/* An operation on a type that there is: LLVM leaves no others in a kernel. */
POLYLOOM_SPECIALIZE static inline void polyloom_nonblocking_uses(MPI_Datatype type, MPI_Op op) {
#define X(name) \
  if (type == MPI_##name) polyloom_uses_##name = 1;
  POLYLOOM_COMBINED_TYPES(X)
#undef X
#define X(name) \
  if (op == MPI_##name) polyloom_uses_##name = 1;
  POLYLOOM_OPERATIONS(X)
#undef X
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of a collective that are under way at once; the oldest is waited for when there are too many. */
#pragma once

#include "internal.h"

#define POLYLOOM_FLIGHT 16u

struct polyloom_flight {
  MPI_Comm comm;
  int tag; /* enum polyloom_call: says which collective it is */
  unsigned first, count;
  int error;
  MPI_Request request[POLYLOOM_FLIGHT];
};

static inline void polyloom_flight_begin(struct polyloom_flight* f, MPI_Comm comm, int call) {
  f->comm = comm;
  f->tag = call;
  f->first = f->count = 0;
  f->error = MPI_SUCCESS;
}

/* Waits for a request of a collective; keeps the first error. */
static inline void polyloom_flight_end(struct polyloom_flight* f, MPI_Request r) {
  const struct polyloom_response a = polyloom_end(POLYLOOM_WAIT, r, 1);
  const unsigned error = polyloom_response_error(a.word[0]);
  if (error != POLYLOOM_OK && f->error == MPI_SUCCESS) f->error = polyloom_error_class(error);
}

static inline void polyloom_flight_oldest(struct polyloom_flight* f) {
  const MPI_Request r = f->request[f->first % POLYLOOM_FLIGHT];
  f->first++;
  f->count--;
  polyloom_flight_end(f, r);
}

static inline void polyloom_flight_drain(struct polyloom_flight* f) {
  while (f->count > 0) polyloom_flight_oldest(f);
}

/* Starts a send or receive of data of a basic type to a rank of the communicator and returns its request,
 * which the caller ends. If the engine has no room, older ones of this flight end first. */
static inline MPI_Request polyloom_flight_start(struct polyloom_flight* f, unsigned op, const void* data,
                                                uint32_t bytes, unsigned type, int peer) {
  const unsigned world = (unsigned)polyloom_comm_world(f->comm, peer);
  const unsigned wire = polyloom_comm_wire(f->comm, 1);
  struct polyloom_response a;
  for (;;) {
    a = polyloom_start(op, data, bytes, type, world, f->tag, wire);
    if (polyloom_response_error(a.word[0]) != POLYLOOM_TOO_MANY || f->count == 0) break;
    polyloom_flight_oldest(f);
  }
  const unsigned error = polyloom_response_error(a.word[0]);
  if (error != POLYLOOM_OK) {
    if (f->error == MPI_SUCCESS) f->error = polyloom_error_class(error);
    return MPI_REQUEST_NULL;
  }
  return polyloom_request(polyloom_response_handle(a.word[0]), op == POLYLOOM_RECV, f->comm, world, f->tag);
}

/* As above; the flight ends the request. */
static inline void polyloom_flight_add(struct polyloom_flight* f, unsigned op, const void* data,
                                       uint32_t bytes, unsigned type, int peer) {
  if (f->count == POLYLOOM_FLIGHT) polyloom_flight_oldest(f);
  const MPI_Request r = polyloom_flight_start(f, op, data, bytes, type, peer);
  if (r == MPI_REQUEST_NULL) return;
  f->request[(f->first + f->count) % POLYLOOM_FLIGHT] = r;
  f->count++;
}

static inline void polyloom_flight_send(struct polyloom_flight* f, const void* data, uint32_t bytes,
                                        unsigned type, int to) {
  polyloom_flight_add(f, POLYLOOM_SEND, data, bytes, type, to);
}
static inline void polyloom_flight_receive(struct polyloom_flight* f, void* data, uint32_t bytes,
                                           unsigned type, int from) {
  polyloom_flight_add(f, POLYLOOM_RECV, data, bytes, type, from);
}

/* Ends the collective. */
static inline int polyloom_flight_result(struct polyloom_flight* f) {
  polyloom_flight_drain(f);
  return f->error == MPI_SUCCESS ? MPI_SUCCESS : polyloom_fail(f->comm, f->tag, f->error, -1, -1);
}

/* What every collective checks; MPI_SUCCESS or the class of the first error. */
static inline int polyloom_check(MPI_Comm comm, int64_t count, MPI_Datatype type, int root) {
  if (!polyloom_comm_ok(comm)) return MPI_ERR_COMM;
  if (count < 0) return MPI_ERR_COUNT;
  if (!polyloom_type_ok(type)) return MPI_ERR_TYPE;
  if ((uint64_t)count * polyloom_type_bytes(type) > 0xFFFFFFFFu) return MPI_ERR_COUNT;
  if (root < 0 || root >= polyloom_comm_size(comm)) return MPI_ERR_ROOT;
  return MPI_SUCCESS;
}

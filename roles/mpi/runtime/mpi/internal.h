/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the MPI layer: communicators, requests, errors.
 *
 * All of this is also compiled into circuits: no heap, no recursion, no function pointers but the program's,
 * and whatever is known at compile time (POLYLOOM_SIZE, POLYLOOM_RANK, arguments of calls) is left to the
 * compiler to fold.
 */
#pragma once

#include "../../arch/calls.h"
#include "../../arch/command.h"
#include "mpi.h"
#include "platform.h"
#include "types.h"

#ifdef POLYLOOM_KERNEL
#include "../kernel/intrinsics.h"
#endif

#ifdef POLYLOOM_SIZE
#define POLYLOOM_MOST_RANKS POLYLOOM_SIZE
#else
#define POLYLOOM_MOST_RANKS 0x7FFF /* of a job file */
#endif
#define POLYLOOM_COMMS 63 /* of the 64 that a request can name; the last one is in MPI_REQUEST_NULL */

#ifdef POLYLOOM_KERNEL
#define POLYLOOM_SPECIALIZE \
  __attribute__((always_inline)) /* one circuit for each use, of its type and operation */
#else
#define POLYLOOM_SPECIALIZE
#endif
#ifdef POLYLOOM_KERNEL
#define POLYLOOM_ONCE __attribute__((noinline)) /* one circuit for all uses */
#else
#define POLYLOOM_ONCE
#endif

static inline int polyloom_world_rank(void) {
#ifdef POLYLOOM_RANK
  return POLYLOOM_RANK;
#else
  return polyloom_platform_rank();
#endif
}

static inline int polyloom_world_size(void) {
#ifdef POLYLOOM_SIZE
  return POLYLOOM_SIZE;
#else
  return polyloom_platform_size();
#endif
}

/* Communicators by number, which is the same at all members; 0 and 1 are MPI_COMM_WORLD and MPI_COMM_SELF, of
 * which only the flags are used. */
struct polyloom_comm {
  uint16_t used, errors /* what is done about them: an MPI_Errhandler */, size, rank;
  uint16_t world[POLYLOOM_MOST_RANKS];
};
extern struct polyloom_comm polyloom_comms[POLYLOOM_COMMS];

static inline int polyloom_comm_ok(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF) return 1;
  return (int)comm > 1 && (int)comm < POLYLOOM_COMMS && polyloom_comms[comm].used;
}
static inline int polyloom_comm_size(MPI_Comm comm) {
  return comm == MPI_COMM_WORLD  ? polyloom_world_size()
         : comm == MPI_COMM_SELF ? 1
                                 : polyloom_comms[comm].size;
}
static inline int polyloom_comm_rank(MPI_Comm comm) {
  return comm == MPI_COMM_WORLD  ? polyloom_world_rank()
         : comm == MPI_COMM_SELF ? 0
                                 : polyloom_comms[comm].rank;
}
static inline int polyloom_comm_world(MPI_Comm comm, int rank) {
  if (comm == MPI_COMM_WORLD) return rank;
  return comm == MPI_COMM_SELF ? polyloom_world_rank() : polyloom_comms[comm].world[rank];
}
/* On the wire: even numbers for messages of the program, odd ones for collectives. */
static inline unsigned polyloom_comm_wire(MPI_Comm comm, int is_collective) {
  return 2 * (unsigned)comm + (unsigned)is_collective;
}
/* MPI_Init was called, MPI_Finalize not. */
int polyloom_unfinished(void);
int polyloom_comm_local(MPI_Comm comm, int world);

/* Errors: returns `error` if the communicator wants that, else ends the job. */
int polyloom_fail(MPI_Comm comm, int call, int error, int peer, int tag);
int polyloom_error_class(unsigned engine_error);
extern int polyloom_handlers_made; /* as polyloom_types_made */
/* Calls the handler if it is the program's. */
void polyloom_handle(MPI_Errhandler handler, MPI_Comm comm, int error);

/* The engine in hardware counts its requests in words of its table, 16 each, the one in software one by one.
 */
#ifndef POLYLOOM_HANDLE_SHIFT
#ifdef POLYLOOM_KERNEL
#define POLYLOOM_HANDLE_SHIFT 4
#else
#define POLYLOOM_HANDLE_SHIFT 0
#endif
#endif
/* A request: handle of the engine [9:0], receive [10], communicator [16:11], world rank of the peer [31:17],
 * tag [63:32]. So a WAIT can say what it waits for, and a status be filled, without a table. */
#define POLYLOOM_REQUEST_DONE (~0ull - 1) /* of a peer MPI_PROC_NULL */
static inline MPI_Request polyloom_request(unsigned handle, int is_receive, MPI_Comm comm, unsigned peer,
                                           int tag) {
  return (handle >> POLYLOOM_HANDLE_SHIFT & 0x3FFu) | (MPI_Request)(is_receive & 1) << 10 |
         (MPI_Request)((unsigned)comm & 63u) << 11 | (MPI_Request)(peer & 0x7FFFu) << 17 |
         (MPI_Request)(uint32_t)tag << 32;
}
static inline unsigned polyloom_request_handle(MPI_Request r) {
  return ((unsigned)r & 0x3FFu) << POLYLOOM_HANDLE_SHIFT;
}
static inline int polyloom_request_receives(MPI_Request r) { return (int)(r >> 10 & 1); }
static inline MPI_Comm polyloom_request_comm(MPI_Request r) { return (MPI_Comm)(r >> 11 & 63); }
static inline unsigned polyloom_request_peer(MPI_Request r) {
  const unsigned peer = (unsigned)(r >> 17) & 0x7FFFu;
  return peer == 0x7FFFu ? POLYLOOM_ANY_RANK : peer;
}
static inline int polyloom_request_tag(MPI_Request r) { return (int)(uint32_t)(r >> 32); }

/* Requests of which more must be known are in a table, and have this instead of a tag; [15:0] is the place.
 */
#define POLYLOOM_EXTRA 0x80000000u
#ifdef POLYLOOM_KERNEL
#define POLYLOOM_EXTRAS 64
#else
#define POLYLOOM_EXTRAS 4096
#endif
/* A message with gaps; a persistent request; a message that was probed to be received; a collective. */
enum polyloom_extra_kind {
  POLYLOOM_FREE,
  POLYLOOM_PACKED,
  POLYLOOM_PERSISTENT,
  POLYLOOM_MESSAGE,
  POLYLOOM_NONBLOCKING /* a collective; `count` is its place among these */
};
struct polyloom_extra {
  enum polyloom_extra_kind kind;
  MPI_Request inner; /* under way; MPI_REQUEST_NULL if none is */
  void *data, *flat; /* the program's buffer; its packed form */
  int count;
  MPI_Datatype type;
  /* what the next start is to do */
  unsigned op;
  int peer, tag;
  MPI_Comm comm;
};
extern int polyloom_persistent_made, polyloom_nonblocking_made; /* as polyloom_types_made */
extern struct polyloom_extra polyloom_extras[POLYLOOM_EXTRAS];
static inline int polyloom_is_extra(MPI_Request r) {
  return (polyloom_types_made || polyloom_persistent_made || polyloom_nonblocking_made) &&
         (uint32_t)(r >> 32) == POLYLOOM_EXTRA;
}
static inline struct polyloom_extra* polyloom_extra_of(MPI_Request r) {
  return &polyloom_extras[(unsigned)r % POLYLOOM_EXTRAS];
}
/* A free place, or MPI_REQUEST_NULL. */
MPI_Request polyloom_extra_new(enum polyloom_extra_kind kind);

struct polyloom_response {
  uint64_t word[2];
};

static inline struct polyloom_response polyloom_command(uint64_t word0, uint64_t word1, uint64_t word2) {
  struct polyloom_response a;
#ifdef POLYLOOM_KERNEL
  __polyloom_push(0, word0);
  __polyloom_push(0, word1);
  __polyloom_push(0, word2);
  a.word[0] = __polyloom_pop(0);
  a.word[1] = __polyloom_pop(0);
#else
  const uint64_t c[3] = {word0, word1, word2};
  polyloom_mpe_command(c, a.word);
#endif
  return a;
}

static inline struct polyloom_response polyloom_start(unsigned op, const void* data, uint32_t bytes,
                                                      unsigned type, unsigned peer, int tag, unsigned comm) {
  return polyloom_command(polyloom_word0(op, type, peer, tag), polyloom_word1(comm, 0, data),
                          polyloom_word2(bytes, data));
}

/* WAIT or TEST, this with POLYLOOM_KEEP or 0; peer, tag and comm are for those who ask what a rank waits for.
 */
static inline struct polyloom_response polyloom_query(unsigned op, unsigned keep, MPI_Request r,
                                                      int is_collective) {
  const unsigned kind = polyloom_request_receives(r) ? POLYLOOM_RECV : POLYLOOM_SEND;
  return polyloom_command(polyloom_word0(op, kind | keep, polyloom_request_peer(r), polyloom_request_tag(r)),
                          polyloom_word1(polyloom_comm_wire(polyloom_request_comm(r), is_collective),
                                         polyloom_request_handle(r), 0),
                          0);
}
static inline struct polyloom_response polyloom_end(unsigned op, MPI_Request r, int is_collective) {
  return polyloom_query(op, 0, r, is_collective);
}

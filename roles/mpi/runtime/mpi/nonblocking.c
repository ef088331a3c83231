/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives that do not block, from their start to their end. */
#include "nonblocking.h"

#include "operators.h"

#ifdef POLYLOOM_KERNEL
#define OPERATIONS 16
#define MOST_OPEN 192u /* requests of the engine; the others are for the program */
#else
#define OPERATIONS 1024
#define MOST_OPEN 512u
#endif

static struct polyloom_nonblocking operations[OPERATIONS];
int polyloom_nonblocking_made;
/* How many each communicator has begun, which its members agree on: it tells their messages apart. */
static uint16_t begun[POLYLOOM_COMMS];
static unsigned open;     /* messages under way */
static unsigned to_start; /* messages for which there was no room */

void polyloom_nonblocking_new_comm(MPI_Comm comm) { begun[comm] = 0; }

POLYLOOM_ONCE int polyloom_nonblocking_new(MPI_Comm comm, int call, unsigned most,
                                           struct polyloom_nonblocking** made) {
  for (int i = 0; i < OPERATIONS; i++) {
    struct polyloom_nonblocking* const o = &operations[i];
    if (o->is_used) continue;
    o->transfers = (struct polyloom_transfer*)polyloom_platform_keep(
        (most > 0 ? most : 1) * (uint32_t)sizeof(struct polyloom_transfer));
    if (o->transfers == 0) return polyloom_fail(comm, call, MPI_ERR_INTERN, -1, -1);
    polyloom_nonblocking_made = 1;
    begun[comm] = (uint16_t)(begun[comm] % 0x7FFF + 1);
    o->is_used = 1;
    o->tag = (int)((unsigned)call | (unsigned)begun[comm] << 16);
    o->error = MPI_SUCCESS;
    o->comm = comm;
    o->count = o->started = o->first = o->open = 0;
    o->values = 0;
    *made = o;
    return MPI_SUCCESS;
  }
  return polyloom_fail(comm, call, MPI_ERR_NO_MEM, -1, -1);
}

static void add(struct polyloom_nonblocking* o, unsigned op, const void* data, void* flat, int64_t count,
                MPI_Datatype type, int peer) {
  struct polyloom_transfer* const t = &o->transfers[o->count++];
  t->data = (char*)data;
  t->flat = (char*)flat;
  t->count = count;
  t->type = type;
  t->bytes = (uint32_t)count * polyloom_type_bytes(type);
  t->op = op;
  t->peer = peer;
  t->request = MPI_REQUEST_NULL;
  polyloom_type_use(type);
  if (flat == 0 && t->bytes > 0) o->error = MPI_ERR_INTERN;
}

POLYLOOM_ONCE void polyloom_nonblocking_send(struct polyloom_nonblocking* o, const void* data, int64_t count,
                                             MPI_Datatype type, int peer, int copies) {
  void* const flat = copies ? polyloom_flatten(data, count, type, 1) : polyloom_flat(data, count, type, 1);
  add(o, POLYLOOM_SEND, data, flat, count, type, peer);
}

POLYLOOM_ONCE void polyloom_nonblocking_receive(struct polyloom_nonblocking* o, void* data, int64_t count,
                                                MPI_Datatype type, int peer) {
  add(o, POLYLOOM_RECV, data, polyloom_flat(data, count, type, 0), count, type, peer);
}

static void keep_error(struct polyloom_nonblocking* o, struct polyloom_response a) {
  const unsigned error = polyloom_response_error(a.word[0]);
  if (error != POLYLOOM_OK && o->error == MPI_SUCCESS) o->error = polyloom_error_class(error);
}

/* Starts what there is room for. */
static void launch(struct polyloom_nonblocking* o) {
  while (o->started < o->count && open < MOST_OPEN) {
    struct polyloom_transfer* const t = &o->transfers[o->started];
    const unsigned world = (unsigned)polyloom_comm_world(o->comm, t->peer);
    const struct polyloom_response a = polyloom_start(t->op, t->flat, t->bytes, polyloom_type_wire(t->type),
                                                      world, o->tag, polyloom_comm_wire(o->comm, 1));
    if (polyloom_response_error(a.word[0]) == POLYLOOM_TOO_MANY) return;
    keep_error(o, a);
    o->started++;
    to_start--;
    if (polyloom_response_error(a.word[0]) != POLYLOOM_OK) continue;
    t->request =
        polyloom_request(polyloom_response_handle(a.word[0]), t->op == POLYLOOM_RECV, o->comm, world, o->tag);
    o->open++;
    open++;
  }
}

/* WAIT or TEST of all that is under way, of which others may start then. Is all complete? */
POLYLOOM_ONCE static int look(struct polyloom_nonblocking* o, unsigned op) {
  for (unsigned i = o->first; i < o->started; i++) {
    struct polyloom_transfer* const t = &o->transfers[i];
    if (t->request != MPI_REQUEST_NULL) {
      const struct polyloom_response a = polyloom_end(op, t->request, 1);
      if (op == POLYLOOM_TEST && !polyloom_response_done(a.word[0])) continue;
      keep_error(o, a);
      t->request = MPI_REQUEST_NULL;
      o->open--;
      open--;
    }
    if (i == o->first) o->first++;
  }
  if (o->started < o->count) launch(o);
  return o->open == 0 && o->started == o->count;
}

static void look_at_all(void) {
  for (int i = 0; i < OPERATIONS && to_start > 0; i++) {
    if (operations[i].is_used) look(&operations[i], POLYLOOM_TEST);
  }
}

/* Once nothing is under way. */
POLYLOOM_ONCE static int finish(struct polyloom_nonblocking* o) {
  if (o->values != 0) {
    const uint32_t each = (uint32_t)o->elements * polyloom_type_bytes(o->type);
    if (o->error == MPI_SUCCESS)
      o->error =
          polyloom_operator(o->op)
              ? polyloom_operator_combine(o->values, o->ranks, each, (int)o->elements, o->type, o->op)
              : polyloom_nonblocking_combine(o->values, o->ranks, each, (int)o->elements, o->type, o->op);
    if (o->error == MPI_SUCCESS)
      polyloom_unpack(o->result, o->elements, o->type, o->values + (size_t)(o->ranks - 1) * each, each);
    polyloom_platform_release(o->values);
    polyloom_type_release(o->type);
  }
  for (unsigned i = 0; i < o->count; i++) {
    struct polyloom_transfer* const t = &o->transfers[i];
    if (t->flat != t->data && t->flat != 0)
      polyloom_unflatten(t->flat, t->data, t->count, t->type, t->bytes,
                         t->op == POLYLOOM_RECV && o->error == MPI_SUCCESS);
    polyloom_type_release(t->type);
  }
  polyloom_platform_release(o->transfers);
  o->is_used = 0;
  return o->error;
}

POLYLOOM_ONCE int polyloom_nonblocking_start(struct polyloom_nonblocking* o, MPI_Request* request) {
  const MPI_Comm comm = o->comm;
  const int call = o->tag & 0xFFFF;
  *request = o->error == MPI_SUCCESS ? polyloom_extra_new(POLYLOOM_NONBLOCKING) : MPI_REQUEST_NULL;
  if (*request == MPI_REQUEST_NULL) {
    const int error = finish(o);
    return polyloom_fail(comm, call, error == MPI_SUCCESS ? MPI_ERR_NO_MEM : error, -1, -1);
  }
  struct polyloom_extra* const e = polyloom_extra_of(*request);
  e->count = (int)(o - operations);
  e->inner = polyloom_request(0x3FF, 0, comm, 0x7FFF, -1); /* what errors of its end say of it */
  to_start += o->count;
  launch(o);
  return MPI_SUCCESS;
}

int polyloom_nonblocking_test(MPI_Request request) {
  look_at_all();
  return look(&operations[polyloom_extra_of(request)->count], POLYLOOM_TEST);
}

POLYLOOM_ONCE int polyloom_nonblocking_end(unsigned op, MPI_Request* request, int* done) {
  struct polyloom_extra* const e = polyloom_extra_of(*request);
  struct polyloom_nonblocking* const o = &operations[e->count];
  *done = 0;
  if (op == POLYLOOM_TEST) {
    *done = polyloom_nonblocking_test(*request);
    if (!*done) return MPI_SUCCESS;
  }
  while (!*done && to_start > 0) *done = polyloom_nonblocking_test(*request);
  if (!*done) look(o, POLYLOOM_WAIT);
  *done = 1;
  e->kind = POLYLOOM_FREE;
  *request = MPI_REQUEST_NULL;
  return finish(o);
}

void polyloom_nonblocking_meanwhile(MPI_Request request) {
  while (to_start > 0) {
    if (polyloom_response_done(polyloom_query(POLYLOOM_TEST, POLYLOOM_KEEP, request, 0).word[0])) return;
    look_at_all();
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that are more than a handle of the engine: persistent ones, buffered sends, messages that were
 * probed to be received, and requests that the program has let go. */
#include "requests.h"

#include "flight.h"
#include "nonblocking.h"

int polyloom_persistent_made, polyloom_left_made;

#define BUFFERED_SEND 0x100u /* no command of the engine */

/* --- Persistent --- */

static int init(unsigned op, int call, const void* buf, int count, MPI_Datatype type, int peer, int tag,
                MPI_Comm comm, MPI_Request* request) {
  if (!polyloom_comm_ok(comm)) return polyloom_fail(comm, call, MPI_ERR_COMM, peer, tag);
  if (!polyloom_type_ok(type)) return polyloom_fail(comm, call, MPI_ERR_TYPE, peer, tag);
  polyloom_persistent_made = 1;
  *request = polyloom_extra_new(POLYLOOM_PERSISTENT);
  if (*request == MPI_REQUEST_NULL) return polyloom_fail(comm, call, MPI_ERR_NO_MEM, peer, tag);
  struct polyloom_extra* const e = polyloom_extra_of(*request);
  e->data = (void*)buf;
  e->count = count;
  e->type = type;
  e->op = op;
  e->peer = peer;
  e->tag = tag;
  e->comm = comm;
  polyloom_type_use(type);
  return MPI_SUCCESS;
}

int MPI_Send_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return init(POLYLOOM_SEND, POLYLOOM_CALL_Send_init, buf, count, datatype, dest, tag, comm, request);
}

int MPI_Ssend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  return init(POLYLOOM_SSEND, POLYLOOM_CALL_Ssend_init, buf, count, datatype, dest, tag, comm, request);
}

int MPI_Recv_init(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return init(POLYLOOM_RECV, POLYLOOM_CALL_Recv_init, buf, count, datatype, source, tag, comm, request);
}

int MPI_Bsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  return init(BUFFERED_SEND, POLYLOOM_CALL_Bsend_init, buf, count, datatype, dest, tag, comm, request);
}

int MPI_Start(MPI_Request* request) {
  struct polyloom_extra* const e = polyloom_extra_of(*request);
  if (!polyloom_is_extra(*request) || e->kind != POLYLOOM_PERSISTENT || e->inner != MPI_REQUEST_NULL)
    return polyloom_fail(MPI_COMM_WORLD, POLYLOOM_CALL_Start, MPI_ERR_REQUEST, -1, -1);
  if (e->op == BUFFERED_SEND)
    return MPI_Ibsend(e->data, e->count, e->type, e->peer, e->tag, e->comm, &e->inner);
  return polyloom_request_start(e->op, POLYLOOM_CALL_Start, e->data, e->count, e->type, e->peer, e->tag,
                                e->comm, &e->inner);
}

int MPI_Startall(int count, MPI_Request requests[]) {
  int error = MPI_SUCCESS;
  for (int i = 0; i < count && error == MPI_SUCCESS; i++) error = MPI_Start(&requests[i]);
  return error;
}

/* --- Let go --- */

#define LEFT 32u
static MPI_Request left[LEFT];
static unsigned left_count;

/* Ends those that have come to their end, or with `waits` all sends. */
static void end_left(int waits) {
  unsigned kept = 0;
  for (unsigned i = 0; i < left_count; i++) {
    int done;
    const int receives = polyloom_request_receives(polyloom_request_plain(left[i]));
    polyloom_request_end(waits && !receives ? POLYLOOM_WAIT : POLYLOOM_TEST, &left[i], &done,
                         MPI_STATUS_IGNORE);
    if (!done) left[kept++] = left[i];
  }
  left_count = kept;
}

int MPI_Request_free(MPI_Request* request) {
  MPI_Request under_way = *request;
  if (under_way == MPI_REQUEST_NULL)
    return polyloom_fail(MPI_COMM_WORLD, POLYLOOM_CALL_Request_free, MPI_ERR_REQUEST, -1, -1);
  struct polyloom_extra* const e = polyloom_extra_of(under_way);
  if (polyloom_is_extra(under_way) && e->kind == POLYLOOM_PERSISTENT) {
    under_way = e->inner;
    polyloom_type_release(e->type);
    e->kind = POLYLOOM_FREE;
  }
  *request = MPI_REQUEST_NULL;
  polyloom_left_made = 1;
  end_left(0);
  if (under_way == MPI_REQUEST_NULL || under_way == POLYLOOM_REQUEST_DONE) return MPI_SUCCESS;
  if (left_count == LEFT)
    return polyloom_fail(MPI_COMM_WORLD, POLYLOOM_CALL_Request_free, MPI_ERR_NO_MEM, -1, -1);
  left[left_count++] = under_way;
  return MPI_SUCCESS;
}

/* A receive that nothing has matched is taken back; a message that is sent is not, and completes. */
int MPI_Cancel(MPI_Request* request) {
  const MPI_Request r = polyloom_request_plain(*request);
  if (!polyloom_is_nonblocking(*request) && r != MPI_REQUEST_NULL && r != POLYLOOM_REQUEST_DONE &&
      polyloom_request_receives(r))
    polyloom_end(POLYLOOM_CANCEL, r, 0);
  return MPI_SUCCESS;
}

int MPI_Test_cancelled(const MPI_Status* status, int* flag) {
  *flag = status->polyloom_bytes == POLYLOOM_CANCELLED;
  return MPI_SUCCESS;
}

/* --- Buffered --- */

#ifdef POLYLOOM_KERNEL
#define BUFFERED 32u
#else
#define BUFFERED 1024u
#endif
static char* buffer;
static uint32_t buffer_bytes;
static struct {
  uint32_t begin, end;
  MPI_Request request;
} buffered[BUFFERED]; /* in a circle, as their bytes in the buffer */
static unsigned first, waiting;

static void end_buffered(int waits) {
  while (waiting > 0) {
    int done;
    polyloom_request_end(waits ? POLYLOOM_WAIT : POLYLOOM_TEST, &buffered[first % BUFFERED].request, &done,
                         MPI_STATUS_IGNORE);
    if (!done) break;
    first++;
    waiting--;
  }
}

int MPI_Buffer_attach(void* data, int size) {
  if (buffer != 0 || size < 0)
    return polyloom_fail(MPI_COMM_WORLD, POLYLOOM_CALL_Buffer_attach, MPI_ERR_BUFFER, -1, -1);
  buffer = (char*)data;
  buffer_bytes = (uint32_t)size;
  return MPI_SUCCESS;
}

int MPI_Buffer_detach(void* buffer_addr, int* size) {
  end_buffered(1);
  *(void**)buffer_addr = buffer;
  *size = (int)buffer_bytes;
  buffer = 0;
  buffer_bytes = 0;
  return MPI_SUCCESS;
}

static int bsend(int call, const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  int error = polyloom_check(comm, count, type, 0);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, call, error, dest, tag);
  if (dest == MPI_PROC_NULL) return MPI_SUCCESS;
  polyloom_left_made = 1;
  end_buffered(0);
  const uint32_t bytes = (uint32_t)count * polyloom_type_bytes(type), room = (bytes + 15u) & ~15u;
  const MPI_Datatype wire = (MPI_Datatype)polyloom_type_wire(type);
  const uint32_t begin = waiting == 0 ? 0 : buffered[first % BUFFERED].begin;
  uint32_t at = waiting == 0 ? 0 : buffered[(first + waiting - 1) % BUFFERED].end;
  /* Free is from the last one's end to the first one's begin, round the end of the buffer. */
  const int is_round = waiting > 0 && at <= begin;
  if (!is_round && buffer_bytes - at < room) at = begin >= room && waiting > 0 ? 0 : buffer_bytes;
  if ((is_round ? begin : buffer_bytes) - at < room || waiting == BUFFERED)
    return polyloom_fail(comm, call, MPI_ERR_BUFFER, dest, tag);
  polyloom_pack(buf, count, type, buffer + at, bytes);
  const unsigned next = (first + waiting) % BUFFERED;
  error = polyloom_request_start(POLYLOOM_SEND, call, buffer + at, (int)(bytes / polyloom_type_bytes(wire)),
                                 wire, dest, tag, comm, &buffered[next].request);
  if (error != MPI_SUCCESS) return error;
  buffered[next].begin = at;
  buffered[next].end = at + room;
  waiting++;
  return MPI_SUCCESS;
}

int MPI_Bsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return bsend(POLYLOOM_CALL_Bsend, buf, count, datatype, dest, tag, comm);
}

int MPI_Ibsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  *request = POLYLOOM_REQUEST_DONE;
  return bsend(POLYLOOM_CALL_Ibsend, buf, count, datatype, dest, tag, comm);
}

void polyloom_finish_requests(void) {
  end_buffered(1);
  end_left(1);
}

/* --- Probed and taken --- */

/* What was found is received at once, into memory of its own, so that no other receive gets it. */
static int take(int call, MPI_Comm comm, const MPI_Status* found, MPI_Message* message) {
  polyloom_persistent_made = 1;
  *message = polyloom_extra_new(POLYLOOM_MESSAGE);
  if (*message == MPI_MESSAGE_NULL)
    return polyloom_fail(comm, call, MPI_ERR_NO_MEM, found->MPI_SOURCE, found->MPI_TAG);
  struct polyloom_extra* const e = polyloom_extra_of(*message);
  e->count = (int)found->polyloom_bytes;
  e->type = MPI_BYTE;
  e->comm = comm;
  e->peer = found->MPI_SOURCE;
  e->tag = found->MPI_TAG;
  e->flat = polyloom_platform_keep(found->polyloom_bytes);
  if (e->flat == 0) return polyloom_fail(comm, call, MPI_ERR_INTERN, found->MPI_SOURCE, found->MPI_TAG);
  return polyloom_request_start(POLYLOOM_RECV, call, e->flat, e->count, MPI_BYTE, e->peer, e->tag, comm,
                                &e->inner);
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  MPI_Status found;
  *message = MPI_MESSAGE_NULL;
  int error = MPI_Iprobe(source, tag, comm, flag, &found);
  if (error != MPI_SUCCESS || !*flag) return error;
  if (status != MPI_STATUS_IGNORE) *status = found;
  if (source != MPI_PROC_NULL) return take(POLYLOOM_CALL_Improbe, comm, &found, message);
  *message = MPI_MESSAGE_NO_PROC;
  return MPI_SUCCESS;
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  MPI_Status found;
  *message = MPI_MESSAGE_NULL;
  const int error = MPI_Probe(source, tag, comm, &found);
  if (error != MPI_SUCCESS) return error;
  if (status != MPI_STATUS_IGNORE) *status = found;
  if (source != MPI_PROC_NULL) return take(POLYLOOM_CALL_Mprobe, comm, &found, message);
  *message = MPI_MESSAGE_NO_PROC;
  return MPI_SUCCESS;
}

/* From here on it is a message of a type with gaps that is under way. */
int MPI_Imrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
  const MPI_Message given = *message;
  *message = MPI_MESSAGE_NULL;
  *request = POLYLOOM_REQUEST_DONE;
  if (given == MPI_MESSAGE_NO_PROC) return MPI_SUCCESS;
  struct polyloom_extra* const e = polyloom_extra_of(given);
  if (!polyloom_is_extra(given) || e->kind != POLYLOOM_MESSAGE)
    return polyloom_fail(MPI_COMM_WORLD, POLYLOOM_CALL_Imrecv, MPI_ERR_REQUEST, -1, -1);
  int error = polyloom_check(e->comm, count, datatype, 0);
  if (error == MPI_SUCCESS && (uint32_t)e->count > (uint32_t)count * polyloom_type_bytes(datatype))
    error = MPI_ERR_TRUNCATE;
  if (error != MPI_SUCCESS) return polyloom_fail(e->comm, POLYLOOM_CALL_Imrecv, error, e->peer, e->tag);
  e->kind = POLYLOOM_PACKED;
  e->data = buf;
  e->count = count;
  e->type = datatype;
  polyloom_type_use(datatype);
  *request = given;
  return MPI_SUCCESS;
}

int MPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  MPI_Request request;
  const int error = MPI_Imrecv(buf, count, datatype, message, &request);
  return error == MPI_SUCCESS ? MPI_Wait(&request, status) : error;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Messages from rank to rank. */
#include "nonblocking.h"
#include "requests.h"

/* Checks what a call was given; MPI_SUCCESS or the class of the first error. Receives may name any source and
 * tag. */
static inline int check(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, int is_receive) {
  if (!polyloom_comm_ok(comm)) return MPI_ERR_COMM;
  if (count < 0) return MPI_ERR_COUNT;
  if (!polyloom_type_ok(type)) return MPI_ERR_TYPE;
  if ((uint64_t)(uint32_t)count * polyloom_type_bytes(type) > 0xFFFFFFFFu) return MPI_ERR_COUNT;
  const int any_peer = peer == MPI_PROC_NULL || (is_receive && peer == MPI_ANY_SOURCE);
  if (!any_peer && (peer < 0 || peer >= polyloom_comm_size(comm))) return MPI_ERR_RANK;
  if (tag < 0 && !(is_receive && tag == MPI_ANY_TAG)) return MPI_ERR_TAG;
  return MPI_SUCCESS;
}

static inline void fill_null(MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = MPI_PROC_NULL;
  status->MPI_TAG = MPI_ANY_TAG;
  status->MPI_ERROR = MPI_SUCCESS;
  status->polyloom_bytes = 0;
}

static inline void fill_empty(MPI_Status* status) {
  fill_null(status);
  if (status != MPI_STATUS_IGNORE) status->MPI_SOURCE = MPI_ANY_SOURCE;
}

/* Fills the status from a response; returns the error class. */
static inline int fill(MPI_Status* status, MPI_Comm comm, struct polyloom_response a) {
  const int error = polyloom_error_class(polyloom_response_error(a.word[0]));
  if (status != MPI_STATUS_IGNORE) {
    status->MPI_SOURCE = polyloom_comm_local(comm, (int)polyloom_response_handle(a.word[0]));
    status->MPI_TAG = polyloom_response_tag(a.word[0]);
    status->MPI_ERROR = error;
    status->polyloom_bytes = polyloom_response_bytes(a.word[1]);
  }
  return error;
}

/* Bytes of a message that are in the buffer. */
static inline uint32_t received(struct polyloom_response a, uint32_t room) {
  const uint32_t bytes = polyloom_response_bytes(a.word[1]);
  return bytes < room ? bytes : room;
}

static inline unsigned wire_peer(MPI_Comm comm, int peer) {
  return peer == MPI_ANY_SOURCE ? POLYLOOM_ANY_RANK : (unsigned)polyloom_comm_world(comm, peer);
}

static inline int send(unsigned op, int call, const void* buf, int count, MPI_Datatype type, int dest,
                       int tag, MPI_Comm comm) {
  int error = check(count, type, dest, tag, comm, 0);
  if (error == MPI_SUCCESS && dest == MPI_PROC_NULL) return MPI_SUCCESS;
  if (error == MPI_SUCCESS) {
    const uint32_t bytes = (uint32_t)count * polyloom_type_bytes(type);
    void* const flat = polyloom_flat(buf, count, type, 1);
    if (polyloom_type_has_gaps(type) && flat == 0)
      return polyloom_fail(comm, call, MPI_ERR_INTERN, dest, tag);
    const struct polyloom_response a = polyloom_start(
        op, flat, bytes, polyloom_type_wire(type), wire_peer(comm, dest), tag, polyloom_comm_wire(comm, 0));
    polyloom_unflat(flat, 0, count, type, bytes, 0);
    error = polyloom_error_class(polyloom_response_error(a.word[0]));
  }
  return error == MPI_SUCCESS ? MPI_SUCCESS : polyloom_fail(comm, call, error, dest, tag);
}

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send(POLYLOOM_SEND_WAIT, POLYLOOM_CALL_Send, buf, count, datatype, dest, tag, comm);
}

int MPI_Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send(POLYLOOM_SSEND_WAIT, POLYLOOM_CALL_Ssend, buf, count, datatype, dest, tag, comm);
}

int MPI_Rsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send(POLYLOOM_SEND_WAIT, POLYLOOM_CALL_Rsend, buf, count, datatype, dest, tag, comm);
}

int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
             MPI_Status* status) {
  int error = check(count, datatype, source, tag, comm, 1);
  if (error == MPI_SUCCESS && source == MPI_PROC_NULL) {
    fill_null(status);
    return MPI_SUCCESS;
  }
  if (error == MPI_SUCCESS) {
    const uint32_t bytes = (uint32_t)count * polyloom_type_bytes(datatype);
    void* const flat = polyloom_flat(buf, count, datatype, 0);
    if (polyloom_type_has_gaps(datatype) && flat == 0)
      return polyloom_fail(comm, POLYLOOM_CALL_Recv, MPI_ERR_INTERN, source, tag);
    const struct polyloom_response a =
        polyloom_start(POLYLOOM_RECV_WAIT, flat, bytes, polyloom_type_wire(datatype), wire_peer(comm, source),
                       tag, polyloom_comm_wire(comm, 0));
    polyloom_unflat(flat, buf, count, datatype, received(a, bytes), 1);
    error = fill(status, comm, a);
  }
  return error == MPI_SUCCESS ? MPI_SUCCESS : polyloom_fail(comm, POLYLOOM_CALL_Recv, error, source, tag);
}

struct polyloom_extra polyloom_extras[POLYLOOM_EXTRAS];

MPI_Request polyloom_extra_new(enum polyloom_extra_kind kind) {
  for (unsigned i = 0; i < POLYLOOM_EXTRAS; i++) {
    if (polyloom_extras[i].kind != POLYLOOM_FREE) continue;
    polyloom_extras[i].kind = kind;
    polyloom_extras[i].inner = MPI_REQUEST_NULL;
    return (MPI_Request)POLYLOOM_EXTRA << 32 | i;
  }
  return MPI_REQUEST_NULL;
}

static MPI_Request remember(MPI_Request extra, MPI_Request inner, void* flat, void* data, int count,
                            MPI_Datatype type) {
  struct polyloom_extra* const e = polyloom_extra_of(extra);
  e->inner = inner;
  e->flat = flat;
  e->data = data;
  e->count = count;
  e->type = type;
  polyloom_type_use(type);
  return extra;
}

/* What the engine knows of a request. */
static inline MPI_Request plain(MPI_Request r) {
  if (!polyloom_is_extra(r)) return r;
  const MPI_Request inner = polyloom_extra_of(r)->inner;
  return polyloom_is_extra(inner) ? polyloom_extra_of(inner)->inner : inner;
}

/* A request of the table has ended, with a message of that many bytes if it is a receive. */
POLYLOOM_ONCE static MPI_Request end_extra(MPI_Request r, uint32_t bytes) {
  struct polyloom_extra* e = polyloom_extra_of(r);
  MPI_Request result = MPI_REQUEST_NULL;
  if (e->kind == POLYLOOM_PERSISTENT) {
    const MPI_Request inner = e->inner;
    result = r;
    e->inner = MPI_REQUEST_NULL;
    if (!polyloom_is_extra(inner)) return result;
    e = polyloom_extra_of(inner);
  }
  const uint32_t room = (uint32_t)e->count * polyloom_type_bytes(e->type);
  if (bytes == POLYLOOM_CANCELLED) bytes = 0;
  polyloom_unflatten(e->flat, e->data, e->count, e->type, bytes < room ? bytes : room,
                     polyloom_request_receives(e->inner));
  polyloom_type_release(e->type);
  e->kind = POLYLOOM_FREE;
  return result;
}

/* What a request is when it has ended. */
static inline MPI_Request ended(MPI_Request r, uint32_t bytes) {
  return polyloom_is_extra(r) ? end_extra(r, bytes) : MPI_REQUEST_NULL;
}

static inline int start(unsigned op, int call, const void* buf, int count, MPI_Datatype type, int peer,
                        int tag, MPI_Comm comm, MPI_Request* request) {
  const int is_receive = op == POLYLOOM_RECV;
  int error = check(count, type, peer, tag, comm, is_receive);
  *request = POLYLOOM_REQUEST_DONE;
  if (error == MPI_SUCCESS && peer == MPI_PROC_NULL) return MPI_SUCCESS;
  if (error == MPI_SUCCESS) {
    const unsigned to = wire_peer(comm, peer);
    const uint32_t bytes = (uint32_t)count * polyloom_type_bytes(type);
    const int has_gaps = polyloom_type_has_gaps(type);
    MPI_Request extra = MPI_REQUEST_NULL;
    void* flat = (void*)buf;
    if (has_gaps) {
      extra = polyloom_extra_new(POLYLOOM_PACKED);
      flat = extra == MPI_REQUEST_NULL ? 0 : polyloom_flatten(buf, count, type, !is_receive);
      if (flat == 0) error = extra == MPI_REQUEST_NULL ? MPI_ERR_NO_MEM : MPI_ERR_INTERN;
    }
    if (error == MPI_SUCCESS) {
      const struct polyloom_response a =
          polyloom_start(op, flat, bytes, polyloom_type_wire(type), to, tag, polyloom_comm_wire(comm, 0));
      error = polyloom_error_class(polyloom_response_error(a.word[0]));
      if (error == MPI_SUCCESS) {
        *request = polyloom_request(polyloom_response_handle(a.word[0]), is_receive, comm, to, tag);
        if (has_gaps) *request = remember(extra, *request, flat, (void*)buf, count, type);
        return MPI_SUCCESS;
      }
      polyloom_unflat(flat, 0, count, type, 0, 0);
    }
    if (has_gaps && extra != MPI_REQUEST_NULL) polyloom_extra_of(extra)->kind = POLYLOOM_FREE;
  }
  *request = MPI_REQUEST_NULL;
  return polyloom_fail(comm, call, error, peer, tag);
}

int MPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return start(POLYLOOM_SEND, POLYLOOM_CALL_Isend, buf, count, datatype, dest, tag, comm, request);
}

int MPI_Issend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return start(POLYLOOM_SSEND, POLYLOOM_CALL_Issend, buf, count, datatype, dest, tag, comm, request);
}

int MPI_Irsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return start(POLYLOOM_SEND, POLYLOOM_CALL_Irsend, buf, count, datatype, dest, tag, comm, request);
}

int MPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return start(POLYLOOM_RECV, POLYLOOM_CALL_Irecv, buf, count, datatype, source, tag, comm, request);
}

/* WAIT or TEST of one request; *done is false only after a TEST. Returns the error class, not yet handled. */
static inline int end(unsigned op, MPI_Request* request, int* done, MPI_Status* status) {
  const MPI_Request given = *request, r = plain(given);
  *done = 1;
  if (polyloom_is_nonblocking(given)) {
    fill_empty(status);
    return polyloom_nonblocking_end(op, request, done);
  }
  if (r == MPI_REQUEST_NULL || r == POLYLOOM_REQUEST_DONE) {
    if (r == MPI_REQUEST_NULL) {
      fill_empty(status);
    } else {
      fill_null(status);
    }
    *request = ended(given, 0);
    return MPI_SUCCESS;
  }
  if (polyloom_nonblocking_made && op == POLYLOOM_WAIT) polyloom_nonblocking_meanwhile(r);
  const struct polyloom_response a = polyloom_end(op, r, 0);
  if (polyloom_response_error(a.word[0]) == POLYLOOM_NO_SUCH) {
    *request = MPI_REQUEST_NULL;
    return MPI_ERR_REQUEST;
  }
  if (op == POLYLOOM_TEST && !polyloom_response_done(a.word[0])) {
    *done = 0;
    return MPI_SUCCESS;
  }
  *request = ended(given, polyloom_response_bytes(a.word[1]));
  return fill(status, polyloom_request_comm(r), a);
}

int polyloom_request_start(unsigned op, int call, const void* buf, int count, MPI_Datatype type, int peer,
                           int tag, MPI_Comm comm, MPI_Request* request) {
  return start(op, call, buf, count, type, peer, tag, comm, request);
}
int polyloom_request_end(unsigned op, MPI_Request* request, int* done, MPI_Status* status) {
  return end(op, request, done, status);
}
MPI_Request polyloom_request_plain(MPI_Request r) { return plain(r); }

/* `r`: as the engine knows it. */
static inline int fail_request(int call, int error, MPI_Request r) {
  const MPI_Comm comm = r == MPI_REQUEST_NULL ? MPI_COMM_WORLD : polyloom_request_comm(r);
  const unsigned peer = polyloom_request_peer(r);
  return polyloom_fail(comm, call, error, peer == 0xFFFF ? -1 : polyloom_comm_local(comm, (int)peer),
                       polyloom_request_tag(r));
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const MPI_Request r = plain(*request);
  int done;
  const int error = end(POLYLOOM_WAIT, request, &done, status);
  return error == MPI_SUCCESS ? MPI_SUCCESS : fail_request(POLYLOOM_CALL_Wait, error, r);
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const MPI_Request r = plain(*request);
  const int error = end(POLYLOOM_TEST, request, flag, status);
  return error == MPI_SUCCESS ? MPI_SUCCESS : fail_request(POLYLOOM_CALL_Test, error, r);
}

int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  const MPI_Request r = plain(request);
  *flag = 1;
  if (r == POLYLOOM_REQUEST_DONE) {
    fill_null(status);
    return MPI_SUCCESS;
  }
  fill_empty(status);
  if (polyloom_is_nonblocking(request)) {
    *flag = polyloom_nonblocking_test(request);
  } else if (r != MPI_REQUEST_NULL) {
    const struct polyloom_response a = polyloom_query(POLYLOOM_TEST, POLYLOOM_KEEP, r, 0);
    *flag = (int)polyloom_response_done(a.word[0]);
    if (*flag) fill(status, polyloom_request_comm(r), a);
  }
  return MPI_SUCCESS;
}

static inline int end_all(int call, int count, MPI_Request requests[], MPI_Status statuses[]) {
  int result = MPI_SUCCESS;
  for (int i = 0; i < count; i++) {
    const MPI_Request r = plain(requests[i]);
    int done;
    const int error = end(POLYLOOM_WAIT, &requests[i], &done,
                          statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i]);
    if (error == MPI_SUCCESS) continue;
    const int returned = fail_request(call, error, r);
    result = statuses == MPI_STATUSES_IGNORE ? returned : MPI_ERR_IN_STATUS;
  }
  return result;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  return end_all(POLYLOOM_CALL_Waitall, count, requests, statuses);
}

/* One round over the requests: the first that is complete, or MPI_UNDEFINED; *live counts those that can be.
 */
static inline int test_any(int call, int count, MPI_Request requests[], int* index, int* live,
                           MPI_Status* status) {
  *index = MPI_UNDEFINED;
  *live = 0;
  for (int i = 0; i < count; i++) {
    const MPI_Request r = plain(requests[i]);
    if (r == MPI_REQUEST_NULL) continue;
    int done;
    ++*live;
    const int error = end(POLYLOOM_TEST, &requests[i], &done, status);
    if (!done) continue;
    *index = i;
    return error == MPI_SUCCESS ? MPI_SUCCESS : fail_request(call, error, r);
  }
  return MPI_SUCCESS;
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  int live;
  const int error = test_any(POLYLOOM_CALL_Testany, count, requests, index, &live, status);
  *flag = *index != MPI_UNDEFINED || live == 0;
  if (live == 0) fill_empty(status);
  return error;
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  int live, error;
  do {
    error = test_any(POLYLOOM_CALL_Waitany, count, requests, index, &live, status);
    /* With one left there is nothing to choose, and a wait can be told from work. */
    if (*index == MPI_UNDEFINED && live == 1) {
      for (int i = 0; i < count; i++) {
        if (plain(requests[i]) == MPI_REQUEST_NULL) continue;
        *index = i;
        return MPI_Wait(&requests[i], status);
      }
    }
  } while (*index == MPI_UNDEFINED && live > 0);
  if (live == 0) fill_empty(status);
  return error;
}

int MPI_Waitsome(int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[]) {
  int found = 0, index, live;
  int error = MPI_Waitany(incount, requests, &index,
                          statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[0]);
  while (index != MPI_UNDEFINED) {
    indices[found++] = index;
    if (error != MPI_SUCCESS || found == incount) break;
    error = test_any(POLYLOOM_CALL_Waitsome, incount, requests, &index, &live,
                     statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[found]);
  }
  *outcount = found == 0 ? MPI_UNDEFINED : found;
  return error;
}

int MPI_Testsome(int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[]) {
  int found = 0, index, live, error, first_live = 0;
  do {
    error = test_any(POLYLOOM_CALL_Testsome, incount, requests, &index, &live,
                     statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[found]);
    if (found == 0) first_live = live;
    if (index != MPI_UNDEFINED) indices[found++] = index;
  } while (index != MPI_UNDEFINED && error == MPI_SUCCESS && found < incount);
  *outcount = first_live == 0 ? MPI_UNDEFINED : found;
  return error;
}

/* All or none: nothing ends before all can. */
int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  *flag = 0;
  for (int i = 0; i < count; i++) {
    const MPI_Request r = plain(requests[i]);
    if (r == MPI_REQUEST_NULL || r == POLYLOOM_REQUEST_DONE) continue;
    if (polyloom_is_nonblocking(requests[i])) {
      if (polyloom_nonblocking_test(requests[i])) continue;
      return MPI_SUCCESS;
    }
    const struct polyloom_response a = polyloom_query(POLYLOOM_TEST, POLYLOOM_KEEP, r, 0);
    if (polyloom_response_error(a.word[0]) == POLYLOOM_OK && !polyloom_response_done(a.word[0]))
      return MPI_SUCCESS;
  }
  *flag = 1;
  return end_all(POLYLOOM_CALL_Testall, count, requests, statuses);
}

int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                 MPI_Status* status) {
  MPI_Request receive, sending;
  int done;
  int error = start(POLYLOOM_RECV, POLYLOOM_CALL_Sendrecv, recvbuf, recvcount, recvtype, source, recvtag,
                    comm, &receive);
  if (error != MPI_SUCCESS) return error;
  error = start(POLYLOOM_SEND, POLYLOOM_CALL_Sendrecv, sendbuf, sendcount, sendtype, dest, sendtag, comm,
                &sending);
  if (error != MPI_SUCCESS) return error;
  error = end(POLYLOOM_WAIT, &receive, &done, status);
  const int send_error = end(POLYLOOM_WAIT, &sending, &done, MPI_STATUS_IGNORE);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Sendrecv, error, source, recvtag);
  if (send_error != MPI_SUCCESS)
    return polyloom_fail(comm, POLYLOOM_CALL_Sendrecv, send_error, dest, sendtag);
  return MPI_SUCCESS;
}

/* The packed form is sent as bytes of its basic type. */
static int replace(void* buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                   MPI_Comm comm, MPI_Status* status) {
  const uint32_t bytes = (uint32_t)count * polyloom_type_bytes(type);
  const MPI_Datatype wire = (MPI_Datatype)polyloom_type_wire(type);
  void* const flat = polyloom_flatten(buf, count, type, 1);
  if (flat == 0) return polyloom_fail(comm, POLYLOOM_CALL_Sendrecv_replace, MPI_ERR_INTERN, dest, sendtag);
  const int error = MPI_Sendrecv(flat, (int)(bytes / polyloom_type_bytes(wire)), wire, dest, sendtag, buf,
                                 count, type, source, recvtag, comm, status);
  polyloom_unflatten(flat, 0, count, type, 0, 0);
  return error;
}

int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
                         int recvtag, MPI_Comm comm, MPI_Status* status) {
  const int error = check(count, datatype, dest, sendtag, comm, 0);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Sendrecv_replace, error, dest, sendtag);
  const uint32_t bytes = (uint32_t)count * polyloom_type_bytes(datatype);
  if (polyloom_type_has_gaps(datatype))
    return replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
  const void* const copy = polyloom_platform_copy(buf, bytes);
  if (copy == 0) return polyloom_fail(comm, POLYLOOM_CALL_Sendrecv_replace, MPI_ERR_INTERN, dest, sendtag);
  return MPI_Sendrecv(copy, count, datatype, dest, sendtag, buf, count, datatype, source, recvtag, comm,
                      status);
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  int error = check(0, MPI_BYTE, source, tag, comm, 1);
  if (error == MPI_SUCCESS && source == MPI_PROC_NULL) {
    fill_null(status);
    return MPI_SUCCESS;
  }
  if (error == MPI_SUCCESS) {
    error = fill(
        status, comm,
        polyloom_start(POLYLOOM_PROBE, 0, 0, 0, wire_peer(comm, source), tag, polyloom_comm_wire(comm, 0)));
  }
  return error == MPI_SUCCESS ? MPI_SUCCESS : polyloom_fail(comm, POLYLOOM_CALL_Probe, error, source, tag);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  int error = check(0, MPI_BYTE, source, tag, comm, 1);
  *flag = 1;
  if (error == MPI_SUCCESS && source == MPI_PROC_NULL) {
    fill_null(status);
    return MPI_SUCCESS;
  }
  if (error == MPI_SUCCESS) {
    const struct polyloom_response a =
        polyloom_start(POLYLOOM_IPROBE, 0, 0, 0, wire_peer(comm, source), tag, polyloom_comm_wire(comm, 0));
    *flag = (int)polyloom_response_done(a.word[0]);
    error = *flag ? fill(status, comm, a) : polyloom_error_class(polyloom_response_error(a.word[0]));
  }
  return error == MPI_SUCCESS ? MPI_SUCCESS : polyloom_fail(comm, POLYLOOM_CALL_Iprobe, error, source, tag);
}

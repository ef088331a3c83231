/* SPDX-License-Identifier: Apache-2.0 */
/* Which MPI call a rank is in, for the launcher on the same machine, which looks whether all stand still
   (watch.py). Input: POLYLOOM_RANK_WATCH, a folder; output: the file "rank" there, a struct Watched, mapped.
   Calls go on to MPI by its profiling interface (MPI-3.1, chapter 14). A program with several threads in MPI
   is not watched. */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NAME = 24, HANDLES = 4, BEGUN = 64, TEXT = 256, FINALIZED = 1, ABORTED = 2, FAILED = 3 };

/* watch.py reads it by this layout. */
struct Message {
  uint64_t request;
  int64_t bytes;
  int32_t peer, tag, world, receives;
};
struct Watched {
  uint64_t calls; /* odd inside of one */
  char name[NAME];
  int64_t bytes;
  int32_t peer, tag, world, requests; /* these: if the name is that of a wait */
  uint64_t handles[HANDLES];          /* the first requests that it waits for */
  int32_t pid, ended;                 /* 0, or how it was */
  uint64_t begun;
  struct Message messages[BEGUN]; /* the last ones that were begun without waiting */
  char error[TEXT];               /* what MPI found wrong with the call */
};

static struct Watched* own;
static uint64_t calls; /* as there: reading back what was just written takes as long as all the rest */

static int64_t bytes_of(int count, MPI_Datatype type) {
  static MPI_Datatype known;
  static int size;
  if (type != known) {
    known = type;
    if (PMPI_Type_size(type, &size) != MPI_SUCCESS || size < 0) size = 0;
  }
  return (int64_t)count * size;
}

static void enter(const char* name, int peer, int tag, MPI_Comm comm, int64_t bytes) {
  if (own == NULL) return;
  memcpy(own->name, name, NAME);
  own->bytes = bytes;
  own->peer = peer;
  own->tag = tag;
  own->world = comm == MPI_COMM_WORLD;
  __atomic_store_n(&own->calls, ++calls, __ATOMIC_RELEASE);
}

static void enter_wait(const char* name, int count, const MPI_Request* requests) {
  if (own == NULL) return;
  int known = 0;
  for (int n = 0; n < count && known < HANDLES; n++)
    if (requests[n] != MPI_REQUEST_NULL) own->handles[known++] = (uint64_t)requests[n];
  own->requests = known;
  enter(name, MPI_PROC_NULL, 0, MPI_COMM_WORLD, 0);
}

static int leave(int error) {
  if (own != NULL) __atomic_store_n(&own->calls, ++calls, __ATOMIC_RELEASE);
  return error;
}

static int begun(int error, MPI_Request request, int receives, int peer, int tag, MPI_Comm comm,
                 int64_t bytes) {
  if (own == NULL || error != MPI_SUCCESS) return error;
  own->messages[own->begun++ % BEGUN] =
      (struct Message){(uint64_t)request, bytes, peer, tag, comm == MPI_COMM_WORLD, receives};
  return error;
}

/* In place of MPI_ERRORS_ARE_FATAL, which does the same: Open MPI 4 loses what it would say, half of the
 * time. */
static void fail(MPI_Comm* comm, int* code, ...) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  if (PMPI_Error_string(*code, text, &length) == MPI_SUCCESS) snprintf(own->error, TEXT, "%s", text);
  own->ended = FAILED;
  PMPI_Abort(*comm, *code);
}

/* A shell or a tool that starts the program passes this library on to it; what the program starts has no use
 * for it. */
static void leave_environment(void) {
  const char* loaded = getenv("LD_PRELOAD");
  const char* others = loaded == NULL ? NULL : strchr(loaded, ' '); /* it stands first */
  if (others != NULL)
    setenv("LD_PRELOAD", others + 1, 1);
  else
    unsetenv("LD_PRELOAD");
}

static void watch(int threads) {
  const char* folder = getenv("POLYLOOM_RANK_WATCH");
  leave_environment();
  char path[512];
  int rank;
  if (folder == NULL || threads == MPI_THREAD_MULTIPLE ||
      PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS)
    return;
  snprintf(path, sizeof path, "%s/%d", folder, rank);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return; /* on another machine */
  void* place = mmap(NULL, sizeof *own, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (place == MAP_FAILED) return;
  own = place;
  own->pid = getpid();
  MPI_Errhandler handler;
  if (PMPI_Comm_create_errhandler(fail, &handler) == MPI_SUCCESS)
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
}

int MPI_Init(int* argc, char*** argv) {
  const int error = PMPI_Init(argc, argv);
  if (error == MPI_SUCCESS) watch(MPI_THREAD_SINGLE);
  return error;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int error = PMPI_Init_thread(argc, argv, required, provided);
  if (error == MPI_SUCCESS) watch(required);
  return error;
}

int MPI_Finalize(void) {
  static const char name[NAME] = "MPI_Finalize";
  enter(name, MPI_PROC_NULL, 0, MPI_COMM_WORLD, 0);
  const int error = leave(PMPI_Finalize());
  if (own != NULL) own->ended = FINALIZED;
  return error;
}

int MPI_Abort(MPI_Comm comm, int code) {
  if (own != NULL) {
    own->tag = code;
    own->ended = ABORTED;
  }
  return PMPI_Abort(comm, code);
}

/* A call that may wait: its parameters, their names, and with whom, which tag, where, how many bytes. */
#define WAITS(function, parameters, names, peer, tag, comm, bytes) \
  int MPI_##function parameters {                                  \
    static const char name[NAME] = "MPI_" #function;               \
    enter(name, peer, tag, comm, bytes);                           \
    return leave(PMPI_##function names);                           \
  }
/* One that all ranks of a communicator make. */
#define ALL(function, parameters, names, bytes) \
  WAITS(function, parameters, names, MPI_PROC_NULL, 0, comm, bytes)
#define SENDS(function)                                                                              \
  WAITS(function, (const void* buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm), \
        (buf, count, type, peer, tag, comm), peer, tag, comm, bytes_of(count, type))
#define STARTS(function, constant, receives)                                                             \
  int MPI_##function(constant void* buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, \
                     MPI_Request* request) {                                                             \
    const int error = PMPI_##function(buf, count, type, peer, tag, comm, request);                       \
    return begun(error, *request, receives, peer, tag, comm, bytes_of(count, type));                     \
  }

SENDS(Send)
SENDS(Ssend)
SENDS(Rsend)
STARTS(Isend, const, 0)
STARTS(Issend, const, 0)
STARTS(Irsend, const, 0)
STARTS(Ibsend, const, 0)
STARTS(Irecv, , 1)
STARTS(Send_init, const, 0)
STARTS(Recv_init, , 1)
WAITS(Recv, (void* buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status* status),
      (buf, count, type, peer, tag, comm, status), peer, tag, comm, bytes_of(count, type))
WAITS(Probe, (int peer, int tag, MPI_Comm comm, MPI_Status* status), (peer, tag, comm, status), peer, tag,
      comm, 0)
WAITS(Mprobe, (int peer, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status),
      (peer, tag, comm, message, status), peer, tag, comm, 0)
WAITS(Sendrecv,
      (const void* out, int count, MPI_Datatype type, int to, int out_tag, void* in, int in_count,
       MPI_Datatype in_type, int peer, int tag, MPI_Comm comm, MPI_Status* status),
      (out, count, type, to, out_tag, in, in_count, in_type, peer, tag, comm, status), peer, tag, comm,
      bytes_of(count, type))
WAITS(Sendrecv_replace,
      (void* buf, int count, MPI_Datatype type, int to, int out_tag, int peer, int tag, MPI_Comm comm,
       MPI_Status* status),
      (buf, count, type, to, out_tag, peer, tag, comm, status), peer, tag, comm, bytes_of(count, type))

#define FOR_REQUESTS(function, parameters, names, count, requests) \
  int MPI_##function parameters {                                  \
    static const char name[NAME] = "MPI_" #function;               \
    enter_wait(name, count, requests);                             \
    return leave(PMPI_##function names);                           \
  }
FOR_REQUESTS(Wait, (MPI_Request * request, MPI_Status* status), (request, status), 1, request)
FOR_REQUESTS(Waitall, (int count, MPI_Request* requests, MPI_Status* statuses), (count, requests, statuses),
             count, requests)
FOR_REQUESTS(Waitany, (int count, MPI_Request* requests, int* which, MPI_Status* status),
             (count, requests, which, status), count, requests)
FOR_REQUESTS(Waitsome, (int count, MPI_Request* requests, int* done, int* which, MPI_Status* statuses),
             (count, requests, done, which, statuses), count, requests)

ALL(Barrier, (MPI_Comm comm), (comm), 0)
ALL(Bcast, (void* buf, int count, MPI_Datatype type, int root, MPI_Comm comm), (buf, count, type, root, comm),
    bytes_of(count, type))
ALL(Gather,
    (const void* out, int count, MPI_Datatype type, void* in, int in_count, MPI_Datatype in_type, int root,
     MPI_Comm comm),
    (out, count, type, in, in_count, in_type, root, comm), bytes_of(count, type))
ALL(Gatherv,
    (const void* out, int count, MPI_Datatype type, void* in, const int* counts, const int* places,
     MPI_Datatype in_type, int root, MPI_Comm comm),
    (out, count, type, in, counts, places, in_type, root, comm), bytes_of(count, type))
ALL(Scatter,
    (const void* out, int out_count, MPI_Datatype out_type, void* in, int count, MPI_Datatype type, int root,
     MPI_Comm comm),
    (out, out_count, out_type, in, count, type, root, comm), bytes_of(count, type))
ALL(Scatterv,
    (const void* out, const int* counts, const int* places, MPI_Datatype out_type, void* in, int count,
     MPI_Datatype type, int root, MPI_Comm comm),
    (out, counts, places, out_type, in, count, type, root, comm), bytes_of(count, type))
ALL(Allgather,
    (const void* out, int count, MPI_Datatype type, void* in, int in_count, MPI_Datatype in_type,
     MPI_Comm comm),
    (out, count, type, in, in_count, in_type, comm), bytes_of(count, type))
ALL(Allgatherv,
    (const void* out, int count, MPI_Datatype type, void* in, const int* counts, const int* places,
     MPI_Datatype in_type, MPI_Comm comm),
    (out, count, type, in, counts, places, in_type, comm), bytes_of(count, type))
ALL(Alltoall,
    (const void* out, int count, MPI_Datatype type, void* in, int in_count, MPI_Datatype in_type,
     MPI_Comm comm),
    (out, count, type, in, in_count, in_type, comm), bytes_of(count, type))
ALL(Alltoallv,
    (const void* out, const int* counts, const int* places, MPI_Datatype type, void* in, const int* in_counts,
     const int* in_places, MPI_Datatype in_type, MPI_Comm comm),
    (out, counts, places, type, in, in_counts, in_places, in_type, comm), bytes_of(counts[0], type))
ALL(Reduce, (const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
    (out, in, count, type, op, root, comm), bytes_of(count, type))
ALL(Allreduce, (const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
    (out, in, count, type, op, comm), bytes_of(count, type))
ALL(Reduce_scatter,
    (const void* out, void* in, const int* counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
    (out, in, counts, type, op, comm), bytes_of(counts[0], type))
ALL(Reduce_scatter_block, (const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
    (out, in, count, type, op, comm), bytes_of(count, type))
ALL(Scan, (const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
    (out, in, count, type, op, comm), bytes_of(count, type))
ALL(Exscan, (const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
    (out, in, count, type, op, comm), bytes_of(count, type))
ALL(Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made), 0)
ALL(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), (comm, color, key, made), 0)
ALL(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), (comm, group, made), 0)
ALL(Cart_create, (MPI_Comm comm, int n, const int* dims, const int* periods, int reorder, MPI_Comm* made),
    (comm, n, dims, periods, reorder, made), 0)

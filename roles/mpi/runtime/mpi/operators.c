/* SPDX-License-Identifier: Apache-2.0 */
/* The program's operators. A kernel calls them by polyloom/transpile/indirect.py.
 *
 * The order is always x0 op (x1 op (... op x[n-1])), so an operator need not be commutative: at a node of the
 * tree below rank 0 its own comes before its children, the nearest of these first. */
#include "operators.h"

#include "flight.h"

#ifdef POLYLOOM_KERNEL
#define OPERATORS 16
#else
#define OPERATORS 1024
#endif

static struct {
  MPI_User_function* function; /* null: free */
  int commutes;
} operators[OPERATORS];
int polyloom_operators_made;

int MPI_Op_create(MPI_User_function* function, int commute, MPI_Op* op) {
  for (unsigned i = 0; i < OPERATORS; i++) {
    if (operators[i].function != 0) continue;
    operators[i].function = function;
    operators[i].commutes = commute;
    polyloom_operators_made = 1;
    *op = (MPI_Op)(POLYLOOM_USER_OP + i);
    return MPI_SUCCESS;
  }
  return polyloom_fail(MPI_COMM_WORLD, POLYLOOM_CALL_Op_create, MPI_ERR_NO_MEM, -1, -1);
}

static unsigned index_of(MPI_Op op) { return ((unsigned)op - POLYLOOM_USER_OP) % OPERATORS; }

int polyloom_operator_exists(MPI_Op op) {
  return polyloom_operator(op) && operators[index_of(op)].function != 0;
}

int MPI_Op_free(MPI_Op* op) {
  if (!polyloom_operator_exists(*op))
    return polyloom_fail(MPI_COMM_WORLD, POLYLOOM_CALL_Op_free, MPI_ERR_OP, -1, -1);
  operators[index_of(*op)].function = 0;
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

int MPI_Op_commutative(MPI_Op op, int* commute) {
  *commute = !polyloom_operator(op) || operators[index_of(op)].commutes;
  return MPI_SUCCESS;
}

POLYLOOM_ONCE int polyloom_operate(const void* in, void* inout, int count, MPI_Datatype type, MPI_Op op) {
  int length = count;
  MPI_Datatype kind = type;
  operators[index_of(op)].function((void*)in, inout, &length, &kind);
  return MPI_SUCCESS;
}

/* Elements as the program's function takes them: with their gaps, from `data` on. */
struct elements {
  void* kept;
  char* data;
};

static struct elements room_for(struct polyloom_flight* f, int64_t count, MPI_Datatype type) {
  MPI_Aint lower, length;
  struct elements e;
  MPI_Type_get_true_extent(type, &lower, &length);
  e.kept =
      polyloom_platform_keep((uint32_t)((count > 0 ? count - 1 : 0) * polyloom_type_extent(type) + length));
  e.data = (char*)e.kept - lower;
  if (e.kept == 0) f->error = MPI_ERR_INTERN;
  return e;
}

static void give_back(struct elements* e) {
  if (e->kept != 0) polyloom_platform_release(e->kept);
}

int polyloom_operator_combine(char* values, int ranks, uint32_t each, int count, MPI_Datatype type,
                              MPI_Op op) {
  char* const last = values + (size_t)(ranks - 1) * each;
  if (!polyloom_type_has_gaps(type)) {
    for (int i = ranks - 2; i >= 0; i--) polyloom_operate(values + (size_t)i * each, last, count, type, op);
    return MPI_SUCCESS;
  }
  struct polyloom_flight f;
  f.error = MPI_SUCCESS;
  struct elements sum = room_for(&f, count, type), other = room_for(&f, count, type);
  if (f.error == MPI_SUCCESS) {
    polyloom_unpack(sum.data, count, type, last, each);
    for (int i = ranks - 2; i >= 0; i--) {
      polyloom_unpack(other.data, count, type, values + (size_t)i * each, each);
      polyloom_operate(other.data, sum.data, count, type, op);
    }
    polyloom_pack(sum.data, count, type, last, each);
  }
  give_back(&sum);
  give_back(&other);
  return f.error;
}

static inline void send(struct polyloom_flight* f, const void* data, int64_t count, MPI_Datatype type,
                        int to) {
  const uint32_t bytes = (uint32_t)count * polyloom_type_bytes(type);
  void* const flat = polyloom_flat(data, count, type, 1);
  polyloom_flight_send(f, flat, bytes, polyloom_type_wire(type), to);
  polyloom_flight_drain(f);
  polyloom_unflat(flat, 0, count, type, 0, 0);
}

static inline void receive(struct polyloom_flight* f, void* data, int64_t count, MPI_Datatype type,
                           int from) {
  const uint32_t bytes = (uint32_t)count * polyloom_type_bytes(type);
  void* const flat = polyloom_flat(data, count, type, 0);
  polyloom_flight_receive(f, flat, bytes, polyloom_type_wire(type), from);
  polyloom_flight_drain(f);
  polyloom_unflat(flat, data, count, type, bytes, 1);
}

static inline void copy(void* to, const void* from, int64_t count, MPI_Datatype type) {
  const uint32_t bytes = (uint32_t)count * polyloom_type_bytes(type);
  if (to == from || bytes == 0) return;
  void* const flat = polyloom_flat(from, count, type, 1);
  polyloom_unpack(to, count, type, flat, bytes);
  polyloom_unflat(flat, 0, count, type, 0, 0);
}

/* The result of the ranks of a subtree goes to its parent, that of all to `sum` at rank 0. */
POLYLOOM_ONCE static void collect(struct polyloom_flight* f, const void* own, char* sum, int64_t count,
                                  MPI_Datatype type, MPI_Op op, int rank, int size) {
  int step = 1;
  while (!(rank & step) && rank + step < size) step *= 2;
  const int has_children = step > 1;
  struct elements other = {0, 0};
  if (has_children) {
    other = room_for(f, count, type);
    if (f->error != MPI_SUCCESS) return;
    /* The farthest first: what stands on the right of all others. */
    for (int at = step / 2, is_first = 1; at > 0; at /= 2, is_first = 0) {
      receive(f, is_first ? sum : other.data, count, type, rank + at);
      if (!is_first) polyloom_operate(other.data, sum, (int)count, type, op);
    }
    polyloom_operate(own, sum, (int)count, type, op);
    give_back(&other);
  }
  if (rank != 0) {
    int parent = 1;
    while (!(rank & parent)) parent *= 2;
    send(f, has_children ? sum : own, count, type, rank - parent);
  } else if (!has_children) {
    copy(sum, own, count, type);
  }
}

static int check(MPI_Comm comm, int count, MPI_Datatype type, MPI_Op op, int root) {
  const int error = polyloom_check(comm, count, type, root);
  return error == MPI_SUCCESS && !polyloom_operator_exists(op) ? MPI_ERR_OP : error;
}

int polyloom_operator_reduce(int call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type,
                             MPI_Op op, int root, MPI_Comm comm) {
  struct polyloom_flight f;
  const int error = check(comm, count, type, op, root < 0 ? 0 : root);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, call, error, root, -1);
  const int size = polyloom_comm_size(comm), rank = polyloom_comm_rank(comm);
  polyloom_flight_begin(&f, comm, call);
  struct elements sum = room_for(&f, count, type);
  if (f.error == MPI_SUCCESS) {
    collect(&f, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, sum.data, count, type, op, rank, size);
    if (rank == 0 && root <= 0) copy(recvbuf, sum.data, count, type);
    if (rank == 0 && root > 0) send(&f, sum.data, count, type, root);
    if (rank != 0 && root == rank) receive(&f, recvbuf, count, type, 0);
  }
  give_back(&sum);
  const int result = polyloom_flight_result(&f);
  return root >= 0 || result != MPI_SUCCESS ? result : MPI_Bcast(recvbuf, count, type, 0, comm);
}

int polyloom_operator_scatter(int call, const void* sendbuf, void* recvbuf, const int* counts, int count,
                              MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  struct polyloom_flight f;
  const int error = check(comm, count, type, op, 0);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, call, error, -1, -1);
  const int size = polyloom_comm_size(comm), rank = polyloom_comm_rank(comm);
  int64_t all = 0, at = 0;
  for (int i = 0; i < size; i++) all += counts == 0 ? count : counts[i];
  polyloom_flight_begin(&f, comm, call);
  struct elements sum = room_for(&f, all, type);
  if (f.error == MPI_SUCCESS) {
    collect(&f, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, sum.data, all, type, op, rank, size);
    for (int i = 0; rank == 0 && i < size; i++) {
      const int here = counts == 0 ? count : counts[i];
      const char* const block = sum.data + at * polyloom_type_extent(type);
      if (i == 0) copy(recvbuf, block, here, type);
      if (i > 0) send(&f, block, here, type, i);
      at += here;
    }
    if (rank > 0) receive(&f, recvbuf, counts == 0 ? count : counts[rank], type, 0);
  }
  give_back(&sum);
  return polyloom_flight_result(&f);
}

int polyloom_operator_scan(int call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type,
                           MPI_Op op, MPI_Comm comm, int is_exclusive) {
  struct polyloom_flight f;
  const int error = check(comm, count, type, op, 0);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, call, error, -1, -1);
  const int size = polyloom_comm_size(comm), rank = polyloom_comm_rank(comm);
  polyloom_flight_begin(&f, comm, call);
  struct elements sum = room_for(&f, count, type), before = room_for(&f, count, type);
  if (f.error == MPI_SUCCESS) {
    copy(sum.data, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type);
    if (rank > 0) {
      receive(&f, before.data, count, type, rank - 1);
      polyloom_operate(before.data, sum.data, count, type, op);
    }
    if (!is_exclusive) copy(recvbuf, sum.data, count, type);
    if (is_exclusive && rank > 0) copy(recvbuf, before.data, count, type);
    if (rank + 1 < size) send(&f, sum.data, count, type, rank + 1);
  }
  give_back(&sum);
  give_back(&before);
  return polyloom_flight_result(&f);
}

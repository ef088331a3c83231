/* SPDX-License-Identifier: Apache-2.0 */
/* Derived datatypes: constructors, questions, packing. */
#include "types.h"

#include "internal.h"

struct polyloom_type polyloom_types[POLYLOOM_TYPES];
int polyloom_types_made;
static struct polyloom_run runs[POLYLOOM_RUNS]; /* of all types, one after the other */
static uint32_t runs_used;

/* --- Making --- */

/* The type that is being made is the last one in the table of runs; `error` is the first one met. */
struct making {
  MPI_Datatype made;
  struct polyloom_type* type;
  uint32_t open, nested; /* repetitions */
  uint32_t last;         /* where the innermost open one begins, or what would be there */
  int error, is_empty, has_other_bounds;
};

static struct making begin(void) {
  struct making m = {MPI_DATATYPE_NULL, &polyloom_types[0], 0, 0, runs_used, MPI_ERR_NO_MEM, 1, 0};
  for (unsigned i = 0; i < POLYLOOM_TYPES; i++) {
    if (polyloom_types[i].uses > 0) continue;
    m.made = (MPI_Datatype)(POLYLOOM_DERIVED + i);
    m.type = &polyloom_types[i];
    m.error = MPI_SUCCESS;
    break;
  }
  if (m.error != MPI_SUCCESS) return m;
  polyloom_types_made = 1;
  struct polyloom_type* const t = m.type;
  t->is_committed = t->nested = t->bytes = t->elements = 0;
  t->wire = (unsigned)MPI_DATATYPE_NULL;
  t->align = 1;
  t->first = runs_used;
  t->lower = t->upper = t->true_lower = t->true_upper = 0;
  return m;
}

static void put(struct making* m, int64_t at, uint32_t count, uint32_t kind) {
  struct polyloom_run* const before = &runs[runs_used > m->last ? runs_used - 1 : 0];
  /* Bytes that follow those of the same kind, with no end of a repetition between them. */
  if (runs_used > m->last && kind < POLYLOOM_REPEAT && before->kind == kind &&
      before->at + before->count == at) {
    before->count += count;
    return;
  }
  if (runs_used == POLYLOOM_RUNS) {
    m->error = MPI_ERR_NO_MEM;
    return;
  }
  struct polyloom_run* const run = &runs[runs_used++];
  run->at = at;
  run->count = count;
  run->kind = kind;
}

static void open_repeat(struct making* m, uint32_t count, int64_t distance) {
  put(m, distance, count, POLYLOOM_REPEAT);
  m->last = runs_used;
  if (++m->open > m->nested) m->nested = m->open;
}

static void close_repeat(struct making* m) {
  put(m, 0, 0, POLYLOOM_END);
  m->last = runs_used;
  m->open--;
}

/* Bounds of `count` elements of a type, `distance` bytes apart, the first one at `at`. */
static void cover(struct making* m, MPI_Datatype old, int64_t at, int64_t count, int64_t distance) {
  if (count <= 0) return;
  struct polyloom_type* const t = m->type;
  const int derived = polyloom_type_derived(old);
  const struct polyloom_type* const o = polyloom_type_of(old);
  const int64_t bytes = (int64_t)polyloom_type_bytes(old), reach = (count - 1) * distance;
  const int64_t low = at + (reach < 0 ? reach : 0), high = at + (reach > 0 ? reach : 0);
  const int64_t lower = low + (derived ? o->lower : 0), upper = high + (derived ? o->upper : bytes);
  const int64_t true_lower = low + (derived ? o->true_lower : 0);
  const int64_t true_upper = high + (derived ? o->true_upper : bytes);
  if (m->is_empty || lower < t->lower) t->lower = lower;
  if (m->is_empty || upper > t->upper) t->upper = upper;
  if (m->is_empty || true_lower < t->true_lower) t->true_lower = true_lower;
  if (m->is_empty || true_upper > t->true_upper) t->true_upper = true_upper;
  m->is_empty = 0;
  /* Pairs of values are aligned as their larger half, which is never more than 8 bytes. */
  const int has_ints = old == MPI_2INT || old == MPI_FLOAT_INT || old == MPI_SHORT_INT;
  const uint32_t align = derived ? o->align : has_ints ? 4 : bytes > 8 ? 8 : (uint32_t)bytes;
  if (align > t->align) t->align = align;
}

/* `count` elements of a type, one after the other from `at` on. `times`: how often all that will be there. */
static void add(struct making* m, MPI_Datatype old, int64_t at, int64_t count, int64_t times) {
  if (count <= 0 || times <= 0 || m->error != MPI_SUCCESS) return;
  struct polyloom_type* const t = m->type;
  const int64_t extent = polyloom_type_extent(old);
  const uint64_t bytes = (uint64_t)polyloom_type_bytes(old) * (uint64_t)count;
  if (bytes * (uint64_t)times + t->bytes > 0xFFFFFFFFu) {
    m->error = MPI_ERR_COUNT;
    return;
  }
  t->bytes += (uint32_t)(bytes * (uint64_t)times);
  const unsigned wire = polyloom_type_wire(old);
  if (bytes > 0) t->wire = t->wire == (unsigned)MPI_DATATYPE_NULL || t->wire == wire ? wire : 0;
  if (!polyloom_type_derived(old)) {
    t->elements += (uint32_t)(count * times);
    put(m, at, (uint32_t)bytes, (uint32_t)old);
    return;
  }
  const struct polyloom_type* const o = polyloom_type_of(old);
  t->elements += o->elements * (uint32_t)(count * times);
  if (m->open + o->nested + 1 > m->nested) m->nested = m->open + o->nested + 1;
  if (o->runs == 1 && !o->has_gaps) {
    put(m, at, (uint32_t)bytes, runs[o->first].kind);
    return;
  }
  if (count > 1) open_repeat(m, (uint32_t)count, extent);
  for (uint32_t i = 0; i < o->runs && m->error == MPI_SUCCESS; i++) {
    const struct polyloom_run run = runs[o->first + i];
    put(m, run.kind < POLYLOOM_REPEAT ? run.at + at : run.at, run.count, run.kind);
    if (run.kind >= POLYLOOM_REPEAT) m->last = runs_used;
  }
  if (count > 1) close_repeat(m);
}

static int end(struct making* m, int call, MPI_Datatype* newtype) {
  struct polyloom_type* const t = m->type;
  if (m->error == MPI_SUCCESS && m->nested > POLYLOOM_NESTED) m->error = MPI_ERR_NO_MEM;
  if (m->error != MPI_SUCCESS) {
    if (m->made != MPI_DATATYPE_NULL) runs_used = t->first;
    return polyloom_fail(MPI_COMM_WORLD, call, m->error, -1, -1);
  }
  /* As the compiler pads a structure whose elements these are. */
  const int64_t over = (t->upper - t->lower) % (int64_t)t->align;
  if (!m->has_other_bounds && over > 0) t->upper += (int64_t)t->align - over;
  /* One repetition of bytes that follow one another is a run. */
  struct polyloom_run* const run = &runs[t->first];
  if (runs_used - t->first == 3 && run[0].kind == POLYLOOM_REPEAT && run[0].at == (int64_t)run[1].count) {
    run[0].at = run[1].at;
    run[0].kind = run[1].kind;
    run[0].count *= run[1].count;
    runs_used = t->first + 1;
  }
  t->runs = runs_used - t->first;
  t->nested = m->nested;
  t->has_gaps = t->bytes > 0 && (t->runs != 1 || run[0].at != 0 || t->upper - t->lower != (int64_t)t->bytes);
  if (t->bytes == 0) t->wire = 0;
  t->uses = 1;
  *newtype = m->made;
  return MPI_SUCCESS;
}

static int check(int call, int count, MPI_Datatype old, MPI_Datatype* newtype) {
  *newtype = MPI_DATATYPE_NULL;
  if (count < 0) return polyloom_fail(MPI_COMM_WORLD, call, MPI_ERR_COUNT, -1, -1);
  if (!polyloom_type_known(old)) return polyloom_fail(MPI_COMM_WORLD, call, MPI_ERR_TYPE, -1, -1);
  return MPI_SUCCESS;
}

/* `count` blocks of `length` elements, `distance` bytes apart. */
static int vector(int call, int count, int length, int64_t distance, MPI_Datatype old,
                  MPI_Datatype* newtype) {
  const int error = check(call, count < length ? count : length, old, newtype);
  if (error != MPI_SUCCESS) return error;
  struct making m = begin();
  const int64_t extent = polyloom_type_extent(old);
  if (m.error == MPI_SUCCESS && count > 0 && length > 0) {
    cover(&m, old, 0, length, extent);
    cover(&m, old, (count - 1) * distance, length, extent);
    if (distance == extent * length) {
      add(&m, old, 0, (int64_t)count * length, 1);
    } else {
      if (count > 1) open_repeat(&m, (uint32_t)count, distance);
      add(&m, old, 0, length, count);
      if (count > 1) close_repeat(&m);
    }
  }
  return end(&m, call, newtype);
}

int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return vector(POLYLOOM_CALL_Type_contiguous, 1, count, 0, oldtype, newtype);
}

int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const int64_t extent = polyloom_type_known(oldtype) ? polyloom_type_extent(oldtype) : 0;
  return vector(POLYLOOM_CALL_Type_vector, count, blocklength, stride * extent, oldtype, newtype);
}

int MPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                            MPI_Datatype* newtype) {
  return vector(POLYLOOM_CALL_Type_create_hvector, count, blocklength, stride, oldtype, newtype);
}

/* Blocks of their own length and place, or type; null where all have the same. */
struct blocks {
  const int* lengths;
  const int* places;
  const MPI_Aint* offsets;
  const MPI_Datatype* types;
  int length;
};

static inline int listed(int call, int count, const struct blocks* b, MPI_Datatype old,
                         MPI_Datatype* newtype) {
  int error = check(call, count, b->types == 0 ? old : MPI_BYTE, newtype);
  if (error != MPI_SUCCESS) return error;
  struct making m = begin();
  for (int i = 0; i < count && m.error == MPI_SUCCESS; i++) {
    const int length = b->lengths == 0 ? b->length : b->lengths[i];
    const MPI_Datatype type = b->types == 0 ? old : b->types[i];
    if (length < 0) m.error = MPI_ERR_COUNT;
    if (!polyloom_type_known(type)) m.error = MPI_ERR_TYPE;
    if (m.error != MPI_SUCCESS) break;
    const int64_t extent = polyloom_type_extent(type);
    const int64_t at = b->places == 0 ? b->offsets[i] : b->places[i] * extent;
    cover(&m, type, at, length, extent);
    add(&m, type, at, length, 1);
  }
  return end(&m, call, newtype);
}

int MPI_Type_indexed(int count, const int blocklengths[], const int displs[], MPI_Datatype oldtype,
                     MPI_Datatype* newtype) {
  const struct blocks b = {blocklengths, displs, 0, 0, 0};
  return listed(POLYLOOM_CALL_Type_indexed, count, &b, oldtype, newtype);
}

int MPI_Type_create_hindexed(int count, const int blocklengths[], const MPI_Aint displs[],
                             MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const struct blocks b = {blocklengths, 0, displs, 0, 0};
  return listed(POLYLOOM_CALL_Type_create_hindexed, count, &b, oldtype, newtype);
}

int MPI_Type_create_indexed_block(int count, int blocklength, const int displs[], MPI_Datatype oldtype,
                                  MPI_Datatype* newtype) {
  const struct blocks b = {0, displs, 0, 0, blocklength};
  return listed(POLYLOOM_CALL_Type_create_indexed_block, count, &b, oldtype, newtype);
}

int MPI_Type_create_hindexed_block(int count, int blocklength, const MPI_Aint displs[], MPI_Datatype oldtype,
                                   MPI_Datatype* newtype) {
  const struct blocks b = {0, 0, displs, 0, blocklength};
  return listed(POLYLOOM_CALL_Type_create_hindexed_block, count, &b, oldtype, newtype);
}

int MPI_Type_create_struct(int count, const int blocklengths[], const MPI_Aint displs[],
                           const MPI_Datatype types[], MPI_Datatype* newtype) {
  const struct blocks b = {blocklengths, 0, displs, types, 0};
  return listed(POLYLOOM_CALL_Type_create_struct, count, &b, MPI_BYTE, newtype);
}

int MPI_Type_create_subarray(int ndims, const int sizes[], const int subsizes[], const int starts[],
                             int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const int call = POLYLOOM_CALL_Type_create_subarray;
  const int error = check(call, ndims, oldtype, newtype);
  if (error != MPI_SUCCESS) return error;
  struct making m = begin();
  const int64_t extent = polyloom_type_extent(oldtype);
  int64_t distance[POLYLOOM_NESTED], all = extent, first = 0, times = 1;
  if (ndims < 1 || ndims > POLYLOOM_NESTED) m.error = MPI_ERR_ARG;
  /* From the dimension whose elements are neighbours in memory to the one that is farthest apart. */
  for (int i = 0; i < ndims && m.error == MPI_SUCCESS; i++) {
    const int d = order == MPI_ORDER_C ? ndims - 1 - i : i;
    if (subsizes[d] < 1 || starts[d] < 0 || subsizes[d] > sizes[d] - starts[d]) m.error = MPI_ERR_ARG;
    distance[i] = all;
    first += starts[d] * all;
    all *= sizes[d];
    if (i > 0) times *= subsizes[d];
  }
  if (m.error == MPI_SUCCESS) {
    int64_t last = first;
    const int inner = order == MPI_ORDER_C ? ndims - 1 : 0;
    for (int i = ndims - 1; i > 0; i--) {
      const int d = order == MPI_ORDER_C ? ndims - 1 - i : i;
      open_repeat(&m, (uint32_t)subsizes[d], distance[i]);
      last += (subsizes[d] - 1) * distance[i];
    }
    add(&m, oldtype, first, subsizes[inner], times);
    for (int i = ndims - 1; i > 0; i--) close_repeat(&m);
    cover(&m, oldtype, first, subsizes[inner], extent);
    cover(&m, oldtype, last, subsizes[inner], extent);
    m.type->lower = 0;
    m.type->upper = all;
    m.has_other_bounds = 1;
  }
  return end(&m, call, newtype);
}

static int copy_of(int call, MPI_Datatype old, const int64_t bounds[2], MPI_Datatype* newtype) {
  const int error = check(call, 0, old, newtype);
  if (error != MPI_SUCCESS) return error;
  struct making m = begin();
  if (m.error == MPI_SUCCESS) {
    cover(&m, old, 0, 1, 0);
    add(&m, old, 0, 1, 1);
    if (bounds != 0) {
      m.type->lower = bounds[0];
      m.type->upper = bounds[1];
    }
    m.has_other_bounds = 1;
  }
  return end(&m, call, newtype);
}

int MPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype) {
  const int64_t bounds[2] = {lb, lb + extent};
  return copy_of(POLYLOOM_CALL_Type_create_resized, oldtype, bounds, newtype);
}

int MPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const int error = copy_of(POLYLOOM_CALL_Type_dup, oldtype, 0, newtype);
  if (error == MPI_SUCCESS) {
    polyloom_type_of(*newtype)->is_committed =
        !polyloom_type_derived(oldtype) || polyloom_type_of(oldtype)->is_committed;
  }
  return error;
}

/* --- Keeping --- */

int MPI_Type_commit(MPI_Datatype* datatype) {
  if (!polyloom_type_known(*datatype))
    return polyloom_fail(MPI_COMM_WORLD, POLYLOOM_CALL_Type_commit, MPI_ERR_TYPE, -1, -1);
  if (polyloom_type_derived(*datatype)) polyloom_type_of(*datatype)->is_committed = 1;
  return MPI_SUCCESS;
}

int MPI_Type_free(MPI_Datatype* datatype) {
  if (!polyloom_type_known(*datatype) || !polyloom_type_derived(*datatype))
    return polyloom_fail(MPI_COMM_WORLD, POLYLOOM_CALL_Type_free, MPI_ERR_TYPE, -1, -1);
  polyloom_type_release(*datatype);
  *datatype = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

void polyloom_type_use(MPI_Datatype type) {
  if (polyloom_type_derived(type)) polyloom_type_of(type)->uses++;
}

/* What lies behind the runs of a type that is no more moves up. */
void polyloom_type_release(MPI_Datatype type) {
  if (!polyloom_type_derived(type)) return;
  struct polyloom_type* const t = polyloom_type_of(type);
  if (--t->uses > 0) return;
  if (polyloom_type_names_made) polyloom_delete_type_name(type);
  for (uint32_t i = t->first + t->runs; i < runs_used; i++) runs[i - t->runs] = runs[i];
  for (unsigned i = 0; i < POLYLOOM_TYPES; i++) {
    if (polyloom_types[i].uses > 0 && polyloom_types[i].first > t->first) polyloom_types[i].first -= t->runs;
  }
  runs_used -= t->runs;
}

/* --- Asking --- */

static int known(int call, MPI_Datatype type) {
  return polyloom_type_known(type) ? MPI_SUCCESS : polyloom_fail(MPI_COMM_WORLD, call, MPI_ERR_TYPE, -1, -1);
}

int MPI_Type_size(MPI_Datatype datatype, int* size) {
  const int error = known(POLYLOOM_CALL_Type_size, datatype);
  if (error != MPI_SUCCESS) return error;
  /* What is between the halves of a pair, or at its end, is no data. */
  *size = datatype == MPI_DOUBLE_INT || datatype == MPI_LONG_INT ? 12
          : datatype == MPI_SHORT_INT                            ? 6
                                                                 : (int)polyloom_type_bytes(datatype);
  return MPI_SUCCESS;
}

int MPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) {
  const int error = known(POLYLOOM_CALL_Type_get_extent, datatype);
  if (error != MPI_SUCCESS) return error;
  *lb = polyloom_type_derived(datatype) ? polyloom_type_of(datatype)->lower : 0;
  *extent = polyloom_type_extent(datatype);
  return MPI_SUCCESS;
}

int MPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint* true_lb, MPI_Aint* true_extent) {
  const int error = known(POLYLOOM_CALL_Type_get_true_extent, datatype);
  if (error != MPI_SUCCESS) return error;
  const struct polyloom_type* const t = polyloom_type_of(datatype);
  const int derived = polyloom_type_derived(datatype);
  *true_lb = derived ? t->true_lower : 0;
  *true_extent = derived ? t->true_upper - t->true_lower : polyloom_type_extent(datatype);
  return MPI_SUCCESS;
}

int MPI_Get_address(const void* location, MPI_Aint* address) {
  *address = (MPI_Aint)(uintptr_t)location;
  return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  const uint32_t bytes = polyloom_type_bytes(datatype);
  if (polyloom_type_derived(datatype)) {
    const uint32_t elements = bytes == 0 ? 0 : status->polyloom_bytes / bytes;
    *count = elements * bytes == status->polyloom_bytes ? (int)elements : MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  *count = status->polyloom_bytes & (bytes - 1) ? MPI_UNDEFINED
                                                : (int)(status->polyloom_bytes >> ((unsigned)datatype & 15u));
  return MPI_SUCCESS;
}

/* --- Packing --- */

static inline void move(char* to, const char* from, uint32_t bytes) {
  const uint32_t bits = (uint32_t)(uintptr_t)to | (uint32_t)(uintptr_t)from | bytes;
  if ((bits & 7u) == 0) {
    for (uint32_t i = 0; i < bytes; i += 8)
      *(uint64_t*)(void*)(to + i) = *(const uint64_t*)(const void*)(from + i);
  } else if ((bits & 3u) == 0) {
    for (uint32_t i = 0; i < bytes; i += 4)
      *(uint32_t*)(void*)(to + i) = *(const uint32_t*)(const void*)(from + i);
  } else {
    for (uint32_t i = 0; i < bytes; i++) to[i] = from[i];
  }
}

/* Where a walk over the runs of a type is. */
struct walk {
  const struct polyloom_type* type;
  char* base;
  uint32_t at, depth, left[POLYLOOM_NESTED], begin[POLYLOOM_NESTED];
};

/* The next run of bytes, or null at the end of an element. */
static inline const struct polyloom_run* next(struct walk* w) {
  while (w->at < w->type->runs) {
    const uint32_t at = w->at++;
    const struct polyloom_run* const run = &runs[w->type->first + at];
    if (run->kind < POLYLOOM_REPEAT) return run;
    if (run->kind == POLYLOOM_REPEAT) {
      w->begin[w->depth] = at;
      w->left[w->depth++] = run->count;
      continue;
    }
    const struct polyloom_run* const opened = &runs[w->type->first + w->begin[w->depth - 1]];
    if (--w->left[w->depth - 1] > 0) {
      w->base += opened->at;
      w->at = w->begin[w->depth - 1] + 1;
    } else {
      w->base -= opened->at * (int64_t)(opened->count - 1);
      w->depth--;
    }
  }
  return 0;
}

POLYLOOM_ONCE void polyloom_transfer(char* data, int64_t count, MPI_Datatype type, char* flat, uint32_t bytes,
                                     int is_packing) {
  struct walk w;
  w.type = polyloom_type_of(type);
  const int64_t extent = polyloom_type_extent(type);
  for (int64_t i = 0; i < count && bytes > 0; i++) {
    const struct polyloom_run* run;
    w.base = data + i * extent;
    w.at = w.depth = 0;
    while (bytes > 0 && (run = next(&w)) != 0) {
      const uint32_t length = run->count < bytes ? run->count : bytes;
      char* const here = w.base + run->at;
      move(is_packing ? flat : here, is_packing ? here : flat, length);
      flat += length;
      bytes -= length;
    }
  }
}

void* polyloom_flatten(const void* data, int64_t count, MPI_Datatype type, int is_sent) {
  const uint32_t bytes = (uint32_t)count * polyloom_type_bytes(type);
  void* const flat = polyloom_platform_keep(bytes);
  if (flat != 0 && is_sent) polyloom_pack(data, count, type, flat, bytes);
  return flat;
}

void polyloom_unflatten(void* flat, void* data, int64_t count, MPI_Datatype type, uint32_t bytes,
                        int is_received) {
  if (is_received) polyloom_unpack(data, count, type, flat, bytes);
  polyloom_platform_release(flat);
}

int MPI_Get_elements(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  if (!polyloom_type_derived(datatype)) return MPI_Get_count(status, datatype, count);
  struct walk w;
  w.type = polyloom_type_of(datatype);
  const uint32_t all = w.type->bytes == 0 ? 0 : status->polyloom_bytes / w.type->bytes;
  uint32_t left = status->polyloom_bytes - all * w.type->bytes;
  const struct polyloom_run* run;
  *count = (int)(all * w.type->elements);
  w.base = 0;
  w.at = w.depth = 0;
  while (left > 0 && (run = next(&w)) != 0) {
    const uint32_t length = run->count < left ? run->count : left;
    *count += (int)(length >> (run->kind & 15u));
    left -= length;
  }
  return MPI_SUCCESS;
}

int MPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int* size) {
  if (!polyloom_type_ok(datatype)) return polyloom_fail(comm, POLYLOOM_CALL_Pack_size, MPI_ERR_TYPE, -1, -1);
  *size = incount * (int)polyloom_type_bytes(datatype);
  return MPI_SUCCESS;
}

int MPI_Pack(const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize, int* position,
             MPI_Comm comm) {
  int error = incount < 0 ? MPI_ERR_COUNT : polyloom_type_ok(datatype) ? MPI_SUCCESS : MPI_ERR_TYPE;
  const int64_t bytes = error == MPI_SUCCESS ? incount * (int64_t)polyloom_type_bytes(datatype) : 0;
  if (bytes > outsize - *position) error = MPI_ERR_TRUNCATE;
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Pack, error, -1, -1);
  polyloom_pack(inbuf, incount, datatype, (char*)outbuf + *position, (uint32_t)bytes);
  *position += (int)bytes;
  return MPI_SUCCESS;
}

int MPI_Unpack(const void* inbuf, int insize, int* position, void* outbuf, int outcount,
               MPI_Datatype datatype, MPI_Comm comm) {
  int error = outcount < 0 ? MPI_ERR_COUNT : polyloom_type_ok(datatype) ? MPI_SUCCESS : MPI_ERR_TYPE;
  const int64_t bytes = error == MPI_SUCCESS ? outcount * (int64_t)polyloom_type_bytes(datatype) : 0;
  if (bytes > insize - *position) error = MPI_ERR_TRUNCATE;
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Unpack, error, -1, -1);
  polyloom_unpack(outbuf, outcount, datatype, (const char*)inbuf + *position, (uint32_t)bytes);
  *position += (int)bytes;
  return MPI_SUCCESS;
}

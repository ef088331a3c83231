/* SPDX-License-Identifier: Apache-2.0 */
/* What collectives send to each rank and take from it: blocks of a buffer. */
#pragma once

#include "internal.h"

/* A block for each rank; a null list: all have the same. */
struct blocks {
  char* base;
  const int* counts;
  const int* places; /* in elements, or with a list of types in bytes; null: one after the other */
  const MPI_Datatype* types;
  int count;
  MPI_Datatype type;
  int step; /* elements from one to the next; 0: it is one block, whichever rank it is for */
};

static inline int count_of(const struct blocks* b, int i) { return b->counts == 0 ? b->count : b->counts[i]; }
static inline MPI_Datatype type_of(const struct blocks* b, int i) {
  return b->types == 0 ? b->type : b->types[i];
}
static inline uint32_t bytes_of(const struct blocks* b, int i) {
  return (uint32_t)count_of(b, i) * polyloom_type_bytes(type_of(b, i));
}
static inline char* place_of(const struct blocks* b, int i) {
  const int64_t each = b->types == 0 ? polyloom_type_extent(b->type) : 1;
  return b->base + (b->places == 0 ? (int64_t)i * b->step : (int64_t)b->places[i]) * each;
}

/* From one rank's block to another of the same bytes. */
static inline int copy(const struct blocks* in, int i, const struct blocks* out, int o) {
  const MPI_Datatype from = type_of(out, o), to = type_of(in, i);
  const uint32_t bytes = bytes_of(out, o);
  if (bytes == 0 || place_of(in, i) == place_of(out, o)) return MPI_SUCCESS;
  if (!polyloom_type_has_gaps(from)) {
    polyloom_unpack(place_of(in, i), count_of(in, i), to, place_of(out, o), bytes);
  } else if (!polyloom_type_has_gaps(to)) {
    polyloom_pack(place_of(out, o), count_of(out, o), from, place_of(in, i), bytes);
  } else {
    void* const flat = polyloom_flatten(place_of(out, o), count_of(out, o), from, 1);
    if (flat == 0) return MPI_ERR_INTERN;
    polyloom_unflatten(flat, place_of(in, i), count_of(in, i), to, bytes, 1);
  }
  return MPI_SUCCESS;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Datatypes: what the calls that move data know of them. Derived ones are made by types.c.
 *
 * A derived type is a list of runs of bytes without gaps, in the order of its data, between which repetitions
 * begin and end; a table of all lists, cut at the begin of each type, holds them. */
#pragma once

#include "mpi.h"

#ifdef POLYLOOM_KERNEL
#define POLYLOOM_TYPES 32
#define POLYLOOM_RUNS 512
#else
#define POLYLOOM_TYPES 4096
#define POLYLOOM_RUNS (1 << 20)
#endif
#define POLYLOOM_NESTED 8 /* repetitions in one another */

enum { POLYLOOM_REPEAT = 0x100, POLYLOOM_END = 0x101 };
struct polyloom_run {
  int64_t at;     /* offset in bytes; of a repetition: distance from one to the next */
  uint32_t count; /* bytes; of a repetition: how often */
  uint32_t kind;  /* the basic type, POLYLOOM_REPEAT or POLYLOOM_END */
};

struct polyloom_type {
  uint32_t uses; /* handles and requests under way; 0: free */
  uint32_t is_committed, has_gaps, nested, align;
  uint32_t wire; /* the basic type if there is only one, else 0, which matches every type */
  uint32_t first, runs, bytes, elements;
  int64_t lower, upper, true_lower, true_upper;
};
extern struct polyloom_type polyloom_types[POLYLOOM_TYPES];
/* Has the program made a type? What is never written is constant to LLVM, so that code for derived types is
 * only where there are some. */
extern int polyloom_types_made, polyloom_type_names_made;
void polyloom_delete_type_name(MPI_Datatype type);

static inline int polyloom_type_derived(MPI_Datatype type) {
  return (unsigned)type >= POLYLOOM_DERIVED && polyloom_types_made;
}
static inline struct polyloom_type* polyloom_type_of(MPI_Datatype type) {
  return &polyloom_types[((unsigned)type - POLYLOOM_DERIVED) % POLYLOOM_TYPES];
}
static inline int polyloom_type_basic(MPI_Datatype type) {
  switch (type) {
    case MPI_BYTE:
    case MPI_INT8_T:
    case MPI_INT16_T:
    case MPI_INT32_T:
    case MPI_INT64_T:
    case MPI_UINT8_T:
    case MPI_UINT16_T:
    case MPI_UINT32_T:
    case MPI_UINT64_T:
    case MPI_FLOAT:
    case MPI_DOUBLE:
    case MPI_C_BOOL:
    case MPI_CHAR:
    case MPI_2INT:
    case MPI_FLOAT_INT:
    case MPI_DOUBLE_INT:
    case MPI_LONG_INT:
    case MPI_SHORT_INT:
      return 1;
    default:
      return 0;
  }
}
/* Is there such a type, committed or not? */
static inline int polyloom_type_known(MPI_Datatype type) {
  if (polyloom_type_basic(type)) return 1;
  return polyloom_type_derived(type) && (unsigned)type < POLYLOOM_DERIVED + POLYLOOM_TYPES &&
         polyloom_type_of(type)->uses > 0;
}
/* May it be in a message? */
static inline int polyloom_type_ok(MPI_Datatype type) {
  return polyloom_type_known(type) && (!polyloom_type_derived(type) || polyloom_type_of(type)->is_committed);
}
static inline uint32_t polyloom_basic_bytes(MPI_Datatype type) { return 1u << ((unsigned)type & 15u); }
static inline uint32_t polyloom_type_bytes(MPI_Datatype type) {
  return polyloom_type_derived(type) ? polyloom_type_of(type)->bytes : polyloom_basic_bytes(type);
}
static inline int64_t polyloom_type_extent(MPI_Datatype type) {
  return polyloom_type_derived(type) ? polyloom_type_of(type)->upper - polyloom_type_of(type)->lower
                                     : (int64_t)1 << ((unsigned)type & 15u);
}
/* In packets and commands. */
static inline unsigned polyloom_type_wire(MPI_Datatype type) {
  return polyloom_type_derived(type) ? polyloom_type_of(type)->wire : (unsigned)type;
}
/* Must it be packed to travel? */
static inline int polyloom_type_has_gaps(MPI_Datatype type) {
  return polyloom_type_derived(type) && polyloom_type_of(type)->has_gaps;
}

/* A request needs the type until it ends, whatever the program does with its handle. */
void polyloom_type_use(MPI_Datatype type);
void polyloom_type_release(MPI_Datatype type);

/* Of a type with gaps. */
void polyloom_transfer(char* data, int64_t count, MPI_Datatype type, char* flat, uint32_t bytes,
                       int is_packing);

/* `bytes` of `count` elements at `data` to `flat`, or back. */
static inline void polyloom_pack(const void* data, int64_t count, MPI_Datatype type, void* flat,
                                 uint32_t bytes) {
  if (polyloom_type_has_gaps(type)) {
    polyloom_transfer((char*)data, count, type, (char*)flat, bytes, 1);
  } else if (bytes > 0) {
    __builtin_memcpy(flat, data, bytes);
  }
}
static inline void polyloom_unpack(void* data, int64_t count, MPI_Datatype type, const void* flat,
                                   uint32_t bytes) {
  if (polyloom_type_has_gaps(type)) {
    polyloom_transfer((char*)data, count, type, (char*)flat, bytes, 0);
  } else if (bytes > 0) {
    __builtin_memcpy(data, flat, bytes);
  }
}

/* Memory for the packed form of a buffer, with what is in it if it is sent; null if there is none. */
void* polyloom_flatten(const void* data, int64_t count, MPI_Datatype type, int is_sent);
/* Ends that; what was received goes to the buffer, `bytes` of it. */
void polyloom_unflatten(void* flat, void* data, int64_t count, MPI_Datatype type, uint32_t bytes,
                        int is_received);

/* The buffer itself if it has no gaps, which costs nothing. */
static inline void* polyloom_flat(const void* data, int64_t count, MPI_Datatype type, int is_sent) {
  return polyloom_type_has_gaps(type) ? polyloom_flatten(data, count, type, is_sent) : (void*)data;
}
static inline void polyloom_unflat(void* flat, void* data, int64_t count, MPI_Datatype type, uint32_t bytes,
                                   int is_received) {
  if (polyloom_type_has_gaps(type)) polyloom_unflatten(flat, data, count, type, bytes, is_received);
}

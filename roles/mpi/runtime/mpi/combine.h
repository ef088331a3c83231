/* SPDX-License-Identifier: Apache-2.0 */
/* to[i] = from[i] OP to[i]: one plain loop for each type and operation, so that each can become a pipeline.
 */
#pragma once

#include <stdbool.h>

#include "mpi.h"

/* Does the program have that type or operation? Asked where neither is known when the program is made. */
#ifndef POLYLOOM_USES
#define POLYLOOM_USES(what) 1
#endif

struct polyloom_2int {
  int value, index;
};
struct polyloom_float_int {
  float value;
  int index;
};
struct polyloom_double_int {
  double value;
  int index;
};
struct polyloom_long_int {
  long value;
  int index;
};
struct polyloom_short_int {
  short value;
  int index;
};

#define POLYLOOM_ONLY_IF(what) \
  if (!POLYLOOM_USES(what)) return MPI_ERR_OP

#define POLYLOOM_LOOP(type, expression)         \
  do {                                          \
    type* restrict t = (type*)to;               \
    const type* restrict f = (const type*)from; \
    for (int i = 0; i < count; i++) {           \
      const type a = f[i], b = t[i];            \
      t[i] = (type)(expression);                \
    }                                           \
    return MPI_SUCCESS;                         \
  } while (0)

#define POLYLOOM_ARITHMETIC(type)       \
  case MPI_SUM:                         \
    POLYLOOM_ONLY_IF(SUM);              \
    POLYLOOM_LOOP(type, a + b);         \
  case MPI_PROD:                        \
    POLYLOOM_ONLY_IF(PROD);             \
    POLYLOOM_LOOP(type, a* b);          \
  case MPI_MIN:                         \
    POLYLOOM_ONLY_IF(MIN);              \
    POLYLOOM_LOOP(type, a < b ? a : b); \
  case MPI_MAX:                         \
    POLYLOOM_ONLY_IF(MAX);              \
    POLYLOOM_LOOP(type, a > b ? a : b)

#define POLYLOOM_LOGIC(type)     \
  case MPI_LAND:                 \
    POLYLOOM_ONLY_IF(LAND);      \
    POLYLOOM_LOOP(type, a&& b);  \
  case MPI_LOR:                  \
    POLYLOOM_ONLY_IF(LOR);       \
    POLYLOOM_LOOP(type, a || b); \
  case MPI_LXOR:                 \
    POLYLOOM_ONLY_IF(LXOR);      \
    POLYLOOM_LOOP(type, !a != !b)

#define POLYLOOM_BITS(type)     \
  case MPI_BAND:                \
    POLYLOOM_ONLY_IF(BAND);     \
    POLYLOOM_LOOP(type, a& b);  \
  case MPI_BOR:                 \
    POLYLOOM_ONLY_IF(BOR);      \
    POLYLOOM_LOOP(type, a | b); \
  case MPI_BXOR:                \
    POLYLOOM_ONLY_IF(BXOR);     \
    POLYLOOM_LOOP(type, a ^ b)

/* The value that wins, and of equal ones the smaller index. */
#define POLYLOOM_PAIR(type, better)                                                        \
  do {                                                                                     \
    type* restrict t = (type*)to;                                                          \
    const type* restrict f = (const type*)from;                                            \
    for (int i = 0; i < count; i++) {                                                      \
      const int equal = f[i].value == t[i].value;                                          \
      if (f[i].value better t[i].value || (equal && f[i].index < t[i].index)) t[i] = f[i]; \
    }                                                                                      \
    return MPI_SUCCESS;                                                                    \
  } while (0)

#define POLYLOOM_PAIRS(type)    \
  switch (op) {                 \
    case MPI_MINLOC:            \
      POLYLOOM_ONLY_IF(MINLOC); \
      POLYLOOM_PAIR(type, <);   \
    case MPI_MAXLOC:            \
      POLYLOOM_ONLY_IF(MAXLOC); \
      POLYLOOM_PAIR(type, >);   \
    default:                    \
      return MPI_ERR_OP;        \
  }

#define POLYLOOM_INTEGER(type) \
  switch (op) {                \
    POLYLOOM_ARITHMETIC(type); \
    POLYLOOM_LOGIC(type);      \
    POLYLOOM_BITS(type);       \
    default:                   \
      return MPI_ERR_OP;       \
  }

#define POLYLOOM_FLOATING(type) \
  switch (op) {                 \
    POLYLOOM_ARITHMETIC(type);  \
    default:                    \
      return MPI_ERR_OP;        \
  }

/* Sums of signed integers wrap, as they do in other MPI libraries; so they are computed unsigned where C
 * allows. */
#ifdef POLYLOOM_KERNEL
__attribute__((always_inline))
#else
__attribute__((no_sanitize("signed-integer-overflow")))
#endif
static inline int
polyloom_combine(void* to, const void* from, int count, MPI_Datatype type, MPI_Op op) {
  switch (type) {
    case MPI_INT8_T:
      POLYLOOM_ONLY_IF(INT8_T);
      POLYLOOM_INTEGER(int8_t)
    case MPI_INT16_T:
      POLYLOOM_ONLY_IF(INT16_T);
      POLYLOOM_INTEGER(int16_t)
    case MPI_INT32_T:
      POLYLOOM_ONLY_IF(INT32_T);
      POLYLOOM_INTEGER(int32_t)
    case MPI_INT64_T:
      POLYLOOM_ONLY_IF(INT64_T);
      POLYLOOM_INTEGER(int64_t)
    case MPI_UINT8_T:
      POLYLOOM_ONLY_IF(UINT8_T);
      POLYLOOM_INTEGER(uint8_t)
    case MPI_UINT16_T:
      POLYLOOM_ONLY_IF(UINT16_T);
      POLYLOOM_INTEGER(uint16_t)
    case MPI_UINT32_T:
      POLYLOOM_ONLY_IF(UINT32_T);
      POLYLOOM_INTEGER(uint32_t)
    case MPI_UINT64_T:
      POLYLOOM_ONLY_IF(UINT64_T);
      POLYLOOM_INTEGER(uint64_t)
    case MPI_FLOAT:
      POLYLOOM_ONLY_IF(FLOAT);
      POLYLOOM_FLOATING(float)
    case MPI_DOUBLE:
      POLYLOOM_ONLY_IF(DOUBLE);
      POLYLOOM_FLOATING(double)
    case MPI_BYTE:
      POLYLOOM_ONLY_IF(BYTE);
      switch (op) {
        POLYLOOM_BITS(uint8_t);
        default:
          return MPI_ERR_OP;
      }
    case MPI_C_BOOL:
      POLYLOOM_ONLY_IF(C_BOOL);
      switch (op) {
        POLYLOOM_LOGIC(bool);
        default:
          return MPI_ERR_OP;
      }
    case MPI_2INT:
      POLYLOOM_ONLY_IF(2INT);
      POLYLOOM_PAIRS(struct polyloom_2int)
    case MPI_FLOAT_INT:
      POLYLOOM_ONLY_IF(FLOAT_INT);
      POLYLOOM_PAIRS(struct polyloom_float_int)
    case MPI_DOUBLE_INT:
      POLYLOOM_ONLY_IF(DOUBLE_INT);
      POLYLOOM_PAIRS(struct polyloom_double_int)
    case MPI_LONG_INT:
      POLYLOOM_PAIRS(struct polyloom_long_int)
    case MPI_SHORT_INT:
      POLYLOOM_PAIRS(struct polyloom_short_int)
    default:
      return MPI_ERR_OP;
  }
}

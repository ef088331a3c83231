/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions by the program's own operators: their own, plainer algorithms on whole buffers, since only the
 * program knows what its function does with the gaps of a type. */
#pragma once

#include "internal.h"

extern int polyloom_operators_made; /* as polyloom_types_made */

static inline int polyloom_operator(MPI_Op op) {
  return (unsigned)op >= POLYLOOM_USER_OP && polyloom_operators_made;
}

/* Is there such an operator of the program? */
int polyloom_operator_exists(MPI_Op op);
/* inout[i] = in[i] op inout[i] */
int polyloom_operate(const void* in, void* inout, int count, MPI_Datatype type, MPI_Op op);

/* As polyloom_nonblocking_combine. */
int polyloom_operator_combine(char* values, int ranks, uint32_t each, int count, MPI_Datatype type,
                              MPI_Op op);

/* To the root, or with root -1 to all. */
int polyloom_operator_reduce(int call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type,
                             MPI_Op op, int root, MPI_Comm comm);
/* A block to each rank; null instead of a list: all have `count`. */
int polyloom_operator_scatter(int call, const void* sendbuf, void* recvbuf, const int* counts, int count,
                              MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int polyloom_operator_scan(int call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type,
                           MPI_Op op, MPI_Comm comm, int is_exclusive);

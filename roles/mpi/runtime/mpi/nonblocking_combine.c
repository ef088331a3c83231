/* SPDX-License-Identifier: Apache-2.0 */
/* What the reductions that do not block combine when they end, where type and operation are values: a kernel
 * has the loops of those that its program names. */
#include "nonblocking.h"

#define X(name) int polyloom_uses_##name;
POLYLOOM_COMBINED_TYPES(X)
POLYLOOM_OPERATIONS(X)
#undef X

#define POLYLOOM_USES(what) polyloom_uses_##what
#include "combine.h"

int polyloom_nonblocking_combine(char* values, int ranks, uint32_t each, int count, MPI_Datatype type,
                                 MPI_Op op) {
  char* const sum = values + (size_t)(ranks - 1) * each;
  int error = MPI_SUCCESS;
  for (int i = ranks - 2; i >= 0 && error == MPI_SUCCESS; i--)
    error = polyloom_combine(sum, values + (size_t)i * each, count, type, op);
  return error;
}

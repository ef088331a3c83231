/* SPDX-License-Identifier: Apache-2.0 */
/* The part of an array that a rank has when it is dealt to a grid of ranks in blocks, or in blocks round and
 * round. */
#include "internal.h"

/* Elements of one dimension at the rank with that place in it, of types that fill `extent` bytes each: blocks
 * of `each`, `step` apart; in one, or round and round. */
static int dimension(int global, int each, int step, int place, MPI_Aint extent, MPI_Datatype old,
                     MPI_Datatype* made) {
  const int first = place * each, count = first >= global ? 0 : (global - first - 1) / step + 1;
  const uint32_t room = (uint32_t)(count > 0 ? count : 1);
  int* const lengths = (int*)polyloom_platform_keep(room * (uint32_t)sizeof(int));
  MPI_Aint* const offsets = (MPI_Aint*)polyloom_platform_keep(room * (uint32_t)sizeof(MPI_Aint));
  int error = lengths == 0 || offsets == 0 ? MPI_ERR_INTERN : MPI_SUCCESS;
  MPI_Datatype listed = MPI_DATATYPE_NULL;
  for (int i = 0; error == MPI_SUCCESS && i < count; i++) {
    const int at = first + i * step, left = global - at;
    lengths[i] = left < each ? left : each;
    offsets[i] = at * extent;
  }
  if (error != MPI_SUCCESS) {
    error = polyloom_fail(MPI_COMM_WORLD, POLYLOOM_CALL_Type_create_darray, error, -1, -1);
  } else {
    error = MPI_Type_create_hindexed(count, lengths, offsets, old, &listed);
  }
  if (lengths != 0) polyloom_platform_release(lengths);
  if (offsets != 0) polyloom_platform_release(offsets);
  if (error != MPI_SUCCESS) return error;
  error = MPI_Type_create_resized(listed, 0, global * extent, made);
  MPI_Type_free(&listed);
  return error;
}

static int check(int size, int rank, int ndims, const int gsizes[], const int distribs[], const int dargs[],
                 const int psizes[], MPI_Datatype old) {
  int64_t ranks = 1;
  if (!polyloom_type_known(old)) return MPI_ERR_TYPE;
  if (ndims < 1 || rank < 0 || rank >= size) return MPI_ERR_ARG;
  for (int i = 0; i < ndims; i++) {
    const int is_default = dargs[i] == MPI_DISTRIBUTE_DFLT_DARG;
    if (gsizes[i] < 1 || psizes[i] < 1 || (!is_default && dargs[i] < 1)) return MPI_ERR_ARG;
    if (distribs[i] == MPI_DISTRIBUTE_NONE && psizes[i] != 1) return MPI_ERR_ARG;
    if (distribs[i] == MPI_DISTRIBUTE_BLOCK && !is_default && (int64_t)dargs[i] * psizes[i] < gsizes[i])
      return MPI_ERR_ARG;
    ranks *= psizes[i];
  }
  return ranks == size ? MPI_SUCCESS : MPI_ERR_ARG;
}

int MPI_Type_create_darray(int size, int rank, int ndims, const int gsizes[], const int distribs[],
                           const int dargs[], const int psizes[], int order, MPI_Datatype oldtype,
                           MPI_Datatype* newtype) {
  int error = check(size, rank, ndims, gsizes, distribs, dargs, psizes, oldtype);
  if (error != MPI_SUCCESS)
    return polyloom_fail(MPI_COMM_WORLD, POLYLOOM_CALL_Type_create_darray, error, -1, -1);
  MPI_Aint extent = polyloom_type_extent(oldtype);
  MPI_Datatype inner = oldtype;
  /* From the dimension whose elements are neighbours in memory; ranks are always in the order of C. */
  for (int i = 0; i < ndims && error == MPI_SUCCESS; i++) {
    const int d = order == MPI_ORDER_C ? ndims - 1 - i : i, global = gsizes[d], ranks = psizes[d];
    int below = 1;
    for (int k = d + 1; k < ndims; k++) below *= psizes[k];
    const int is_cyclic = distribs[d] == MPI_DISTRIBUTE_CYCLIC,
              is_default = dargs[d] == MPI_DISTRIBUTE_DFLT_DARG;
    const int each = distribs[d] == MPI_DISTRIBUTE_NONE ? global
                     : !is_default                      ? dargs[d]
                     : is_cyclic                        ? 1
                                                        : (global + ranks - 1) / ranks;
    error = dimension(global, each, is_cyclic ? each * ranks : global, rank / below % ranks, extent, inner,
                      newtype);
    if (inner != oldtype) MPI_Type_free(&inner);
    inner = *newtype;
    extent *= global;
  }
  return error;
}

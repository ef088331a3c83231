/* SPDX-License-Identifier: Apache-2.0 */
/* Cartesian topologies: row-major, ranks keep their order. */
#include "topology.h"

struct polyloom_grid polyloom_grids[POLYLOOM_COMMS];
int polyloom_grids_made;

/* The grid of a communicator; null after an error, which is in *error. */
static inline const struct polyloom_grid* grid_of(MPI_Comm comm, int call, int* error) {
  const int known = polyloom_comm_ok(comm);
  *error = MPI_SUCCESS;
  if (known && polyloom_grids_made && polyloom_grids[comm].is_grid) return &polyloom_grids[comm];
  *error = polyloom_fail(comm, call, known ? MPI_ERR_TOPOLOGY : MPI_ERR_COMM, -1, -1);
  return 0;
}

int MPI_Dims_create(int nnodes, int ndims, int dims[]) {
  int left = nnodes, is_free[POLYLOOM_DIMS], many = 0;
  int error = nnodes < 1 || ndims < 0 || ndims > POLYLOOM_DIMS ? MPI_ERR_DIMS : MPI_SUCCESS;
  for (int i = 0; i < ndims && error == MPI_SUCCESS; i++) {
    if (dims[i] < 0 || (dims[i] > 0 && left % dims[i] != 0)) error = MPI_ERR_DIMS;
    if (dims[i] > 0) left /= dims[i];
    is_free[i] = dims[i] == 0;
    many += is_free[i];
  }
  if (error == MPI_SUCCESS && many == 0 && left != 1) error = MPI_ERR_DIMS;
  if (error != MPI_SUCCESS) return polyloom_fail(MPI_COMM_WORLD, POLYLOOM_CALL_Dims_create, error, -1, -1);
  int made[POLYLOOM_DIMS];
  for (int i = 0; i < many; i++) made[i] = 1;
  /* The largest prime first, to the dimension that has least. */
  while (left > 1 && many > 0) {
    int prime = 1;
    for (int rest = left, p = 2; rest > 1; p++) {
      while (rest % p == 0) {
        rest /= p;
        prime = p;
      }
      if (p * p > rest && rest > 1) {
        prime = rest;
        break;
      }
    }
    int least = 0;
    for (int i = 1; i < many; i++) {
      if (made[i] < made[least]) least = i;
    }
    made[least] *= prime;
    left /= prime;
  }
  for (int i = 1; i < many; i++) {
    for (int k = i; k > 0 && made[k] > made[k - 1]; k--) {
      const int lower = made[k];
      made[k] = made[k - 1];
      made[k - 1] = lower;
    }
  }
  for (int i = 0, k = 0; i < ndims; i++) {
    if (is_free[i]) dims[i] = made[k++];
  }
  return MPI_SUCCESS;
}

static int nodes_of(int ndims, const int dims[]) {
  int nodes = 1;
  for (int i = 0; i < ndims; i++) nodes *= dims[i];
  return nodes;
}

static int check(MPI_Comm comm, int ndims, const int dims[]) {
  if (!polyloom_comm_ok(comm)) return MPI_ERR_COMM;
  if (ndims < 0 || ndims > POLYLOOM_DIMS) return MPI_ERR_DIMS;
  for (int i = 0; i < ndims; i++) {
    if (dims[i] < 1) return MPI_ERR_DIMS;
  }
  return nodes_of(ndims, dims) > polyloom_comm_size(comm) ? MPI_ERR_ARG : MPI_SUCCESS;
}

int MPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder,
                    MPI_Comm* comm_cart) {
  (void)reorder;
  int error = check(comm_old, ndims, dims);
  if (error != MPI_SUCCESS) return polyloom_fail(comm_old, POLYLOOM_CALL_Cart_create, error, -1, -1);
  error = polyloom_comm_first(comm_old, POLYLOOM_CALL_Cart_create, nodes_of(ndims, dims), comm_cart);
  if (error != MPI_SUCCESS || *comm_cart == MPI_COMM_NULL) return error;
  struct polyloom_grid* const g = &polyloom_grids[*comm_cart];
  polyloom_grids_made = 1;
  g->is_grid = 1;
  g->ndims = ndims;
  for (int i = 0; i < ndims; i++) {
    g->dims[i] = dims[i];
    g->periods[i] = periods[i] != 0;
  }
  return MPI_SUCCESS;
}

int MPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int* newrank) {
  (void)periods;
  const int error = check(comm, ndims, dims);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Cart_map, error, -1, -1);
  const int rank = polyloom_comm_rank(comm);
  *newrank = rank < nodes_of(ndims, dims) ? rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int MPI_Topo_test(MPI_Comm comm, int* status) {
  if (!polyloom_comm_ok(comm)) return polyloom_fail(comm, POLYLOOM_CALL_Topo_test, MPI_ERR_COMM, -1, -1);
  *status = polyloom_grids_made && polyloom_grids[comm].is_grid       ? MPI_CART
            : polyloom_graphs_made && polyloom_graphs[comm].kind != 0 ? polyloom_graphs[comm].kind
                                                                      : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int MPI_Cartdim_get(MPI_Comm comm, int* ndims) {
  int error;
  const struct polyloom_grid* const g = grid_of(comm, POLYLOOM_CALL_Cartdim_get, &error);
  if (g != 0) *ndims = g->ndims;
  return error;
}

static void place_of(const struct polyloom_grid* g, int rank, int maxdims, int coords[]) {
  int rest = rank, below = nodes_of(g->ndims, g->dims);
  for (int i = 0; i < g->ndims && i < maxdims; i++) {
    below /= g->dims[i];
    coords[i] = rest / below;
    rest %= below;
  }
}

/* Or MPI_PROC_NULL where there is none. */
static int rank_at(const struct polyloom_grid* g, const int coords[]) {
  int rank = 0;
  for (int i = 0; i < g->ndims; i++) {
    int at = coords[i];
    if (at < 0 || at >= g->dims[i]) {
      if (!g->periods[i]) return MPI_PROC_NULL;
      at %= g->dims[i];
      if (at < 0) at += g->dims[i];
    }
    rank = rank * g->dims[i] + at;
  }
  return rank;
}

int MPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) {
  int error;
  const struct polyloom_grid* const g = grid_of(comm, POLYLOOM_CALL_Cart_get, &error);
  if (g == 0) return error;
  for (int i = 0; i < g->ndims && i < maxdims; i++) {
    dims[i] = g->dims[i];
    periods[i] = g->periods[i];
  }
  place_of(g, polyloom_comm_rank(comm), maxdims, coords);
  return MPI_SUCCESS;
}

int MPI_Cart_rank(MPI_Comm comm, const int coords[], int* rank) {
  int error;
  const struct polyloom_grid* const g = grid_of(comm, POLYLOOM_CALL_Cart_rank, &error);
  if (g == 0) return error;
  *rank = rank_at(g, coords);
  if (*rank == MPI_PROC_NULL) return polyloom_fail(comm, POLYLOOM_CALL_Cart_rank, MPI_ERR_ARG, -1, -1);
  return MPI_SUCCESS;
}

int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) {
  int error;
  const struct polyloom_grid* const g = grid_of(comm, POLYLOOM_CALL_Cart_coords, &error);
  if (g == 0) return error;
  if (rank < 0 || rank >= polyloom_comm_size(comm))
    return polyloom_fail(comm, POLYLOOM_CALL_Cart_coords, MPI_ERR_RANK, rank, -1);
  place_of(g, rank, maxdims, coords);
  return MPI_SUCCESS;
}

static void neighbours(const struct polyloom_grid* g, int rank, int direction, int distance, int* source,
                       int* dest) {
  int coords[POLYLOOM_DIMS] = {0};
  place_of(g, rank, POLYLOOM_DIMS, coords);
  coords[direction] += distance;
  *dest = rank_at(g, coords);
  coords[direction] -= 2 * distance;
  *source = rank_at(g, coords);
}

int MPI_Cart_shift(MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest) {
  int error;
  const struct polyloom_grid* const g = grid_of(comm, POLYLOOM_CALL_Cart_shift, &error);
  if (g == 0) return error;
  if (direction < 0 || direction >= g->ndims)
    return polyloom_fail(comm, POLYLOOM_CALL_Cart_shift, MPI_ERR_ARG, -1, -1);
  neighbours(g, polyloom_comm_rank(comm), direction, disp, rank_source, rank_dest);
  return MPI_SUCCESS;
}

int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
  int error, coords[POLYLOOM_DIMS] = {0}, color = 0, key = 0;
  const struct polyloom_grid* const g = grid_of(comm, POLYLOOM_CALL_Cart_sub, &error);
  if (g == 0) return error;
  place_of(g, polyloom_comm_rank(comm), POLYLOOM_DIMS, coords);
  for (int i = 0; i < g->ndims; i++) {
    if (remain_dims[i]) {
      key = key * g->dims[i] + coords[i];
    } else {
      color = color * g->dims[i] + coords[i];
    }
  }
  error = MPI_Comm_split(comm, color, key, newcomm);
  if (error != MPI_SUCCESS) return error;
  struct polyloom_grid* const part = &polyloom_grids[*newcomm];
  part->is_grid = 1;
  part->ndims = 0;
  for (int i = 0; i < g->ndims; i++) {
    if (!remain_dims[i]) continue;
    part->dims[part->ndims] = g->dims[i];
    part->periods[part->ndims++] = g->periods[i];
  }
  return MPI_SUCCESS;
}

void polyloom_grid_neighbours(MPI_Comm comm, int ranks[]) {
  const struct polyloom_grid* const g = &polyloom_grids[comm];
  for (int i = 0; i < g->ndims; i++)
    neighbours(g, polyloom_comm_rank(comm), i, 1, &ranks[2 * i], &ranks[2 * i + 1]);
}

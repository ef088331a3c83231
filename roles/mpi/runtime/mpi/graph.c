/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of ranks: MPI_Graph_create's, which all ranks know whole, and those of which each rank knows its own
 * neighbours. Ranks keep their order. */
#include "flight.h"
#include "topology.h"

struct polyloom_graph polyloom_graphs[POLYLOOM_COMMS];
int polyloom_graphs_made;

/* The graph of a communicator; null after an error, which is in *error. */
static const struct polyloom_graph* graph_of(MPI_Comm comm, int kind, int call, int* error) {
  const int known = polyloom_comm_ok(comm);
  *error = MPI_SUCCESS;
  if (known && polyloom_graphs_made && polyloom_graphs[comm].kind == kind) return &polyloom_graphs[comm];
  *error = polyloom_fail(comm, call, known ? MPI_ERR_TOPOLOGY : MPI_ERR_COMM, -1, -1);
  return 0;
}

/* With room for its lists; null if there is none. */
static struct polyloom_graph* make(MPI_Comm comm, int kind, int first, int second) {
  struct polyloom_graph* const g = &polyloom_graphs[comm];
  const int ints = (kind == MPI_GRAPH ? 1 : 2) * (first + second);
  g->list = (int*)polyloom_platform_keep((uint32_t)(ints > 0 ? ints : 1) * (uint32_t)sizeof(int));
  if (g->list == 0) return 0;
  polyloom_graphs_made = 1;
  g->kind = kind;
  g->first = first;
  g->second = second;
  g->is_weighted = 0;
  return g;
}

void polyloom_graph_free(MPI_Comm comm) {
  if (polyloom_graphs[comm].kind != 0) polyloom_platform_release(polyloom_graphs[comm].list);
  polyloom_graphs[comm].kind = 0;
}

int polyloom_graph_copy(MPI_Comm from, MPI_Comm to) {
  const struct polyloom_graph* const g = &polyloom_graphs[from];
  if (g->kind == 0) return MPI_SUCCESS;
  struct polyloom_graph* const copy = make(to, g->kind, g->first, g->second);
  if (copy == 0) return polyloom_fail(from, POLYLOOM_CALL_Comm_dup, MPI_ERR_INTERN, -1, -1);
  copy->is_weighted = g->is_weighted;
  const int ints = (g->kind == MPI_GRAPH ? 1 : 2) * (g->first + g->second);
  for (int i = 0; i < ints; i++) copy->list[i] = g->list[i];
  return MPI_SUCCESS;
}

/* --- Known whole --- */

static int check(MPI_Comm comm, int nnodes, const int index[], const int edges[]) {
  if (!polyloom_comm_ok(comm)) return MPI_ERR_COMM;
  if (nnodes < 0 || nnodes > polyloom_comm_size(comm)) return MPI_ERR_ARG;
  for (int i = 0, before = 0; i < nnodes; before = index[i++]) {
    if (index[i] < before) return MPI_ERR_ARG;
    for (int k = before; k < index[i]; k++) {
      if (edges[k] < 0 || edges[k] >= nnodes) return MPI_ERR_ARG;
    }
  }
  return MPI_SUCCESS;
}

int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int reorder,
                     MPI_Comm* comm_graph) {
  (void)reorder;
  int error = check(comm_old, nnodes, index, edges);
  if (error != MPI_SUCCESS) return polyloom_fail(comm_old, POLYLOOM_CALL_Graph_create, error, -1, -1);
  error = polyloom_comm_first(comm_old, POLYLOOM_CALL_Graph_create, nnodes, comm_graph);
  if (error != MPI_SUCCESS || *comm_graph == MPI_COMM_NULL) return error;
  struct polyloom_graph* const g = make(*comm_graph, MPI_GRAPH, nnodes, index[nnodes - 1]);
  if (g == 0) return polyloom_fail(comm_old, POLYLOOM_CALL_Graph_create, MPI_ERR_INTERN, -1, -1);
  for (int i = 0; i < g->first; i++) g->list[i] = index[i];
  for (int i = 0; i < g->second; i++) g->list[g->first + i] = edges[i];
  return MPI_SUCCESS;
}

int MPI_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[], int* newrank) {
  const int error = check(comm, nnodes, index, edges);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Graph_map, error, -1, -1);
  const int rank = polyloom_comm_rank(comm);
  *newrank = rank < nnodes ? rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int MPI_Graphdims_get(MPI_Comm comm, int* nnodes, int* nedges) {
  int error;
  const struct polyloom_graph* const g = graph_of(comm, MPI_GRAPH, POLYLOOM_CALL_Graphdims_get, &error);
  if (g == 0) return error;
  *nnodes = g->first;
  *nedges = g->second;
  return MPI_SUCCESS;
}

int MPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]) {
  int error;
  const struct polyloom_graph* const g = graph_of(comm, MPI_GRAPH, POLYLOOM_CALL_Graph_get, &error);
  if (g == 0) return error;
  for (int i = 0; i < g->first && i < maxindex; i++) index[i] = g->list[i];
  for (int i = 0; i < g->second && i < maxedges; i++) edges[i] = g->list[g->first + i];
  return MPI_SUCCESS;
}

/* The edges of a node; their number. */
static int edges_of(const struct polyloom_graph* g, int rank, const int** edges) {
  const int begin = rank == 0 ? 0 : g->list[rank - 1];
  *edges = g->list + g->first + begin;
  return g->list[rank] - begin;
}

int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int* nneighbors) {
  int error;
  const int* edges;
  const struct polyloom_graph* const g =
      graph_of(comm, MPI_GRAPH, POLYLOOM_CALL_Graph_neighbors_count, &error);
  if (g == 0) return error;
  if (rank < 0 || rank >= g->first)
    return polyloom_fail(comm, POLYLOOM_CALL_Graph_neighbors_count, MPI_ERR_RANK, rank, -1);
  *nneighbors = edges_of(g, rank, &edges);
  return MPI_SUCCESS;
}

int MPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) {
  int error;
  const int* edges;
  const struct polyloom_graph* const g = graph_of(comm, MPI_GRAPH, POLYLOOM_CALL_Graph_neighbors, &error);
  if (g == 0) return error;
  if (rank < 0 || rank >= g->first)
    return polyloom_fail(comm, POLYLOOM_CALL_Graph_neighbors, MPI_ERR_RANK, rank, -1);
  const int count = edges_of(g, rank, &edges);
  for (int i = 0; i < count && i < maxneighbors; i++) neighbors[i] = edges[i];
  return MPI_SUCCESS;
}

/* --- Known to their neighbours: sources, their weights, destinations, their weights --- */

static int are_ranks(MPI_Comm comm, int count, const int ranks[]) {
  for (int i = 0; i < count; i++) {
    if (ranks[i] < 0 || ranks[i] >= polyloom_comm_size(comm)) return 0;
  }
  return count >= 0;
}

static void put(int* list, int count, const int ranks[], const int weights[], int is_weighted) {
  for (int i = 0; i < count; i++) {
    list[i] = ranks[i];
    list[count + i] = is_weighted ? weights[i] : 1;
  }
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                   const int sourceweights[], int outdegree, const int destinations[],
                                   const int destweights[], MPI_Info info, int reorder,
                                   MPI_Comm* comm_dist_graph) {
  const int call = POLYLOOM_CALL_Dist_graph_create_adjacent;
  (void)info;
  (void)reorder;
  if (!polyloom_comm_ok(comm_old)) return polyloom_fail(comm_old, call, MPI_ERR_COMM, -1, -1);
  if (!are_ranks(comm_old, indegree, sources) || !are_ranks(comm_old, outdegree, destinations))
    return polyloom_fail(comm_old, call, MPI_ERR_ARG, -1, -1);
  const int error = polyloom_comm_first(comm_old, call, polyloom_comm_size(comm_old), comm_dist_graph);
  if (error != MPI_SUCCESS) return error;
  struct polyloom_graph* const g = make(*comm_dist_graph, MPI_DIST_GRAPH, indegree, outdegree);
  if (g == 0) return polyloom_fail(comm_old, call, MPI_ERR_INTERN, -1, -1);
  g->is_weighted = sourceweights != MPI_UNWEIGHTED && destweights != MPI_UNWEIGHTED;
  put(g->list, indegree, sources, sourceweights, g->is_weighted);
  put(g->list + 2 * indegree, outdegree, destinations, destweights, g->is_weighted);
  return MPI_SUCCESS;
}

/* Anyone may know of any edge: all ranks tell all others theirs, and take those that begin or end at them. */
int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                          const int destinations[], const int weights[], MPI_Info info, int reorder,
                          MPI_Comm* comm_dist_graph) {
  static int counts[POLYLOOM_MOST_RANKS], places[POLYLOOM_MOST_RANKS];
  const int call = POLYLOOM_CALL_Dist_graph_create;
  int mine = 0, all = 0, in = 0, out = 0;
  (void)info;
  (void)reorder;
  if (!polyloom_comm_ok(comm_old)) return polyloom_fail(comm_old, call, MPI_ERR_COMM, -1, -1);
  for (int i = 0; i < n; i++) mine += degrees[i];
  if (!are_ranks(comm_old, n, sources) || !are_ranks(comm_old, mine, destinations))
    return polyloom_fail(comm_old, call, MPI_ERR_ARG, -1, -1);
  const int size = polyloom_comm_size(comm_old), rank = polyloom_comm_rank(comm_old);
  const int reported[2] = {3 * mine, mine == 0 || weights != MPI_UNWEIGHTED};
  int is_weighted = 1;
  int error = MPI_Allgather(&reported[0], 1, MPI_INT32_T, counts, 1, MPI_INT32_T, comm_old);
  if (error == MPI_SUCCESS)
    error = MPI_Allreduce(&reported[1], &is_weighted, 1, MPI_INT32_T, MPI_MIN, comm_old);
  if (error != MPI_SUCCESS) return error;
  for (int i = 0; i < size; i++) {
    places[i] = all;
    all += counts[i];
  }
  int* const edges = (int*)polyloom_platform_keep((uint32_t)(all > 0 ? all : 1) * (uint32_t)sizeof(int));
  if (edges == 0) return polyloom_fail(comm_old, call, MPI_ERR_INTERN, -1, -1);
  for (int i = 0, k = 0, at = places[rank]; i < n; i++) {
    for (const int end = k + degrees[i]; k < end; k++, at += 3) {
      edges[at] = sources[i];
      edges[at + 1] = destinations[k];
      edges[at + 2] = is_weighted ? weights[k] : 1;
    }
  }
  error = MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT32_T, edges, counts, places, MPI_INT32_T, comm_old);
  if (error == MPI_SUCCESS) error = polyloom_comm_first(comm_old, call, size, comm_dist_graph);
  if (error != MPI_SUCCESS) return error;
  for (int i = 0; i < all; i += 3) {
    in += edges[i + 1] == rank;
    out += edges[i] == rank;
  }
  struct polyloom_graph* const g = make(*comm_dist_graph, MPI_DIST_GRAPH, in, out);
  if (g == 0) return polyloom_fail(comm_old, call, MPI_ERR_INTERN, -1, -1);
  g->is_weighted = is_weighted;
  for (int i = 0, s = 0, d = 2 * in; i < all; i += 3) {
    if (edges[i + 1] == rank) {
      g->list[s] = edges[i];
      g->list[in + s++] = edges[i + 2];
    }
    if (edges[i] == rank) {
      g->list[d] = edges[i + 1];
      g->list[out + d++] = edges[i + 2];
    }
  }
  polyloom_platform_release(edges);
  return MPI_SUCCESS;
}

int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
  int error;
  const struct polyloom_graph* const g =
      graph_of(comm, MPI_DIST_GRAPH, POLYLOOM_CALL_Dist_graph_neighbors_count, &error);
  if (g == 0) return error;
  *indegree = g->first;
  *outdegree = g->second;
  *weighted = g->is_weighted;
  return MPI_SUCCESS;
}

int MPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                             int maxoutdegree, int destinations[], int destweights[]) {
  int error;
  const struct polyloom_graph* const g =
      graph_of(comm, MPI_DIST_GRAPH, POLYLOOM_CALL_Dist_graph_neighbors, &error);
  if (g == 0) return error;
  for (int i = 0; i < g->first && i < maxindegree; i++) {
    sources[i] = g->list[i];
    if (g->is_weighted && sourceweights != MPI_UNWEIGHTED) sourceweights[i] = g->list[g->first + i];
  }
  const int* const out = g->list + 2 * g->first;
  for (int i = 0; i < g->second && i < maxoutdegree; i++) {
    destinations[i] = out[i];
    if (g->is_weighted && destweights != MPI_UNWEIGHTED) destweights[i] = out[g->second + i];
  }
  return MPI_SUCCESS;
}

int polyloom_graph_neighbours(MPI_Comm comm, const int** sources, int* in, const int** destinations,
                              int* out) {
  const struct polyloom_graph* const g = &polyloom_graphs[comm];
  if (g->kind == MPI_GRAPH) {
    *in = *out = edges_of(g, polyloom_comm_rank(comm), sources);
    *destinations = *sources;
  } else if (g->kind == MPI_DIST_GRAPH) {
    *in = g->first;
    *out = g->second;
    *sources = g->list;
    *destinations = g->list + 2 * g->first;
  }
  return g->kind != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of ranks, known whole and known to their neighbours; collectives of neighbours in them and in grids.
 */
#include <mpi.h>
#include <stdio.h>

enum { MOST = 16, N = 4 };
static int rank, size;
static int out[MOST * N], in[MOST * N];

static void start(void) {
  for (int i = 0; i < MOST * N; i++) {
    out[i] = 100 * rank + i;
    in[i] = -1 - i;
  }
}

static void say(const char* what) {
  unsigned sum = 2166136261u;
  for (int i = 0; i < MOST * N; i++) sum = (sum ^ (unsigned)in[i]) * 16777619u;
  printf("rank %d: %s: %08x\n", rank, what, sum);
}

/* Every collective of neighbours: to each another number of elements, which the other side knows by the pair.
 */
static void exchange(const char* name, MPI_Comm comm, int n_in, const int sources[], int n_out,
                     const int dests[]) {
  int out_counts[MOST], in_counts[MOST], out_places[MOST], in_places[MOST];
  MPI_Aint out_offsets[MOST], in_offsets[MOST];
  MPI_Datatype out_types[MOST], in_types[MOST], column;
  MPI_Request r;
  MPI_Type_vector(2, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < n_out; i++) {
    out_counts[i] = dests[i] < 0 ? 1 : 1 + (rank + dests[i]) % 3;
    out_places[i] = N * i;
    out_offsets[i] = N * i * (MPI_Aint)sizeof(int);
    out_types[i] = dests[i] >= 0 && (rank + dests[i]) % 2 ? column : MPI_INT;
  }
  for (int i = 0; i < n_in; i++) {
    in_counts[i] = sources[i] < 0 ? 1 : 1 + (rank + sources[i]) % 3;
    in_places[i] = N * i + 1;
    in_offsets[i] = N * i * (MPI_Aint)sizeof(int);
    in_types[i] = sources[i] >= 0 && (rank + sources[i]) % 2 ? column : MPI_INT;
  }
  printf("rank %d: %s: in %d, out %d\n", rank, name, n_in, n_out);
  start();
  MPI_Ineighbor_allgather(out, 2, MPI_INT, in, 1, column, comm, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  say("allgather");
  start();
  MPI_Neighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm);
  say("alltoall");
  start();
  MPI_Neighbor_alltoallv(out, out_counts, out_places, MPI_INT, in, in_counts, in_places, MPI_INT, comm);
  say("alltoallv");
  for (int i = 0; i < n_in; i++) in_counts[i] = sources[i] < 0 ? 1 : 1 + sources[i] % 3;
  start();
  MPI_Neighbor_allgatherv(out, 1 + rank % 3, MPI_INT, in, in_counts, in_places, MPI_INT, comm);
  say("allgatherv");
  for (int i = 0; i < MOST; i++) out_counts[i] = in_counts[i] = 1;
  start();
  MPI_Neighbor_alltoallw(out, out_counts, out_offsets, out_types, in, in_counts, in_offsets, in_types, comm);
  say("alltoallw");
  MPI_Type_free(&column);
}

static void grid(void) {
  int shape[2] = {0, 0}, periods[2] = {1, 0}, neighbours[4];
  MPI_Comm comm;
  MPI_Dims_create(size, 2, shape);
  MPI_Cart_create(MPI_COMM_WORLD, 2, shape, periods, 0, &comm);
  for (int d = 0; d < 2; d++) MPI_Cart_shift(comm, d, 1, &neighbours[2 * d], &neighbours[2 * d + 1]);
  for (int i = 0; i < 4; i++) neighbours[i] = neighbours[i] == MPI_PROC_NULL ? -1 : neighbours[i];
  exchange("grid", comm, 4, neighbours, 4, neighbours);
  MPI_Comm_free(&comm);
}

/* Rank 0 and each other know one another; one more has no edge to anyone. */
static void star(void) {
  int index[MOST], edges[2 * MOST], got_index[MOST], got_edges[2 * MOST], n, nodes, count, kind, mapped,
      mine[MOST];
  MPI_Comm comm, same;
  nodes = size > 2 ? size - 1 : size;
  for (int i = 0; i < nodes - 1; i++) edges[i] = i + 1;
  for (int i = 0; i < nodes; i++) {
    index[i] = nodes - 1 + i;
    if (i > 0) edges[nodes - 2 + i] = 0;
  }
  MPI_Graph_map(MPI_COMM_WORLD, nodes, index, edges, &mapped);
  MPI_Graph_create(MPI_COMM_WORLD, nodes, index, edges, 0, &comm);
  printf("rank %d: a star of %d, mapped %d, in it %d\n", rank, nodes, rank < nodes ? mapped : -1,
         comm != MPI_COMM_NULL);
  if (comm == MPI_COMM_NULL) return;
  MPI_Comm_dup(comm, &same);
  MPI_Comm_free(&comm);
  MPI_Topo_test(same, &kind);
  MPI_Graphdims_get(same, &nodes, &count);
  MPI_Graph_get(same, MOST, 2 * MOST, got_index, got_edges);
  printf("rank %d: graph %d: %d nodes, %d edges, last %d %d\n", rank, kind == MPI_GRAPH, nodes, count,
         got_index[nodes - 1], count > 0 ? got_edges[count - 1] : -1);
  MPI_Graph_neighbors_count(same, rank, &n);
  MPI_Graph_neighbors(same, rank, MOST, mine);
  exchange("star", same, n, mine, n, mine);
  MPI_Comm_free(&same);
}

/* Each to the ranks 1, 2 and, twice, size - 1 places on. */
static void directed(void) {
  int sources[4], dests[4], weights[8], got[4], got_weights[4], to[4], to_weights[4], n_in, n_out, weighted,
      kind;
  const int by[4] = {1, 2, size - 1, size - 1};
  MPI_Comm comm;
  for (int i = 0; i < 4; i++) {
    dests[i] = (rank + by[i]) % size;
    sources[i] = (rank + 2 * size - by[i]) % size;
    weights[i] = 10 * rank + i;
    weights[4 + i] = 10 * sources[i] + i;
  }
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 4, sources, weights + 4, 4, dests, weights, MPI_INFO_NULL, 0,
                                 &comm);
  MPI_Topo_test(comm, &kind);
  MPI_Dist_graph_neighbors_count(comm, &n_in, &n_out, &weighted);
  MPI_Dist_graph_neighbors(comm, n_in, got, got_weights, n_out, to, to_weights);
  printf("rank %d: directed %d, weighted %d, from %d by %d, to %d by %d\n", rank, kind == MPI_DIST_GRAPH,
         weighted, got[1], got_weights[1], to[2], to_weights[2]);
  exchange("directed", comm, n_in, got, n_out, to);
  MPI_Comm_free(&comm);
}

/* Rank 0 knows the first half of a ring, the last rank the other. */
static void reported(void) {
  int sources[MOST], degrees[MOST], dests[MOST], got[MOST], to[MOST], n = 0, n_in, n_out, weighted;
  const int half = size / 2, first = rank == 0 ? 0 : half,
            end = rank == size - 1 ? size
                  : rank == 0      ? half
                                   : 0;
  MPI_Comm comm;
  for (int i = first; i < end; i++, n++) {
    sources[n] = i;
    degrees[n] = 1;
    dests[n] = (i + 1) % size;
  }
  MPI_Dist_graph_create(MPI_COMM_WORLD, n, sources, degrees, dests, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  MPI_Dist_graph_neighbors_count(comm, &n_in, &n_out, &weighted);
  MPI_Dist_graph_neighbors(comm, n_in, got, MPI_UNWEIGHTED, n_out, to, MPI_UNWEIGHTED);
  printf("rank %d: told %d %d, weighted %d, from %d to %d\n", rank, n_in, n_out, weighted, got[0], to[0]);
  exchange("reported", comm, n_in, got, n_out, to);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  grid();
  star();
  directed();
  reported();
  MPI_Finalize();
  return 0;
}

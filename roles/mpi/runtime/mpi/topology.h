/* SPDX-License-Identifier: Apache-2.0 */
/* Grids and graphs of communicators, by their number. */
#pragma once

#include "internal.h"

#define POLYLOOM_DIMS 8

struct polyloom_grid {
  int is_grid, ndims, dims[POLYLOOM_DIMS], periods[POLYLOOM_DIMS];
};
extern struct polyloom_grid polyloom_grids[POLYLOOM_COMMS];
extern int polyloom_grids_made; /* as polyloom_types_made */

/* Below and above in each dimension, or MPI_PROC_NULL. */
void polyloom_grid_neighbours(MPI_Comm comm, int ranks[]);

struct polyloom_graph {
  int kind; /* MPI_GRAPH, MPI_DIST_GRAPH or 0 */
  int first, second, is_weighted;
  int* list; /* of `first` nodes the ends of their edges, `second` edges; or sources and destinations, with
                weights */
};
extern struct polyloom_graph polyloom_graphs[POLYLOOM_COMMS];
extern int polyloom_graphs_made; /* as polyloom_types_made */
void polyloom_graph_free(MPI_Comm comm);
int polyloom_graph_copy(MPI_Comm from, MPI_Comm to);
/* Of this rank; false if the communicator has no graph. */
int polyloom_graph_neighbours(MPI_Comm comm, const int** sources, int* in, const int** destinations,
                              int* out);

/* A communicator of the first `members` ranks of another, MPI_COMM_NULL at the rest; collective. */
int polyloom_comm_first(MPI_Comm comm, int call, int members, MPI_Comm* newcomm);

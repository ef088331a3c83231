/* SPDX-License-Identifier: Apache-2.0 */
/* Cartesian grids of communicators, by their number. */
#pragma once

#include "internal.h"

#define POLYLOOM_DIMS 8

struct polyloom_grid {
  int is_grid, ndims, dims[POLYLOOM_DIMS], periods[POLYLOOM_DIMS];
};
extern struct polyloom_grid polyloom_grids[POLYLOOM_COMMS];
extern int polyloom_grids_made; /* as polyloom_types_made */

/* A communicator of the first `members` ranks of another, MPI_COMM_NULL at the rest; collective. */
int polyloom_comm_first(MPI_Comm comm, int call, int members, MPI_Comm* newcomm);

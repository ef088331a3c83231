/* SPDX-License-Identifier: Apache-2.0 */
/* Groups, for those who make communicators of them. */
#pragma once

#include "internal.h"

#ifdef POLYLOOM_KERNEL
#define POLYLOOM_GROUPS 32
#else
#define POLYLOOM_GROUPS 256
#endif

/* Number 0 is MPI_GROUP_EMPTY. */
struct polyloom_group {
  int is_used, size;
  uint16_t world[POLYLOOM_MOST_RANKS];
};

/* Null if there is no such group. */
const struct polyloom_group* polyloom_group_of(MPI_Group group);

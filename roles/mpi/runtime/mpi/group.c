/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of ranks. A group is the list of its members' ranks in MPI_COMM_WORLD. */
#include "group.h"

static struct polyloom_group groups[POLYLOOM_GROUPS];

static int exists(MPI_Group group) {
  return group == MPI_GROUP_EMPTY ||
         ((int)group > 0 && (int)group < POLYLOOM_GROUPS && groups[group].is_used);
}

const struct polyloom_group* polyloom_group_of(MPI_Group group) { return exists(group) ? &groups[group] : 0; }

static int fail(int call, int error) { return polyloom_fail(MPI_COMM_WORLD, call, error, -1, -1); }

/* An empty one, to be filled; null if there are too many. */
static struct polyloom_group* make(MPI_Group* made) {
  for (int i = 1; i < POLYLOOM_GROUPS; i++) {
    if (groups[i].is_used) continue;
    groups[i].is_used = 1;
    groups[i].size = 0;
    *made = (MPI_Group)i;
    return &groups[i];
  }
  *made = MPI_GROUP_NULL;
  return 0;
}

static void add(struct polyloom_group* g, int world) { g->world[g->size++] = (uint16_t)world; }

static int place_of(const struct polyloom_group* g, int world) {
  for (int i = 0; i < g->size; i++) {
    if (g->world[i] == world) return i;
  }
  return MPI_UNDEFINED;
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  if (!polyloom_comm_ok(comm)) return polyloom_fail(comm, POLYLOOM_CALL_Comm_group, MPI_ERR_COMM, -1, -1);
  struct polyloom_group* const g = make(group);
  if (g == 0) return fail(POLYLOOM_CALL_Comm_group, MPI_ERR_NO_MEM);
  const int size = polyloom_comm_size(comm);
  for (int i = 0; i < size; i++) add(g, polyloom_comm_world(comm, i));
  return MPI_SUCCESS;
}

int MPI_Group_free(MPI_Group* group) {
  if (!exists(*group)) return fail(POLYLOOM_CALL_Group_free, MPI_ERR_GROUP);
  groups[*group].is_used = 0;
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}

int MPI_Group_size(MPI_Group group, int* size) {
  if (!exists(group)) return fail(POLYLOOM_CALL_Group_size, MPI_ERR_GROUP);
  *size = groups[group].size;
  return MPI_SUCCESS;
}

int MPI_Group_rank(MPI_Group group, int* rank) {
  if (!exists(group)) return fail(POLYLOOM_CALL_Group_rank, MPI_ERR_GROUP);
  *rank = place_of(&groups[group], polyloom_world_rank());
  return MPI_SUCCESS;
}

int MPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]) {
  if (!exists(group1) || !exists(group2)) return fail(POLYLOOM_CALL_Group_translate_ranks, MPI_ERR_GROUP);
  for (int i = 0; i < n; i++) {
    if (ranks1[i] != MPI_PROC_NULL && (ranks1[i] < 0 || ranks1[i] >= groups[group1].size))
      return fail(POLYLOOM_CALL_Group_translate_ranks, MPI_ERR_RANK);
    ranks2[i] = ranks1[i] == MPI_PROC_NULL ? MPI_PROC_NULL
                                           : place_of(&groups[group2], groups[group1].world[ranks1[i]]);
  }
  return MPI_SUCCESS;
}

int MPI_Group_compare(MPI_Group group1, MPI_Group group2, int* result) {
  if (!exists(group1) || !exists(group2)) return fail(POLYLOOM_CALL_Group_compare, MPI_ERR_GROUP);
  const struct polyloom_group *const a = &groups[group1], *const b = &groups[group2];
  *result = a->size == b->size ? MPI_IDENT : MPI_UNEQUAL;
  for (int i = 0; i < a->size && *result != MPI_UNEQUAL; i++) {
    const int place = place_of(b, a->world[i]);
    if (place != i) *result = place == MPI_UNDEFINED ? MPI_UNEQUAL : MPI_SIMILAR;
  }
  return MPI_SUCCESS;
}

/* Which members of two groups are in a third. */
static int combine(int call, MPI_Group group1, MPI_Group group2, int common, int only_first, int only_second,
                   MPI_Group* newgroup) {
  if (!exists(group1) || !exists(group2)) return fail(call, MPI_ERR_GROUP);
  struct polyloom_group* const g = make(newgroup);
  if (g == 0) return fail(call, MPI_ERR_NO_MEM);
  const struct polyloom_group *const a = &groups[group1], *const b = &groups[group2];
  for (int i = 0; i < a->size; i++) {
    if (place_of(b, a->world[i]) == MPI_UNDEFINED ? only_first : common) add(g, a->world[i]);
  }
  for (int i = 0; only_second && i < b->size; i++) {
    if (place_of(a, b->world[i]) == MPI_UNDEFINED) add(g, b->world[i]);
  }
  return MPI_SUCCESS;
}

int MPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return combine(POLYLOOM_CALL_Group_union, group1, group2, 1, 1, 1, newgroup);
}

int MPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return combine(POLYLOOM_CALL_Group_intersection, group1, group2, 1, 0, 0, newgroup);
}

int MPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return combine(POLYLOOM_CALL_Group_difference, group1, group2, 0, 1, 0, newgroup);
}

/* Members of ranges {first, last, stride} in their order, or with `others` all but these in that of the
 * group. */
static int select(int call, MPI_Group group, int n, const int (*ranges)[3], int others, MPI_Group* newgroup) {
  static uint8_t is_named[POLYLOOM_MOST_RANKS];
  if (!exists(group)) return fail(call, MPI_ERR_GROUP);
  const struct polyloom_group* const from = &groups[group];
  struct polyloom_group* const g = make(newgroup);
  if (g == 0) return fail(call, MPI_ERR_NO_MEM);
  int error = MPI_SUCCESS;
  for (int i = 0; i < from->size; i++) is_named[i] = 0;
  for (int i = 0; i < n && error == MPI_SUCCESS; i++) {
    const int step = ranges[i][2];
    if (step == 0) error = MPI_ERR_ARG;
    for (int rank = ranges[i][0];
         error == MPI_SUCCESS && (step > 0 ? rank <= ranges[i][1] : rank >= ranges[i][1]); rank += step) {
      if (rank < 0 || rank >= from->size || is_named[rank]) {
        error = MPI_ERR_RANK;
      } else {
        is_named[rank] = 1;
        if (!others) add(g, from->world[rank]);
      }
    }
  }
  if (error != MPI_SUCCESS) {
    MPI_Group_free(newgroup);
    return fail(call, error);
  }
  for (int i = 0; others && i < from->size; i++) {
    if (!is_named[i]) add(g, from->world[i]);
  }
  return MPI_SUCCESS;
}

int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return select(POLYLOOM_CALL_Group_range_incl, group, n, (const int(*)[3])ranges, 0, newgroup);
}

int MPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return select(POLYLOOM_CALL_Group_range_excl, group, n, (const int(*)[3])ranges, 1, newgroup);
}

static int list(int call, MPI_Group group, int n, const int ranks[], int others, MPI_Group* newgroup) {
  static int ranges[POLYLOOM_MOST_RANKS][3];
  if (n < 0 || n > POLYLOOM_MOST_RANKS) return fail(call, MPI_ERR_ARG);
  for (int i = 0; i < n; i++) {
    ranges[i][0] = ranges[i][1] = ranks[i];
    ranges[i][2] = 1;
  }
  return select(call, group, n, (const int(*)[3])ranges, others, newgroup);
}

int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return list(POLYLOOM_CALL_Group_incl, group, n, ranks, 0, newgroup);
}

int MPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return list(POLYLOOM_CALL_Group_excl, group, n, ranks, 1, newgroup);
}

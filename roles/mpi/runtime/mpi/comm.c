/* SPDX-License-Identifier: Apache-2.0 */
/* Start, end, errors and communicators. */
#include "environment.h"
#include "flight.h"
#include "group.h"
#include "nonblocking.h"
#include "requests.h"
#include "topology.h"

struct polyloom_comm polyloom_comms[POLYLOOM_COMMS];
char polyloom_in_place[16];

static int is_initialized, is_finalized;

int polyloom_fail(MPI_Comm comm, int call, int error, int peer, int tag) {
  const int known = polyloom_comm_ok(comm);
  const MPI_Errhandler handler = (MPI_Errhandler)polyloom_comms[known ? (int)comm : 0].errors;
  if (handler != MPI_ERRORS_ARE_FATAL) {
    if (polyloom_handlers_made) polyloom_handle(handler, known ? comm : MPI_COMM_WORLD, error);
    return error;
  }
  struct polyloom_abort reason;
  reason.code = 1;
  reason.error = (uint32_t)error;
  reason.call = (uint32_t)call;
  reason.peer = known && peer >= 0 && peer < polyloom_comm_size(comm)
                    ? (uint32_t)polyloom_comm_world(comm, peer)
                    : (uint32_t)peer;
  reason.tag = tag;
  reason.comm = known ? polyloom_comm_wire(comm, 0) : 0xFFFFu;
  polyloom_platform_abort(&reason);
}

int polyloom_error_class(unsigned engine_error) {
  switch (engine_error) {
    case POLYLOOM_OK:
      return MPI_SUCCESS;
    case POLYLOOM_TRUNCATED:
      return MPI_ERR_TRUNCATE;
    case POLYLOOM_TYPE_DIFFERS:
      return MPI_ERR_TYPE;
    case POLYLOOM_NO_RESPONSE:
      return MPI_ERR_OTHER;
    case POLYLOOM_TOO_MANY:
      return MPI_ERR_NO_MEM;
    case POLYLOOM_NO_SUCH:
      return MPI_ERR_RANK;
    default:
      return MPI_ERR_BUFFER;
  }
}

int polyloom_unfinished(void) { return is_initialized && !is_finalized; }

int polyloom_init(void) {
  if (!is_initialized) polyloom_platform_start();
  is_initialized = 1;
  return MPI_SUCCESS;
}

int(MPI_Init)(int* argc, char*** argv) {
  (void)argc;
  (void)argv;
  return polyloom_init();
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  (void)argc;
  (void)argv;
  *provided = required < MPI_THREAD_FUNNELED ? required : MPI_THREAD_FUNNELED;
  return polyloom_init();
}

int MPI_Query_thread(int* provided) {
  *provided = MPI_THREAD_FUNNELED;
  return MPI_SUCCESS;
}

int MPI_Is_thread_main(int* flag) {
  *flag = 1;
  return MPI_SUCCESS;
}

int MPI_Initialized(int* flag) {
  *flag = is_initialized;
  return MPI_SUCCESS;
}

int MPI_Finalized(int* flag) {
  *flag = is_finalized;
  return MPI_SUCCESS;
}

int MPI_Finalize(void) {
  if (polyloom_attributes_made) polyloom_delete_attributes(MPI_COMM_SELF);
  if (polyloom_left_made) polyloom_finish_requests();
  is_finalized = 1;
  polyloom_platform_finish();
  return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int errorcode) {
  struct polyloom_abort reason;
  reason.code = errorcode;
  reason.error = 0;
  reason.call = POLYLOOM_CALL_Abort;
  reason.peer = 0xFFFF;
  reason.tag = -1;
  reason.comm = polyloom_comm_ok(comm) ? polyloom_comm_wire(comm, 0) : 0xFFFFu;
  polyloom_platform_abort(&reason);
}

double MPI_Wtime(void) { return polyloom_platform_time(); }
double MPI_Wtick(void) { return polyloom_platform_tick(); }

int MPI_Get_version(int* version, int* subversion) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  if (!polyloom_comm_ok(comm)) return polyloom_fail(comm, POLYLOOM_CALL_Comm_rank, MPI_ERR_COMM, -1, -1);
  *rank = polyloom_comm_rank(comm);
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  if (!polyloom_comm_ok(comm)) return polyloom_fail(comm, POLYLOOM_CALL_Comm_size, MPI_ERR_COMM, -1, -1);
  *size = polyloom_comm_size(comm);
  return MPI_SUCCESS;
}

int polyloom_comm_local(MPI_Comm comm, int world) {
  if (comm == MPI_COMM_WORLD) return world;
  const int size = polyloom_comm_size(comm);
  for (int i = 0; i < size; i++) {
    if (polyloom_comm_world(comm, i) == world) return i;
  }
  return MPI_UNDEFINED;
}

int MPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result) {
  if (!polyloom_comm_ok(comm1) || !polyloom_comm_ok(comm2)) {
    return polyloom_fail(comm1, POLYLOOM_CALL_Comm_compare, MPI_ERR_COMM, -1, -1);
  }
  const int size = polyloom_comm_size(comm1);
  *result = comm1 == comm2 ? MPI_IDENT : MPI_CONGRUENT;
  if (polyloom_comm_size(comm2) != size) {
    *result = MPI_UNEQUAL;
    return MPI_SUCCESS;
  }
  for (int i = 0; i < size; i++) {
    const int world = polyloom_comm_world(comm1, i);
    if (world == polyloom_comm_world(comm2, i)) continue;
    if (polyloom_comm_local(comm2, world) == MPI_UNDEFINED) {
      *result = MPI_UNEQUAL;
      return MPI_SUCCESS;
    }
    *result = MPI_SIMILAR;
  }
  return MPI_SUCCESS;
}

/* Places that this rank has free, a bit for each. */
static uint64_t free_places(void) {
  uint64_t places = 0;
  for (int i = 2; i < POLYLOOM_COMMS; i++) {
    if (!polyloom_comms[i].used) places |= (uint64_t)1 << i;
  }
  return places;
}

/* The first place that is free at all members. */
static int take_place(MPI_Comm parent, int call, uint64_t places, MPI_Comm* newcomm) {
  for (int i = 2; i < POLYLOOM_COMMS; i++) {
    if (!(places >> i & 1)) continue;
    polyloom_comms[i].errors = polyloom_comms[parent].errors;
    if (polyloom_grids_made) polyloom_grids[i].is_grid = 0;
    if (polyloom_nonblocking_made) polyloom_nonblocking_new_comm((MPI_Comm)i);
    *newcomm = (MPI_Comm)i;
    return MPI_SUCCESS;
  }
  return polyloom_fail(parent, call, MPI_ERR_NO_MEM, -1, -1);
}

POLYLOOM_ONCE static int new_comm(MPI_Comm parent, int call, MPI_Comm* newcomm) {
  const uint64_t mine = free_places();
  uint64_t places = 0;
  const int error = MPI_Allreduce(&mine, &places, 1, MPI_UINT64_T, MPI_BAND, parent);
  return error != MPI_SUCCESS ? error : take_place(parent, call, places, newcomm);
}

/* Ranks 0 to members - 1 of the parent are its members, in their order. */
int polyloom_comm_first(MPI_Comm comm, int call, int members, MPI_Comm* newcomm) {
  if (!polyloom_comm_ok(comm)) return polyloom_fail(comm, call, MPI_ERR_COMM, -1, -1);
  const int error = new_comm(comm, call, newcomm);
  if (error != MPI_SUCCESS) return error;
  struct polyloom_comm* made = &polyloom_comms[*newcomm];
  made->size = (uint16_t)members;
  made->rank = (uint16_t)polyloom_comm_rank(comm);
  for (int i = 0; i < made->size; i++) made->world[i] = (uint16_t)polyloom_comm_world(comm, i);
  made->used = made->rank < made->size;
  if (!made->used) *newcomm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  const int size = polyloom_comm_ok(comm) ? polyloom_comm_size(comm) : 0;
  int error = polyloom_comm_first(comm, POLYLOOM_CALL_Comm_dup, size, newcomm);
  if (error == MPI_SUCCESS && polyloom_grids_made) polyloom_grids[*newcomm] = polyloom_grids[comm];
  if (error == MPI_SUCCESS && polyloom_graphs_made) error = polyloom_graph_copy(comm, *newcomm);
  if (error == MPI_SUCCESS && polyloom_attributes_made) return polyloom_copy_attributes(comm, *newcomm);
  return error;
}

/* Colour and key of each rank of the parent; members of a colour are put in order by insertion. */
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  static int32_t all[2 * POLYLOOM_MOST_RANKS];
  static int32_t keys[POLYLOOM_MOST_RANKS];
  if (!polyloom_comm_ok(comm)) return polyloom_fail(comm, POLYLOOM_CALL_Comm_split, MPI_ERR_COMM, -1, -1);
  if (color < 0 && color != MPI_UNDEFINED) {
    return polyloom_fail(comm, POLYLOOM_CALL_Comm_split, MPI_ERR_ARG, -1, -1);
  }
  const int32_t mine[2] = {color, key};
  int error = MPI_Allgather(mine, 2, MPI_INT32_T, all, 2, MPI_INT32_T, comm);
  MPI_Comm made_number;
  if (error == MPI_SUCCESS) error = new_comm(comm, POLYLOOM_CALL_Comm_split, &made_number);
  if (error != MPI_SUCCESS) return error;
  *newcomm = MPI_COMM_NULL;
  if (color == MPI_UNDEFINED) return MPI_SUCCESS;
  struct polyloom_comm* made = &polyloom_comms[made_number];
  const int size = polyloom_comm_size(comm);
  int members = 0;
  for (int i = 0; i < size; i++) {
    if (all[2 * i] != color) continue;
    int at = members++;
    while (at > 0 && keys[at - 1] > all[2 * i + 1]) {
      keys[at] = keys[at - 1];
      made->world[at] = made->world[at - 1];
      at--;
    }
    keys[at] = all[2 * i + 1];
    made->world[at] = (uint16_t)polyloom_comm_world(comm, i);
  }
  made->size = (uint16_t)members;
  for (int i = 0; i < members; i++) {
    if (made->world[i] == polyloom_world_rank()) made->rank = (uint16_t)i;
  }
  made->used = 1;
  *newcomm = made_number;
  return MPI_SUCCESS;
}

int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
  (void)info;
  if (split_type != MPI_COMM_TYPE_SHARED && split_type != MPI_UNDEFINED)
    return polyloom_fail(comm, POLYLOOM_CALL_Comm_split_type, MPI_ERR_ARG, -1, -1);
  return MPI_Comm_split(comm, split_type == MPI_UNDEFINED ? MPI_UNDEFINED : polyloom_platform_node(), key,
                        newcomm);
}

/* The group's members become those of a place of the table. */
static void fill(MPI_Comm* newcomm, const struct polyloom_group* group) {
  struct polyloom_comm* made = &polyloom_comms[*newcomm];
  *newcomm = MPI_COMM_NULL;
  for (int i = 0; i < group->size; i++) {
    made->world[i] = group->world[i];
    if (group->world[i] != polyloom_world_rank()) continue;
    made->rank = (uint16_t)i;
    *newcomm = (MPI_Comm)(made - polyloom_comms);
  }
  made->size = (uint16_t)group->size;
  made->used = *newcomm != MPI_COMM_NULL;
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  const struct polyloom_group* const g = polyloom_group_of(group);
  int error = !polyloom_comm_ok(comm) ? MPI_ERR_COMM : g == 0 ? MPI_ERR_GROUP : MPI_SUCCESS;
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Comm_create, error, -1, -1);
  error = new_comm(comm, POLYLOOM_CALL_Comm_create, newcomm);
  if (error == MPI_SUCCESS) fill(newcomm, g);
  return error;
}

/* Only the members call this, so the first of them finds out which places are free. */
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  struct polyloom_flight f;
  const int call = POLYLOOM_CALL_Comm_create_group;
  const struct polyloom_group* const g = polyloom_group_of(group);
  int error = !polyloom_comm_ok(comm) ? MPI_ERR_COMM : g == 0 ? MPI_ERR_GROUP : MPI_SUCCESS;
  (void)tag;
  if (error != MPI_SUCCESS) return polyloom_fail(comm, call, error, -1, -1);
  uint64_t places = free_places();
  polyloom_flight_begin(&f, comm, call);
  const int first = g->size == 0 ? 0 : polyloom_comm_local(comm, g->world[0]);
  if (g->size > 0 && g->world[0] == polyloom_world_rank()) {
    for (int i = 1; i < g->size; i++) {
      uint64_t theirs = 0;
      polyloom_flight_receive(&f, &theirs, sizeof theirs, MPI_UINT64_T,
                              polyloom_comm_local(comm, g->world[i]));
      polyloom_flight_drain(&f);
      places &= theirs;
    }
    for (int i = 1; i < g->size; i++)
      polyloom_flight_send(&f, &places, sizeof places, MPI_UINT64_T, polyloom_comm_local(comm, g->world[i]));
  } else if (g->size > 0) {
    polyloom_flight_send(&f, &places, sizeof places, MPI_UINT64_T, first);
    polyloom_flight_drain(&f);
    polyloom_flight_receive(&f, &places, sizeof places, MPI_UINT64_T, first);
  }
  error = polyloom_flight_result(&f);
  if (error == MPI_SUCCESS) error = take_place(comm, call, places, newcomm);
  if (error == MPI_SUCCESS) fill(newcomm, g);
  return error;
}

int MPI_Comm_free(MPI_Comm* comm) {
  if (!polyloom_comm_ok(*comm) || (int)*comm <= 1) {
    return polyloom_fail(*comm, POLYLOOM_CALL_Comm_free, MPI_ERR_COMM, -1, -1);
  }
  if (polyloom_attributes_made) polyloom_delete_attributes(*comm);
  if (polyloom_names_made) polyloom_delete_name(*comm);
  if (polyloom_graphs_made) polyloom_graph_free(*comm);
  polyloom_comms[*comm].used = 0;
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

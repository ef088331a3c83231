/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives whose blocks have each their own length, place or type, and Alltoall. All messages are under
 * way at once, each rank beginning with its neighbour, so that no link has to take all first blocks. */
#include "blocks.h"
#include "flight.h"

/* The ranks to which `out` goes and from which `in` comes, in the order of their use. */
struct route {
  int count, first_out, step_out, first_in, step_in, size;
};
static inline int out_of(const struct route* r, int i) {
  return (r->first_out + r->step_out * i + r->size) % r->size;
}
static inline int in_of(const struct route* r, int i) {
  return (r->first_in + r->step_in * i + r->size) % r->size;
}

/* Sends blocks and takes others. What has gaps is packed, one after the other in the order of use; if what is
 * sent lies where something else arrives, all is. */
POLYLOOM_SPECIALIZE static inline void exchange(struct polyloom_flight* f, const struct route* r,
                                                const struct blocks* out, const struct blocks* in,
                                                int is_in_place) {
  uint32_t room = 0, packed = 0, at;
  char* flat = 0;
  for (int i = 0; i < r->count; i++) {
    if (out && (is_in_place || polyloom_type_has_gaps(type_of(out, out_of(r, i)))))
      packed += bytes_of(out, out_of(r, i));
    if (in && polyloom_type_has_gaps(type_of(in, in_of(r, i)))) room += bytes_of(in, in_of(r, i));
  }
  if (packed + room > 0) {
    flat = (char*)polyloom_platform_keep(packed + room);
    if (flat == 0) {
      f->error = MPI_ERR_INTERN;
      return;
    }
  }
  at = 0;
  for (int i = 0; out && packed > 0 && i < r->count; i++) {
    const int to = out_of(r, i);
    if (!is_in_place && !polyloom_type_has_gaps(type_of(out, to))) continue;
    polyloom_pack(place_of(out, to), count_of(out, to), type_of(out, to), flat + at, bytes_of(out, to));
    at += bytes_of(out, to);
  }
  uint32_t in_at = at;
  at = 0;
  for (int i = 0; i < r->count; i++) {
    if (in) {
      const int from = in_of(r, i), has_gaps = polyloom_type_has_gaps(type_of(in, from));
      polyloom_flight_receive(f, has_gaps ? flat + in_at : place_of(in, from), bytes_of(in, from),
                              polyloom_type_wire(type_of(in, from)), from);
      if (has_gaps) in_at += bytes_of(in, from);
    }
    if (out) {
      const int to = out_of(r, i), is_packed = is_in_place || polyloom_type_has_gaps(type_of(out, to));
      polyloom_flight_send(f, is_packed ? flat + at : place_of(out, to), bytes_of(out, to),
                           polyloom_type_wire(type_of(out, to)), to);
      if (is_packed) at += bytes_of(out, to);
    }
  }
  if (packed + room == 0) return;
  polyloom_flight_drain(f);
  in_at = at;
  for (int i = 0; in && room > 0 && i < r->count; i++) {
    const int from = in_of(r, i);
    if (!polyloom_type_has_gaps(type_of(in, from))) continue;
    polyloom_unpack(place_of(in, from), count_of(in, from), type_of(in, from), flat + in_at,
                    bytes_of(in, from));
    in_at += bytes_of(in, from);
  }
  polyloom_platform_release(flat);
}

/* One's own block stays here; then the others'. */
POLYLOOM_SPECIALIZE static inline int all_to_all(int call, const struct blocks* out, const struct blocks* in,
                                                 int is_in_place, MPI_Comm comm) {
  struct polyloom_flight f;
  const int size = polyloom_comm_size(comm), rank = polyloom_comm_rank(comm);
  const struct route r = {size - 1, rank + 1, 1, rank - 1, -1, size};
  polyloom_flight_begin(&f, comm, call);
  if (!is_in_place) f.error = copy(in, rank, out, rank);
  if (f.error == MPI_SUCCESS) exchange(&f, &r, out, in, is_in_place);
  return polyloom_flight_result(&f);
}

/* The root's side of Gatherv and Scatterv has blocks, the others' one. */
POLYLOOM_SPECIALIZE static inline int rooted(int call, const struct blocks* blocks, const struct blocks* own,
                                             int is_gather, int in_place, int root, MPI_Comm comm) {
  struct polyloom_flight f;
  const int size = polyloom_comm_size(comm), rank = polyloom_comm_rank(comm);
  polyloom_flight_begin(&f, comm, call);
  if (rank != root) {
    const struct route r = {1, root, 0, root, 0, size};
    exchange(&f, &r, is_gather ? own : 0, is_gather ? 0 : own, 0);
  } else {
    const struct route r = {size - 1, root + 1, 1, root + 1, 1, size};
    exchange(&f, &r, is_gather ? 0 : blocks, is_gather ? blocks : 0, 0);
    if (!in_place && f.error == MPI_SUCCESS)
      f.error = is_gather ? copy(blocks, root, own, 0) : copy(own, 0, blocks, root);
  }
  return polyloom_flight_result(&f);
}

/* What all of these check; counts of each rank are the program's. */
static inline int check(MPI_Comm comm, int count, MPI_Datatype type, MPI_Datatype listed, int root) {
  const int error = polyloom_check(comm, count, type, root);
  return error == MPI_SUCCESS && !polyloom_type_ok(listed) ? MPI_ERR_TYPE : error;
}

int MPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const int in_place = recvbuf == MPI_IN_PLACE;
  const int error = polyloom_check(comm, in_place ? 0 : recvcount, in_place ? MPI_BYTE : recvtype, root);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Scatterv, error, root, -1);
  const struct blocks all = {(char*)sendbuf, sendcounts, displs, 0, 0, sendtype, 0};
  const struct blocks own = {(char*)recvbuf, 0, 0, 0, recvcount, recvtype, 0};
  return rooted(POLYLOOM_CALL_Scatterv, &all, &own, 0, in_place, root, comm);
}

int MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const int in_place = sendbuf == MPI_IN_PLACE;
  const int error = polyloom_check(comm, in_place ? 0 : sendcount, in_place ? MPI_BYTE : sendtype, root);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Gatherv, error, root, -1);
  const struct blocks all = {(char*)recvbuf, recvcounts, displs, 0, 0, recvtype, 0};
  const struct blocks own = {(char*)sendbuf, 0, 0, 0, sendcount, sendtype, 0};
  return rooted(POLYLOOM_CALL_Gatherv, &all, &own, 1, in_place, root, comm);
}

int MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  const int in_place = sendbuf == MPI_IN_PLACE;
  const int error = check(comm, in_place ? 0 : sendcount, in_place ? MPI_BYTE : sendtype, recvtype, 0);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Allgatherv, error, -1, -1);
  const int rank = polyloom_comm_rank(comm);
  const struct blocks in = {(char*)recvbuf, recvcounts, displs, 0, 0, recvtype, 0};
  const struct blocks out = {in_place ? place_of(&in, rank) : (char*)sendbuf,
                             0,
                             0,
                             0,
                             in_place ? recvcounts[rank] : sendcount,
                             in_place ? recvtype : sendtype,
                             0};
  return all_to_all(POLYLOOM_CALL_Allgatherv, &out, &in, 0, comm);
}

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm) {
  const int in_place = sendbuf == MPI_IN_PLACE;
  const int error = check(comm, recvcount, recvtype, in_place ? recvtype : sendtype, 0);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Alltoall, error, -1, -1);
  const struct blocks in = {(char*)recvbuf, 0, 0, 0, recvcount, recvtype, recvcount};
  const struct blocks out = {(char*)sendbuf, 0, 0, 0, sendcount, sendtype, sendcount};
  return all_to_all(POLYLOOM_CALL_Alltoall, in_place ? &in : &out, &in, in_place, comm);
}

int MPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                  void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                  MPI_Comm comm) {
  const int in_place = sendbuf == MPI_IN_PLACE;
  const int error = check(comm, 0, recvtype, in_place ? recvtype : sendtype, 0);
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Alltoallv, error, -1, -1);
  const struct blocks in = {(char*)recvbuf, recvcounts, rdispls, 0, 0, recvtype, 0};
  const struct blocks out = {(char*)sendbuf, sendcounts, sdispls, 0, 0, sendtype, 0};
  return all_to_all(POLYLOOM_CALL_Alltoallv, in_place ? &in : &out, &in, in_place, comm);
}

int MPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                  const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                  const MPI_Datatype recvtypes[], MPI_Comm comm) {
  const int in_place = sendbuf == MPI_IN_PLACE;
  int error = polyloom_check(comm, 0, MPI_BYTE, 0);
  for (int i = 0; error == MPI_SUCCESS && i < polyloom_comm_size(comm); i++) {
    error = check(comm, 0, recvtypes[i], in_place ? MPI_BYTE : sendtypes[i], 0);
  }
  if (error != MPI_SUCCESS) return polyloom_fail(comm, POLYLOOM_CALL_Alltoallw, error, -1, -1);
  const struct blocks in = {(char*)recvbuf, recvcounts, rdispls, recvtypes, 0, MPI_BYTE, 0};
  const struct blocks out = {(char*)sendbuf, sendcounts, sdispls, sendtypes, 0, MPI_BYTE, 0};
  return all_to_all(POLYLOOM_CALL_Alltoallw, in_place ? &in : &out, &in, in_place, comm);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of MPI calls, for messages about what failed or waits, and tags of collectives. For C and C++. */
#pragma once

/* clang-format off */
#define POLYLOOM_CALLS(X) \
  X(Init) X(Finalize) X(Abort) X(Comm_rank) X(Comm_size) X(Comm_dup) X(Comm_split) X(Comm_free) \
  X(Comm_compare) X(Comm_set_errhandler) X(Comm_get_errhandler) X(Send) X(Ssend) X(Rsend) X(Recv) \
  X(Isend) X(Issend) X(Irsend) X(Irecv) X(Wait) X(Waitall) X(Waitany) X(Waitsome) X(Test) \
  X(Testall) X(Testany) X(Sendrecv) X(Sendrecv_replace) X(Probe) X(Iprobe) X(Get_count) \
  X(Type_size) X(Barrier) X(Bcast) X(Scatter) X(Gather) X(Scatterv) X(Gatherv) X(Allgather) \
  X(Allgatherv) X(Alltoall) X(Reduce) X(Allreduce) X(Reduce_scatter_block) X(Scan) X(Exscan) \
  X(Type_contiguous) X(Type_vector) X(Type_create_hvector) X(Type_indexed) X(Type_create_hindexed) \
  X(Type_create_indexed_block) X(Type_create_hindexed_block) X(Type_create_struct) \
  X(Type_create_subarray) X(Type_create_resized) X(Type_dup) X(Type_commit) X(Type_free) \
  X(Type_get_extent) X(Type_get_true_extent) X(Pack_size) X(Pack) X(Unpack) X(Alltoallv) X(Alltoallw) X(Reduce_scatter) \
  X(Reduce_local) X(Op_create) X(Op_free) \
  X(Comm_group) X(Group_free) X(Group_size) X(Group_rank) X(Group_translate_ranks) \
  X(Group_compare) X(Group_union) X(Group_intersection) X(Group_difference) \
  X(Group_range_incl) X(Group_range_excl) X(Group_incl) X(Group_excl) X(Comm_create) \
  X(Comm_create_group) X(Cart_create) X(Cart_map) X(Topo_test) X(Cartdim_get) \
  X(Cart_get) X(Cart_rank) X(Cart_coords) X(Cart_shift) X(Cart_sub) X(Dims_create) \
  X(Neighbor_allgather) X(Neighbor_alltoall) \
  X(Send_init) X(Ssend_init) X(Recv_init) X(Start) X(Startall) X(Request_free) \
  X(Buffer_attach) X(Buffer_detach) X(Bsend) X(Ibsend) X(Mprobe) X(Improbe) X(Mrecv) \
  X(Imrecv) X(Testsome) X(Comm_create_keyval) X(Comm_free_keyval) X(Comm_set_attr) \
  X(Comm_get_attr) X(Comm_delete_attr) X(Comm_set_name) X(Comm_get_name) X(Info_create) \
  X(Info_set) X(Info_get) X(Info_get_valuelen) X(Info_get_nkeys) X(Info_get_nthkey) \
  X(Info_delete) X(Info_free) X(Info_dup) \
  X(Ibarrier) X(Ibcast) X(Igather) X(Igatherv) X(Iscatter) X(Iscatterv) X(Iallgather) X(Iallgatherv) \
  X(Ialltoall) X(Ialltoallv) X(Ialltoallw) X(Ireduce) X(Iallreduce) X(Ireduce_scatter) \
  X(Ireduce_scatter_block) X(Iscan) X(Iexscan) X(Bsend_init) X(Comm_split_type) X(Type_set_name) \
  X(Type_get_name) X(Alloc_mem) X(Request_get_status) X(Type_create_darray) \
  X(Comm_create_errhandler) X(Comm_call_errhandler) X(Add_error_class) X(Add_error_code) X(Add_error_string) \
  X(Graph_create) X(Graph_map) X(Graphdims_get) X(Graph_get) \
  X(Graph_neighbors_count) X(Graph_neighbors) X(Dist_graph_create) X(Dist_graph_create_adjacent) \
  X(Dist_graph_neighbors_count) X(Dist_graph_neighbors) X(Neighbor_allgatherv) X(Neighbor_alltoallv) \
  X(Neighbor_alltoallw) X(Ineighbor_allgather) X(Ineighbor_allgatherv) X(Ineighbor_alltoall) \
  X(Ineighbor_alltoallv) X(Ineighbor_alltoallw)
/* clang-format on */

enum polyloom_call {
  POLYLOOM_CALL_none,
#define X(name) POLYLOOM_CALL_##name,
  POLYLOOM_CALLS(X)
#undef X
};

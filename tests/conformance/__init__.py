# SPDX-License-Identifier: Apache-2.0
"""Small MPI programs by chapter of MPI-3.1. Input: the tables of generated.py and the files *.c.in. Output: C sources,
which any MPI library compiles, and how many ranks each wants."""

from __future__ import annotations

from pathlib import Path

from . import generated
from .program import Program, read

HERE = Path(__file__).resolve().parent

#: Program: the call or type that Polyloom has not, which its message names. A row whose program compiles fails.
ABSENT: dict[str, str] = {
    "ch3/bsend_init": "MPI_Bsend_init",
    "ch3/request_get_status": "MPI_Request_get_status",
    "ch3/status_set_elements": "MPI_Status_set_elements",
    "ch3/generalized_request": "MPI_Grequest_start",
    "ch4/darray_of_blocks": "MPI_Type_create_darray",
    "ch4/envelope_and_contents": "MPI_Type_get_envelope",
    "ch4/envelope_of_a_basic_type": "MPI_Type_get_envelope",
    "ch4/pack_external": "MPI_Pack_external",
    "ch4/match_size": "MPI_Type_match_size",
    "ch4/sizes_as_counts": "MPI_Type_size_x",
    "ch5/ibarrier": "MPI_Ibarrier",
    "ch5/ibcast": "MPI_Ibcast",
    "ch5/igather_and_iscatter": "MPI_Igather",
    "ch5/iallgather": "MPI_Iallgather",
    "ch5/ialltoall": "MPI_Ialltoall",
    "ch5/ialltoallv": "MPI_Ialltoallv",
    "ch5/igatherv_and_iallgatherv": "MPI_Igatherv",
    "ch5/iallreduce_many_at_once": "MPI_Iallreduce",
    "ch5/ireduce": "MPI_Ireduce",
    "ch5/iscan_and_iexscan": "MPI_Iscan",
    "ch5/ireduce_scatter": "MPI_Ireduce_scatter",
    "ch5/ibcast_beside_messages": "MPI_Ibcast",
    "ch6/split_type_shared": "MPI_Comm_split_type",
    "ch6/dup_with_info": "MPI_Comm_dup_with_info",
    "ch6/idup": "MPI_Comm_idup",
    "ch6/test_inter": "MPI_Comm_test_inter",
    "ch6/intercommunicator": "MPI_Intercomm_create",
    "ch6/attributes_and_names_of_types": "MPI_Type_create_keyval",
    "ch7/graph_of_a_star": "MPI_Graph_create",
    "ch7/graph_neighbor_allgather": "MPI_Graph_create",
    "ch7/dist_graph_adjacent": "MPI_Dist_graph_create_adjacent",
    "ch7/dist_graph_given_by_one": "MPI_Dist_graph_create",
    "ch7/neighbor_allgatherv_of_a_ring": "MPI_Neighbor_allgatherv",
    "ch7/neighbor_alltoallv_of_a_ring": "MPI_Neighbor_alltoallv",
    "ch7/neighbor_alltoallw_of_a_ring": "MPI_Neighbor_alltoallw",
    "ch7/ineighbor_allgather": "MPI_Ineighbor_allgather",
    "ch8/own_error_handler": "MPI_Comm_create_errhandler",
    "ch8/error_handler_called_by_the_program": "MPI_Comm_create_errhandler",
    "ch8/own_error_classes": "MPI_Add_error_class",
    # These stay: an FPGA gives no other rank its memory, and has no files.
    "ch11/put_and_fence": "MPI_Win",
    "ch11/accumulate_under_a_lock": "MPI_Win",
    "ch11/allocated_memory": "MPI_Alloc_mem",
    "ch13/write_and_read_at": "MPI_File",
}


def every_program() -> dict[str, Program]:
    """By name. ``ValueError`` if two have the same."""
    found: dict[str, Program] = {}
    for program in (*generated.programs(), *(p for path in sorted(HERE.glob("*.c.in")) for p in read(path))):
        if program.name in found:
            raise ValueError(f"two programs are called {program.name}")
        found[program.name] = program
    return found


PROGRAMS = every_program()

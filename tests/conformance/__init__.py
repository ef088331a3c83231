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
    "ch3/status_set_elements": "MPI_Status_set_elements",
    "ch3/generalized_request": "MPI_Grequest_start",
    "ch4/darray_of_blocks": "MPI_Type_create_darray",
    "ch4/envelope_and_contents": "MPI_Type_get_envelope",
    "ch4/envelope_of_a_basic_type": "MPI_Type_get_envelope",
    "ch4/pack_external": "MPI_Pack_external",
    "ch4/match_size": "MPI_Type_match_size",
    "ch6/idup": "MPI_Comm_idup",
    "ch6/intercommunicator": "MPI_Intercomm_create",
    "ch6/attributes_and_names_of_types": "MPI_Type_create_keyval",
    # These stay: an FPGA gives no other rank its memory, and has no files.
    "ch11/put_and_fence": "MPI_Win",
    "ch11/accumulate_under_a_lock": "MPI_Win",
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

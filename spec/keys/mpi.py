# SPDX-License-Identifier: Apache-2.0
"""Keys of ``[mpi]``."""

from __future__ import annotations

from spec.rows import Bytes, Integer, KeyTable, Other

MPI = KeyTable(
    "mpi",
    "An FPGA that is a rank of an MPI program ([mpi.md](../guides/mpi.md)).",
    [
        Bytes("dram", "64 MiB", "4096 B", "2 GiB", meaning="memory of a rank, whole words of 8 B"),
        Integer("dram_read_latency", 20, 1, 1000, unit="cycles", meaning="from a request to its first data"),
        Integer("dram_write_latency", 8, 1, 1000, unit="cycles", meaning="from the last data to the response"),
        Other("image", "path", "the program that `polyloom mpirun` has compiled", meaning="of the kernel's RTL"),
    ],
    space="mpi",
    former="kernel",
)

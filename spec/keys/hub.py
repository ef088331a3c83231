# SPDX-License-Identifier: Apache-2.0
"""Keys of ``[hub]``."""

from __future__ import annotations

from spec.rows import Choice, Duration, Frequency, Integer, Key, KeyTable, Names, PowerOfTwo

_OWN: list[Key] = [
    Choice("preset", ["best", "paper"], default="best", meaning="which defaults the others have"),
    PowerOfTwo("max_payload", 512, 128, 512, unit="B", paper=256, rtl="MaxPayload", meaning="of a packet"),
    Integer("slots", 8, 2, 32, rtl="Slots", meaning="packets that each input of a link holds"),
    Integer("tags", 16, 1, 32, rtl="Tags", meaning="reads of the host that are under way"),
    Integer("memory_bits", 29, 16, 32, rtl="MemoryBits", meaning="binary logarithm of the on-board memory's bytes"),
    Integer("memory_read", 24, 1, 1000, unit="cycles", meaning="of that memory, from a request to its first data"),
    Integer("memory_write", 8, 1, 1000, unit="cycles", meaning="of that memory, from the last data to the response"),
    Names("function", ["let", "pass"], form="names of operators; none: `[]`", meaning="what the function holds"),
    Integer("lanes", 7, 1, 8, rtl="Lanes", meaning="outputs of the function"),
    Integer(
        "function_width", 256, 128, 256, unit="bits", paper=128, rtl="FunctionWidth", meaning="between hub and function"
    ),
    Frequency(
        "function_clock",
        None,
        otherwise="the core clock; paper: three fifths of it",
        meaning="fifths of the core clock",
    ),
    Duration("store_latency", "300 ns", meaning="of the host's CPU, to the hub"),
    Duration("write_latency", "300 ns", meaning="of the hub's writes to the host's memory"),
    Duration("read_latency", "300 ns", meaning="of the hub's reads from it"),
    Duration("poll_latency", "100 ns", meaning="from a write to the host's memory until its CPU sees it"),
]

#: The operator `let` has these.
_LET: list[Key] = [
    Integer(
        "geometry_latency",
        0,
        0,
        1000,
        unit="cycles",
        paper=136,
        meaning="of the arithmetic of `let`; 0: as few as it takes",
    ),
    PowerOfTwo("open_depth", 4096, 4, 65536, meaning="nodes of a tree that `let` holds open for each lane"),
]

HUB = KeyTable(
    "hub",
    "An FPGA between a node's PCI Express and rings of such FPGAs ([hub.md](../guides/hub.md)).",
    [*_OWN, *_LET],
    space="hub",
    structs={"Values": _OWN},
)

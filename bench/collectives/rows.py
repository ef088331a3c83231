# SPDX-License-Identifier: Apache-2.0
"""The OPTWEB paper's measurements of collectives, and what of ours each is compared with.

A row's number is its place in the order of the paper's text (docs/sources/collectives.md, 6); `where` is the
section that prints it. Sizes are bytes a node.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from bench.common.collective import GIB, KIB, MIB

SMALLEST = 256  # a beat of 32 bytes for each of 8 nodes


@dataclass(frozen=True)
class Row:
    """One published figure and the run of a preset that reproduces it."""

    number: int
    what: str
    where: str
    cluster: str
    operation: str
    size: int
    paper: float
    unit: Literal["us", "Gb/s", "ms", "Gb/s a link"]
    limit: str = ""
    algorithm: str = ""
    changes: dict[str, str] = field(default_factory=dict)
    slow: bool = False  # not in QUICK form


ONE_LANE = {"rate": '"25.2 Gb/s"'}  # section 2.D was measured on one 28 Gb/s lane a link, x 0.9
NO_BYTES = {"contents": '"none"'}  # timing only

ROWS = [
    Row(1, "start-up, 4 FPGAs", "2.C", "optweb-paper-8", "all_to_all", 128, 0.7, "us", "", "",
        {"size": "[4]"}),
    Row(2, "unicast, direct, 0.125 KiB", "2.D", "optweb-paper-8", "unicast", 128, 0.8, "us", changes=ONE_LANE),
    Row(2, "unicast, direct, 1024 KiB", "2.D", "optweb-paper-8", "unicast", MIB, 332.4, "us", "25.2 Gb/s: 332.9 us",
        changes=ONE_LANE),
    Row(3, "unicast, two hops, 0.125 KiB", "2.D", "optweb-paper-4x2", "unicast", 128, 2.0, "us", "", "store", ONE_LANE),
    Row(3, "unicast, two hops, 1024 KiB", "2.D", "optweb-paper-4x2", "unicast", MIB, 665.0, "us", "2 x 332.9 us",
        "store", ONE_LANE),
    Row(5, "all-to-all, 360 Gb/s, smallest", "4.B.1", "optweb-paper-8", "all_to_all", SMALLEST, 0.72, "us"),
    Row(6, "all-to-all, 360 Gb/s, 64 KiB", "4.B.1", "optweb-paper-8", "all_to_all", 64 * KIB, 2.27, "us",
        "360 Gb/s: 1.46 us"),
    Row(7, "all-to-all, 360 Gb/s, 2 MiB", "4.B.1", "optweb-paper-8", "all_to_all", 2 * MIB, 358, "Gb/s", "360 Gb/s"),
    Row(8, "all-to-all, 720 Gb/s, 1 KiB", "4.B.1", "optweb-paper-8x2", "all_to_all", KIB, 0.89, "us"),
    # "Close to" 720 Gb/s is all that the paper prints; its own start-up and rate give 624.
    Row(9, "all-to-all, 720 Gb/s, 512 KiB, by 0.89 us + beta L/8", "4.B.1", "optweb-paper-8x2", "all_to_all",
        512 * KIB, 624, "Gb/s", "720 Gb/s"),
    Row(10, "all-to-all, 720 Gb/s, 4 GiB", "4.B.1", "optweb-paper-8x2", "all_to_all", 4 * GIB, 48, "ms",
        "720 Gb/s: 47.7 ms", changes=NO_BYTES, slow=True),
    Row(14, "all-to-all, FC8, 64 MiB", "4.B.2", "optweb-paper-8", "all_to_all", 64 * MIB, 44, "Gb/s a link", "45 Gb/s",
        changes=NO_BYTES, slow=True),
    Row(14, "all-to-all, GHC 4x2, 64 MiB", "4.B.2", "optweb-paper-4x2", "all_to_all", 64 * MIB, 7.3, "Gb/s a link",
        "45/6 Gb/s", changes=NO_BYTES, slow=True),
]  # fmt: skip

# Rows 11 to 13: eight CPU nodes on 100 Gb/s InfiniBand (section 4.B.1). Kept to stand beside this machine's Open MPI.
CPU_ROWS = [
    ("11", "all-to-all, 1 core a node, 2 GiB", "585 ms = 29.4 Gb/s"),
    ("12", "all-to-all, 8 cores a node, 4 GiB", "1094 ms = 31.4 Gb/s"),
    ("13", "all-gather, 1 core a node, 1 KiB (4.D.1)", "51 us"),
]

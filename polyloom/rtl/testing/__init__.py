# SPDX-License-Identifier: Apache-2.0
"""Unit tests of RTL: cocotb tests of a folder under pytest, stream agents with random stalls, one clock loop.

A test file is read by pytest (which runs the simulation) and by cocotb inside it; see polyloom/rtl/README.md.
"""

from polyloom.rtl.testing.bench import bench
from polyloom.rtl.testing.harness import Harness, Signal
from polyloom.rtl.testing.payload import BEAT, Struct, beats_of, bytes_of, signed
from polyloom.rtl.testing.program import Program, Verilated, elaborate
from polyloom.rtl.testing.stall import Stall
from polyloom.rtl.testing.stream import Monitor, Sink, Source

__all__ = [
    "BEAT",
    "Harness",
    "Monitor",
    "Program",
    "Signal",
    "Sink",
    "Source",
    "Stall",
    "Struct",
    "Verilated",
    "beats_of",
    "bench",
    "bytes_of",
    "elaborate",
    "signed",
]

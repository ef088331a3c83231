# SPDX-License-Identifier: Apache-2.0
"""What a user may choose."""

from __future__ import annotations

from dataclasses import dataclass

MOST_DRAM = 0x7000_0000  # bytes that a kernel can address


@dataclass(frozen=True)
class Options:
    """Options of ``compile_kernel``; the defaults are for a clock of 156.25 MHz."""

    delay_ns: float = 5.2  # of logic between registers: the clock's period less clock skew and routing slack
    memory_limit: int = 4 << 20  # bytes of block RAM, copies included
    object_limit: int = 2 << 20  # bytes; a larger object is in DRAM
    dram_bytes: int = MOST_DRAM  # of the node
    pipeline: bool = True  # overlap iterations of innermost loops
    checks: bool = True  # in simulation: accesses and divisors; costs no cycle
    commands: bool = False  # port 0 carries commands of ENGINE.md; so the buffers in them are checked, too
    stack_bytes: int = 64 << 10  # of functions that call themselves
    count: bool = False  # the model counts where its cycles go
    copies: int = 2  # as many copies of an array may be made to give a loop more read ports

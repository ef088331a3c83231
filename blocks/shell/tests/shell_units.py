# SPDX-License-Identifier: Apache-2.0
"""What the tests of the shell's parts share: the structs of polyloom_shell_pkg and the memories behind the DMA.

Frames and numbers are those of blocks/shell/host_frames.h.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from polyloom.rtl.testing import Struct
from polyloom.rtl.testing.harness import Harness

WORD = Struct.of("polyloom_shell_pkg::host_word_t")
RESPONSE = Struct.of("polyloom_shell_pkg::response_t")
EVENT = Struct([("code", 8), ("detail", 24), ("begin", 64), ("finish", 64), ("value", 64)])
CMD = Struct.of("polyloom_shell_pkg::dma_cmd_t", flat=True)
BURST = Struct([("addr", 40), ("len", 8)])
PROG = Struct(
    [
        ("write", 1),
        ("addr", 32),
        ("wdata", 64),
        ("scratchpad", 1),
        ("all", 1),
        ("target", 10),
        ("half", 30),
        ("pair", 1),
    ]
)
REG_REQ = Struct.of("polyloom_shell_pkg::reg_req_t")
REG_RSP = Struct.of("polyloom_shell_pkg::reg_rsp_t")
BURSTS = (16, 2)  # BurstBeats of the DMA in shell_tb.sv


class Part:
    """Takes part in the clock loop; subclasses say what they drive and sample."""

    def __init__(self, h: Harness) -> None:
        self.h = h
        h.add(self)

    def reset(self) -> None:
        """Nothing."""

    def drive(self) -> None:
        """Nothing."""

    def sample(self, cycle: int) -> None:
        """Nothing."""

    def busy(self) -> str:
        """Wait for nothing."""
        return ""


def some_range(rng: random.Random, words: bool, most: int) -> tuple[int, int]:
    """Address and bytes: any in a memory channel, at its ends too; whole 32-bit words elsewhere."""
    count = rng.choice([1, 2, 7, 8, 9, 31, 32, 33, rng.randint(1, 64), rng.randint(1, most)])
    address = rng.choice([rng.randrange(64), rng.getrandbits(31), (1 << 32) - count - rng.randrange(40), 0xFE0])
    if words:
        count = max(4, count & ~3)
        address &= ~3
    return min(address, (1 << 32) - count), count


def check_burst(addr: int, length: int, next_beat: int, left: int, burst: int) -> int:
    """A burst begins at the next beat, ends at a multiple of ``burst`` beats or with the last beat; its beats."""
    beats = length + 1
    assert addr == next_beat * 32, f"burst at {addr:#x}, expected {next_beat * 32:#x}"
    assert beats == min(left, burst - next_beat % burst), f"{beats} beats at {addr:#x}, {left} are left"
    return beats


def memory(rng: random.Random) -> Callable[[int, int, int], int]:
    """Bytes of a memory, by (which, address, count), as a little-endian number; each is random and stays."""
    salt = rng.getrandbits(64)

    def read(which: int, address: int, count: int) -> int:
        return sum(
            random.Random(salt ^ which << 40 ^ a).getrandbits(8) << 8 * n
            for n, a in enumerate(range(address, address + count))
        )

    return read

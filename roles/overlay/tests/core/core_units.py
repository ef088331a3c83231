# SPDX-License-Identifier: Apache-2.0
"""What the tests of a core's parts share: its structs, its ports by name, and an encoder of RISC-V words.

Encodings are those of the RISC-V unprivileged ISA 20191213, chapter 24; Send's is Tinsel's.
"""

from __future__ import annotations

import random

from polyloom.rtl.testing import Harness, Struct


def flags(names: str) -> list[tuple[str, int]]:
    """Members of one bit each."""
    return [(name, 1) for name in names.split()]


WORD = 0xFFFFFFFF
REG = Struct.of("polyloom_overlay_pkg::reg_t")
PENDING = Struct.of("polyloom_overlay_pkg::pending_t")
CONTEXT = Struct.of("polyloom_overlay_pkg::context_t")
DECODED = Struct.of("polyloom_overlay_pkg::decoded_t")
PASSING = Struct.of("polyloom_overlay_pkg::passing_t")
RSP = Struct.of("polyloom_overlay_pkg::rsp_t")
CTL = Struct.of("polyloom_overlay_pkg::ctl_req_t")
CORE_OP = Struct.of("polyloom_overlay_pkg::core_op_t")
EVENT = Struct.of("polyloom_overlay_pkg::tile_event_t")
TRACE = Struct.of("polyloom_overlay_pkg::trace_t")

CTL_WRITE_INSTR, CTL_READ_INSTR, CTL_WRITE_SCRATCHPAD, CTL_READ_SCRATCHPAD, CTL_START, CTL_UART = range(6)
SRC_CACHE, SRC_SCRATCHPAD, SRC_FPU, SRC_DIVIDER, SRC_WAKE, SRC_ZERO = range(6)

LUI, AUIPC, OP_IMM, OP, FENCE, JAL, JALR, BRANCH = 0x37, 0x17, 0x13, 0x33, 0x0F, 0x6F, 0x67, 0x63
LOAD, LOAD_FP, STORE, STORE_FP, OP_FP, SYSTEM, SEND = 0x03, 0x07, 0x23, 0x27, 0x53, 0x73, 0x08


class Ports:
    """Signals of a scope by the names of their ports."""

    def __init__(self, h: Harness, names: str) -> None:
        self._signals = {name: h.signal(name) for name in names.split()}
        self._rng = h.rng

    def set(self, **values: int) -> None:
        """Drive some."""
        for name, value in values.items():
            self._signals[name].set(value)

    def noise(self, *names: str) -> None:
        """Drive some with random bits."""
        for name in names:
            self._signals[name].set(self._rng.getrandbits(self._signals[name].width))

    def __getitem__(self, name: str) -> int:
        """Value now."""
        return self._signals[name].get()

    def width(self, name: str) -> int:
        """Bits of a signal."""
        return self._signals[name].width


def words(rng: random.Random) -> int:
    """A word: often a corner, or a small number."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice((0, 1, 2, 3, 4, 0x7FFFFFFF, 0x80000000, 0x80000001, WORD, WORD - 1))
    if kind == 1:
        return rng.getrandbits(32) >> rng.randrange(32)
    return rng.getrandbits(32)


def _bits(value: int, high: int, low: int) -> int:
    return value >> low & (1 << high - low + 1) - 1


def r_type(major: int, rd: int, f3: int, rs1: int, rs2: int, f7: int) -> int:
    """A word of format R."""
    return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | major


def i_type(major: int, rd: int, f3: int, rs1: int, imm: int) -> int:
    """A word of format I."""
    return _bits(imm, 11, 0) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | major


def s_type(major: int, f3: int, rs1: int, rs2: int, imm: int) -> int:
    """A word of format S."""
    return r_type(major, _bits(imm, 4, 0), f3, rs1, rs2, _bits(imm, 11, 5))


def b_type(f3: int, rs1: int, rs2: int, offset: int) -> int:
    """A branch."""
    low = _bits(offset, 4, 1) << 1 | _bits(offset, 11, 11)
    return r_type(BRANCH, low, f3, rs1, rs2, _bits(offset, 12, 12) << 6 | _bits(offset, 10, 5))


def u_type(major: int, rd: int, imm: int) -> int:
    """A word of format U; imm: the upper 20 bits."""
    return imm << 12 | rd << 7 | major


def jal(rd: int, offset: int) -> int:
    """The jump of format J."""
    parts = _bits(offset, 20, 20) << 19 | _bits(offset, 10, 1) << 9 | _bits(offset, 11, 11) << 8 | _bits(offset, 19, 12)
    return u_type(JAL, rd, parts)

# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_overlay_immediate on words of every format, made from random and corner numbers by an encoder: U, J,
I and S give their number, I inverted where it is subtracted; a CSR's word gives 0; of two registers zeros, or ones to
subtract, branches too.

Leaves out: fence, Send, words of F that compute and illegal ones, of which nothing is used.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import cocotb
from core_units import (
    AUIPC,
    JALR,
    LOAD,
    LOAD_FP,
    LUI,
    OP,
    OP_IMM,
    STORE,
    STORE_FP,
    SYSTEM,
    WORD,
    Ports,
    b_type,
    i_type,
    jal,
    r_type,
    s_type,
    u_type,
)

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "core_parts_tb")
Case = tuple[int, int, int, int]  # word, uses the immediate, subtracts, what is wanted


def number(rng: random.Random, bits: int) -> int:
    """Signed: random, a corner, or one bit."""
    top = 1 << bits - 1
    return rng.choice((rng.randrange(-top, top), 0, 1, -1, top - 1, -top, 1 << rng.randrange(bits - 1)))


def upper(rng: random.Random) -> Case:
    """LUI and AUIPC."""
    imm = number(rng, 20) & 0xFFFFF
    return u_type(rng.choice((LUI, AUIPC)), rng.getrandbits(5), imm), 1, 0, imm << 12


def jump(rng: random.Random) -> Case:
    """JAL."""
    offset = 2 * number(rng, 20)
    return jal(rng.getrandbits(5), offset), 1, 0, offset & WORD


def plain(rng: random.Random) -> Case:
    """What adds an immediate, or computes with its bits."""
    imm = number(rng, 12)
    major, f3s = rng.choice(((OP_IMM, (0, 4, 6, 7)), (JALR, (0,)), (LOAD, (0, 1, 2, 4, 5)), (LOAD_FP, (2,))))
    return i_type(major, rng.getrandbits(5), rng.choice(f3s), rng.getrandbits(5), imm), 1, 0, imm & WORD


def comparison(rng: random.Random) -> Case:
    """SLTI and SLTIU."""
    imm = number(rng, 12)
    return i_type(OP_IMM, rng.getrandbits(5), rng.choice((2, 3)), rng.getrandbits(5), imm), 1, 1, ~imm & WORD


def store(rng: random.Random) -> Case:
    """A store."""
    imm = number(rng, 12)
    major = rng.choice((STORE, STORE_FP))
    return s_type(major, rng.randrange(3), rng.getrandbits(5), rng.getrandbits(5), imm), 1, 0, imm & WORD


def csr(rng: random.Random) -> Case:
    """A CSR instruction, ecall or ebreak."""
    word = i_type(SYSTEM, rng.getrandbits(5), rng.randrange(8), rng.getrandbits(5), number(rng, 12))
    return word, 1, 0, 0


def registers(rng: random.Random) -> Case:
    """Two registers."""
    sub = rng.getrandbits(1)
    word = r_type(OP, rng.getrandbits(5), rng.randrange(8), rng.getrandbits(5), rng.getrandbits(5), 0x20 * sub)
    return word, 0, sub, WORD * sub


def branch(rng: random.Random) -> Case:
    """Its operands are compared."""
    word = b_type(rng.choice((0, 1, 4, 5, 6, 7)), rng.getrandbits(5), rng.getrandbits(5), 2 * number(rng, 12))
    return word, 0, 1, WORD


MAKERS: tuple[Callable[[random.Random], Case], ...] = (
    upper,
    jump,
    plain,
    comparison,
    store,
    csr,
    registers,
    branch,
)


@cocotb.test()
async def is_what_was_encoded(dut: Any) -> None:
    h = Harness(dut, dut.gen_immediate)
    io = Ports(h, "word_i uses_i sub_i imm_o")
    cases = [make(h.rng) for make in MAKERS for _ in range(200)]
    h.rng.shuffle(cases)
    want = 0

    def drive() -> None:
        nonlocal want
        word, uses, sub, want = cases.pop()
        io.set(word_i=word >> 2, uses_i=uses, sub_i=sub)

    def check(cycle: int) -> None:
        assert io["imm_o"] == want, f"cycle {cycle}: {io['imm_o']:#x}, expected {want:#x}"

    EveryCycle(h, drive, check)
    await h.until(lambda: not cases)

# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_overlay_alu with F and without, an instruction in every cycle with gaps: every computing
instruction of RV32I, moves and sign injections of F, and all branches, with random and corner operands that are often
equal; sums in stages 5 and 6, conditions, branches to bad targets, results in stage 7, which are 0 where the result is
not this part's. What a kind of instruction does not use is noise.

Leaves out: nothing.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

import cocotb
from core_units import DECODED, WORD, Ports, words

from polyloom.rtl.testing import Harness, bench, signed
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "core_parts_tb")
FROM = ("from_sum", "from_logic", "from_shift", "from_less")
TOP = 1 << 31

# What a decoder says of an instruction, beside where the result is from: `f3` and what matters of its kind.
SUMS = {"add": {"sub": 0}, "sub": {"sub": 1}}
LESS = {"slt": {"sub": 1, "not_signed": 0}, "sltu": {"sub": 1, "not_signed": 1}}
LOGIC = {"xor": {"f3": 4, "move": 0}, "or": {"f3": 6, "move": 0}, "and": {"f3": 7, "move": 0}}
SHIFTS = {"sll": {"left": 1}, "srl": {"left": 0, "arith": 0}, "sra": {"left": 0, "arith": 1}}
MOVES = {
    "fsgnj": {"f3": 0, "move": 1, "not_signed": 0},
    "fsgnjn": {"f3": 1, "move": 1, "not_signed": 0},
    "fsgnjx": {"f3": 2, "move": 1, "not_signed": 0},
    "fmv": {"f3": 0, "move": 1, "not_signed": 1},
}
BRANCHES = {
    name: {"f3": f3, "sub": 1, "not_signed": f3 >> 1 & 1}
    for name, f3 in {"beq": 0, "bne": 1, "blt": 4, "bge": 5, "bltu": 6, "bgeu": 7}.items()
}
SUBTRACTS = {"sub", *LESS, *BRANCHES}


def result(name: str, x: int, y: int) -> int:
    """As RISC-V has it; of a branch its condition."""
    less, equal = signed(x) < signed(y), x == y
    return int(
        {
            **{"add": x + y & WORD, "sub": x - y & WORD, "slt": less, "sltu": x < y},
            **{"xor": x ^ y, "or": x | y, "and": x & y},
            **{"sll": x << (y & 31) & WORD, "srl": x >> (y & 31), "sra": signed(x) >> (y & 31) & WORD},
            **{"fsgnj": x & ~TOP | y & TOP, "fsgnjn": x & ~TOP | ~y & TOP, "fsgnjx": x ^ y & TOP, "fmv": x},
            **{"beq": equal, "bne": not equal, "blt": less, "bge": not less, "bltu": x < y, "bgeu": x >= y},
        }[name]
    )


@dataclass
class Case:
    """An instruction on its way."""

    name: str
    decoded: int
    x: int
    b: int  # inverted if it is subtracted
    sign: int
    own: int
    bad: int
    sum: int
    accepted: int | None
    result: int


def case(rng: random.Random, fp: bool) -> Case:
    """A random one."""
    kinds = [SUMS, LOGIC, SHIFTS, LESS, BRANCHES, *([MOVES] if fp else [])]
    kind = rng.choice(kinds)
    name = rng.choice(list(kind))
    fields = DECODED.unpack(DECODED.random(rng)) | kind[name]
    fields["op"] = rng.randrange(27)
    own = int(kind is not BRANCHES and rng.random() < 0.9)
    if own:
        part = 1 if kind is MOVES else kinds.index(kind)
        fields |= {field: int(i == part) for i, field in enumerate(FROM)}
    x, y = words(rng), words(rng)
    y = rng.choice((x, x ^ 1 << rng.randrange(32), y, y, y))
    b = ~y & WORD if name in SUBTRACTS else y
    total = (x + b + fields["sub"]) & WORD
    condition = result(name, x, y) if kind is BRANCHES else None
    bad = int(kind is BRANCHES and rng.random() < 0.5)
    sign = y >> 31 if kind is MOVES else rng.getrandbits(1)
    out = result(name, x, y) if own else 0
    return Case(name, DECODED.pack(**fields), x, b, sign, own, bad, total, condition, out)


@cocotb.test()
@cocotb.parametrize(fp=range(2))
async def computes(dut: Any, fp: int) -> None:
    h = Harness(dut, dut.gen_alu[fp])
    io = Ports(h, "s5_i s5_a_i s5_b_i s5_sign_i s5_bad_i s5_own_i s5_sum_o s6_sum_o s6_bad_o s6_accepted_o s7_result_o")
    line: list[Case | None] = [None, None, None]  # in stages 5, 6 and 7
    names = [*SUMS, *LOGIC, *SHIFTS, *LESS, *BRANCHES, *(MOVES if fp else ())]
    seen: Counter[str] = Counter()

    def drive() -> None:
        new = case(h.rng, fp == 1)
        if h.rng.random() < 0.1:  # nothing: no result, and no branch
            new.own, new.bad, new.result, new.accepted = 0, 0, 0, None
        line[:] = [new, line[0], line[1]]
        io.set(s5_i=new.decoded, s5_a_i=new.x, s5_b_i=new.b, s5_sign_i=new.sign)
        io.set(s5_bad_i=new.bad, s5_own_i=new.own)

    def check(cycle: int) -> None:
        if it := line[0]:
            assert io["s5_sum_o"] == it.sum, f"cycle {cycle}: sum in stage 5 is {io['s5_sum_o']:#x}: {it}"
        if it := line[1]:
            assert io["s6_sum_o"] == it.sum, f"cycle {cycle}: sum in stage 6 is {io['s6_sum_o']:#x}: {it}"
            assert io["s6_bad_o"] == (it.bad and it.accepted), f"cycle {cycle}: bad is {io['s6_bad_o']}: {it}"
            assert it.accepted is None or io["s6_accepted_o"] == it.accepted, f"cycle {cycle}: taken: {it}"
        if it := line[2]:
            assert io["s7_result_o"] == it.result, f"cycle {cycle}: {io['s7_result_o']:#x}: {it}"
            seen[it.name] += 1

    EveryCycle(h, drive, check)
    await h.until(lambda: all(seen[name] > 60 for name in names))

# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_overlay_next_pc for memories of 2, 2048 and 65536 words, an instruction in every cycle with gaps:
plain ones, branches taken and not, to random and corner offsets and to halves of words, jumps, illegal words, starts,
stops; the next pc, where it wanted to go, and the pc two cycles after the instruction.

Leaves out: jumps to halves of words that are not stopped (the core stops them), an instruction that goes round again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import cocotb
from core_units import WORD, Ports, b_type, words

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "core_parts_tb")
ADDR_BITS = (1, 11, 16)
KINDS = ("plain", "branch", "jump", "illegal", "start", "stop")


@dataclass
class Passing:
    """An instruction, or what goes through the pipeline in its place."""

    kind: str
    at: int  # its word in the memory
    word: int
    offset: int  # of a branch
    accepted: int
    sum: int
    start: int  # the word where a thread starts

    def goal(self) -> int:
        """Where it wants to go, or the word."""
        if self.kind == "illegal":
            return self.word
        return 4 * self.at + self.offset & WORD if self.kind == "branch" else self.sum

    def next(self) -> int:
        """The pc in words."""
        if self.kind in {"stop", "illegal"} or (self.kind == "jump" and self.sum & 2):
            return 0
        if self.kind == "jump":
            return self.sum >> 2
        if self.kind == "branch" and self.accepted:
            return 0 if self.offset & 2 else self.goal() >> 2
        return self.start if self.kind == "start" else self.at + 1


def passing(h: Harness, bits: int) -> Passing:
    """A random one."""
    rng = h.rng
    size = 1 << bits
    at = rng.choice((0, size - 1, rng.randrange(size), rng.randrange(size)))
    offset = rng.choice((rng.randrange(-4096, 4096, 4), rng.randrange(-4096, 4096, 2), -4 * at, 4 * (size - at), 4, -4))
    offset = max(-4096, min(4094, offset))
    kind = rng.choice((*KINDS, "branch", "branch"))
    word = b_type(rng.randrange(8), rng.getrandbits(5), rng.getrandbits(5), offset)
    if kind != "branch":
        word = rng.getrandbits(32)
    return Passing(kind, at, word, offset, rng.getrandbits(1), words(rng), rng.randrange(2 * size))


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def goes_on(dut: Any, which: int) -> None:
    bits = ADDR_BITS[which]
    h = Harness(dut, dut.gen_next_pc[which])
    stage5 = "s5_pc_i s5_word_i s5_illegal_i s5_branch_i"
    stage6 = "s6_jump_i s6_accepted_i s6_sum_i s6_start_i s6_at_i s6_stop_i"
    io = Ports(h, f"{stage5} {stage6} s6_next_o s6_goal_o s7_pc_o")
    line: list[Passing | None] = [None, None, None]  # in stages 5, 6 and 7
    seen: Counter[tuple[str, int]] = Counter()

    def drive() -> None:
        new = passing(h, bits) if h.rng.random() < 0.9 else None
        line[:] = [new, line[0], line[1]]
        io.noise(*stage5.split(), *stage6.split())
        io.set(s5_illegal_i=0, s5_branch_i=0)
        if new:
            branch, illegal = int(new.kind == "branch"), int(new.kind == "illegal")
            io.set(s5_pc_i=new.at, s5_word_i=new.word, s5_branch_i=branch, s5_illegal_i=illegal)
        if it := line[1]:
            stop = it.kind in {"stop", "illegal"} or (it.kind == "jump" and it.sum & 2 != 0)
            io.set(s6_jump_i=int(it.kind == "jump"), s6_accepted_i=it.accepted, s6_sum_i=it.sum, s6_stop_i=int(stop))
            io.set(s6_start_i=int(it.kind == "start"), s6_at_i=it.start)

    def check(cycle: int) -> None:
        if it := line[1]:
            assert io["s6_next_o"] == it.at + 1, f"cycle {cycle}: next of {it}"
            assert io["s6_goal_o"] == it.goal(), f"cycle {cycle}: {io['s6_goal_o']:#x} is the goal of {it}"
        if it := line[2]:
            assert io["s7_pc_o"] == it.next(), f"cycle {cycle}: {4 * io['s7_pc_o']:#x} follows {it}"
            seen[it.kind, it.accepted] += 1

    EveryCycle(h, drive, check)
    await h.until(lambda: all(seen[kind, accepted] > 50 for kind in KINDS for accepted in range(2)))

# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_overlay_writeback in every cycle, the test as its pipeline: random instructions of 16 threads, also
as close together as a thread's can be, with gaps: such that write their result, a jump's link or a received slot, such
that write nothing, latent ones with and without a register, faults, clearing. What is pending, what the register file
gets and when, the trace; noise wherever nothing is said.

Leaves out: a response that is read before it has come (the core never does).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import cocotb
from core_units import CONTEXT, DECODED, PASSING, PENDING, SRC_FPU, TRACE, Ports, words

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "core_parts_tb")
KINDS = ("own", "own", "own", "silent", "silent", "latent", "latent", "latent", "fault", "clear")
NOTHING = {"valid": 0, "flags": 0}
STAGE_6 = "valid clear pass latent own_we side jump recv"


@dataclass
class Passing:
    """An instruction, or the clearing of a thread."""

    kind: str
    thread: int
    pending: dict[str, int]  # what the thread has come back with
    register: int  # that it writes, at once or by its response
    rd_we: int
    part: str  # of the result: "result", "jump" or "recv"
    result: int
    response: int
    slot: int
    fields: dict[str, int]  # of passing_t

    def leaves(self) -> dict[str, int]:
        """What is pending after it."""
        if self.kind == "latent":
            decoded = DECODED.unpack(self.fields["decoded"])
            return {
                **{"valid": self.rd_we, "rd": self.register, "src": self.fields["src"]},
                **{"side": self.fields["side"], "flags": decoded["fp"]},
            }
        if self.kind == "own" and self.pending["valid"] and self.pending["rd"] != self.register:
            return self.pending | {"flags": 0}
        return NOTHING

    def writes(self) -> tuple[int, int] | None:
        """Register and data."""
        if self.kind == "own":
            slot = 0x8000 | 64 * self.slot
            return self.register, slot if self.part == "recv" else self.result
        if self.kind != "clear" and self.pending["valid"]:
            return self.pending["rd"], self.response
        return None


class Cores:
    """Stages 2 to 8 of a pipeline around the module."""

    def __init__(self, h: Harness) -> None:
        self.h, self.seen = h, Counter[str]()
        s6 = " ".join(f"s6_{name}_i" for name in STAGE_6.split())
        more = "s2_thread_i s2_pending_o s7_we_o s7_side_o s6_i s6_src_i s6_response_i s6_link_i s7_slot_i s7_result_i"
        self.io = Ports(h, f"{s6} {more} s8_we_o s8_thread_o s8_rd_o s8_data_o trace_o")
        self.line: list[Passing | None] = [None] * 7  # in stages 2 to 8
        self.pending: dict[int, dict[str, int]] = {}  # by thread, once it has been cleared
        self.free = [0] * 16  # the cycle in which the thread can come again
        self.threads = 16

    def _new(self) -> Passing | None:
        rng, now = self.h.rng, self.h.cycle
        if now % 300 == 0:
            self.threads = rng.choice((1, 2, 6, 16))
        ready = [t for t in range(self.threads) if self.free[t] <= now]
        if not ready or rng.random() < 0.1:
            return None
        thread = rng.choice(ready)
        self.free[thread] = now + 6
        kind = rng.choice(KINDS) if thread in self.pending else "clear"
        pending = PENDING.unpack(PENDING.random(rng)) | self.pending.get(thread, NOTHING)
        register, rd_we = rng.getrandbits(6), int(rng.random() < 0.7)
        register = rng.choice((register, pending["rd"], pending["rd"] ^ 32))  # also the same of the other file
        decoded = DECODED.unpack(DECODED.random(rng)) | {"rd": register}
        decoded["rd_we"] = rd_we if kind == "latent" else decoded["rd_we"]
        fields = PASSING.unpack(PASSING.random(rng)) | {"thread": thread, "pending": PENDING.pack(**pending)}
        fields |= {"decoded": DECODED.pack(**decoded), "side": rng.getrandbits(1), "src": rng.randrange(6)}
        fields["src"] = SRC_FPU if decoded["fp"] else fields["src"]
        self.pending.pop(thread, None)
        part = rng.choice(("result", "jump", "recv"))
        return Passing(
            *(kind, thread, pending, register, rd_we, part, words(rng), words(rng), rng.getrandbits(9), fields)
        )

    def drive(self) -> None:
        """Inputs of stages 2, 6 and 7."""
        self.line = [self._new(), *self.line[:-1]]
        io, new, it, last = self.io, self.line[0], self.line[4], self.line[5]
        io.noise("s2_thread_i", "s6_i", "s6_response_i", "s6_link_i", "s7_slot_i", "s7_result_i", "s6_side_i")
        io.set(**{f"s6_{name}_i": 0 for name in STAGE_6.split()}, s6_src_i=self.h.rng.randrange(6))
        if new:
            io.set(s2_thread_i=new.thread)
        if it:
            kind = it.kind
            passing = {name: value for name, value in it.fields.items() if name not in {"src", "side"}}
            io.set(s6_i=PASSING.pack(**passing), s6_src_i=it.fields["src"], s6_side_i=it.fields["side"])
            io.set(s6_valid_i=int(kind != "clear"), s6_clear_i=int(kind == "clear"))
            io.set(s6_pass_i=int(kind in {"own", "silent", "latent"}), s6_latent_i=int(kind == "latent"))
            io.set(s6_own_we_i=int(kind == "own"), s6_response_i=it.response)
            own = kind == "own"
            io.set(s6_jump_i=int(own and it.part == "jump"), s6_recv_i=int(it.part == "recv"))
            if it.part == "jump":
                io.set(s6_link_i=it.result)
        if last and last.writes():
            io.set(s7_result_i=last.result if last.kind == "own" and last.part == "result" else 0, s7_slot_i=last.slot)

    def check(self, cycle: int) -> None:
        """Outputs of stages 2, 7 and 8."""
        io, new, last, done = self.io, self.line[0], self.line[5], self.line[6]
        if new and new.kind != "clear":
            got = PENDING.unpack(io["s2_pending_o"])
            matters = {"valid", "flags"}
            matters |= {"src"} if new.pending["valid"] or new.pending["flags"] else set()
            matters |= {"side", "rd"} if new.pending["valid"] else set()
            for name in matters:
                assert got[name] == new.pending[name], f"cycle {cycle}: {name} of {got}, expected {new.pending}"
        assert io["s7_we_o"] == (last is not None), f"cycle {cycle}: stage 7 writes {io['s7_we_o']}"
        if last:
            after = self.pending[last.thread] = last.leaves()
            assert not after["valid"] or io["s7_side_o"] == after["side"], f"cycle {cycle}: side of {last}"
        self._check_written(cycle, done)

    def _check_written(self, cycle: int, done: Passing | None) -> None:
        io = self.io
        want = done.writes() if done else None
        trace = TRACE.unpack(io["trace_o"])
        assert io["s8_we_o"] == (want is not None), f"cycle {cycle}: stage 8 writes {io['s8_we_o']}: {done}"
        passed = done is not None and done.kind in {"own", "silent", "latent"}
        assert trace["valid"] == passed, f"cycle {cycle}: traced {trace['valid']}: {done}"
        if done and want:
            got = io["s8_thread_o"], io["s8_rd_o"], io["s8_data_o"]
            assert got == (done.thread, *want), f"cycle {cycle}: {got}: {done}"
            traced = trace["we"], trace["thread"], trace["fp"] << 5 | trace["rd"], trace["data"]
            assert not passed or traced == (1, *got), f"cycle {cycle}: {trace}: {done}"
            self.seen[done.kind] += 1
        if done and passed:
            pc = 4 * CONTEXT.unpack(done.fields["held"])["pc"]
            assert (trace["thread"], trace["pc"]) == (done.thread, pc), f"cycle {cycle}: {trace}: {done}"
            assert trace["word"] == done.fields["word"], f"cycle {cycle}: {trace}: {done}"
            assert trace["we"] == (want is not None), f"cycle {cycle}: {trace}: {done}"


@cocotb.test()
async def writes_each_result_once(dut: Any) -> None:
    h = Harness(dut, dut.gen_writeback)
    cores = Cores(h)
    EveryCycle(h, cores.drive, cores.check)
    await h.reset()
    kinds = ("own", "silent", "latent", "fault")
    await h.until(lambda: all(cores.seen[kind] > 100 for kind in kinds))

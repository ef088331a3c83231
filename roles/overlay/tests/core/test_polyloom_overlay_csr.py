# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_overlay_csr for 16, 4 and 1 threads and memories of 2048, 2 and 64 words, with F and without: random
CSR instructions of all kinds on every register, random and corner operands, between other
instructions, faults, clearing and gaps; held registers, what is done, results, rounding mode and flags, both counters
with their starting, stopping and resetting, also while the core's clock stands still.

Leaves out: counts of more than 32 bits (test_polyloom_overlay_count.py).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import cocotb
from core_units import CONTEXT, WORD, Ports, Struct, words

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "core_parts_tb")
SIZES = ((16, 11, 4, True), (4, 1, 3, False), (1, 6, 1, False))  # threads, bits of a word's address, flits, F
ACT = Struct.of("polyloom_overlay_pkg::csr_act_t")
FFLAGS, FRM, FCSR = 1, 2, 3
INSTR_ADDR, CAN_SEND, CAN_RECV, SEND_LEN, SEND_PTR, SEND_DEST = 0x800, 0x803, 0x805, 0x806, 0x807, 0x808
FROM_UART, TO_UART, NEW_THREAD, KILL, FLUSH, HART_ID = 0x80B, 0x80C, 0x80D, 0x80E, 0xC01, 0xF14
CYCLE, PERF, IDLE, CYCLE_U, IDLE_U = 0xC00, 0xC07, 0xC0B, 0xC0D, 0xC0C
ACTS = {0x801: "instr", 0x802: "free", 0x80A: "wait_until", NEW_THREAD: "new_thread", KILL: "kill", FLUSH: "flush"}
ACTS |= {TO_UART: "to_uart"}  # these when they are written
READS = {0x809: "recv", FROM_UART: "from_uart"}  # and these whenever they are named
OUTSIDE = (0xC08, 0xC09, 0xC0A, 0xC0E, 0xC0F)
BOUNDED = (INSTR_ADDR, SEND_LEN, SEND_PTR)  # their upper bits are kept as one
NUMBERS = (
    *(FFLAGS, FRM, FCSR, CAN_SEND, CAN_RECV, HART_ID, CYCLE, PERF, IDLE, CYCLE_U, IDLE_U),
    *(*BOUNDED, SEND_DEST, *ACTS, *READS, *OUTSIDE),
)


@dataclass
class Slot:
    """What is in a stage: a CSR instruction, another one, or the clearing of a thread."""

    kind: str  # "csr", "other" or "clear"
    thread: int
    number: int
    f3: int
    source: int
    keep: int
    operand: int
    flags: int
    stop: int
    held: dict[str, int]
    result: int = 0

    @property
    def csr(self) -> bool:
        """An instruction on a CSR."""
        return self.kind == "csr"

    @property
    def writes(self) -> bool:
        """It writes its CSR."""
        return self.csr and (self.f3 & 3 == 1 or self.source == 1)

    def on(self, number: int) -> bool:
        """It writes this one."""
        return self.writes and self.number == number

    def update(self, old: int) -> int:
        """A CSR of 32 bits or fewer after the instruction."""
        if not self.writes:
            return old
        return (0, self.operand, old | self.operand, old & ~self.operand)[self.f3 & 3]

    def update_bounded(self, low: int, beyond: int, bits: int) -> tuple[int, int]:
        """One whose bits beyond so many are kept as one: csrrc clears it only if it clears all of them."""
        return self.update_outside(low, beyond, (1 << bits) - 1)

    def update_outside(self, inside: int, outside: int, mask: int) -> tuple[int, int]:
        """The same, of one whose bits outside a mask are kept as one."""
        rest, all_ones = self.operand & ~mask & WORD, ~mask & WORD
        if self.writes:
            outside = (0, int(rest != 0), int(outside or rest != 0), int(outside and rest != all_ones))[self.f3 & 3]
        return self.update(inside) & mask, outside


class Pipeline:
    """Stages 3 to 7 around the module."""

    def __init__(self, h: Harness, which: int) -> None:
        self.h, self.seen = h, Counter[int]()
        self.threads, self.bits, self.flits, self.fpu = SIZES[which]
        s5 = "csr keep f3 source thread operand held"
        s6 = "bubble thread operand flags clear stop can_recv uart uart_accepted outside"
        self.inputs = ["s3_number_i", *(f"s5_{n}_i" for n in s5.split()), *(f"s6_{n}_i" for n in s6.split())]
        outs = "s5_flush_o s5_new_thread_o s5_frm_o s6_act_o s6_dest_o s6_slot_o s6_len_o s6_instr_addr_o s6_outside_o"
        more = "s6_astray_o s6_instr_ok_o s6_thread_ok_o perf_reset_o perf_counting_o s7_held_o s7_result_o"
        self.io = Ports(h, " ".join([*self.inputs, outs, more, "run can_send_i core_id_i"]))
        self.line: list[Slot | None] = [None] * 5  # in stages 3 to 7
        self.held: dict[int, dict[str, int]] = {}
        self.fcsr: dict[int, int] = {}
        self.free = [0] * self.threads
        self.counting, self.cycles, self.idle = 1, 0, 0
        self.quiet = 0  # cycles for which nothing comes
        self.core_id = 16 * h.rng.getrandbits(12)
        self.around: dict[str, int] = {}

    def _new(self) -> Slot | None:
        rng, now = self.h.rng, self.h.cycle
        ready = [t for t in range(self.threads) if self.free[t] <= now]
        if self.quiet or now < 10 or not ready or rng.random() < 0.1:
            return None
        thread = rng.choice(ready)
        self.free[thread] = now + 8
        kind = "clear" if thread not in self.held or rng.random() < 0.02 else rng.choice(("csr", "csr", "csr", "other"))
        number = rng.choice(NUMBERS * 3 + BOUNDED * 12)
        source = int(rng.random() < 0.7)
        operand = rng.choice((words(rng), rng.randrange(4), rng.randrange(20), ~words(rng) & WORD))
        if number in BOUNDED and rng.random() < 0.5:
            operand = rng.choice((WORD << rng.randrange(12) & WORD, 0x8000 | 64 * rng.getrandbits(9), 0xFFFF003F))
        f3 = rng.choice((1, 2, 3, 5, 6, 7))
        held = self.held.pop(thread, CONTEXT.unpack(0)) | {"pc": rng.getrandbits(30)}
        arrived = rng.getrandbits(5) if rng.random() < 0.3 else 0
        slot = Slot(kind, thread, number, f3, source, rng.getrandbits(1), operand * source, arrived, 0, held)
        slot.stop = int(kind == "clear" or slot.on(KILL) or (kind == "other" and rng.random() < 0.1))
        return slot

    def drive(self) -> None:
        """Inputs of all stages."""
        rng, io = self.h.rng, self.io
        if self.quiet == 0 and rng.random() < 0.02:
            self.quiet = rng.randrange(5, 20)
        self.run = any(self.line) or not self.quiet or rng.random() < 0.2
        self.quiet = max(0, self.quiet - 1)
        if self.run:
            self.line = [self._new(), *self.line[:-1]]
        io.noise(*self.inputs)
        io.set(run=int(self.run), core_id_i=self.core_id, s5_csr_i=0, s6_clear_i=0, s6_stop_i=0, s6_bubble_i=1)
        if it := self.line[0]:
            io.set(s3_number_i=it.number)
        if it := self.line[2]:
            io.set(s5_csr_i=int(it.csr), s5_keep_i=it.keep, s5_thread_i=it.thread, s5_held_i=CONTEXT.pack(**it.held))
            if it.csr:
                io.set(s5_f3_i=it.f3, s5_source_i=it.source, s5_operand_i=it.operand)
        names = {"can_recv": 1, "uart": 9, "uart_accepted": 1, "outside": 32, "can_send": self.threads}
        self.around = {name: rng.getrandbits(width) for name, width in names.items()}
        if not ((it := self.line[3]) and it.csr and it.number in OUTSIDE):
            self.around["outside"] = 0
        io.set(**{f"s6_{name}_i": value for name, value in self.around.items() if name != "can_send"})
        io.set(can_send_i=self.around["can_send"])
        if it:
            io.set(s6_thread_i=it.thread, s6_flags_i=it.flags, s6_bubble_i=int(it.kind == "clear"))
            io.set(s6_clear_i=int(it.kind == "clear"), s6_stop_i=it.stop)
            if it.csr:
                io.set(s6_operand_i=it.operand)

    def check(self, cycle: int) -> None:
        """Outputs of stages 5 to 7."""
        io, fifth, sixth, seventh = self.io, self.line[2], self.line[3], self.line[4]
        assert io["s5_flush_o"] == (fifth is not None and fifth.on(FLUSH)), f"cycle {cycle}: flush: {fifth}"
        assert io["s5_new_thread_o"] == (fifth is not None and fifth.on(NEW_THREAD)), f"cycle {cycle}: new: {fifth}"
        if fifth and fifth.kind != "clear":
            frm = self.fcsr[fifth.thread] >> 5 if self.fpu else 0
            assert io["s5_frm_o"] == frm, f"cycle {cycle}: rounding mode {io['s5_frm_o']}: {fifth}"
        if seventh:
            assert CONTEXT.unpack(io["s7_held_o"]) == self.held[seventh.thread], f"cycle {cycle}: held: {seventh}"
        assert io["s7_result_o"] == (seventh.result if seventh else 0), f"cycle {cycle}: result: {seventh}"
        self._check_sixth(cycle, sixth)
        self._count(cycle, sixth)
        if sixth:
            self._execute(sixth)

    def _check_sixth(self, cycle: int, it: Slot | None) -> None:
        io = self.io
        act = dict.fromkeys((name for name, _ in ACT.members), 0)
        if it and it.csr and it.number in READS:
            act[READS[it.number]] = 1
        if it and it.writes and it.number in ACTS:
            act[ACTS[it.number]] = 1
        assert ACT.unpack(io["s6_act_o"]) == act, f"cycle {cycle}: {ACT.unpack(io['s6_act_o'])}: {it}"
        outside = 1 << OUTSIDE.index(it.number) if it and it.csr and it.number in OUTSIDE else 0
        assert io["s6_outside_o"] == outside, f"cycle {cycle}: outside {io['s6_outside_o']:#x}: {it}"
        if it:
            held = it.held
            got = tuple(io[f"s6_{name}_o"] for name in ("dest", "astray", "slot", "len", "instr_addr", "instr_ok"))
            astray = int(held["astray"] or not held["scratchpad"])
            want = (held["dest"], astray, held["slot"], held["len"], held["addr"], 1 - held["beyond"])
            assert got == want, f"cycle {cycle}: {got}, expected {want}: {it}"
            ok = it.operand < self.threads
            assert not it.csr or io["s6_thread_ok_o"] == ok, f"cycle {cycle}: thread ok is not {ok}: {it}"

    def _count(self, cycle: int, it: Slot | None) -> None:
        """The counters: also the result, which shows them before this cycle's count."""
        if it:
            it.result = self._result(it) if it.csr and it.keep else 0
        resets = it is not None and it.on(PERF) and it.operand == 0
        if it and it.on(PERF) and it.operand in {1, 2}:
            self.counting = int(it.operand == 1)
        assert self.io["perf_reset_o"] == resets, f"cycle {cycle}: reset: {it}"
        assert self.io["perf_counting_o"] == self.counting, f"cycle {cycle}: counting: {it}"
        if resets:
            self.cycles = self.idle = 0
        if cycle >= 6:  # the first cycle in which an instruction can be here
            self.cycles += self.counting
            self.idle += self.counting and (it is None or it.kind == "clear")

    def _result(self, it: Slot) -> int:
        flags, around = self.fcsr[it.thread] | it.flags, self.around
        values = {
            **{CAN_SEND: around["can_send"] >> it.thread & 1, CAN_RECV: around["can_recv"]},
            **{FROM_UART: around["uart"] if around["uart"] >> 8 and around["uart_accepted"] else 0},
            **{TO_UART: int(it.writes and around["uart_accepted"]), HART_ID: self.core_id | it.thread},
            **{CYCLE: self.cycles, IDLE: self.idle, **dict.fromkeys(OUTSIDE, around["outside"])},
        }
        if self.fpu:
            values |= {FFLAGS: flags & 31, FRM: flags >> 5, FCSR: flags}
        return values.get(it.number, 0)

    def _execute(self, it: Slot) -> None:
        """What the thread holds, which it takes along at the end."""
        held, fcsr = dict(it.held), self.fcsr.get(it.thread, 0) | it.flags
        if it.csr:
            self.seen[it.number] += it.writes
            if it.number == SEND_DEST:
                held["dest"] = it.update(held["dest"]) & 0xFFFFF
            elif it.number == SEND_PTR:
                inside, held["astray"] = it.update_outside(
                    held["scratchpad"] << 15 | held["slot"] << 6, held["astray"], 0xFFC0
                )
                held["scratchpad"], held["slot"] = inside >> 15, inside >> 6 & 511
            elif it.number == SEND_LEN:
                low, beyond = it.update_bounded(held["len"] & 3, held["len"] >> 2, 2)
                held["len"] = 4 * beyond + low
            elif it.number == INSTR_ADDR:
                held["addr"], held["beyond"] = it.update_bounded(held["addr"], held["beyond"], self.bits)
            elif it.number == FCSR:
                fcsr = it.update(fcsr) & 255
            elif it.number == FFLAGS:
                fcsr = fcsr & 0xE0 | it.update(fcsr & 31) & 31
            elif it.number == FRM:
                fcsr = fcsr & 31 | (it.update(fcsr >> 5) & 7) << 5
        if it.stop:
            held["len"] = 0
        if it.kind == "clear":
            held, fcsr = CONTEXT.unpack(0), 0
        self.held[it.thread], self.fcsr[it.thread] = held, fcsr


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def reads_and_writes(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_csr[which])
    pipeline = Pipeline(h, which)
    EveryCycle(h, pipeline.drive, pipeline.check)
    await h.reset()
    times = 20 if pipeline.threads > 1 else 4
    await h.until(lambda: all(pipeline.seen[number] > times for number in NUMBERS))

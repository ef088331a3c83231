# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_overlay_operands with 16, 4 and 1 threads, with an FPU and without: an instruction in every cycle
with gaps, of threads that have come back with a response of any port or with none; operands that are registers of both
files, x0, the response, pc, nothing or a CSR instruction's number; the adder's second operand with random words to XOR;
response and flags; responses at random times on all ports, register writes in every cycle.

Leaves out: a register that is written in the cycle in which it is read (undefined; the core never does), the third
operand without F (nothing uses it).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import cocotb
from core_units import (
    CONTEXT,
    DECODED,
    PASSING,
    PENDING,
    RSP,
    SRC_CACHE,
    SRC_DIVIDER,
    SRC_FPU,
    SRC_SCRATCHPAD,
    SRC_WAKE,
    SRC_ZERO,
    Ports,
    words,
)

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "core_parts_tb")
SIZES = ((16, 11, True), (4, 1, False), (1, 6, False))  # threads, bits of a word's address, F and M
HIT, FILL, SCRATCHPAD, FPU, DIVIDER = range(5)
PORTS = {SRC_CACHE: (HIT, FILL), SRC_SCRATCHPAD: (SCRATCHPAD,), SRC_FPU: (FPU,), SRC_DIVIDER: (DIVIDER,)}
INDICES = (0, 1, 2, 15, 31)
NOTHING = {"valid": 0, "flags": 0}
Word = dict[str, int]


class Threads:
    """The rest of a core around the module."""

    def __init__(self, h: Harness, which: int) -> None:
        self.h, self.seen = h, Counter[str]()
        self.threads, self.addr_bits, self.fpu = SIZES[which]
        stages = "s2_thread_i s2_rs_i s2_pending_i s2_side_o s3_i s3_imm_i s5_source_o s5_a_o s5_b_o s5_rs2_o s5_c_o"
        late = "s5_response_o s5_flags_o s7_we_i s7_thread_i s7_side_i s8_we_i s8_thread_i s8_rd_i s8_data_i"
        self.io = Ports(h, f"valid response wake_i wake_bits_i {stages} {late}")
        self.registers: dict[tuple[int, int], int] = {}  # by thread and register
        self.pending: dict[int, Word] = {t: NOTHING for t in range(self.threads)}  # of threads that can come
        self.responses: dict[int, tuple[int, int]] = {}  # by thread: data and flags of the last
        self.notes: list[tuple[int, Word]] = []  # of latent instructions: thread, what will be pending
        self.requested: dict[int, Word] = {}
        self.line: list[tuple[Word, Word] | None] = [None] * 4  # in stages 2 to 5: instruction, what is wanted
        self.write: tuple[int, int, int] | None = None

    def _register(self) -> int:
        rng = self.h.rng
        return rng.choice(INDICES) | (32 * rng.getrandbits(1) if self.fpu else 0)

    def _value(self, it: Word, register: int) -> int | None:
        """Of an operand; None if it is unknown."""
        if it["valid"] and it["rd"] == register:
            return self.responses[it["thread"]][0]
        return 0 if register == 0 else self.registers.get((it["thread"], register))

    def _wanted(self, it: Word) -> Word:
        """What the outputs must be, as far as it is known."""
        first, second = self._value(it, it["rs0"]), self._value(it, it["rs1"])
        number = it["word"] >> 15 & 31
        if it["kind"]:  # not a register
            pc = 4 * (it["pc"] & (1 << self.addr_bits) - 1)
            first = (pc, 0, number)[it["kind"] - 1]
        operand = 0 if it["b_imm"] else second
        want = {
            **{"a": first, "b": None if operand is None else operand ^ it["imm"], "rs2": second},
            **{"c": self._value(it, it["rs2"]) if self.fpu else None, "source": int(number != 0)},
            "flags": self.responses[it["thread"]][1] if it["flags"] else 0,
            "response": self.responses[it["thread"]][0] if it["valid"] else None,
        }
        return {name: value for name, value in want.items() if value is not None}

    def _instruction(self, thread: int) -> Word:
        rng = self.h.rng
        pending = PENDING.unpack(PENDING.random(rng)) | self.pending[thread]
        if not self.fpu and not pending["valid"]:
            pending["rd"] &= 31
        rs = [pending["rd"] if rng.random() < 0.3 else self._register() for _ in range(2)]
        third = 32 | (pending["rd"] if rng.random() < 0.3 else self._register())
        return {
            **pending,
            **{"thread": thread, "rs0": rs[0], "rs1": rs[1], "rs2": third, "kind": max(0, rng.randrange(-2, 4))},
            **{"b_imm": rng.getrandbits(1), "imm": words(rng), "word": rng.getrandbits(32), "pc": rng.getrandbits(30)},
        }

    def drive(self) -> None:
        """Inputs of stages 2, 3, 7, 8 and from the units."""
        self._drive_notes()
        self._drive_responses()
        rng, io = self.h.rng, self.io
        io.noise("s2_thread_i", "s2_rs_i", "s2_pending_i", "s3_i", "s3_imm_i")
        self.line = [None, *self.line[:-1]]
        if self.pending and rng.random() < 0.9:
            it = self._instruction(rng.choice(list(self.pending)))
            self.line[0] = it, self._wanted(it)
            io.set(s2_thread_i=it["thread"], s2_rs_i=it["rs2"] << 12 | it["rs1"] << 6 | it["rs0"])
            io.set(s2_pending_i=_pending(it))
        if self.line[1]:
            it = self.line[1][0]
            f3 = rng.getrandbits(3)
            csr = int(it["kind"] == 3 or (it["kind"] == 0 and f3 < 4 and rng.random() < 0.3))
            decoded = DECODED.unpack(DECODED.random(rng)) | {"f3": f3 | 4 * (it["kind"] == 3), "csr": csr}
            decoded |= {"a_pc": int(it["kind"] == 1), "a_zero": int(it["kind"] > 1), "b_imm": it["b_imm"]}
            held = CONTEXT.unpack(CONTEXT.random(rng)) | {"pc": it["pc"]}
            passing = PASSING.unpack(PASSING.random(rng)) | {"held": CONTEXT.pack(**held), "word": it["word"]}
            passing |= {"thread": it["thread"], "pending": _pending(it), "decoded": DECODED.pack(**decoded)}
            io.set(s3_i=PASSING.pack(**passing), s3_imm_i=it["imm"])
        self._drive_write()

    def _drive_notes(self) -> None:
        """Stage 7 of latent instructions."""
        self.io.noise("s7_thread_i", "s7_side_i")
        self.io.set(s7_we_i=0)
        self.noted: tuple[int, Word] | None = None
        if self.notes and self.h.rng.random() < 0.7:
            self.noted = self.notes.pop(0)
            self.io.set(s7_we_i=1, s7_thread_i=self.noted[0], s7_side_i=self.noted[1]["side"])

    def _drive_responses(self) -> None:
        """Of threads that have asked, one a port at most."""
        rng = self.h.rng
        accepted: set[int] = set()
        self.came: dict[int, tuple[int, int]] = {}
        responses, wake, bits = [RSP.random(rng) for _ in range(5)], 0, rng.getrandbits(4 * self.threads)
        for thread, pending in self.requested.items():
            src = pending["src"]
            data, port = words(rng), rng.choice(PORTS.get(src, (-1,)))
            flags = rng.getrandbits(5) if pending["flags"] else 0
            if rng.random() < 0.5 or port in accepted - {-1}:
                continue
            accepted.add(port)
            if src == SRC_WAKE:
                wake, data = wake | 1 << thread, bits >> 4 * thread & 15
            if port >= 0:
                responses[port] = RSP.pack(thread=thread, data=data, flags=flags)
            self.came[thread] = 0 if src == SRC_ZERO else data, flags
        self.io.set(valid=sum(1 << port for port in accepted - {-1}), wake_i=wake, wake_bits_i=bits)
        self.io.set(response=sum(word << RSP.width * port for port, word in enumerate(responses)))

    def _drive_write(self) -> None:
        rng = self.h.rng
        thread, register, data = rng.randrange(self.threads), self._register(), words(rng)
        read = self.line[0][0] if self.line[0] else None
        clash = read and thread == read["thread"] and register in {read["rs0"], read["rs1"], read["rs2"]}
        self.write = None if clash or register == 0 or rng.random() < 0.2 else (thread, register, data)
        self.io.set(s8_we_i=int(self.write is not None), s8_thread_i=thread, s8_rd_i=register, s8_data_i=data)

    def check(self, cycle: int) -> None:
        """Outputs of stages 2 and 5; then the model goes on."""
        if now := self.line[3]:
            for name, want in now[1].items():
                got = self.io[f"s5_{name}_o"]
                assert got == want, f"cycle {cycle}: {name} is {got:#x}, expected {want:#x}: {now}"
            self._count(now[0], now[1])
        for thread, response in self.came.items():
            self.responses[thread] = response
            self.pending[thread] = self.requested.pop(thread)
        if self.noted:
            self.requested[self.noted[0]] = self.noted[1]
        if self.write:
            self.registers[self.write[0], self.write[1]] = self.write[2]
        if self.line[0] and self.h.rng.random() < 0.5:
            self._becomes_latent(self.line[0][0]["thread"])

    def _count(self, it: Word, want: Word) -> None:
        forwarded = it["valid"] and it["rd"] in {it["rs0"], it["rs1"], it["rs2"]}
        self.seen[f"response {it['src']}" if forwarded else f"kind {it['kind']}"] += 1
        self.seen["all known"] += len(want) >= 5

    def _becomes_latent(self, thread: int) -> None:
        rng = self.h.rng
        src = rng.choice([SRC_CACHE, SRC_SCRATCHPAD, SRC_WAKE, SRC_ZERO, *([SRC_FPU, SRC_DIVIDER] if self.fpu else [])])
        rd = self._register() or 1
        valid, flags = rng.getrandbits(1), rng.getrandbits(1) if src in {SRC_FPU, SRC_DIVIDER} else 0
        pending = {"valid": valid, "src": src, "side": self.io["s2_side_o"], "flags": flags, "rd": rd}
        del self.pending[thread]
        self.notes.append((thread, pending))


def _pending(it: Word) -> int:
    return PENDING.pack(**{name: it[name] for name, _ in PENDING.members})


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def is_register_response_or_else(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_operands[which])
    threads = Threads(h, which)
    EveryCycle(h, threads.drive, threads.check)
    await h.reset()
    srcs = range(6) if threads.fpu else (SRC_CACHE, SRC_SCRATCHPAD, SRC_WAKE, SRC_ZERO)
    wanted = [f"kind {k}" for k in range(4)] + [f"response {src}" for src in srcs]
    await h.until(lambda: all(threads.seen[name] > 40 for name in wanted) and threads.seen["all known"] > 500)

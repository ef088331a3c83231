# SPDX-License-Identifier: Apache-2.0
"""A thread of the overlay as the specification has it, an instruction at a time; for the test of one core.

What units and mailbox response is the test's and comes with the instruction; what the thread asks of them is returned.
No faults. Source: RISC-V unprivileged ISA 20191213; Tinsel's CSRs.
"""

from __future__ import annotations

from core_units import (
    AUIPC,
    BRANCH,
    FENCE,
    JAL,
    JALR,
    LOAD,
    LOAD_FP,
    LUI,
    OP,
    OP_FP,
    OP_IMM,
    SEND,
    STORE,
    STORE_FP,
    SYSTEM,
    WORD,
)

from polyloom.rtl.testing import signed

INSTR_ADDR, INSTR, FREE, CAN_SEND, CAN_RECV, SEND_LEN, SEND_PTR = 0x800, 0x801, 0x802, 0x803, 0x805, 0x806, 0x807
SEND_DEST, RECV, WAIT_UNTIL, FROM_UART, TO_UART, NEW_THREAD = 0x808, 0x809, 0x80A, 0x80B, 0x80C, 0x80D
FFLAGS, FRM, FCSR, FLUSH, MISSES, HART_ID = 1, 2, 3, 0xC01, 0xC08, 0xF14
#: CSRs whose value comes from outside.
OUTSIDE = {CAN_SEND, CAN_RECV, RECV, FROM_UART, TO_UART, MISSES}

# Numbers of the package's fpu_op_e by the upper 7 bits of an OP_FP word, or by the major opcode.
FPU_OPS = {0x00: 8, 0x04: 9, 0x08: 10, 0x0C: 11, 0x2C: 12}
FUSED = {0x43: 13, 0x47: 14, 0x4B: 15, 0x4F: 16}

Call = tuple[str, dict[str, int]]
NONE: Call = ("", {})


def alu(f3: int, other: bool, a: int, b: int) -> int:
    """An integer operation; other: subtraction or the arithmetic shift."""
    shift = b & 31
    right = (signed(a) if other else a) >> shift
    by_f3 = (
        *(a - b if other else a + b, a << shift, int(signed(a) < signed(b)), int(a < b)),
        *(a ^ b, right, a | b, a & b),
    )
    return by_f3[f3] & WORD


def holds(f3: int, a: int, b: int) -> bool:
    """A branch's condition."""
    return (a == b, signed(a) < signed(b), a < b)[(f3 >> 1) - (f3 > 1)] != bool(f3 & 1)


class Thread:
    """Registers and what else a thread has."""

    def __init__(self, hart: int) -> None:
        self.hart, self.pc, self.fcsr = hart, 0, 0
        self.x, self.f = [0] * 32, [0] * 32
        self.len = self.pointer = self.dest = self.addr = 0

    def step(self, word: int, response: int, flags: int, shown: int) -> Call:
        """One instruction; ``response``, ``flags``: of the unit that it asks; ``shown``: a CSR's value from outside."""
        major, rd, f3 = word & 127, word >> 7 & 31, word >> 12 & 7
        a, b, imm = self.x[word >> 15 & 31], self.x[word >> 20 & 31], signed(word >> 20, 12)
        pc, following, call = self.pc, self.pc + 4, NONE
        result: int | None = None
        if major == OP and word >> 25 == 1:
            call, result = ("fpu", {"op": f3, "rm": 0, "a": a, "b": b}), response
        elif major in {OP, OP_IMM}:
            other = word >> 30 & 1 == 1 and (major == OP or f3 == 5)
            result = alu(f3, other, a, b if major == OP else imm & WORD)
        elif major in {LUI, AUIPC}:
            result = (word & ~0xFFF) + (pc if major == AUIPC else 0) & WORD
        elif major == JAL:
            offset = word >> 31 << 20 | (word >> 12 & 255) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 1023) << 1
            result, following = following, pc + signed(offset, 21)
        elif major == JALR:
            result, following = following, a + imm & ~1
        elif major == BRANCH:
            low = word >> 31 << 12 | (word >> 7 & 1) << 11 | (word >> 25 & 63) << 5 | (word >> 8 & 15) << 1
            following = pc + signed(low, 13) if holds(f3, a, b) else following
        elif major in {LOAD, LOAD_FP, STORE, STORE_FP}:
            call = self._memory(word, a, imm)
            result = response if major == LOAD else None
            if major == LOAD_FP:
                self.f[rd] = response
        elif major == SYSTEM:
            call, result = self._csr(word, f3, a, response, shown)
        elif major == SEND:
            held = {"dest": self.dest, "slot": self.pointer >> 6 & 511, "flits": self.len & 3 | 4 * (self.len > 3)}
            held["astray"] = int(self.pointer >> 15 != 1 or self.pointer % 64 != 0)
            call = "send", {**held, "mask": a << 32 | b, "pc": pc}
        elif major != FENCE:
            call, result = self._float(word, response, flags)
        if result is not None and rd:
            self.x[rd] = result
        self.pc = following
        return call

    def _memory(self, word: int, a: int, imm: int) -> Call:
        store = word >> 5 & 1 == 1
        at = a + (signed(word >> 25, 7) << 5 | word >> 7 & 31 if store else imm) & WORD
        unit = "scratchpad" if at >> 15 == 1 else "cache"
        request = {"op": int(store), "size": word >> 12 & 3, "addr": at}
        if store:
            data = (self.f if word & 127 == STORE_FP else self.x)[word >> 20 & 31]
            return unit, request | {"data": data & (1 << (8 << request["size"])) - 1}
        return unit, request | {"sign": 1 - (word >> 14 & 1)}

    def _csr(self, word: int, f3: int, a: int, response: int, shown: int) -> tuple[Call, int]:
        number, named = word >> 20, word >> 15 & 31
        operand, op = (named if f3 & 4 else a), f3 & 3
        values = {
            HART_ID: self.hart,
            FCSR: self.fcsr,
            FFLAGS: self.fcsr & 31,
            FRM: self.fcsr >> 5,
            WAIT_UNTIL: response,
        }
        value = shown if number in OUTSIDE else values.get(number, 0)
        if number == RECV and shown:
            return ("recv", {}), value
        if op != 1 and not named:
            return NONE, value
        if number in {FFLAGS, FRM}:
            new = (0, operand, value | operand, value & ~operand)[op]
            self.fcsr = self.fcsr & 0xE0 | new & 31 if number == FFLAGS else self.fcsr & 31 | (new & 7) << 5
        self.addr = operand if number == INSTR_ADDR else self.addr
        self.dest = operand & 0xFFFFF if number == SEND_DEST else self.dest
        self.pointer = operand if number == SEND_PTR else self.pointer
        self.len = operand if number == SEND_LEN else self.len
        bits = operand & 15 | (4 if operand & 8 else 0)
        calls: dict[int, Call] = {
            **{FREE: ("free", {"slot": operand >> 6 & 511}), WAIT_UNTIL: ("wait", {"bits": bits})},
            **{FLUSH: ("cache", {"op": 2, "addr": operand}), INSTR: ("code", {"at": self.addr, "word": operand})},
            **{NEW_THREAD: ("new", {"thread": operand})},
        }
        return calls.get(number, NONE), value

    def _float(self, word: int, response: int, flags: int) -> tuple[Call, int | None]:
        """F: moves, and what the FPU is asked for that gives a floating-point number."""
        major, rd, f3, f7 = word & 127, word >> 7 & 31, word >> 12 & 7, word >> 25
        first, a, b = word >> 15 & 31, self.f[word >> 15 & 31], self.f[word >> 20 & 31]
        top = 1 << 31
        if major == OP_FP and f7 == 0x70:
            return NONE, a
        if major == OP_FP and f7 == 0x78:
            self.f[rd] = self.x[first]
        elif major == OP_FP and f7 == 0x10:
            self.f[rd] = a & ~top | (b, ~b, a ^ b)[f3] & top
        else:
            rm = self.fcsr >> 5 if f3 == 7 else f3
            requests = {"op": FUSED.get(major, FPU_OPS.get(f7, 0)), "rm": rm, "a": a}
            requests |= {"b": b} if f7 != 0x2C or major in FUSED else {}
            requests |= {"c": self.f[word >> 27]} if major in FUSED else {}
            self.f[rd] = response
            self.fcsr |= flags
            return ("fpu", requests), None
        return NONE, None

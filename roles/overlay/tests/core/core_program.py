# SPDX-License-Identifier: Apache-2.0
"""A random program for the test of one core: all threads run it from 0 on, and end with one kind of fault.

Registers: x1..x15 random, x20 the thread's id, x21 its number, x28 and x29 the scratchpad and the DRAM, f0..f7 random.
Even threads start the odd one after them. At its end a thread writes an instruction into a place of its own, jumps
there and comes back to the fault.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from core_interpreter import (
    CAN_RECV,
    CAN_SEND,
    FCSR,
    FFLAGS,
    FLUSH,
    FREE,
    FRM,
    FROM_UART,
    HART_ID,
    INSTR,
    INSTR_ADDR,
    MISSES,
    NEW_THREAD,
    RECV,
    SEND_DEST,
    SEND_LEN,
    SEND_PTR,
    TO_UART,
    WAIT_UNTIL,
    Thread,
)
from core_units import (
    AUIPC,
    FENCE,
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
    b_type,
    i_type,
    jal,
    r_type,
    s_type,
    u_type,
)

PATCHED = 440  # the first of the threads' own places, of two words each
FIRST = 32  # words of the beginning, which every thread runs


@dataclass
class End:
    """The fault that ends a thread: RISC-V's mcause, and the event's value if it is known at the core's port."""

    word: int
    cause: int
    value: Callable[[Thread], int] | None


ENDS = (
    End(0x00000073, 11, lambda t: t.x[17]),
    End(0x00100073, 3, None),
    End(0xFFFFFFFF, 2, lambda t: WORD),
    End(i_type(LOAD, 5, 2, 28, 2), 4, lambda t: 0x8002),
    End(i_type(LOAD, 5, 0, 0, 9), 5, lambda t: 9),
    End(s_type(STORE, 1, 28, 1, 7), 6, lambda t: 0x8007),
    End(s_type(STORE, 2, 0, 5, 0x7FC), 7, lambda t: 0x7FC),
    End(i_type(JALR, 5, 0, 0, 1026), 0, lambda t: 1026),
    End(i_type(JALR, 0, 0, 29, 4), 1, None),  # out of the memory: the fault is there
)


def addi(rd: int, rs: int, imm: int) -> int:
    """The instruction."""
    return i_type(OP_IMM, rd, 0, rs, imm)


def csrrw(rd: int, number: int, rs: int) -> int:
    """The instruction."""
    return i_type(SYSTEM, rd, 1, rs, number)


class Program:
    """Its words; ``end``: where the fault is."""

    def __init__(self, rng: random.Random, count: int, fp: bool) -> None:
        self._rng, self._fp = rng, fp
        self.fault = rng.choice(ENDS)
        self.words = self._begin()
        last = FIRST + count
        while len(self.words) < last:
            self.words.append(self._instruction(min(7, last - len(self.words))))
        self.words += self._finish()
        self.end = len(self.words) - 1
        self.code = dict(enumerate(self.words))
        for place in range(PATCHED, PATCHED + 32, 2):
            self.code |= {place: 0, place + 1: jal(0, 4 * (self.end - place - 1))}

    def _begin(self) -> list[int]:
        code = [csrrw(20, HART_ID, 0), i_type(OP_IMM, 21, 7, 20, 15), i_type(OP_IMM, 22, 7, 21, 1)]
        code += [b_type(1, 22, 0, 12), addi(22, 21, 1), csrrw(0, NEW_THREAD, 22)]
        code += [u_type(LUI, 28, 8), u_type(LUI, 29, 0x1800), addi(17, 21, 0)]
        code += [u_type(LUI, x, self._rng.getrandbits(20)) for x in range(1, 16)]
        code += [r_type(OP_FP, f, 0, f + 1, 0, 0x78) if self._fp else addi(0, 0, 0) for f in range(8)]
        assert len(code) == FIRST
        return code

    def _finish(self) -> list[int]:
        """Patch, jump there, and the fault."""
        patch = addi(17, 17, self._rng.randrange(-2048, 2048))
        code = [i_type(OP_IMM, 22, 1, 21, 1), addi(22, 22, PATCHED), csrrw(0, INSTR_ADDR, 22)]
        code += [i_type(OP_IMM, 23, 1, 22, 2)]
        code += [u_type(LUI, 24, (patch + 0x800 >> 12) & 0xFFFFF), addi(24, 24, patch & 0xFFF)]
        return [*code, csrrw(0, INSTR, 24), i_type(JALR, 1, 0, 23, 0), self.fault.word]

    def _x(self) -> int:
        return self._rng.randrange(16)

    def _instruction(self, ahead: int) -> int:
        """Jumps go forward, by so many words at most."""
        makers = [self._alu, self._alu, self._memory, self._memory, self._mailbox, self._mailbox]
        makers += [self._m, self._f, self._f] if self._fp else []
        kind = self._rng.randrange(len(makers) + 1)
        return self._jump(ahead) if kind == len(makers) else makers[kind]()

    def _alu(self) -> int:
        rng, f3 = self._rng, self._rng.randrange(8)
        kind = rng.randrange(5)
        if kind == 0:
            return u_type(rng.choice((LUI, AUIPC)), self._x(), rng.getrandbits(20))
        other = 0x20 * rng.getrandbits(1)
        if kind < 3:
            return r_type(OP, self._x(), f3, self._x(), self._x(), other if f3 in {0, 5} else 0)
        if f3 in {1, 5}:
            return r_type(OP_IMM, self._x(), f3, self._x(), rng.randrange(32), other if f3 == 5 else 0)
        return i_type(OP_IMM, self._x(), f3, self._x(), rng.randrange(-2048, 2048))

    def _jump(self, ahead: int) -> int:
        offset = 4 * self._rng.randrange(1, ahead + 1)
        at = 4 * len(self.words)
        kind = self._rng.randrange(4)
        if kind == 0:
            return jal(self._x(), offset)
        if kind == 1 and at + offset < 2048:
            return i_type(JALR, self._x(), 0, 0, at + offset)
        return b_type(self._rng.choice((0, 1, 4, 5, 6, 7)), self._x(), self._x(), offset)

    def _memory(self) -> int:
        rng, base = self._rng, self._rng.choice((28, 29))
        f3, store, fp = rng.randrange(3), rng.getrandbits(1) == 1, self._fp and rng.random() < 0.3
        f3 = 2 if fp else f3
        imm = rng.randrange(0, 2048, 1 << f3)
        if store:
            return s_type(STORE_FP if fp else STORE, f3, base, rng.randrange(8), imm)
        if fp:
            return i_type(LOAD_FP, rng.randrange(8), 2, base, imm)
        return i_type(LOAD, self._x(), f3 | (4 if f3 < 2 and rng.random() < 0.5 else 0), base, imm)

    def _mailbox(self) -> int:
        """CSRs and Send."""
        rng, rd, rs = self._rng, self._x(), self._x()
        if rng.random() < 0.2:
            return r_type(SEND, 0, 0, rs, self._x(), 0)
        if rng.random() < 0.1:
            return i_type(FENCE, rd, 0, rs, rng.getrandbits(12))
        if self._fp and rng.random() < 0.2:
            one = i_type(SYSTEM, rd, 5, rng.randrange(5), FRM)
            return rng.choice(
                (one, i_type(SYSTEM, rd, 2, 0, FCSR), i_type(SYSTEM, rd, rng.randrange(1, 4), rs, FFLAGS))
            )
        if rng.random() < 0.5:
            number = rng.choice((SEND_LEN, SEND_PTR, SEND_DEST, FREE, WAIT_UNTIL, FLUSH))
            return i_type(SYSTEM, rd, 5, rng.randrange(32), number) if rng.random() < 0.3 else csrrw(rd, number, rs)
        number = rng.choice((CAN_SEND, CAN_RECV, RECV, FROM_UART, TO_UART, MISSES, HART_ID))
        return csrrw(rd or 1, number, rs)

    def _m(self) -> int:
        return r_type(OP, self._x(), self._rng.randrange(8), self._x(), self._x(), 1)

    def _f(self) -> int:
        rng = self._rng
        rd, a, b, rm = (rng.randrange(8) for _ in range(4))
        kind = rng.randrange(4)
        if kind == 0:
            moves = r_type(OP_FP, self._x(), 0, a, 0, 0x70), r_type(OP_FP, rd, 0, self._x(), 0, 0x78)
            return rng.choice((*moves, r_type(OP_FP, rd, rng.randrange(3), a, b, 0x10)))
        rm = rm if rm < 5 else 7
        if kind == 1:
            return r_type(rng.choice((0x43, 0x47, 0x4B, 0x4F)), rd, rm, a, b, rng.randrange(8) << 2)
        f7 = rng.choice((0x00, 0x04, 0x08, 0x0C, 0x2C))
        return r_type(OP_FP, rd, rm, a, 0 if f7 == 0x2C else b, f7)

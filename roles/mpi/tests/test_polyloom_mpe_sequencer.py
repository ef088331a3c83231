# SPDX-License-Identifier: Apache-2.0
"""Covers: random instructions of every operation, operand, part of one, target, access and condition, one a cycle,
against mpe_machine.py: result, output, where it goes, whether it rests; corner and random numbers; what a load
brings in the next instruction and later, after stores of words and halves at the same place; pointers; calls up to
8 deep; conditions from outside; the begin after reset, also in the middle.

Leaves out: codes that polyloom_mpe_isa_pkg.sv does not name; borrow of other operations than whole differences;
words and registers that were never written.
"""

from __future__ import annotations

from typing import Any

import cocotb
from kernel_parts import part
from mpe_machine import (
    ACCESSES,
    BORROW,
    CALL,
    CALLS,
    FIRST_POINTER,
    FIRST_REGISTER,
    GLOBALS,
    I_EVENT,
    INPUT,
    INSTRUCTION,
    LOAD,
    MEMORY,
    MOV,
    NO_ACCESS,
    NO_BORROW,
    NUMBER,
    OPERATIONS,
    OUTPUTS,
    RETURN,
    RSUB,
    STORE,
    STORE_HIGH,
    STORE_LOW,
    SUB,
    Machine,
)  # fmt: skip

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "kernel_tb")
CORNERS = (0, 1, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFF0000, 0xFFFFFFFF)


class Lockstep:
    """The sequencer and its model, an instruction a cycle."""

    def __init__(self, dut: Any) -> None:
        self.h: Harness = part(dut, "sequencer")
        self.m = Machine()
        names = ("next", "word", "rests", "requested", "code", "given", "result", "conditions")
        self.s = {name: self.h.signal(name) for name in names}
        self.seen: set[tuple[str, int]] = set()
        self._shown: list[int] = []
        EveryCycle(self.h, lambda: None, self._look)

    def _look(self, _cycle: int) -> None:
        self._shown = [self.s[name].get() for name in ("result", "code", "next", "rests", "requested")]

    async def begin(self) -> None:
        """Reset: instruction 0 comes first, after a cycle without one."""
        await self.h.reset()
        self.s["word"].set(self.h.rng.getrandbits(INSTRUCTION.width))
        await self.h.step()
        assert self._shown[1:4] == [0, 0, 0]
        self.m.at, self.m.calls = 0, []

    async def run(self, **fields: int) -> None:
        """One instruction."""
        rng, s, m = self.h.rng, self.s, self.m
        word = INSTRUCTION.pack(**fields)
        given, outside = self.number(32), rng.getrandbits(5)
        s["word"].set(word)
        s["given"].set(given)
        s["conditions"].set(outside)
        at = m.at
        want = m.step(word, lambda _: given, [bool(outside >> i & 1) for i in range(5)])
        await self.h.step()
        seen = self._shown
        assert seen[:4] == [want.result, want.output, want.next, want.rests], (
            f"at {at}: {fields} with {given:#x} {outside:#b} gives {[hex(x) for x in seen]}, not {want}"
        )
        assert fields.get("from") != INPUT or seen[4] == fields.get("b", 0)
        self.seen |= set(fields.items())

    def number(self, bits: int) -> int:
        """Corners are frequent."""
        return self.h.rng.choice([self.h.rng.choice(CORNERS), self.h.rng.getrandbits(bits)]) & (1 << bits) - 1

    async def fill(self) -> None:
        """Every register has a number, pointers a place; some words have one."""
        for register in range(32):
            await self.run(op=MOV, target=FIRST_REGISTER + register, **{"from": INPUT, "b": 3})
        for pointer in range(4):
            await self.point(pointer)
        await self.run(op=MOV, access=STORE, offset=63, **{"from": INPUT})
        await self.run(op=MOV, access=LOAD, offset=63)

    async def point(self, pointer: int) -> None:
        """A pointer to one of few places, that ranges of two pointers overlap; at the memory's end too."""
        place = self.h.rng.choice([5, 12, 2047, 2040, GLOBALS - 7])
        values = {"number": place >> 5, "b": place & 31, "from": NUMBER}
        await self.run(op=MOV, target=FIRST_REGISTER + FIRST_POINTER + pointer, **values)

    def random(self) -> dict[str, int]:
        """An instruction that the model knows."""
        rng, m = self.h.rng, self.m
        fields = {name: rng.getrandbits(width) for name, width in INSTRUCTION.members}
        fields["op"] = rng.choice(OPERATIONS)
        if fields["op"] not in {SUB, RSUB} and fields["cond"] in {BORROW, NO_BORROW}:
            fields["op"] = rng.choice([SUB, RSUB])
        if (fields["cond"] == RETURN and not m.calls) or (fields["cond"] == CALL and len(m.calls) == CALLS):
            fields["cond"] = 0
        fields["access"] = rng.choice(ACCESSES)
        if rng.random() < 0.05:
            fields["from"], fields["b"] = INPUT, I_EVENT
        if fields["from"] == NUMBER and rng.random() < 0.5:
            number = self.number(16)
            fields["number"], fields["b"] = number >> 5, number & 31
        target = fields["target"]
        if target < FIRST_REGISTER:
            fields["target"] = target % OUTPUTS
        elif target >= FIRST_REGISTER + FIRST_POINTER:
            fields["target"] -= 8  # pointers are set by point()
        if fields["access"] in {LOAD, STORE_LOW, STORE_HIGH} and m.address(fields) not in m.memory:
            fields["access"] = rng.choice([NO_ACCESS, STORE])
        return fields


@cocotb.test()
async def random_instructions(dut: Any) -> None:
    lock = Lockstep(dut)
    for _ in range(3):
        await lock.begin()
        await lock.fill()
        for _ in range(700):
            if lock.h.rng.random() < 0.05:
                await lock.point(lock.h.rng.randrange(4))
            else:
                await lock.run(**lock.random())
    for name, count in (("op", 14), ("access", 5), ("cond", 16), ("target", OUTPUTS), ("from", 4), ("part", 4)):
        assert len({value for field, value in lock.seen if field == name}) >= count, name


@cocotb.test()
async def loads(dut: Any) -> None:
    """What was stored a cycle ago is loaded, and stands until the next load, whatever is stored meanwhile."""
    lock = Lockstep(dut)
    await lock.begin()
    await lock.fill()
    for _ in range(60):
        rng = lock.h.rng
        place = {"offset": rng.randrange(64)}
        await lock.run(op=MOV, access=STORE, **{"from": INPUT}, **place)
        await lock.run(op=MOV, access=rng.choice([STORE_LOW, STORE_HIGH]), **{"from": INPUT}, **place)
        await lock.run(op=MOV, access=LOAD, **{"from": INPUT}, **place)
        for _ in range(rng.randrange(3)):
            await lock.run(op=MOV, access=STORE, **{"from": INPUT}, **place)
        await lock.run(op=MOV, **{"from": MEMORY, "part": rng.randrange(4)})


@cocotb.test()
async def calls(dut: Any) -> None:
    """Down to the deepest and back, several times."""
    lock = Lockstep(dut)
    await lock.begin()
    for depth in (1, CALLS, 3, CALLS):
        for _ in range(depth):
            await lock.run(op=MOV, cond=CALL, to=lock.h.rng.getrandbits(10), **{"from": INPUT})
            await lock.run(op=MOV, **{"from": INPUT})
        for _ in range(depth):
            await lock.run(op=MOV, cond=RETURN, **{"from": INPUT})

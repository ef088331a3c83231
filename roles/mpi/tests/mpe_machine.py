# SPDX-License-Identifier: Apache-2.0
"""The sequencer of the message passing engine in Python, from the comments in polyloom_mpe_isa_pkg.sv: an
instruction a step.

Used as the reference of polyloom_mpe_sequencer, and to run what polyloom_mpe_program holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from polyloom.rtl.testing import Struct

ADD, SUB, RSUB, _, ADDH, SUBH, RSUBH, _, AND, OR, XOR, ANDN, MOV, PACK, INSLO, SHR8 = range(16)
OPERATIONS = (ADD, SUB, RSUB, ADDH, SUBH, RSUBH, AND, OR, XOR, ANDN, MOV, PACK, INSLO, SHR8)
REGISTER, NUMBER, MEMORY, INPUT = range(4)
WHOLE, LOW, HIGH, TIMES8 = range(4)
NO_ACCESS, LOAD, STORE, STORE_LOW, STORE_HIGH = 0, 1, 4, 5, 6
ACCESSES = (NO_ACCESS, LOAD, STORE, STORE_LOW, STORE_HIGH)
(NEVER, ALWAYS, ZERO_RESULT, NOT_ZERO, NO_BORROW, BORROW, NEGATIVE, NOT_NEGATIVE, CALL, RETURN, CASE) = range(11)
FIRST_OUTSIDE = 11  # conditions from outside
O_NONE, O_FLAGS, FIRST_REGISTER = 0, 2, 32
I_EVENT, INPUTS, OUTPUTS = 20, 21, 28
PROGRAM_WORDS, DATA_WORDS, GLOBALS, FIRST_POINTER, CALLS = 2048, 32768, 32704, 28, 8
REQUESTS = 12288  # handle 0 of the kernel, as packets have it
INSTRUCTION = Struct.of("polyloom_mpe_isa_pkg::instruction_t")
MASK = (1 << 32) - 1
LOW_HALF, HIGH_HALF = 0xFFFF, 0xFFFF0000


@dataclass
class Step:
    """What an instruction shows outside."""

    result: int
    output: int
    next: int
    rests: bool


@dataclass
class Machine:
    """The state. Registers and words that were never written are absent."""

    registers: dict[int, int] = field(default_factory=dict)
    memory: dict[int, int] = field(default_factory=dict)
    loaded: int | None = None
    calls: list[int] = field(default_factory=list)
    at: int = 0

    def address(self, i: dict[str, int]) -> int:
        """Of an access: by a pointer and the place in its record, or one of the last 64 words."""
        if not i["by_pointer"]:
            return GLOBALS + i["offset"]
        return (self.registers[FIRST_POINTER + (i["offset"] >> 4)] + (i["offset"] & 15)) % DATA_WORDS

    def step(self, word: int, given: Callable[[int], int], outside: list[bool]) -> Step:
        """An instruction; ``given``: what an input shows; ``outside``: conditions from NO_COMMAND on."""
        i = INSTRUCTION.unpack(word)
        a = self.registers.get(i["a"], 0)
        b = self._operand(i, given)
        result = _result(i["op"], a, b)
        accepted = self._taken(i, a, b, result, outside)
        rests = i["cond"] == CASE and i["from"] == INPUT and i["b"] == I_EVENT
        following = (self.at + 1) % PROGRAM_WORDS
        if i["cond"] == CASE:
            after = i["to"] & ~15 | (i["to"] | result) & 15
        elif i["cond"] == RETURN:
            after = self.calls.pop()
        else:
            after = i["to"] if accepted else following
        if i["cond"] == CALL:
            self.calls.append(following)
            assert len(self.calls) <= CALLS, f"calls {len(self.calls)} deep at {self.at}"
        self._access(i, result)
        self._write(i, result)
        self.at = after
        return Step(result, 0 if i["target"] >= FIRST_REGISTER else i["target"], after, rests)

    def _operand(self, i: dict[str, int], given: Callable[[int], int]) -> int:
        if i["from"] == REGISTER:
            b = self.registers.get(i["b"], 0)
        elif i["from"] == NUMBER:
            b = i["number"] << 5 | i["b"]
        elif i["from"] == MEMORY:
            assert self.loaded is not None, f"nothing was loaded before {self.at}"
            b = self.loaded
        else:
            b = given(i["b"])
        return (b, b & LOW_HALF, b >> 16, b * 8 & LOW_HALF)[i["part"]]

    def _taken(self, i: dict[str, int], a: int, b: int, result: int, outside: list[bool]) -> bool:
        borrow = a < b if i["op"] == SUB else b < a
        negative = bool(result & 0x8000)
        always = [False, True, result == 0, result != 0, not borrow, borrow, negative, not negative, True, True, True]
        return [*always, *outside][i["cond"]]

    def _access(self, i: dict[str, int], result: int) -> None:
        if i["access"] == NO_ACCESS:
            return
        at = self.address(i)
        if i["access"] == LOAD:
            self.loaded = self.memory.get(at, 0)
            return
        old = self.memory.get(at, 0)
        halves = {STORE: result, STORE_LOW: old & HIGH_HALF | result & LOW_HALF}
        self.memory[at] = halves.get(i["access"], old & LOW_HALF | (result & LOW_HALF) << 16)

    def _write(self, i: dict[str, int], result: int) -> None:
        if i["target"] >= FIRST_REGISTER or i["target"] == O_FLAGS:
            self.registers[i["target"] % FIRST_REGISTER] = result


def _result(op: int, a: int, b: int) -> int:
    results = {
        ADD: a + b, SUB: a - b, RSUB: b - a, ADDH: (a + b) & LOW_HALF, SUBH: (a - b) & LOW_HALF,
        RSUBH: (b - a) & LOW_HALF, AND: a & b, OR: a | b, XOR: a ^ b, ANDN: a & ~b, MOV: b,
        PACK: (b & LOW_HALF) << 16 | a & LOW_HALF, INSLO: a & HIGH_HALF | b & LOW_HALF, SHR8: b >> 8,
    }  # fmt: skip
    return results[op] & MASK

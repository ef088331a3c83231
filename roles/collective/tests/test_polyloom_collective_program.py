# SPDX-License-Identifier: Apache-2.0
"""Covers: words written and read by the shell in any order with stalls, whole programs run from any instruction with
gaps between instructions, requests that wait while one runs, in every cycle against an array of words; an instruction
in each cycle; what is behind the last instruction is no operation; programs of 16 and of 64 instructions.

Tests polyloom_collective_program. Leaves out: words that were never written.
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, Stall, Struct, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "collective_tb")
SIZES = (16, 64)
WORDS = 4
NO_OPERATION = 0xFF  # program.h has no such op


class Program:
    """The memory as it should be, the shell and the sequencer."""

    def __init__(self, dut: Any, which: int, stall: str | float = "random") -> None:
        self.h = h = Harness(dut, dut.i_parts.gen_program[which])
        self.size = SIZES[which]
        bits = (self.size - 1).bit_length() + 2
        self.host_type = Struct([("write", 1), ("addr", bits), ("data", 64)])
        names = (
            "response_valid",
            "response",
            "host_valid",
            "host_ready",
            "host",
            "running",
            "start",
            "start_index",
            "next",
        )
        self.signals = {name: h.signal(name) for name in (*names, "shown", "instruction", "index")}
        self.host = h.source("host", stall)
        self.stall = Stall(h.rng, stall)
        self.words = [0] * (WORDS * self.size)
        self.response: int | None = None
        self.at: int | None = None  # the instruction that is shown; size: behind the last
        self.left = 0  # instructions until the program ends
        self.begin: int | None = None  # a program to start at
        self.accepted = 0
        EveryCycle(h, self.drive, self.check)

    def write(self, place: int, word: int) -> None:
        self.host.send(self.host_type.pack(write=1, addr=place, data=word))

    def read(self, place: int) -> None:
        self.host.send(self.host_type.pack(write=0, addr=place, data=self.h.rng.getrandbits(64)))

    def drive(self) -> None:
        """The sequencer: starts when told to, takes instructions with gaps, ends."""
        set_ = {name: signal.set for name, signal in self.signals.items()}
        starts = self.begin is not None
        set_["start"](int(starts))
        set_["start_index"](self.begin if self.begin is not None else self.h.rng.randrange(self.size))
        set_["running"](int(self.at is not None))
        set_["next"](int(self.at is not None and self.left > 1 and not self.stall()))

    def check(self, cycle: int) -> None:
        get = {name: signal.get() for name, signal in self.signals.items()}
        assert get["response_valid"] == (self.response is not None), f"cycle {cycle}"
        assert self.response is None or get["response"] == self.response, f"cycle {cycle}: read {get['response']:#x}"
        assert get["shown"] == (self.at is not None), f"cycle {cycle}"
        assert get["host_ready"] == (not get["running"] and not get["start"])
        if self.at is not None:
            parts = self.words[WORDS * self.at : WORDS * self.at + WORDS]
            wanted = sum(word << 64 * i for i, word in enumerate(parts)) if parts else NO_OPERATION
            assert get["instruction"] == wanted, f"cycle {cycle}: instruction {self.at}: {get['instruction']:#x}"
            assert get["index"] == self.at % self.size
        self.response = None
        if get["host_valid"] and get["host_ready"]:
            request = self.host_type.unpack(get["host"])
            if request["write"]:
                self.words[request["addr"]] = request["data"]
            else:
                self.response = self.words[request["addr"]]
        self.move(get)

    def move(self, get: dict[str, int]) -> None:
        """The next instruction, the first one or the end."""
        if get["start"]:
            self.at, self.begin = self.begin, None
        elif get["next"] and self.at is not None:
            self.at += 1
            self.left -= 1
            self.accepted += 1
        elif self.at is not None and self.left <= 1 and not self.stall():
            self.at = None

    async def run(self, index: int, count: int) -> None:
        """Run so many instructions."""
        self.begin, self.left = index, count
        await self.h.until(lambda: self.begin is None and self.at is None)

    def fill(self) -> None:
        for place in self.h.rng.sample(range(len(self.words)), len(self.words)):
            self.write(place, self.h.rng.getrandbits(64))


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def against_an_array(dut: Any, which: int) -> None:
    p = Program(dut, which)
    rng = p.h.rng
    await p.h.reset()
    p.fill()
    await p.h.drain()
    for _ in range(25):
        for _ in range(rng.randrange(8)):
            place = rng.randrange(len(p.words))
            if rng.random() < 0.5:
                p.write(place, rng.getrandbits(64))
            else:
                p.read(place)
        await p.h.step(rng.randrange(20))  # what is left waits for the program's end
        index = rng.choice([0, p.size - 1, rng.randrange(p.size)])
        await p.run(index, rng.randint(1, min(12, p.size - index)))
    await p.h.drain()


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def the_end_of_the_memory(dut: Any, which: int) -> None:
    p = Program(dut, which, "never")
    await p.h.reset()
    p.fill()
    await p.h.drain()
    begin = p.h.cycle
    await p.run(0, p.size + 1)  # an instruction a cycle, the last of them none
    assert p.accepted == p.size and p.h.cycle - begin == p.size + 2
    for index in (p.size - 1, 0):  # and nothing of it stays
        await p.run(index, 1)

# SPDX-License-Identifier: Apache-2.0
"""Covers: every register in both directions, with the response in the cycle after; start, hello, clear and
what refuses them; begin, finish, marks and peers; events in order while the host does not take them.

Tests polyloom_collective_regs. Leaves out: more than four events waiting (a host that reads its events).
"""

from __future__ import annotations

from typing import Any

import cocotb
from collective_units import Inputs, Log

from polyloom.rtl.testing import Harness, bench
from spec.collective import REGISTERS

L, SIZE, MARKS = 3, 16, 32
NUMBERS = {register.name: register.offset for register in REGISTERS}

test = bench(__file__, "collective_tb")


class Bench:
    """The host's side of the registers; the cycle counter runs."""

    def __init__(self, dut: Any) -> None:
        self.h = Harness(dut, dut.gen_regs)
        names = ("cycle", "req_valid", "req_write", "req_index", "req_data", "rsp_valid", "rsp_error", "rsp_data")
        rest = (
            "running",
            "mark",
            "mark_index",
            "ended",
            "stop",
            "code",
            "lane",
            "value",
            "index",
            "step",
            "quiet",
            "status",
        )
        more = ("hello_in", "hello_node", "hello_port", "event_ready", "event_valid", "watchdog", "node", "idle")
        events = ("event_code", "event_detail", "event_begin", "event_finish", "event_value")
        self.io = Inputs(self.h, *names, *rest, *more, *events)
        self.log = {name: Log(self.h, name) for name in ("start", "start_index", "flush", "hello", "rsp_valid")}
        self.h.add(self)

    def reset(self) -> None:
        """Nothing."""

    def drive(self) -> None:
        """The cycle's number."""
        self.io.set(cycle=self.h.cycle)

    def sample(self, cycle: int) -> None:
        """Nothing."""

    def busy(self) -> str:
        """Nothing."""
        return ""

    async def access(self, index: int, write: int | None = None) -> int | None:
        """What is read; None if it is refused. A request is held until its response, one cycle later."""
        self.io.set(req_valid=1, req_write=int(write is not None), req_index=index, req_data=write or 0)
        await self.h.step()
        assert self.io.get("rsp_valid")
        error, data = self.io.get("rsp_error"), self.io.get("rsp_data")
        await self.h.step()
        self.io.set(req_valid=0)
        await self.h.step(self.h.rng.randrange(3))
        assert not self.io.get("rsp_valid")
        return None if error else data


@cocotb.test()
async def the_map(dut: Any) -> None:
    b = Bench(dut)
    await b.h.reset()
    shape = 5 << 32 | 2 << 16 | L << 8 | 2  # rx_beats, operator inputs, lanes, channels
    fixed = {"state": 0, "shape": shape, "program_size": SIZE, "begin": 0, "finish": 0}
    for name, value in fixed.items():
        assert await b.access(NUMBERS[name]) == value, name
        assert await b.access(NUMBERS[name], 1) is None, f"{name} can be written"
    for name, width in (("node", 16), ("watchdog", 32)):
        value = b.h.rng.getrandbits(width)
        assert await b.access(NUMBERS[name]) == 0
        assert await b.access(NUMBERS[name], value) is not None
        assert await b.access(NUMBERS[name]) == b.io.get(name) == value
    status = [b.h.rng.getrandbits(64) for _ in range(4)]  # two words of each of two partitions
    b.io.set(status=sum(word << 64 * i for i, word in enumerate(status)))
    known = {NUMBERS[name] for name in (*fixed, "node", "watchdog", "start", "hello", "clear")}
    known |= {NUMBERS["mark"] + i for i in range(MARKS)} | {NUMBERS["peer"] + i for i in range(L)}
    for i, word in enumerate(status):
        assert await b.access(NUMBERS["status"] + 128 * (i // 2) + i % 2) == word
    for i in (2, 3, 127, 130, 255, 256, 0xDFF):
        assert await b.access(NUMBERS["status"] + i) == 0, "no operator has this word"
    for i in (0, 2, 129, 0xDFF):
        assert await b.access(NUMBERS["status"] + i, 1) is None, "status can be written"
    for index in [*range(NUMBERS["status"]), 0x1000, 0x1002, 1 << 31]:
        if index not in known:
            assert await b.access(index) is None, f"{index:#x} responds"
    for name in ("start", "hello"):
        assert await b.access(NUMBERS[name]) is None, f"{name} can be read"


@cocotb.test()
async def start_begins_once_where_it_may(dut: Any) -> None:
    b = Bench(dut)
    h = b.h
    await h.reset()
    before = h.cycle
    assert await b.access(NUMBERS["start"], SIZE - 1) is not None
    assert b.log["start"].cycles() == [before] and b.log["start_index"].values[before] == SIZE - 1
    assert await b.access(NUMBERS["begin"]) == before
    assert await b.access(NUMBERS["start"], SIZE) is None
    b.io.set(running=1)
    assert await b.access(NUMBERS["start"], 0) is None and await b.access(NUMBERS["state"]) == 1
    assert await b.access(NUMBERS["clear"], 0) is None
    b.io.set(running=0, stop=1)
    assert await b.access(NUMBERS["start"], 0) is None and await b.access(NUMBERS["state"]) == 2
    assert await b.access(NUMBERS["clear"], 0) is not None
    assert not b.log["flush"].cycles()
    b.io.set(stop=0)
    assert await b.access(NUMBERS["start"], 0) is None, "start while a clear waits"
    quiet = await b.io.once(quiet=1)
    await h.step(3)
    assert b.log["flush"].cycles() == [quiet]
    assert await b.access(NUMBERS["start"], 3) is not None
    assert len(b.log["start"].cycles()) == 2


@cocotb.test()
async def hello_peers_and_marks(dut: Any) -> None:
    b = Bench(dut)
    h = b.h
    await h.reset()
    at = h.cycle
    assert await b.access(NUMBERS["hello"], 1) is not None
    assert b.log["hello"].cycles() == [at]
    for lane in range(L):
        assert await b.access(NUMBERS["peer"] + lane) == 0
        node, port = h.rng.getrandbits(16), h.rng.getrandbits(8)
        await b.io.once(hello_in=1 << lane, hello_node=node << 16 * lane, hello_port=port << 8 * lane)
        assert await b.access(NUMBERS["peer"] + lane) == 1 << 31 | node << 8 | port
    for mark in (0, 7, MARKS - 1):
        assert await b.access(NUMBERS["mark"] + mark) == 0
        cycle = await b.io.once(mark=1, mark_index=mark)
        assert await b.access(NUMBERS["mark"] + mark) == cycle
    await b.io.once(mark=1, mark_index=0xFF)  # a step without a mark
    assert await b.access(NUMBERS["mark"] + 1) == 0


@cocotb.test()
async def events_in_order(dut: Any) -> None:
    b = Bench(dut)
    h = b.h
    await h.reset()
    wanted = []
    for _ in range(30):
        for _ in range(h.rng.randint(1, 4)):
            begin = h.cycle
            await b.access(NUMBERS["start"], 0)
            index = h.rng.randrange(SIZE)
            b.io.set(index=index)
            if h.rng.random() < 0.5:
                finish = await b.io.once(ended=1)
                wanted.append((0, index, begin, finish, 0))
            else:
                code, lane, value = h.rng.randint(1, 8), h.rng.choice([0xFF, 1]), h.rng.getrandbits(64)
                step = h.rng.randrange(SIZE)
                b.io.set(code=code, lane=lane, value=value, step=step, stop=1)
                finish = h.cycle
                await h.step(3)
                assert await b.access(NUMBERS["clear"], 0) is not None
                await b.io.once(quiet=1)
                b.io.set(stop=0)
                wanted.append((code, lane << 16 | step, begin, finish, value))
            await h.step(2)
            assert await b.access(NUMBERS["finish"]) == finish
        for code, detail, begin, finish, value in wanted:
            await h.until(lambda: bool(b.io.get("event_valid")), 5)
            got = tuple(b.io.get(f"event_{name}") for name in ("code", "detail", "begin", "finish", "value"))
            assert got == (code, detail, begin, finish, value)
            await b.io.once(event_ready=1)
        await h.step(2)
        assert not b.io.get("event_valid") and b.io.get("idle")
        wanted = []

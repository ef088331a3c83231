# SPDX-License-Identifier: Apache-2.0
"""Covers: random TLPs of every kind that may come to L, and such that may not, with stalls of all that take from it:
what each part is told, in order, whole, once; register writes and proxies only behind acknowledged memory writes;
refused words and what is behind them; responses to reads, poisoned ones too; every fault with its port; what a header
finds (room of the function, of the proxy queue, the tag that is due); rate of memory writes and of register words.

Tests polyloom_hub_local. Leaves out: what the registers hold (test_polyloom_hub_regs.py).
"""

from __future__ import annotations

import random
from typing import Any

import cocotb
from hub_bench import MEMORY_BYTES, REG
from hub_units import (
    BEAT,
    COMPLETION,
    FAULT,
    FUNCTION,
    FUNCTION_FULL,
    MAX_PAYLOAD,
    MEMORY,
    PAGE,
    POISONED,
    PROXY_FULL,
    READ,
    REFUSED,
    WRITE,
    Tlp,
    unit,
)  # fmt: skip

from polyloom.rtl.testing import Harness, Sink, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "hub_tb")
NODE = 11
REGISTERS, FUNCTION_LAST = 1 << 16, 1 << 27
ONES = (1 << 64) - 1


def write_ok(offset: int) -> bool:
    """The registers of this bench."""
    return offset >> 3 & 7 != 5


def read_word(offset: int) -> int | None:
    """And what they show; None: no such register."""
    return None if offset >> 3 & 7 == 6 else (offset ^ 0xFFFF) << 48 | offset << 32 | 0x5A3C << 16 | offset


def random_tlp(rng: random.Random) -> Tlp:
    """Of a kind that has something to do here, or nearly."""
    size = rng.choice([1, 15, 16, 17, MAX_PAYLOAD, rng.randint(1, MAX_PAYLOAD)])
    words, tag = 8 * rng.randint(1, MAX_PAYLOAD // 8), rng.randrange(256)
    own = unit(NODE, 3)
    register = rng.choice([8 * rng.randrange(1 << 13), REG.proxy, REG.proxy - 8, 0xFFF8])
    place = rng.randrange(MEMORY_BYTES)
    kind = rng.randrange(11)
    if kind < 2:
        return Tlp(WRITE, own + MEMORY + place - max(0, place % PAGE + size - PAGE), rng.randbytes(size))
    if kind < 4:
        register -= max(0, register % PAGE + words - PAGE)
        return Tlp(WRITE, own + register, rng.randbytes(words))
    if kind == 4:
        return Tlp(WRITE, own + REG.proxy, rng.randbytes(rng.choice([64, 64, 64, 56, 72])))
    if kind == 5:
        return Tlp(WRITE, own + FUNCTION + rng.choice([0, FUNCTION_LAST]) + 1024 * place, rng.randbytes(size))
    if kind == 6:
        return Tlp(READ, own + register, length=8, tag=tag)
    if kind == 7:
        address = rng.choice([own + register + 4, own + REGISTERS, own + MEMORY, unit(NODE, 1), unit(NODE ^ 2, 3)])
        return Tlp(READ, address, length=rng.choice([8, 8, 1, 16]), tag=tag)
    if kind < 10:
        left = size + rng.choice([0, 0, 16 * rng.randint(1, 20)])
        return Tlp(COMPLETION, left | 32 << 32, rng.randbytes(size), tag=tag, poisoned=rng.random() < 0.2)
    address = rng.choice([own + register + 1, own + REGISTERS, own + MEMORY + MEMORY_BYTES, own + 2 * FUNCTION, 0])
    return Tlp(WRITE, rng.choice([address, unit(NODE, 2, 64), unit(NODE ^ 1, 3, register)]), rng.randbytes(words))


class Local:
    """The local unit, all that it serves, and what they must see."""

    def __init__(self, dut: Any, stall: str | float = "random") -> None:
        self.h = h = Harness(dut, dut.i_parts.gen_local)
        self.stall = stall
        self.source = h.source("in", stall)
        EveryCycle(h, self.drive, self.check)  # before the sinks: memory is told in the cycle of the header
        self.sinks = {name: h.sink(name, stall) for name in ("start", "memory", "reply", "fault", "stream")}
        for sink in self.sinks.values():
            sink.expect([])
        names = ("node", "memory_idle", "write", "waddr", "wdata", "proxy_valid", "proxy_ready", "proxy", "due_tag")
        names += ("reads_header", "reads_tag", "reads_valid", "reads_final", "reads_bad", "beat", "stream_free", "idle")
        self.signals = {name: h.signal(name) for name in names}
        self.queue: list[tuple[int, Tlp]] = []
        self.calls: list[tuple[Any, ...]] = []  # what ports without ready must see, in order
        self.cycles: list[int] = []  # and when they saw it
        self.faults: set[int] = set()
        self.headers: list[int] = []  # places of headers among the beats
        self.beats = 0

    def send(self, tlp: Tlp, port: int) -> None:
        self.headers.append(self.beats)
        beats = tlp.beats()
        self.beats += len(beats)
        self.queue.append((port, tlp))
        self.source.send([port << BEAT.width | beat for beat in beats])

    def drive(self) -> None:
        """All that a header looks at may change in every cycle."""
        rng = self.h.rng
        idle = self.stall == "never" or rng.random() < 0.6
        self.signals["memory_idle"].set(int(idle))
        self.signals["proxy_ready"].set(int(rng.random() < 0.7))
        self.signals["stream_free"].set(rng.choice([0, 1, 7, 8, 100, 512]))
        tlps = [tlp for _, tlp in self.queue[:2]]
        self.signals["due_tag"].set(rng.choice([*(tlp.tag for tlp in tlps), *(tlp.tag for tlp in tlps), 7]))

    def check(self, cycle: int) -> None:
        get = {name: signal.get() for name, signal in self.signals.items()}
        if self.source.cycles and self.source.cycles[-1] == cycle and self.headers[:1] == [len(self.source.passed) - 1]:
            self.headers.pop(0)
            self.judge(*self.queue.pop(0), get)
        assert not get["idle"] or not self.calls, f"cycle {cycle}: idle, and owes {self.calls[0]}"
        if get["write"] or get["proxy_valid"]:
            assert get["memory_idle"], f"cycle {cycle}: before memory writes are acknowledged"
        for valid, seen in (
            (get["write"], ("write", get["waddr"], get["wdata"])),
            (get["proxy_valid"], ("proxy", get["proxy"])),
            (get["reads_valid"], ("reads", get["reads_final"], get["reads_bad"], get["beat"])),
        ):
            if valid:
                assert self.calls and self.calls[0] == seen, f"cycle {cycle}: {seen}, expected {self.calls[:1]}"
                self.calls.pop(0)
                self.cycles.append(cycle)

    def judge(self, port: int, tlp: Tlp, now: dict[str, int]) -> None:
        """A header is taken: what follows, in registers.h's words."""
        offset = tlp.address & (1 << 33) - 1
        own = tlp.address >> 33 == NODE << 2 | 3
        register = own and offset < REGISTERS and offset % 8 == 0 and tlp.length % 8 == 0
        beats = tlp.beats()[1:]
        assert now["reads_header"] == (tlp.kind == COMPLETION)
        if tlp.kind == COMPLETION:
            assert now["reads_tag"] == tlp.tag
            self.completion(port, tlp, beats, now["due_tag"] == tlp.tag)
        elif tlp.kind == READ:
            word = read_word(offset) if register and tlp.length == 8 else None
            if word is None:
                self.refuse(REFUSED, port, tlp)
            data = (ONES if word is None else word).to_bytes(8, "little")
            self.sinks["reply"].expect(Tlp(COMPLETION, 8, data, tag=tlp.tag, poisoned=word is None).beats())
        elif own and MEMORY <= offset < MEMORY + MEMORY_BYTES:
            self.sinks["start"].expect([(offset - MEMORY) << 10 | tlp.length])
            self.sinks["memory"].expect(beats)
        elif register and offset == REG.proxy:
            if tlp.length != 64:
                self.refuse(REFUSED, port, tlp)
            elif not now["proxy_ready"]:
                self.refuse(PROXY_FULL, port, tlp)
            else:
                self.calls.append(("proxy", int.from_bytes(tlp.payload, "little")))
        elif register:
            self.words(port, tlp, offset)
        elif own and offset >> 28 == 1:
            if len(beats) > now["stream_free"]:
                self.refuse(FUNCTION_FULL, port, tlp)
            else:
                ends = 1 << 132 if offset & FUNCTION_LAST else 0
                self.sinks["stream"].expect(
                    [*(beat & ~(1 << 132) for beat in beats[:-1]), beats[-1] & ~(1 << 132) | ends]
                )
        else:
            self.refuse(REFUSED, port, tlp)

    def completion(self, port: int, tlp: Tlp, beats: list[int], due: bool) -> None:
        if not due:
            self.refuse(REFUSED, port, tlp)
            return
        if tlp.poisoned:
            self.refuse(POISONED, port, tlp)
        final = int(tlp.address & 0xFFFFFFFF == tlp.length)
        self.calls += [("reads", final, int(tlp.poisoned), beat) for beat in beats]

    def words(self, port: int, tlp: Tlp, offset: int) -> None:
        """Up to the first that the registers refuse, which they are shown too."""
        for i in range(0, tlp.length, 8):
            self.calls.append(("write", offset + i, int.from_bytes(tlp.payload[i : i + 8], "little")))
            if not write_ok(offset + i):
                self.refuse(REFUSED, port, tlp)
                return

    def refuse(self, cause: int, port: int, tlp: Tlp) -> None:
        self.faults.add(cause)
        address = tlp.address & (1 << 48) - 1
        self.sinks["fault"].expect([FAULT.pack(cause=cause, port=port, address=address)])

    async def done(self) -> None:
        await self.h.drain()
        assert self.signals["idle"].get() and not self.calls and not self.queue


@cocotb.test()
async def all_that_may_come(dut: Any) -> None:
    b = Local(dut)
    await b.h.reset()
    b.signals["node"].set(NODE)
    while b.faults != {REFUSED, POISONED, PROXY_FULL, FUNCTION_FULL}:
        for _ in range(250):
            b.send(random_tlp(b.h.rng), b.h.rng.randrange(6))
        await b.done()


@cocotb.test()
async def rate(dut: Any) -> None:
    b = Local(dut, "never")
    await b.h.reset()
    b.signals["node"].set(NODE)
    for i in range(6):
        b.send(Tlp(WRITE, unit(NODE, 3, MEMORY + 128 * i), b.h.rng.randbytes(MAX_PAYLOAD)), 1)
    await b.done()
    first, beats = b.source.cycles[0], 1 + MAX_PAYLOAD // 16
    assert b.source.cycles == [first + n for n in range(6 * beats)]
    memory: Sink = b.sinks["memory"]
    assert memory.cycles == [first + n for n in range(6 * beats) if n % beats]
    before = b.h.cycle
    b.send(Tlp(WRITE, unit(NODE, 3, 0x100), b.h.rng.randbytes(40)), 1)
    await b.done()
    assert b.cycles == [before + 1 + n for n in range(5)]  # a word a cycle behind the header

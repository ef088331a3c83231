# SPDX-License-Identifier: Apache-2.0
"""A whole hub in a test: the endpoint behind N, remote memories behind E, S and W, the on-board memory."""

from __future__ import annotations

import struct
from collections import deque
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from hub_units import (
    BEAT_BYTES,
    COMPLETION,
    EAST,
    LOCAL,
    MAX_PAYLOAD,
    MEMORY,
    NORTH,
    PAGE,
    READ,
    SOUTH,
    WEST,
    WRITE,
    LinkSink,
    LinkSource,
    Rule,
    Tlp,
    unit,
)  # fmt: skip

import spec.hub
from polyloom.rtl.testing import Harness

NODE = 5  # by the strap
MEMORY_BYTES = 1 << 16
UNIT_BYTES = 1 << 16  # of the units 0 to 2 that tests use
REG = SimpleNamespace(**{register.name: register.offset for register in spec.hub.REGISTERS})
LAST, FLAG, FUNCTION_BIT = 1, 2, 4


def hub(offset: int, node: int = NODE) -> int:
    """Address in the hub's own unit."""
    return unit(node, 3, offset)


def rule_word(rule: Rule) -> int:
    """As written to a rule's register."""
    return rule.lower | rule.upper << 16 | rule.mask << 32 | int(rule.valid) << 63


@dataclass
class Descriptor:
    """As in registers.h."""

    source: int
    destination: int
    block_bytes: int
    blocks: int = 1
    source_stride: int = 0
    destination_stride: int = 0
    control: int = LAST
    ident: int = 0
    next: int = 0
    flag: int = 0

    def packed(self) -> bytes:
        """Its 64 bytes."""
        return struct.pack(
            "<QQIIqqIIQQ", self.source, self.destination, self.block_bytes, self.blocks, self.source_stride,
            self.destination_stride, self.control, self.ident, self.next, self.flag,
        )  # fmt: skip


class BoardMemory:
    """The on-board memory: takes bursts, responds in order, each channel with random stalls."""

    def __init__(self, harness: Harness, stall: str | float) -> None:
        self.bytes = bytearray(harness.rng.randbytes(MEMORY_BYTES))
        self._aw, self._w, self._ar = (harness.sink(f"mem_{c}", stall) for c in ("aw", "w", "ar"))
        self._b, self._r = (harness.source(f"mem_{c}", stall) for c in ("b", "r"))
        self.ar, self.r = self._ar, self._r
        self._seen = [0, 0, 0]
        self._bursts: deque[list[int]] = deque()
        self._beats: deque[int] = deque()
        harness.add(self)

    def reset(self) -> None:
        """Nothing of its own to drive."""

    def drive(self) -> None:
        """Nothing of its own to drive."""

    def sample(self, cycle: int) -> None:
        """Take bursts; respond to reads and whole writes."""
        for word in self._aw.passed[self._seen[0] :]:
            address, beats = word >> 8, (word & 0xFF) + 1
            assert address % BEAT_BYTES == 0 and address // PAGE == (address + 16 * beats - 1) // PAGE
            self._bursts.append([address, beats])
        self._beats.extend(self._w.passed[self._seen[1] :])
        for word in self._ar.passed[self._seen[2] :]:
            address, beats = word >> 8, (word & 0xFF) + 1
            assert address // PAGE == (address + 16 * beats - 1) // PAGE and address + 16 * beats <= MEMORY_BYTES
            for i in range(beats):
                data = int.from_bytes(self.bytes[address + 16 * i : address + 16 * i + 16], "little")
                self._r.send(data << 1 | int(i == beats - 1))
        self._seen = [len(self._aw.passed), len(self._w.passed), len(self._ar.passed)]
        while self._bursts and self._beats:
            burst, word = self._bursts[0], self._beats.popleft()
            new = (word >> 17).to_bytes(16, "little")
            for i in range(16):
                if word >> 1 + i & 1:
                    self.bytes[burst[0] + i] = new[i]
            burst[0] += 16
            burst[1] -= 1
            assert (word & 1) == (burst[1] == 0)
            if burst[1] == 0:
                self._bursts.popleft()
                self._b.send(0)

    def busy(self) -> str:
        """Say if a write is not whole."""
        return "on-board memory: writes open" if self._bursts or self._beats else ""


class Bench:
    """A hub whose far ends are memories. ``writes[port]``: the TLPs that left by a port, but for completions."""

    def __init__(
        self, dut: Any, which: int = 0, stall: str | float = "random", delay: int = 20, latency: int = 60
    ) -> None:
        self.h = Harness(dut, dut.gen_node[which])
        h = self.h
        self.inputs = [LinkSource(h, "rx", i, "left", stall) for i in range(4)]
        self.outputs = [LinkSink(h, "tx", o, "credit", stall, delay) for o in range(4)]
        self.memory = BoardMemory(h, stall)
        self.units = [bytearray(h.rng.randbytes(UNIT_BYTES)) for _ in range(3)]
        self.writes: list[list[Tlp]] = [[] for _ in range(4)]
        self.responses: dict[int, Tlp] = {}
        self.reads: list[Tlp] = []
        self.hold = False  # no completions for now
        self.poison = 0  # so many completions from now on
        self._latency = latency
        self._seen = [0] * 4
        self._completions: deque[tuple[int, Tlp]] = deque()
        self._tag = 0
        h.add(self)

    async def start(self, rings: bool = True) -> None:
        """Reset; nodes above the own go east, those below west, node 0 south."""
        await self.h.reset()
        if rings:
            self.rule(EAST, Rule(lower=NODE + 1 << 11, upper=0x7FFF))
            self.rule(WEST, Rule(lower=1 << 11, upper=(NODE << 11) - 1))
            self.rule(SOUTH, Rule(lower=0, upper=0x7FF))
        await self.h.drain(after=5)

    def rule(self, port: int, rule: Rule, number: int = 0) -> None:
        """Write a rule from N."""
        self.write(REG.rules + 16 * port + 8 * number, rule_word(rule))

    def send(self, port: int, tlp: Tlp) -> None:
        """Send a TLP to a port."""
        self.inputs[port].send(tlp)

    def write(self, register: int, *words: int, port: int = NORTH) -> None:
        """Write registers from a port."""
        self.send(port, Tlp(WRITE, hub(register), b"".join(word.to_bytes(8, "little") for word in words)))

    async def read(self, register: int) -> int:
        """Read a register from N; -1: poisoned."""
        self._tag = (self._tag + 1) % 256
        tag = self._tag
        self.send(NORTH, Tlp(READ, hub(register), length=8, tag=tag))
        await self.h.until(lambda: tag in self.responses)
        response = self.responses.pop(tag)
        return -1 if response.poisoned else int.from_bytes(response.payload, "little")

    def put(self, address: int, data: bytes, port: int = NORTH) -> None:
        """Write bytes by TLPs of the largest size."""
        while data:
            size = min(len(data), MAX_PAYLOAD, PAGE - address % PAGE)
            self.send(port, Tlp(WRITE, address, data[:size]))
            address, data = address + size, data[size:]

    def reset(self) -> None:
        """Nothing of its own to drive."""

    def drive(self) -> None:
        """Send completions that are due: in order, in pieces of the largest payload."""
        while not self.hold and self._completions and self._completions[0][0] <= self.h.cycle:
            self.send(NORTH, self._completions.popleft()[1])

    def sample(self, cycle: int) -> None:
        """Sort what has come."""
        for port, output in enumerate(self.outputs):
            for tlp in output.got[self._seen[port] :]:
                if tlp.kind == COMPLETION:
                    assert port == NORTH
                    self.responses[tlp.tag] = tlp
                elif tlp.kind == READ:
                    assert port == NORTH
                    self.reads.append(tlp)
                    self._complete(tlp, cycle)
                else:
                    self.writes[port].append(tlp)
                    if port == NORTH:
                        self._store(tlp)
            self._seen[port] = len(output.got)

    def _store(self, tlp: Tlp) -> None:
        offset, memory = tlp.address & (1 << 33) - 1, self.units[tlp.address >> 33 & 3]
        assert tlp.address >> 35 == NODE and offset + len(tlp.payload) <= UNIT_BYTES, f"{tlp}: not mapped"
        memory[offset : offset + len(tlp.payload)] = tlp.payload

    def _complete(self, tlp: Tlp, cycle: int) -> None:
        offset, memory = tlp.address & (1 << 33) - 1, self.units[tlp.address >> 33 & 3]
        assert tlp.length <= 512 and offset % 512 + tlp.length <= 512
        data = bytes(memory[offset : offset + tlp.length])
        due = cycle + (self.h.rng.randint(1, self._latency) if self._latency > 1 else self._latency)
        if self._completions:
            due = max(due, self._completions[-1][0])
        for start in range(0, len(data), MAX_PAYLOAD):
            piece = data[start : start + MAX_PAYLOAD]
            self.poison -= 1
            address = len(data) - start | start << 32
            self._completions.append((due, Tlp(COMPLETION, address, piece, tag=tlp.tag, poisoned=self.poison == 0)))

    def busy(self) -> str:
        """Say if completions are owed."""
        return "completions are owed" if self._completions else ""

    def image(self, writes: list[Tlp]) -> dict[int, int]:
        """Bytes that these writes leave, by address."""
        found: dict[int, int] = {}
        for tlp in writes:
            for i, byte in enumerate(tlp.payload):
                found[tlp.address + i] = byte
        return found

    async def chain_done(self, limit: int = 30_000) -> None:
        """Poll until no DMA is busy, then wait until the hub is idle: what was written has left."""
        await self.chain_done_but_function(limit)
        await self.h.until(lambda: bool(self.h.signal("idle").get()))

    async def chain_done_but_function(self, limit: int = 30_000) -> None:
        """Poll until no DMA is busy."""
        for _ in range(limit // 50):
            if await self.read(REG.dma_state) & 3 == 0:
                return
            await self.h.step(40)
        raise AssertionError(f"DMA is busy for more than {limit} cycles: {await self.read(REG.dma_state):#x}")


__all__ = ["EAST", "LOCAL", "MEMORY", "NORTH", "SOUTH", "WEST", "Bench", "Descriptor", "hub", "rule_word"]

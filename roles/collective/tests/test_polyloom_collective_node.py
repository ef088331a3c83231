# SPDX-License-Identifier: Apache-2.0
"""Covers: a host that loads data and a program by frames, starts it, hears of its end and reads what it copied, while
host port and memory stall at random: shell, engine and polyloom_collective_owner as they stand together; idle.

Tests polyloom_collective_node. Leaves out: lanes (rtl_engine.cc) and cycles (swap tests with the model).
"""

from __future__ import annotations

from typing import Any

import cocotb
from collective_units import Inputs, Memory, random_pattern
from test_polyloom_collective_sequencer import END, GO, INSTRUCTION, READ, WRITE

from polyloom.rtl.testing import Harness, bench

OP_WRITE, OP_READ, OP_REG_WRITE, OP_REG_READ = 2, 3, 4, 5
WRITE_DONE, READ_DATA, REG_DATA, EVENT = 0x42, 0x43, 0x45, 0x49
CHANNEL, PROGRAM = 4, 5
ROLE_BASE, START = 0x100, 0
MAGIC = int.from_bytes(b"POLYLOOM", "little")

test = bench(__file__, "collective_tb")


class Host:
    """Sends a frame, waits for the response."""

    def __init__(self, h: Harness) -> None:
        self._h, self._to, self._from = h, h.source("host_rx"), h.sink("host_tx")
        self._seen, self._tag = 0, 0

    async def response(self) -> list[int]:
        """Words of the next frame from the node."""
        words: list[int] = []
        while not words or not words[-1] >> 64:
            await self._h.until(lambda: len(self._from.passed) > self._seen, 5000)
            words.append(self._from.passed[self._seen])
            self._seen += 1
        return [word & (1 << 64) - 1 for word in words]

    async def request(self, op: int, aux: int, arg: int, *words: int) -> list[int]:
        """The response's words; it repeats the tag."""
        self._tag = self._h.rng.getrandbits(16)
        frame = [op | aux << 8 | self._tag << 16 | arg << 32, *words]
        self._to.send(word | int(i == len(frame) - 1) << 64 for i, word in enumerate(frame))
        got = await self.response()
        assert got[0] >> 16 & 0xFFFF == self._tag
        return got

    async def write(self, space: int, address: int, data: bytes) -> None:
        padded = data + bytes(-len(data) % 8)
        words = [int.from_bytes(padded[i : i + 8], "little") for i in range(0, len(padded), 8)]
        got = await self.request(OP_WRITE, space, address, len(data), *words)
        assert got[0] & 0xFF == WRITE_DONE

    async def read(self, space: int, address: int, count: int) -> bytes:
        got = await self.request(OP_READ, space, address, count)
        assert got[0] & 0xFF == READ_DATA
        return b"".join(word.to_bytes(8, "little") for word in got[2:])[:count]


@cocotb.test()
async def a_program_copies_what_the_host_loaded(dut: Any) -> None:
    h = Harness(dut, dut.gen_node)
    host, reads, writes = Host(h), Memory(h, reads=True), Memory(h, reads=False)
    writes.bytes = reads.bytes
    io = Inputs(h, "idle")
    await h.reset()
    assert (await host.request(OP_REG_READ, 0, 0))[1] == MAGIC
    for _ in range(6):
        image = bytearray(h.rng.randbytes(len(reads.bytes)))
        reads.bytes[:] = image
        source, target = random_pattern(h.rng, 40), random_pattern(h.rng, 40)
        while len(source.beats()) != len(target.beats()):
            target = random_pattern(h.rng, 40)
        place, data = source.run_starts()[0], h.rng.randbytes(source.run_bytes)
        await host.write(CHANNEL, place, data)
        image[place : place + len(data)] = data
        fields = [
            {"base": p.base, "stride": p.stride % (1 << 64), "run_bytes": p.run_bytes, "runs": p.runs}
            for p in (source, target)
        ]
        code = [{"op": READ, "index": 0, **fields[0]}, {"op": WRITE, "index": 0, "source": 0, **fields[1]}]
        program = b"".join(
            INSTRUCTION.pack(**i).to_bytes(32, "little") for i in [*code, {"op": GO, "index": 0}, {"op": END}]
        )
        await host.write(PROGRAM, 0, program)
        assert await host.read(PROGRAM, 32, 32) == program[32:64]
        # Beats go one to one; bytes that both have count.
        moved = [bytes(image[a : a + n]) for a, n, _ in source.beats()]
        last = moved[-1]
        for beat, (a, n, _) in zip(moved, target.beats(), strict=True):
            count = min(n, len(beat))
            image[a : a + count] = beat[:count]
        overlap = {a for a, _, _ in source.beats()} & {a for a, _, _ in target.beats()}
        host._to.send([OP_REG_WRITE | (ROLE_BASE + START) << 32, 1 << 64])
        event = await host.response()
        assert event[0] & 0xFFFF == EVENT and event[2] > event[1], f"event {event}"
        if not overlap:
            assert reads.bytes == image
            where = target.beats()[-1][0]
            count = min(len(last), target.beats()[-1][1])
            assert await host.read(CHANNEL, where, count) == last[:count]
    await h.step(200)
    assert io.get("idle")

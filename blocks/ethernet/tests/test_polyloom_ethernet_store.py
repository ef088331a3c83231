# SPDX-License-Identifier: Apache-2.0
"""Covers: rings of 4, 23 and 512 words with a writer that does not wait, of 5 and 64 with one that does; frames of one
word to more than the ring, bad ones, a full ring, 32 frames and one more, a reader that stands still. A model of the
places decides which frames must be lost: no other may be. Latency at N - 1 and N.

Leaves out: rings of other sizes, a proof for all inputs.
"""

from __future__ import annotations

from typing import Any

import cocotb
from ethernet_words import STORE_IN, STORE_OUT

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "ethernet_tb")
WORDS = [4, 23, 512, 5, 64]
MOST_FRAMES = 32


def frame_words(data: bytes, bad: bool) -> list[int]:
    """A frame as the writer gives it."""
    parts = [data[at : at + 8] for at in range(0, len(data), 8)]
    return [
        STORE_IN.pack(
            bad=int(bad and i == len(parts) - 1),
            last=int(i == len(parts) - 1),
            bytes=len(p),
            data=int.from_bytes(p, "little"),
        )
        for i, p in enumerate(parts)
    ]


def read_words(data: bytes) -> list[int]:
    """A frame as the reader must see it."""
    return [
        STORE_OUT.pack(size=len(data), last=w["last"], bytes=w["bytes"], data=w["data"])
        for w in map(STORE_IN.unpack, frame_words(data, False))
    ]


class Places:
    """Says which frames find room, from what passes on both sides in each cycle."""

    def __init__(self, h: Harness, words: int) -> None:
        self._words = words
        self._in = [h.signal(name) for name in ("in_valid", "in", "room", "dropped", "empty")]
        self._out = [h.signal(name) for name in ("out_valid", "out_ready", "out")]
        self.used = self._part = self.frames = 0
        self._lost = False
        self._frame: list[int] = []
        self.expected: list[int] = []
        self.kept = self.dropped = self.bad = 0
        h.add(self)

    def reset(self) -> None:
        """Nothing."""

    def drive(self) -> None:
        """Nothing."""

    def busy(self) -> str:
        """Wait for nothing."""
        return ""

    def sample(self, cycle: int) -> None:
        """One cycle."""
        valid, word, room, dropped, empty = (s.get() for s in self._in)
        full = self.used == self._words or self.frames == MOST_FRAMES
        assert room == int(not full), f"cycle {cycle}: {self.used} words and {self.frames} frames held, ready {room}"
        assert empty == int(self.used == 0)
        out_valid, out_ready, out = (s.get() for s in self._out)
        if out_valid and out_ready:
            self.used -= 1
            self.frames -= STORE_OUT.unpack(out)["last"]
        reported = self._write(STORE_IN.unpack(word), full) if valid else 0
        assert dropped == reported, f"cycle {cycle}: dropped_o {dropped}, the model says {reported}"

    def _write(self, word: dict[str, int], full: bool) -> int:
        """Take a word; whether a good frame is lost with it."""
        if full:
            self._lost = True
        if not self._lost:
            self.used += 1
            self._part += 1
        self._frame.append(STORE_OUT.pack(last=word["last"], bytes=word["bytes"], data=word["data"]))
        if not word["last"]:
            return 0
        keep, reported = not self._lost and not word["bad"], int(self._lost and not word["bad"])
        if keep:
            size = 8 * (len(self._frame) - 1) + word["bytes"]
            self.expected += [w | STORE_OUT.pack(size=size) for w in self._frame]
            self.frames += 1
            self.kept += 1
        else:
            self.used -= self._part
        self.dropped += reported
        self.bad += word["bad"]
        self._part, self._lost, self._frame = 0, False, []
        return reported


@cocotb.test()
@cocotb.parametrize(which=[0, 1, 2], slow=[0.0, 0.3, 0.7, "random"])
async def loses_only_what_finds_no_room(dut: Any, which: int, slow: str | float) -> None:
    h = Harness(dut, dut.gen_store[which])
    places = Places(h, WORDS[which])
    source, sink = h.source("in", h.rng.choice(["never", 0.3, "random"])), h.sink("out", slow)
    await h.reset()
    longest = 8 * WORDS[which] * 5 // 4
    for _ in range(120):
        size = h.rng.choice([h.rng.randint(1, 9), h.rng.randint(1, 64), h.rng.randint(1, longest)])
        size = h.rng.choice([size, max(8, size // 8 * 8)])
        source.send(frame_words(h.rng.randbytes(min(size, 8191)), h.rng.random() < 0.2))
    await h.until(lambda: not source.busy(), 60_000)
    await h.until(lambda: len(sink.passed) == len(places.expected), 60_000)
    await h.step(20)
    assert sink.passed == places.expected
    assert places.kept > 0 and places.bad > 0
    assert places.kept + places.dropped + places.bad >= 120


@cocotb.test()
@cocotb.parametrize(which=[3, 4])
async def a_writer_that_waits_loses_nothing(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_store[which])
    source, sink, dropped = h.source("in"), h.sink("out"), h.signal("dropped")
    await h.reset()
    for _ in range(150):
        size = h.rng.choice([h.rng.randint(1, 9), h.rng.randint(1, 8 * WORDS[which])])
        data, bad = h.rng.randbytes(size), h.rng.random() < 0.2
        source.send(frame_words(data, bad))
        sink.expect([] if bad else read_words(data))
    while h.waiting():
        assert h.cycle < 60_000, h.waiting()
        await h.step()
        assert dropped.get() == 0
    await h.drain()


@cocotb.test()
async def exactly_its_words_and_32_frames(dut: Any) -> None:
    for size, count, kept in [(8, 40, 32), (16 * 8, 34, 32), (32 * 8, 20, 16), (512 * 8 // 2, 3, 2), (512 * 8, 2, 1)]:
        h = Harness(dut, dut.gen_store[2])
        places = Places(h, 512)
        source, sink = h.source("in", "never"), h.sink("out", "always")
        await h.reset()
        frames = [h.rng.randbytes(size) for _ in range(count)]
        for frame in frames:
            source.send(frame_words(frame, False))
        await h.until(lambda source=source: not source.busy())
        await h.step(5)
        assert (places.kept, places.dropped) == (kept, count - kept), size
        sink.stall = lambda: False  # type: ignore[assignment]
        sink.expect([w for frame in frames[:kept] for w in read_words(frame)])
        await h.drain()


@cocotb.test()
async def two_cycles_after_its_last_word(dut: Any) -> None:
    h = Harness(dut, dut.gen_store[1])
    source, sink = h.source("in", "never"), h.sink("out", "never")
    await h.reset()
    for count in (1, 2, 7):
        frame = h.rng.randbytes(8 * count)
        source.send(frame_words(frame, False))
        sink.expect(read_words(frame))
        await h.drain()
        assert sink.cycles[-count] - source.cycles[-1] == 2
        assert sink.cycles[-1] - sink.cycles[-count] == count - 1

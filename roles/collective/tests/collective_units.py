# SPDX-License-Identifier: Apache-2.0
"""What the role's unit tests share: structs of polyloom_collective_pkg, patterns, a memory channel, a lane's words.

Patterns and frames are made here from their definitions (README.md, program.h), not from the RTL.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass

from polyloom.rtl.testing import BEAT, Harness, Struct
from polyloom.rtl.testing.axi import AX, BEAT_BYTES, B, R, W

PATTERN = Struct.of("polyloom_collective_pkg::pattern_t")
DMA_STEP = Struct.of("polyloom_collective_pkg::dma_step_t")
LANE_STEP = Struct.of("polyloom_collective_pkg::lane_step_t")
FAULT = Struct.of("polyloom_collective_pkg::fault_t")
BLOCK = 1024  # no burst crosses a multiple of it
CHANNEL_BITS = 16
BAD_PROGRAM, SIGNATURE, LENGTH, OVERFLOW, CHECK, ABORTED, TIMEOUT, UNEXPECTED = range(1, 9)
HELLO, ABORT, SIGNATURE_WORD, CHECK_WORD = range(1, 5)
CONTROL_MARK = 0xFE00


@dataclass(frozen=True)
class Pattern:
    """`runs` runs of `run_bytes` bytes, each `stride` bytes after the one before."""

    base: int
    stride: int
    run_bytes: int
    runs: int

    def packed(self) -> int:
        """Bits of pattern_t."""
        return PATTERN.pack(base=self.base, stride=self.stride % (1 << 40), run_bytes=self.run_bytes, runs=self.runs)

    def step(self, open_end: bool = False) -> int:
        """Bits of dma_step_t."""
        return DMA_STEP.pack(valid=1, open_end=int(open_end), pattern=self.packed())

    def run_starts(self) -> list[int]:
        """Byte offsets at which runs begin."""
        return [self.base + i * self.stride for i in range(self.runs)]

    def beats(self) -> list[tuple[int, int, bool]]:
        """Of each beat: byte offset, bytes that count, last of its run."""
        return [
            (start + done, min(BEAT_BYTES, self.run_bytes - done), done + BEAT_BYTES >= self.run_bytes)
            for start in self.run_starts()
            for done in range(0, self.run_bytes, BEAT_BYTES)
        ]

    def bursts(self) -> list[tuple[int, int, bool]]:
        """Of each burst: byte offset, beats, last of its run. Cut at multiples of BLOCK."""
        found = []
        for start in self.run_starts():
            place, end = start, start + -(-self.run_bytes // BEAT_BYTES) * BEAT_BYTES
            while place < end:
                stop = min(end, (place // BLOCK + 1) * BLOCK)
                found.append((place, (stop - place) // BEAT_BYTES, stop == end))
                place = stop
        return found


def random_pattern(rng: random.Random, most_beats: int = 100) -> Pattern:
    """Any shape that lies in a channel: single beats, short ends, runs over several blocks, strides of both signs."""
    run_bytes = rng.choice([1, 31, 32, 33, 64, 1000, 1024, 1056, 2500, rng.randint(1, 2048)])
    beats = -(-run_bytes // BEAT_BYTES)
    runs = rng.randint(1, max(1, min(12, most_beats // beats)))
    room = (1 << CHANNEL_BITS) // BEAT_BYTES - beats
    base = rng.choice([0, room, rng.randint(0, room), min(room, 32 * rng.randint(1, 60) - 1)])
    up = (room - base) // (runs - 1) if runs > 1 else 5
    down = -base // (runs - 1) if runs > 1 else -5
    down += 1 if runs > 1 and -down * (runs - 1) > base else 0
    # Runs do not overlap, else what is written depends on more than the pattern; stride 0 only where it can.
    choices = [s for s in (up, down, beats, -beats, beats + 1) if down <= s <= up and (runs == 1 or abs(s) >= beats)]
    if not choices:
        runs = 1
    stride = rng.choice(choices) if choices else 0
    return Pattern(base * BEAT_BYTES, stride * BEAT_BYTES, run_bytes, runs)


class Memory:
    """The far side of R# and W#: takes addresses and data in any order of arrival, responds in order of addresses."""

    def __init__(self, harness: Harness, reads: bool, stall: str | float = "random") -> None:
        self.bytes = bytearray(1 << CHANNEL_BITS)
        self.reads, self._seen = reads, {"a": 0, "w": 0}
        self._data: deque[dict[str, int]] = deque()
        self._open: deque[dict[str, int]] = deque()
        self.written: list[int] = []  # strobes of every beat
        if reads:
            self.address, self.response = harness.sink("m_ar", stall), harness.source("m_r", stall)
        else:
            self.address, self.data = harness.sink("m_aw", stall), harness.sink("m_w", stall)
            self.response = harness.source("m_b", stall)
        harness.add(self)

    def reset(self) -> None:
        """Nothing of its own to drive."""

    def drive(self) -> None:
        """Nothing of its own to drive."""

    def busy(self) -> str:
        """Say what is open."""
        return f"memory: {len(self._open)} bursts, {len(self._data)} beats open" if self._open or self._data else ""

    def sample(self, cycle: int) -> None:
        """Respond to what has come."""
        for packed in self.address.passed[self._seen["a"] :]:
            burst = AX.unpack(packed)
            end = burst["addr"] + BEAT_BYTES * (burst["len"] + 1)
            assert burst["addr"] // BLOCK == (end - 1) // BLOCK, f"burst crosses a block in cycle {cycle}"
            assert end <= 1 << CHANNEL_BITS, f"burst leaves the channel in cycle {cycle}"
            if self.reads:
                self._read(burst)
            else:
                self._open.append({**burst, "beat": 0})
        self._seen["a"] = len(self.address.passed)
        if self.reads:
            return
        self._data.extend(W.unpack(packed) for packed in self.data.passed[self._seen["w"] :])
        self._seen["w"] = len(self.data.passed)
        while self._open and self._data:
            self._write(self._open[0], self._data.popleft())

    def _read(self, burst: dict[str, int]) -> None:
        for i in range(burst["len"] + 1):
            place = burst["addr"] + BEAT_BYTES * i
            data = int.from_bytes(self.bytes[place : place + BEAT_BYTES], "little")
            self.response.send(R.pack(data=data, last=int(i == burst["len"])))

    def _write(self, burst: dict[str, int], beat: dict[str, int]) -> None:
        place, ends = burst["addr"] + BEAT_BYTES * burst["beat"], burst["beat"] == burst["len"]
        assert beat["last"] == ends, f"beat {burst['beat']} of a burst of {burst['len'] + 1} has last {beat['last']}"
        new = beat["data"].to_bytes(BEAT_BYTES, "little")
        for i in range(BEAT_BYTES):
            if beat["strb"] >> i & 1:
                self.bytes[place + i] = new[i]
        self.written.append(beat["strb"])
        burst["beat"] += 1
        if ends:
            self._open.popleft()
            self.response.send(B.pack())


class Inputs:
    """Single signals that are high for one cycle or have a value, by name."""

    def __init__(self, harness: Harness, *names: str) -> None:
        self._harness = harness
        self._signals = {name: harness.signal(name) for name in names}

    def set(self, **values: int) -> None:
        """From the next cycle on."""
        for name, value in values.items():
            self._signals[name].set(value)

    def get(self, name: str) -> int:
        """Value after the last edge."""
        return self._signals[name].get()

    async def once(self, **values: int) -> int:
        """These values for one cycle, then 0; the number of the cycle."""
        self.set(**values)
        cycle = self._harness.cycle
        await self._harness.step()
        self.set(**dict.fromkeys(values, 0))
        return cycle


class Log:
    """Values of a signal in every cycle, as the edge sees them."""

    def __init__(self, harness: Harness, name: str) -> None:
        self.name, self._signal = name, harness.signal(name)
        self.values: list[int] = []
        harness.add(self)

    def reset(self) -> None:
        """Nothing to drive."""

    def drive(self) -> None:
        """Nothing to drive."""

    def busy(self) -> str:
        """Wait for nothing."""
        return ""

    def sample(self, cycle: int) -> None:
        """Keep the value; ``values[cycle]`` is that of a cycle."""
        self.values.append(self._signal.get())

    def cycles(self, begin: int = 0) -> list[int]:
        """Cycles from ``begin`` in which it was not 0."""
        return [cycle for cycle, value in enumerate(self.values) if value and cycle >= begin]


class Faults(Log):
    """A log of fault_t: 0 where its code is none, whatever its value."""

    def sample(self, cycle: int) -> None:
        """Keep the fault."""
        word = self._signal.get()
        self.values.append(word if FAULT.unpack(word)["code"] else 0)


def control_word(kind: int, high: int = 0) -> int:
    """A lane frame of one word: its lowest byte says what it is."""
    return BEAT.pack(last=1, keep=0xFF, data=high | kind)


def short_frame(data: bytes) -> int:
    """A block of at most 16 bytes without block checks: elements of 4 bytes, how many by its length or a code."""
    elements = (len(data) + 3) // 4
    length = [9, 10, 11, 12, 16][elements]
    return BEAT.pack(last=1, keep=(1 << length) - 1, data=int.from_bytes(data, "little"))


def whole_words(data: bytes) -> bytes:
    """With zeros up to the end of the last word: what a CRC is made of."""
    return data + bytes(-len(data) % 8)


def words_of(data: bytes) -> list[int]:
    """A frame as lane beats; also beats within a node."""
    assert data
    parts = [data[i : i + BEAT_BYTES] for i in range(0, len(data), BEAT_BYTES)]
    return [
        BEAT.pack(last=int(i == len(parts) - 1), keep=(1 << len(p)) - 1, data=int.from_bytes(p, "little"))
        for i, p in enumerate(parts)
    ]

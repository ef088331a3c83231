# SPDX-License-Identifier: Apache-2.0
"""What the tests of single operators share: the socket's agents, and what a tree of joins makes, from NumPy.

Configuration words and error bits are those of blocks/operators/README.md.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloom.rtl.testing import BEAT, Harness

SUM, MIN, MAX, AVERAGE = range(4)
FP32, INT32, UINT32 = range(3)
ERR_LENGTH, ERR_CONFIG, ERR_STRAY, ERR_RECORD, _, ERR_TREE, ERR_DEPTH = (1 << n for n in range(7))
NAN = 0x7FC00000
ALL = (1 << 32) - 1
Words = NDArray[Any]


class Socket:
    """Sources, sinks and configuration of one operator."""

    def __init__(self, h: Harness, inputs: int, outputs: int, stall: str = "random", sinks: str = "") -> None:
        self.h, self.inputs, self.outputs = h, inputs, outputs
        self.sources = [h.source("in", stall, i) for i in range(inputs)]
        self.sinks = [h.sink("out", sinks or stall, o) for o in range(outputs)]
        self._status = h.signal("status")
        self._seen = [0] * outputs

    async def step(self, configs: dict[int, tuple[int, int]]) -> None:
        """A new step: word and mask of each used output; noise on the others."""
        rng = self.h.rng
        valid = word = mask = 0
        for o in range(self.outputs):
            own = configs.get(o, (rng.getrandbits(64), rng.getrandbits(self.inputs)))
            valid |= int(o in configs) << o
            word |= own[0] << 64 * o
            mask |= own[1] << self.inputs * o
        values = {"cfg_valid": valid, "cfg_word": word, "cfg_mask": mask}
        for name, value in (values | {"step": 1}).items():
            self.h.signal(name).set(value)
        await self.h.step()
        self.h.signal("step").set(0)
        for name in values:  # sampled in the clock of step
            self.h.signal(name).set(rng.getrandbits(self.h.signal(name).width))
        self._seen = [len(sink.passed) for sink in self.sinks]

    async def flush(self) -> None:
        """All in flight is gone; nothing is offered in this clock."""
        self.h.signal("flush").set(1)
        await self.h.step()
        self.h.signal("flush").set(0)

    def came(self, output: int) -> list[int]:
        """Beats of this step."""
        return self.sinks[output].passed[self._seen[output] :]

    def status(self, word: int) -> int:
        """A word of the status."""
        return self._status.get() >> 64 * word & (1 << 64) - 1

    def idle(self) -> bool:
        """Whether nothing is in flight."""
        return bool(self.h.signal("idle").get())


def beat(words: Sequence[int], last: bool, rng: random.Random) -> int:
    """Words from the first place on; noise in the others."""
    data = [*words, *(rng.getrandbits(32) for _ in range(8 - len(words)))]
    packed = sum(int(word) << 32 * n for n, word in enumerate(data))
    return BEAT.pack(data=packed, keep=(1 << 4 * len(words)) - 1, last=int(last))


def noise(rng: random.Random, count: int) -> list[int]:
    """Any beats, the last one marked."""
    return [
        BEAT.pack(data=rng.getrandbits(256), keep=rng.getrandbits(32), last=int(n == count - 1)) for n in range(count)
    ]


def numbers(rng: random.Random, of_type: int, count: int) -> list[int]:
    """Elements of a type, corners among them."""
    ends = [0, 1, 2, 0x7FFFFFFF, 0x80000000, 0x80000001, ALL]
    if of_type == FP32:
        ends += [0x7F800000, 0xFF800000, NAN, 0x7F800001, 0xFFC12345, 0x00800000, 0x7F7FFFFF, 0x3F800000, 0xBF800000]
        usual = [rng.getrandbits(1) << 31 | rng.randrange(110, 145) << 23 | rng.getrandbits(23) for _ in range(count)]
    else:
        usual = [rng.getrandbits(32) >> rng.randrange(32) for _ in range(count)]
    return [rng.choice(ends) if rng.random() < 0.15 else number for number in usual]


def _canonical(x: Words) -> Words:
    bits = x.view(np.uint32).copy()
    bits[np.isnan(x)] = NAN
    return bits


def _order(bits: Words) -> Words:
    """Keys that order fp32, -0 below +0; a NaN is no number."""
    low = (bits & 0x7FFFFFFF).astype(np.int64)
    return np.where(bits >> 31 == 1, -low - 1, low)


def _join(function: int, of_type: int, a: Words, b: Words) -> Words:
    with np.errstate(all="ignore"):
        if of_type != FP32:
            return {SUM: np.add, AVERAGE: np.add, MIN: np.minimum, MAX: np.maximum}[function](a, b)
        x, y = a.view(np.float32), b.view(np.float32)
        if function in {SUM, AVERAGE}:
            return _canonical(x + y)
        first = _order(a) < _order(b) if function == MIN else _order(a) > _order(b)
        picked = np.where(np.isnan(y) | (first & ~np.isnan(x)), a, b)
        return np.where(np.isnan(x) & np.isnan(y), np.uint32(NAN), picked)


def joined(function: int, of_type: int, inputs: list[Words | None], factor: int) -> Words:
    """Elements of the inputs that are there, in a balanced tree over their numbers; ``factor``: as configured."""
    wide = {FP32: np.uint32, INT32: np.int64, UINT32: np.int64}[of_type]
    level: list[Words | None] = []
    for x in inputs:
        as_is = None if x is None else x.astype(np.uint32)
        level.append(as_is if as_is is None or of_type != INT32 else as_is.view(np.int32))
    level = [None if x is None else x.astype(wide) for x in level]
    while len(level) > 1:
        level += [None] * (len(level) % 2)
        pairs = zip(level[::2], level[1::2], strict=True)
        level = [b if a is None else a if b is None else _join(function, of_type, a, b) for a, b in pairs]
    result = level[0]
    assert result is not None
    if function == AVERAGE and of_type == FP32:
        with np.errstate(all="ignore"):
            result = _canonical(result.view(np.float32) * np.array([factor], np.uint32).view(np.float32))
    elif function == AVERAGE:
        result = np.sign(result) * (np.abs(result) // factor)
    return (result.astype(np.int64) & ALL).astype(np.uint32)

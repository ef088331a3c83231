# SPDX-License-Identifier: Apache-2.0
"""Covers: every function of every type, one or two groups of 3 inputs and 1 group of 1, random masks, streams behind
each other, bytes that do not count, random stalls on all sides: every beat of every group against NumPy in the tree's
order; status, idle; configurations that are refused; inputs of unequal length or keep, strays; a flush; latency and
throughput to the cycle.

Leaves out: what the words are once inputs differ in length (test_polyloom_op_slot.py); more inputs.
"""

from __future__ import annotations

from typing import Any

import cocotb
import numpy as np
from operator_units import (
    AVERAGE,
    ERR_CONFIG,
    ERR_LENGTH,
    ERR_STRAY,
    FP32,
    INT32,
    MAX,
    SUM,
    Socket,
    joined,
    noise,
    numbers,
)

from polyloom.rtl.testing import BEAT, Harness, bench

test = bench(__file__, "operators_tb")
SHAPES = ((3, 3), (1, 1))
GROUPS = (2, 1)
LATENCY = (4 * 2 + 7, 7)


def config(function: int, of_type: int, extra: int = 0) -> int:
    """A configuration word."""
    return function | of_type << 8 | extra << 32


class Group:
    """A group of a step: its streams, and what must come."""

    def __init__(self, socket: Socket, function: int, of_type: int, mask: int) -> None:
        self.socket, self.function, self.of_type, self.mask = socket, function, of_type, mask
        rng = socket.h.rng
        self.extra = 0
        if function == AVERAGE:
            self.extra = numbers(rng, FP32, 1)[0] if of_type == FP32 else rng.choice([1, 2, 3, 64, rng.randint(1, 64)])
        self.expected: list[int] = []

    def send(self, beats: int, keep: int) -> None:
        """A stream to each input; the last beat of each has only the bytes of ``keep``."""
        rng, inputs = self.socket.h.rng, self.socket.inputs
        words = [numbers(rng, self.of_type, 8 * beats) for _ in range(inputs)]
        sides = [np.array(words[i], np.uint32) if self.mask >> i & 1 else None for i in range(inputs)]
        result = joined(self.function, self.of_type, sides, self.extra)

        def beat(source: Any, n: int) -> int:
            data = sum(int(word) << 32 * k for k, word in enumerate(source[8 * n : 8 * n + 8]))
            last = n == beats - 1
            return BEAT.pack(data=data, keep=keep if last else (1 << 32) - 1, last=int(last))

        for i in range(inputs):
            if self.mask >> i & 1:
                self.socket.sources[i].send([beat(words[i], n) for n in range(beats)])
        self.expected += [beat(result, n) for n in range(beats)]


@cocotb.test()
@cocotb.parametrize(which=range(2), function=range(4), of_type=range(3))
async def joins_streams(dut: Any, which: int, function: int, of_type: int) -> None:
    h = Harness(dut, dut.gen_reduce[which])
    socket = Socket(h, *SHAPES[which])
    await h.reset()
    for _ in range(5):
        inputs, groups = SHAPES[which][0], GROUPS[which]
        own = [h.rng.randrange(groups + 1) for _ in range(inputs)]
        masks = [sum(1 << i for i in range(inputs) if own[i] == g) for g in range(groups)]
        if not any(masks):
            masks[0] = (1 << inputs) - 1
        steps = {}
        for g, mask in enumerate(masks):
            if mask:
                of = (function, of_type) if g == 0 or not masks[0] else (h.rng.randrange(4), h.rng.randrange(3))
                steps[g] = Group(socket, *of, mask)
        await socket.step({g: (config(s.function, s.of_type, s.extra), s.mask) for g, s in steps.items()})
        for _ in range(h.rng.randint(1, 2)):
            for group in steps.values():
                group.send(h.rng.randint(1, 12), (1 << 4 * h.rng.randint(0, 8)) - 1)
        await h.until(lambda steps=steps: all(len(socket.came(g)) >= len(s.expected) for g, s in steps.items()))
        await h.drain()
        for o in range(socket.outputs):
            assert socket.came(o) == (steps[o].expected if o in steps else []), f"output {o}"
        assert socket.status(0) == 0 and socket.idle()
        for g in range(groups):
            assert socket.status(1 + g) == (len(steps[g].expected) if g in steps else 0)


@cocotb.test()
async def refuses(dut: Any) -> None:
    """Two outputs' words and masks; what is refused stays silent and leaves the other one alone."""
    h = Harness(dut, dut.gen_reduce[0])
    socket = Socket(h, *SHAPES[0])
    await h.reset()
    good = (config(MAX, INT32), 0b100)
    bad = [(config(SUM, FP32), 0), (config(4, FP32), 1), (config(SUM, 3), 1), (config(SUM, FP32) | 1 << 16, 1)]
    bad += [(config(SUM, FP32, 1), 1), (config(AVERAGE, INT32, 0), 1), (config(AVERAGE, INT32, 65), 1)]
    bad += [(config(MAX, FP32) | 1 << 31, 1), (config(AVERAGE, INT32, 1 << 31 | 2), 1)]
    for own in bad:
        await socket.step({0: own, 1: good})
        beats = noise(h.rng, 5)
        socket.sources[2].send(beats)
        await h.until(lambda: len(socket.came(1)) == 5)
        assert socket.status(0) == ERR_CONFIG and socket.came(0) == [], f"{own[0]:#x}, {own[1]:#b}"
    for configs in ({0: good, 1: (config(SUM, FP32), 0b110)}, {2: good}):
        await socket.step(configs)
        await h.step(3)
        assert socket.status(0) == ERR_CONFIG
    await socket.step({1: good})
    await h.step(3)
    assert socket.status(0) == 0


@cocotb.test()
@cocotb.parametrize(how=("length", "keep"))
async def unequal_inputs_are_reported(dut: Any, how: str) -> None:
    """The result ends with the last of the inputs."""
    h = Harness(dut, dut.gen_reduce[0])
    socket = Socket(h, *SHAPES[0])
    await h.reset()
    for _ in range(10):
        await socket.step({0: (config(SUM, FP32), 0b111)})
        lengths = [h.rng.randint(2, 9) for _ in range(3)] if how == "length" else [4, 4, 4]
        odd = h.rng.randrange(3)
        lengths[odd] += 10 * (how == "length")
        for i, length in enumerate(lengths):
            keeps = [(1 << 32) - 1] * length
            if how == "keep" and i == odd:
                keeps[h.rng.randrange(length)] = 15
            stream = enumerate(keeps)
            socket.sources[i].send(
                [BEAT.pack(data=h.rng.getrandbits(256), keep=k, last=int(n == length - 1)) for n, k in stream]
            )
        await h.until(lambda lengths=lengths: len(socket.came(0)) == max(lengths))
        await h.drain()
        lasts = [BEAT.unpack(beat)["last"] for beat in socket.came(0)]
        assert lasts == [0] * (len(lasts) - 1) + [1]
        assert socket.status(0) == ERR_LENGTH and socket.idle()


@cocotb.test()
async def strays_and_a_flush(dut: Any) -> None:
    h = Harness(dut, dut.gen_reduce[0])
    socket = Socket(h, *SHAPES[0])
    await h.reset()
    await socket.step({0: (config(SUM, INT32), 0b011)})
    socket.sources[2].send(noise(h.rng, 2))
    await h.until(lambda: socket.status(0) == ERR_STRAY)
    socket.sources[0].send(noise(h.rng, 2))
    await h.drain()
    assert socket.came(0) == [] and not socket.idle()
    await socket.flush()
    assert socket.idle() and (socket.status(0), socket.status(1)) == (0, 0)
    await socket.step({0: (config(SUM, INT32), 0b001)})
    socket.sources[0].send(noise(h.rng, 3))
    await h.until(lambda: len(socket.came(0)) == 3)
    assert socket.status(0) == 0


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def a_beat_a_cycle(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_reduce[which])
    socket = Socket(h, *SHAPES[which], stall="never")
    await h.reset()
    await socket.step({0: (config(SUM, FP32), (1 << SHAPES[which][0]) - 1)})
    for source in socket.sources:
        source.send(noise(h.rng, 60))
    await h.until(lambda: len(socket.came(0)) == 60)
    first = socket.sources[0].cycles[0] + LATENCY[which]
    assert socket.sinks[0].cycles == list(range(first, first + 60))

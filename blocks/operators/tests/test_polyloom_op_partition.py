# SPDX-License-Identifier: Apache-2.0
"""Covers: random keys, pairs and steered values of 3 inputs to 4 outputs and of 1 to 2, any bits, with routes (several
outputs a route) and without, masks, a short end, random stalls on all sides: every word once, at an output of its
bucket, in its input's order; full beats, the last one marked; histogram and counts against NumPy; values where their
keys went; what is silent; refused configurations; strays; overflow of the record; a flush.

Leaves out: in which turn a route's outputs are (test_polyloom_op_distribute.py), and how inputs mix.
"""

from __future__ import annotations

from typing import Any

import cocotb
import numpy as np
from operator_units import ALL, ERR_CONFIG, ERR_RECORD, ERR_STRAY, Socket, beat, noise

from polyloom.rtl.testing import BEAT, Harness, bench

test = bench(__file__, "operators_tb")
SHAPES = ((3, 4), (1, 2))
BUCKETS, RECORD_BEATS = (64, 2), (16, 5)
PAIR, RECORD, STEER, SILENT = (1 << bit for bit in range(16, 20))
Streams = list[list[int]]


def streams(h: Harness, inputs: int, mask: int, most: int, whole: bool = False) -> Streams:
    """Words of each input, no two alike."""
    result: Streams = [[] for _ in range(inputs)]
    used: set[int] = set()
    for i in range(inputs):
        count = (8 * h.rng.randint(1, most) - (0 if whole else h.rng.randrange(0, 8, 2))) if mask >> i & 1 else 0
        skew = h.rng.choice([0, 0, 0x33333333])  # some keys come often
        while len(result[i]) < count:
            word = h.rng.getrandbits(32) | (skew if h.rng.random() < 0.5 else 0)
            if word not in used:
                used.add(word)
                result[i].append(word)
    return result


def send(socket: Socket, data: Streams, mask: int) -> None:
    """A stream to each input of the mask."""
    for i, words in enumerate(data):
        if mask >> i & 1:
            parts = [words[at : at + 8] for at in range(0, max(1, len(words)), 8)]
            socket.sources[i].send([beat(p, n == len(parts) - 1, socket.h.rng) for n, p in enumerate(parts)])


def came(socket: Socket, output: int) -> list[int]:
    """Words of an output: beats are full but for the last one, which says so; other bytes are zero."""
    words: list[int] = []
    beats = [BEAT.unpack(bits) for bits in socket.came(output)]
    assert [b["last"] for b in beats] == [0] * (len(beats) - 1) + [1]
    for n, b in enumerate(beats):
        count = b["keep"].bit_count() // 4
        assert b["keep"] == (1 << 4 * count) - 1 and b["data"] >> 32 * count == 0
        assert count == 8 or n == len(beats) - 1
        assert count > 0 or n == 0
        words += [b["data"] >> 32 * k & ALL for k in range(count)]
    return words


def buckets(words: list[int], shift: int, bits: int, pair: bool) -> Any:
    """Of each word; the value of a pair goes with its key."""
    keys = np.array(words, np.uint64)
    if pair:
        keys = np.repeat(keys[::2], 2)
    return keys >> np.uint64(shift) & np.uint64((1 << bits) - 1)


class Step:
    """One step's configuration, and what it means."""

    def __init__(self, h: Harness, which: int, routed: bool) -> None:
        self.h, self.which = h, which
        rng, (self.inputs, self.outputs) = h.rng, SHAPES[which]
        self.shift = rng.randrange(32)
        self.bits = rng.randint(0, BUCKETS[which].bit_length() - 1)
        self.pair = rng.random() < 0.3
        self.mask = rng.randrange(1, 1 << self.inputs)
        self.route_bits = min(5, self.bits)
        # Outputs of each route.
        count = 1 << self.route_bits
        if routed:
            self.routes = [
                sorted(rng.sample(range(self.outputs), rng.choice([1, 1, 2, self.outputs]))) for _ in range(count)
            ]
            self.used = list(range(self.outputs))
        else:
            out_bits = self.outputs.bit_length() - 1
            self.routes = [[r >> max(0, self.route_bits - out_bits)] for r in range(count)]
            self.used = [o for o in range(self.outputs) if any(o in route for route in self.routes)]
        self.routed = routed

    def configs(self, extra: int = 0) -> dict[int, tuple[int, int]]:
        """For the socket; ``extra``: bits of the mode."""
        low = self.shift | self.bits << 8 | (PAIR if self.pair else 0) | extra
        route = [sum(1 << r for r, outs in enumerate(self.routes) if o in outs) for o in range(self.outputs)]
        return {o: (low | (route[o] << 32 if self.routed else 0), self.mask) for o in self.used}

    def outputs_of(self, bucket: int) -> list[int]:
        """Where a bucket may leave."""
        return self.routes[bucket >> 1 if self.bits == 6 else bucket]

    def check_histogram(self, socket: Socket, data: Streams) -> None:
        """Words 1 and 2 + bucket of the status."""
        keys = [b for words in data for b in buckets(words, self.shift, self.bits, self.pair)[:: 2 if self.pair else 1]]
        counts = np.bincount(np.array(keys, np.int64), minlength=BUCKETS[self.which])
        got = [socket.status(2 + b) for b in range(BUCKETS[self.which])]
        assert got == counts.tolist()
        assert socket.status(1) == sum(-(-len(words) // 8) for words in data)

    def check(self, socket: Socket, data: Streams) -> dict[int, int]:
        """Each word at an output of its bucket, each input's in order; the output of each word."""
        where: dict[int, int] = {}
        for o in range(self.outputs):
            words = came(socket, o) if o in self.used else []
            assert o in self.used or socket.came(o) == []
            assert socket.status(2 + BUCKETS[self.which] + o) == len(words)
            where |= dict.fromkeys(words, o)
            for own in data:
                of_input = set(own)
                mine = [w for w in words if w in of_input]
                assert mine == [w for w in own if where.get(w) == o], f"output {o}"
        assert len(where) == sum(map(len, data)) == sum(socket.status(2 + BUCKETS[self.which] + o) for o in self.used)
        for own in data:
            for word, bucket in zip(own, buckets(own, self.shift, self.bits, self.pair), strict=True):
                assert where[word] in self.outputs_of(int(bucket)), f"{word:#x} leaves by {where[word]}"
        return where


async def finish(h: Harness, socket: Socket, used: list[int]) -> None:
    """Until all outputs have ended."""
    await h.until(lambda: all(socket.came(o) and BEAT.unpack(socket.came(o)[-1])["last"] for o in used))
    await h.until(socket.idle)
    await h.step(3)


@cocotb.test()
@cocotb.parametrize(which=range(2), routed=(False, True))
async def by_key(dut: Any, which: int, routed: bool) -> None:
    h = Harness(dut, dut.gen_partition[which])
    socket = Socket(h, *SHAPES[which])
    await h.reset()
    for _ in range(10):
        step = Step(h, which, routed)
        await socket.step(step.configs())
        data = streams(h, step.inputs, step.mask, 20)
        send(socket, data, step.mask)
        await finish(h, socket, step.used)
        step.check(socket, data)
        step.check_histogram(socket, data)
        assert socket.status(0) == 0


@cocotb.test()
@cocotb.parametrize(which=range(2), silent=(0, SILENT))
async def values_follow_their_keys(dut: Any, which: int, silent: int) -> None:
    h = Harness(dut, dut.gen_partition[which])
    socket = Socket(h, *SHAPES[which])
    await h.reset()
    for _ in range(6):
        step = Step(h, which, routed=True)
        step.pair = False
        data = streams(h, step.inputs, step.mask, RECORD_BEATS[which], whole=True)
        where: dict[int, int] = {}
        await socket.step(step.configs(RECORD | silent))
        send(socket, data, step.mask)
        if silent:
            await h.drain()
            await h.until(socket.idle)
            assert not any(socket.came(o) for o in step.used)
        else:
            await finish(h, socket, step.used)
            where = step.check(socket, data)
        step.check_histogram(socket, data)
        assert socket.status(0) == 0
        values = steered(h, data)
        keys = {v: k for own, of in zip(values, data, strict=True) for v, k in zip(own, of, strict=True)}
        await socket.step({o: (STEER, step.mask) for o in step.used})
        send(socket, values, step.mask)
        await finish(h, socket, step.used)
        for o in step.used:
            for value in came(socket, o):
                key = keys.pop(value)
                assert o == where.get(key, o)
                assert o in step.outputs_of(key >> step.shift & (1 << step.bits) - 1)
        assert not keys and socket.status(0) == 0


def steered(h: Harness, data: Streams) -> Streams:
    """As many values, no two alike."""
    values = h.rng.sample(range(1 << 32), sum(map(len, data)))
    return [[values.pop() for _ in words] for words in data]


@cocotb.test()
async def refuses(dut: Any) -> None:
    h = Harness(dut, dut.gen_partition[0])
    socket = Socket(h, *SHAPES[0])
    await h.reset()
    every = range(4)
    bad = [{o: (2 << 8, 0) for o in every}, {o: (2 << 8 | 1 << 5, 1) for o in every}, {o: (7 << 8, 1) for o in every}]
    bad += [{o: (2 << 8 | modes, 1) for o in every} for modes in (RECORD | STEER, SILENT | STEER, 1 << 20, 1 << 11)]
    bad += [{o: (2 << 8, 1 + (o == 2)) for o in every}, {o: (2 << 8 | o, 1) for o in every}]
    bad += [{o: (2 << 8, 1) for o in range(3)}, {o: (1 << 8 | 1 << 32, 1) for o in every}]  # a route without an output
    for configs in bad:
        await socket.step(configs)
        assert socket.status(0) == ERR_CONFIG, configs
    await socket.step({o: (2 << 8, 1) for o in every})
    assert socket.status(0) == 0


@cocotb.test()
async def strays_overflow_and_a_flush(dut: Any) -> None:
    h = Harness(dut, dut.gen_partition[0])
    socket = Socket(h, *SHAPES[0])
    await h.reset()
    configs = {o: (2 << 8 | RECORD, 0b001) for o in range(4)}
    await socket.step(configs)
    send(socket, [h.values(32, 8 * RECORD_BEATS[0]), [], []], 1)
    await finish(h, socket, list(range(4)))
    assert socket.status(0) == 0
    await socket.step(configs)
    too_many = [h.values(32, 8 * (RECORD_BEATS[0] + 1)), [], []]
    send(socket, too_many, 1)
    await finish(h, socket, list(range(4)))
    assert socket.status(0) == ERR_RECORD
    await socket.step(configs)
    socket.sources[1].send(noise(h.rng, 1))
    await h.until(lambda: socket.status(0) == ERR_STRAY)
    send(socket, [h.values(32, 8), [], []], 1)
    await h.until(lambda: socket.status(1) == 1)
    await socket.flush()
    for sink in socket.sinks:
        sink.reset()
    assert socket.idle() and not any(socket.status(w) for w in range(70))

# SPDX-License-Identifier: Apache-2.0
"""Covers: streams of groups of 0 to 8 words from 3 inputs, some of them not of the step, and from 1, random stalls on
all sides, several steps: every word once, in its input's order; full beats but for the last, which alone says so;
empty streams; a flush in the middle.

Leaves out: which input is next (operators_rtl_test.cc compares with the model's turns).
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import BEAT, Harness, Struct, bench

test = bench(__file__, "operators_tb")
GROUP = Struct([("words", 256), ("count", 4), ("last", 1)])


def group(h: Harness, words: list[int], last: bool) -> int:
    """Words in their places; noise in the others."""
    padded = words + h.values(32, 8 - len(words))
    packed = sum(word << 32 * place for place, word in enumerate(padded))
    return GROUP.pack(words=packed, count=len(words), last=int(last))


def words_of(beat: int) -> tuple[list[int], bool]:
    """Words of a beat, which stand without gaps; whether it is the last."""
    fields = BEAT.unpack(beat)
    keep = [fields["keep"] >> 4 * place & 15 for place in range(8)]
    count = keep.count(15)
    assert keep == [15] * count + [0] * (8 - count)
    return [fields["data"] >> 32 * place & 0xFFFFFFFF for place in range(count)], bool(fields["last"])


@cocotb.test()
@cocotb.parametrize(which=range(2), most=(0, 8))
async def collects(dut: Any, which: int, most: int) -> None:
    h = Harness(dut, dut.gen_collect[which])
    inputs = (3, 1)[which]
    sources = [h.source("in", "random", i) for i in range(inputs)]
    sink = h.sink("out")
    await h.reset()
    for step in range(6):
        mask = h.rng.randrange(1, 1 << inputs)
        h.signal("mask").set(mask)
        h.signal("step").set(1)
        await h.step()
        h.signal("step").set(0)
        streams: list[list[int]] = []
        for i, source in enumerate(sources):
            streams.append([])
            for n in range(h.rng.randrange(1, 60)) if mask >> i & 1 else []:
                words = [i << 28 | step << 24 | len(streams[i]) + k for k in range(h.rng.randint(0, most))]
                streams[i] += words
                source.send(group(h, words, last=False))
                del n
            if mask >> i & 1:
                source.send(group(h, [], last=True))
        begin = len(sink.passed)
        await h.until(lambda begin=begin: any(words_of(beat)[1] for beat in sink.passed[begin:]))
        await h.drain()
        beats = [words_of(beat) for beat in sink.passed[begin:]]
        assert [last for _, last in beats] == [False] * (len(beats) - 1) + [True]
        assert all(len(words) == 8 for words, _ in beats[:-1])
        assert len(beats) == 1 or beats[-1][0], "the last beat has words unless the step has none"
        got = [word for words, _ in beats for word in words]
        for i, stream in enumerate(streams):
            assert [word for word in got if word >> 28 == i] == stream
        assert len(got) == sum(map(len, streams))
        assert not h.signal("busy").get()


@cocotb.test()
async def a_flush_drops_all(dut: Any) -> None:
    h = Harness(dut, dut.gen_collect[0])
    source, sink = h.source("in", "never", 0), h.sink("out", "never")
    h.signal("mask").set(1)
    await h.reset()
    source.send([group(h, h.values(32, 5), last=False) for _ in range(3)])
    await h.drain()
    passed = len(sink.passed)
    h.signal("flush").set(1)
    await h.step()
    h.signal("flush").set(0)
    source.send(group(h, [7], last=True))
    await h.drain()
    assert [words_of(beat) for beat in sink.passed[passed:]] == [([7], True)]

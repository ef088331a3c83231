# SPDX-License-Identifier: Apache-2.0
"""Covers: streams of all lengths, among them none and whole TLPs, capacities around them, with and without flag,
stalls on both sides: data, flag word, counts; flush amid a stream; two cycles a beat.

Tests polyloom_hub_lane. Leaves out: bases that are no multiple of the largest payload.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import cocotb
from hub_units import BEAT, MAX_PAYLOAD, WRITE, Tlp

from polyloom.rtl.testing import BEAT as WIDE
from polyloom.rtl.testing import Harness, Struct, beats_of, bench

test = bench(__file__, "hub_tb")

LANE = Struct.of("polyloom_hub_pkg::lane_t")
BASE, FLAG = 0x12_3456_7800, 0x0F00


async def pulse(h: Harness, name: str) -> None:
    h.signal(name).set(1)
    await h.step()
    h.signal(name).set(0)


def split(words: list[int]) -> list[Tlp]:
    """TLPs that left."""
    found: list[Tlp] = []
    beats: list[int] = []
    for word in words:
        beats.append(word)
        if BEAT.unpack(word)["last"]:
            found.append(Tlp.of(beats))
            beats = []
    assert not beats
    return found


@cocotb.test()
async def streams_and_capacities(dut: Any) -> None:
    h = Harness(dut, dut.gen_lane)
    source, sink = h.source("in"), h.sink("out")
    await h.reset()
    for length in [0, 1, 16, 17, 32, 127, 128, 129, 256, 260, *(h.rng.randint(1, 700) for _ in range(20))]:
        capacity = MAX_PAYLOAD * h.rng.choice([0, 1, 2, 4, 50])
        flag = h.rng.choice([0, FLAG])
        h.signal("lane").set(LANE.pack(base=BASE, capacity=capacity, flag=flag))
        await pulse(h, "step")
        seen = len(sink.passed)
        data = h.rng.randbytes(length)
        source.send(beats_of(data) if data else [WIDE.pack(last=1)])
        await h.until(lambda: bool(h.signal("done").get() and h.signal("idle").get()))
        kept = data[:capacity]
        want = [Tlp(WRITE, BASE + i, kept[i : i + MAX_PAYLOAD]) for i in range(0, len(kept), MAX_PAYLOAD)]
        if flag:
            word = length | (1 << 63 if length > capacity else 0)
            want.append(Tlp(WRITE, FLAG, word.to_bytes(8, "little")))
        assert split(sink.passed[seen:]) == want, f"{length} bytes of {capacity}"
        assert h.signal("bytes").get() == length and h.signal("overflow").get() == int(length > capacity)


@cocotb.test()
async def flush_forgets_the_open_tlp(dut: Any) -> None:
    h = Harness(dut, dut.gen_lane)
    source, sink = h.source("in"), h.sink("out")
    h.signal("lane").set(LANE.pack(base=BASE, capacity=1 << 20, flag=FLAG))
    await h.reset()
    for _ in range(30):
        await pulse(h, "step")
        seen = len(sink.passed)
        data = h.rng.randbytes(32 * h.rng.randint(1, 12))
        source.send(beats_of(data, last=False))
        await h.step(h.rng.randrange(60))
        await h.until(lambda: not source.busy())
        await pulse(h, "flush")
        await h.until(lambda: bool(h.signal("idle").get()))
        whole = [Tlp(WRITE, BASE + i, data[i : i + 128]) for i in range(0, len(data) // 128 * 128, 128)]
        got = split(sink.passed[seen:])
        assert got == whole or got == whole[:-1]  # the last one may have been open
        assert h.signal("bytes").get() == 0


@cocotb.test()
async def two_cycles_a_beat(dut: Any) -> None:
    h = Harness(dut, dut.gen_lane)
    source, sink = h.source("in", "never"), h.sink("out", "never")
    h.signal("lane").set(LANE.pack(base=BASE, capacity=1 << 20, flag=0))
    await h.reset()
    await pulse(h, "step")
    source.send(beats_of(bytes(128 * 10)))
    await h.drain()
    heads = sink.cycles[::9]
    assert len(heads) == 10 and [y - x for x, y in pairwise(heads)] == [9] * 9

# SPDX-License-Identifier: Apache-2.0
"""Covers: frames of 1 to 190 words with random stalls on both sides against zlib's check sequence; the silence after a
frame; latency, throughput without stalls, idle_o.

Leaves out: GapWords other than 2 and 5.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import cocotb
from ethernet_words import LANE, fcs, lane

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "ethernet_tb")
GAPS = [2, 5]


def words(frame: bytes) -> list[int]:
    """A frame as the module's input."""
    values = [int.from_bytes(frame[at : at + 8], "little") for at in range(0, len(frame), 8)]
    return [*values[:-1], 1 << 64 | values[-1]]


@cocotb.test()
@cocotb.parametrize(which=range(len(GAPS)))
async def check_sequences_under_random_stalls(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_fcs_tx[which])
    source, sink, idle = h.source("in"), h.sink("tx"), h.signal("idle")
    await h.reset()
    assert idle.get() == 1
    for count in [1, 2, 3, 4, 190, *(h.rng.randint(1, 30) for _ in range(60))]:
        frame = h.rng.randbytes(8 * count)
        source.send(words(frame))
        sink.expect(lane(frame + fcs(frame)))
    while h.waiting():
        assert h.cycle < 20_000, h.waiting()
        await h.step()
        inside = len(source.passed) != len([w for w in sink.passed if not LANE.unpack(w)["last"]])
        assert not (inside and idle.get()), "idle with words inside"
    await h.drain()
    assert idle.get() == 1
    last = [c for c, w in zip(sink.cycles, sink.passed, strict=True) if LANE.unpack(w)["last"]]
    first = [sink.cycles[0], *(b for a, b in zip(sink.passed, sink.cycles[1:], strict=False) if LANE.unpack(a)["last"])]
    assert all(b - a > GAPS[which] for a, b in zip(last, first[1:], strict=False)), "silence too short"


@cocotb.test()
@cocotb.parametrize(which=range(len(GAPS)))
async def words_plus_check_plus_gap(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_fcs_tx[which])
    source, sink = h.source("in", "never"), h.sink("tx", "never")
    await h.reset()
    counts = [8, 1, 2, 3, 20, 8, 8]
    for count in counts:
        frame = h.rng.randbytes(8 * count)
        source.send(words(frame))
        sink.expect(lane(frame + fcs(frame)))
    await h.drain()
    data = [c for c, w in zip(sink.cycles, sink.passed, strict=True) if not LANE.unpack(w)["last"]]
    assert [b - a for a, b in zip(source.cycles, data, strict=True)] == [2] * sum(counts)
    last = [c for c, w in zip(sink.cycles, sink.passed, strict=True) if LANE.unpack(w)["last"]]
    accepted = [b - a for a, b in pairwise(last)]
    assert all(t >= n + 1 + GAPS[which] for t, n in zip(accepted, counts[1:], strict=True)), accepted
    # The input opens again when the silence is over: two cycles until its word is at the lane.
    assert all(t <= n + 3 + GAPS[which] for t, n in zip(accepted, counts[1:], strict=True)), accepted

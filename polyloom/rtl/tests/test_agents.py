# SPDX-License-Identifier: Apache-2.0
"""Covers: each fault that a stream agent is there to find is found; arrays of streams; what a stuck test says.

Leaves out: streams that are right (every block's own test).
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import BEAT, Harness, beats_of, bench, bytes_of

test = bench(__file__, "broken_tb")


async def found(h: Harness, words: str) -> None:
    """Run until an agent complains; it must do so in these words."""
    await h.reset()
    try:
        await h.drain(limit=500)
    except AssertionError as error:
        assert words in str(error), str(error)
        return
    raise AssertionError("no one complained")


@cocotb.test()
async def valid_that_falls(dut: Any) -> None:
    h = Harness(dut, dut.gen_falls)
    h.sink("out", 0.7).expect([0x11] * 100)
    await found(h, "out: valid fell in cycle")


@cocotb.test()
async def payload_that_changes(dut: Any) -> None:
    h = Harness(dut, dut.gen_changes)
    h.sink("out", 0.5)
    await h.reset()
    try:
        await h.step(100)
    except AssertionError as error:
        assert "payload changed" in str(error)
    else:
        raise AssertionError("no one complained")


@cocotb.test()
async def monitor_sees_it_too(dut: Any) -> None:
    h = Harness(dut, dut.gen_falls)
    monitor = h.monitor("out")
    await h.reset()
    try:
        await h.step(20)
    except AssertionError as error:
        assert "valid fell" in str(error)
        assert monitor.passed == []
    else:
        raise AssertionError("no one complained")


@cocotb.test()
async def item_that_comes_twice(dut: Any) -> None:
    h = Harness(dut, dut.gen_twice)
    h.sink("out").expect(range(20))
    await found(h, "out: item 6 in cycle")


@cocotb.test()
async def more_than_expected(dut: Any) -> None:
    h = Harness(dut, dut.gen_twice)
    h.sink("out").expect(range(5))
    await found(h, "after all that was expected")


@cocotb.test()
async def never_ready(dut: Any) -> None:
    h = Harness(dut, dut.gen_deaf)
    h.source("in", "never").send([0, 0, 0])
    await found(h, "in has 3 to send and waits for ready")


@cocotb.test()
async def arrays_of_streams(dut: Any) -> None:
    h = Harness(dut, dut.gen_pair)
    sources = [h.source("in", index=i) for i in range(2)]
    sinks = [h.sink("out", index=i) for i in range(2)]
    await h.reset()
    for i in range(2):
        data = h.values(9, 300)
        sources[i].send(data)
        sinks[1 - i].expect(data)
    await h.drain()
    assert len(sinks[0].passed) == len(sinks[1].passed) == 300


@cocotb.test()
async def assertions_hold_outside_reset_only(dut: Any) -> None:
    h = Harness(dut, dut.gen_assert)
    bad, fails = h.signal("bad"), h.signal("fails_q")
    await h.reset(5)
    await h.step(5)
    assert fails.get() == 0
    bad.set(1)
    await h.step(3)
    assert fails.get() == 3


def test_bytes_become_beats_and_bytes_again() -> None:
    for length in (1, 31, 32, 33, 100):
        data = bytes(range(length))
        beats = [BEAT.unpack(beat) for beat in beats_of(data)]
        assert bytes_of(beats_of(data)) == data
        assert [beat["last"] for beat in beats] == [0] * (len(beats) - 1) + [1]
        assert beats[-1]["keep"].bit_count() == (length - 1) % 32 + 1

# SPDX-License-Identifier: Apache-2.0
"""Covers: three streams of TLPs with stalls on all sides: TLPs whole, each stream in order, all come; no gap between
TLPs and turns when all want to send.

Tests polyloom_hub_merge. Leaves out: other numbers of inputs.
"""

from __future__ import annotations

from typing import Any

import cocotb
from hub_units import BEAT, WRITE, Tlp

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "hub_tb")


@cocotb.test()
async def whole_and_in_order(dut: Any) -> None:
    h = Harness(dut, dut.gen_merge)
    sources, out = [h.source("in", "random", i) for i in range(3)], h.sink("out")
    await h.reset()
    sent: list[list[Tlp]] = [[], [], []]
    for number in range(150):
        i = h.rng.randrange(3)
        tlp = Tlp(WRITE, number, bytes([i]) + h.rng.randbytes(h.rng.randrange(100)))
        sent[i].append(tlp)
        sources[i].send(tlp.beats())
    await h.drain(after=100)
    got: list[list[Tlp]] = [[], [], []]
    beats: list[int] = []
    for beat in out.passed:
        beats.append(beat)
        if BEAT.unpack(beat)["last"]:
            tlp = Tlp.of(beats)
            got[tlp.payload[0]].append(tlp)
            beats = []
    assert got == sent and not beats


@cocotb.test()
async def in_turns_without_gaps(dut: Any) -> None:
    h = Harness(dut, dut.gen_merge)
    sources, out = [h.source("in", "never", i) for i in range(3)], h.sink("out", "never")
    await h.reset()
    for i in range(3):
        for _ in range(10):
            sources[i].send(Tlp(WRITE, i, bytes(40)).beats())
    await h.drain()
    assert out.cycles == list(range(out.cycles[0], out.cycles[0] + 3 * 10 * 4))
    order = [BEAT.unpack(beat)["data"] >> 64 for beat in out.passed[::4]]
    assert order == [0, 1, 2] * 10

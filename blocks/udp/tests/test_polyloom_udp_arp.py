# SPDX-License-Identifier: Apache-2.0
"""Covers: responses to random askers with random stalls on both sides, against frames made in Python; one in nine
cycles.

Leaves out: which requests are meant for this node (test_polyloom_udp_rx.py).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import cocotb
from udp_frames import End, arp, words

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "udp_tb")


@cocotb.test()
@cocotb.parametrize(stall=["random", "never"])
async def responses(dut: Any, stall: str) -> None:
    h = Harness(dut, dut.gen_arp)
    ip, source, sink = h.signal("ip"), h.source("req", stall), h.sink("out", stall)
    await h.reset()
    for _ in range(5):
        me = End.node(h.rng.getrandbits(32))
        ip.set(me.ip)
        for _ in range(20):
            requester = End.random(h.rng)
            source.send(requester.packed())
            sink.expect(words(arp(2, me, requester).ljust(64, b"\0")))  # 60 bytes, and whole words
        await h.drain()
    assert len(sink.passed) == 5 * 20 * 8
    if stall == "never":
        gaps = [b - a for a, b in pairwise(source.cycles)]
        assert sorted(gaps)[: 5 * 19] == [9] * 5 * 19

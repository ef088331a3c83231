# SPDX-License-Identifier: Apache-2.0
"""Covers: two inputs with random stalls on all sides: nothing lost, nothing twice, order of each input kept, who won
is said rightly; strict turns while both ask and nothing waits; a choice stands until it is taken (the sink checks
it); who asks alone is not kept waiting.

Leaves out: the other channels of the multiplexer: test_polyloom_axi_mux.py.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.axi import AX
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "axi_tb")


@cocotb.test()
@cocotb.parametrize(stall=("random", "never", "sparse"), both=(True, False))
async def takes_turns(dut: Any, stall: str, both: bool) -> None:
    h = Harness(dut, dut.gen_arbiter)
    # Sparse: one asks alone and waits when the other begins to ask.
    sources = [h.source("in", 0.85 if stall == "sparse" else stall, index) for index in range(2)]
    sink = h.sink("out", 0.6 if stall == "sparse" else stall)
    who, valid = h.signal("who"), h.signal("in_valid")
    winners: list[int] = []
    requested: list[int] = []

    def check(_: int) -> None:
        if sink.valid.get() and sink.ready.get():
            winners.append(who.get())
            requested.append(valid.get())

    EveryCycle(h, lambda: None, check)
    await h.reset()
    sent = [
        [AX.pack(id=index, addr=n, len=h.rng.randrange(256)) for n in range(400 if both or index else 0)]
        for index in range(2)
    ]
    for source, values in zip(sources, sent, strict=True):
        source.send(values)
    await h.drain()
    ids = [AX.unpack(value)["id"] for value in sink.passed]
    assert ids == winners
    for index in range(2):
        assert [value for value, who_won in zip(sink.passed, ids, strict=True) if who_won == index] == sent[index]
    if stall == "never":
        assert sink.cycles == list(range(sink.cycles[0], sink.cycles[0] + len(sink.passed)))
        assert not both or all(a != b for a, b in pairwise(winners))
    # A choice that had to wait may be followed by the same one once, not twice.
    for n in range(2, len(winners)):
        assert len(set(winners[n - 2 : n + 1])) == 2 or requested[n - 2 : n + 1] != [3, 3, 3]

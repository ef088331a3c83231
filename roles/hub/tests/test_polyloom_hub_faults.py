# SPDX-License-Identifier: Apache-2.0
"""Covers: faults from three sources at random times, clears between them, against a model: the first, whether there
were more, counts by cause; each is taken once.

Tests polyloom_hub_faults. Leaves out: wrapping of counts.
"""

from __future__ import annotations

from typing import Any

import cocotb
from hub_units import FAULT

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "hub_tb")


@cocotb.test()
async def against_a_model(dut: Any) -> None:
    h = Harness(dut, dut.gen_faults)
    sources = [h.source("fault", 0.6, i) for i in range(3)]
    clear, first, more, counts = (h.signal(name) for name in ("clear", "first", "more", "counts"))
    await h.reset()
    for i in range(3):
        for _ in range(150):
            fault = {"cause": h.rng.randint(1, 9), "port": i, "address": h.rng.getrandbits(48)}
            sources[i].send(FAULT.pack(**fault))
    seen, kept, others, count = [0] * 3, 0, 0, [0] * 10
    for _ in range(900):
        wiped = int(h.rng.random() < 0.03)
        clear.set(wiped)
        await h.step()
        if wiped:
            kept, others, count = 0, 0, [0] * 10
        accepted = [s.passed[seen[i]] for i, s in enumerate(sources) if len(s.passed) > seen[i]]
        seen = [len(s.passed) for s in sources]
        assert len(accepted) <= 1
        for fault_word in accepted:
            count[FAULT.unpack(fault_word)["cause"]] += 1
            others = int(bool(kept)) or others
            kept = kept or fault_word
        assert first.get() == kept and more.get() == others
        assert counts.get() == sum(n << 32 * c for c, n in enumerate(count))
    assert seen == [150] * 3

# SPDX-License-Identifier: Apache-2.0
"""Covers: TLPs of all sizes, some void, payload and commits with stalls of their own, a slow switch: what leaves is
whole and in order, and no header leaves before its payload is in.

Tests polyloom_hub_packets. Leaves out: nothing known.
"""

from __future__ import annotations

from typing import Any

import cocotb
from hub_units import BEAT, WRITE, Tlp

from polyloom.rtl.testing import Harness, Struct, bench

test = bench(__file__, "hub_tb")

COMMIT = Struct([("no", 1), ("address", 39), ("bytes", 10)])


@cocotb.test()
async def whole_tlps_in_order(dut: Any) -> None:
    h = Harness(dut, dut.gen_packets)
    data, commit, out = h.source("data"), h.source("commit"), h.sink("out")
    await h.reset()
    for _ in range(80):
        payload = h.rng.randbytes(h.rng.choice([1, 8, 16, 17, 128, h.rng.randint(1, 128)]))
        address, no = h.rng.getrandbits(39), int(h.rng.random() < 0.25)
        beats = [BEAT.unpack(beat) for beat in Tlp(WRITE, address, payload).beats()[1:]]
        data.send([BEAT.pack(**{**beat, "last": h.rng.getrandbits(1)}) for beat in beats])
        await h.until(lambda: not data.busy())  # a commit comes with or after the last beat
        commit.send(COMMIT.pack(no=no, address=address, bytes=len(payload)))
        if h.rng.random() < 0.1:
            commit.send(COMMIT.pack(no=1, address=1, bytes=0))  # nothing to throw away
        if not no:
            out.expect(Tlp(WRITE, address, payload).beats())
        await h.until(lambda: not commit.busy())
    await h.drain()
    assert h.signal("idle").get()


@cocotb.test()
async def a_header_waits_for_its_commit(dut: Any) -> None:
    h = Harness(dut, dut.gen_packets)
    data, commit, out = h.source("data", "never"), h.source("commit", "never"), h.sink("out", "never")
    await h.reset()
    data.send(Tlp(WRITE, 0, bytes(128)).beats()[1:])
    await h.step(40)
    assert not out.passed and not h.signal("idle").get()
    commit.send(COMMIT.pack(address=5, bytes=128))
    await h.step(20)
    assert out.cycles == list(range(commit.cycles[0] + 1, commit.cycles[0] + 10))

# SPDX-License-Identifier: Apache-2.0
"""Covers: messages of one to the most flits, buffers of the least size, of one that is no power of two and deeper:
messages leave whole, in order, without a gap, one cycle after they were let in, and only in a cycle in which the gate
is open and there is room; wanted and idle in every cycle; how much fits; times; a reset forgets.

Leaves out: where messages come from (..._host_frames, ..._host), what the board router does with them.
"""

from __future__ import annotations

from typing import Any

import cocotb
from host_units import FLIT, HOST, MASK, SHAPES, UNICAST, Network, flits_of

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "host_tb")
#: Buffers in flits, as gen_inject of host_tb.sv has them.
DEPTHS = (16, 2, 4, 7)


def messages(h: Harness, which: int, count: int, flits: int = 0) -> list[int]:
    """So many, of any length if none is given; their flits."""
    out = []
    for _ in range(count):
        data = h.values(128, flits or h.rng.randint(1, SHAPES[which].max_flits))
        out += flits_of(h.rng.choice([UNICAST, MASK, HOST]), h.rng.getrandbits(20), h.rng.getrandbits(64), data)
    return out


class Watch:
    """What wanted, idle and host_in must be in every cycle, from what came and went before."""

    def __init__(self, h: Harness, source: Any, network: Network) -> None:
        self._source, self._network = source, network
        self._signals = {n: h.signal(n) for n in ("wanted", "idle", "host_in")}
        self._let_in = 0
        self._taken = self._whole = self._gone = 0  # flits and whole messages taken, flits gone, before the cycle
        EveryCycle(h, lambda: None, self.check)

    def check(self, cycle: int) -> None:
        """A message counts from the cycle after its last flit was taken until it is let in."""
        s = {name: signal.get() for name, signal in self._signals.items()}
        assert s["wanted"] == int(self._whole > self._let_in), f"wanted in cycle {cycle}"
        assert s["idle"] == int(self._taken == self._gone), f"idle in cycle {cycle}"
        self._let_in += s["host_in"]
        self._gone = len(self._network.flits)
        self._taken = len(self._source.passed)
        self._whole = sum(FLIT.unpack(flit)["last"] for flit in self._source.passed)


@cocotb.test()
@cocotb.parametrize(which=range(4), gate=[(0.1, 0.9), (0.9, 0.1), (1.0, 1.0)])
async def all_go_in_order(dut: Any, which: int, gate: tuple[float, float]) -> None:
    """Room and gate at random."""
    h = Harness(dut, dut.gen_inject[which])
    source, network = h.source("in"), Network(h, *gate)
    Watch(h, source, network)
    await h.reset()
    expected = messages(h, which, 80)
    source.send(expected)
    await h.until(lambda: len(network.flits) == len(expected))
    await h.drain()
    assert network.flits == expected
    assert h.signal("idle").get()


@cocotb.test()
@cocotb.parametrize(which=range(4))
async def as_much_waits_as_fits(dut: Any, which: int) -> None:
    """Neither less nor more; all of it goes when the gate opens."""
    h = Harness(dut, dut.gen_inject[which])
    source, network = h.source("in"), Network(h, 1.0, 0.0)
    await h.reset()
    expected = messages(h, which, DEPTHS[which] + 3, 1)
    source.send(expected)
    await h.until(lambda: len(source.passed) == DEPTHS[which])
    await h.step(100)
    assert len(source.passed) == DEPTHS[which]
    assert not network.flits
    assert h.signal("wanted").get()
    network.open = 1.0
    await h.drain(after=DEPTHS[which] + 10)
    assert network.flits == expected


@cocotb.test()
async def part_of_a_message_waits_for_its_end(dut: Any) -> None:
    """It is not wanted before; then it goes without a gap."""
    h = Harness(dut, dut.gen_inject[0])
    source, network = h.source("in"), Network(h, 1.0, 1.0)
    await h.reset()
    for _ in range(10):
        flits = messages(h, 0, 1, 4)
        source.send(flits[:3])
        await h.drain()
        assert not h.signal("wanted").get()
        assert not h.signal("idle").get()
        source.send(flits[3:])
        await h.drain()
        assert network.flits[-4:] == flits


@cocotb.test()
async def no_cycle_is_lost(dut: Any) -> None:
    """What has waited goes out a flit a cycle; one that finds all open is on the wire 2 cycles after its last flit."""
    h = Harness(dut, dut.gen_inject[0])
    source, network = h.source("in", "never"), Network(h, 1.0, 0.0)
    await h.reset()
    expected = messages(h, 0, 16)[:16]
    while not FLIT.unpack(expected[-1])["last"]:
        expected.pop()
    source.send(expected)
    await h.drain()
    network.open = 1.0
    await h.drain(after=len(expected) + 10)
    assert network.flits == expected
    assert network.cycles == list(range(network.cycles[0], network.cycles[0] + len(expected)))
    for flits in (1, 2, 4):
        source.send(messages(h, 0, 1, flits))
        await h.drain()
        assert network.cycles[-flits] - source.cycles[-1] == 2


@cocotb.test()
async def reset_forgets_what_waits(dut: Any) -> None:
    """Nothing of before comes after, not even of half a message."""
    h = Harness(dut, dut.gen_inject[3])
    source, network = h.source("in"), Network(h, 1.0, 0.0)
    await h.reset()
    source.send(messages(h, 3, 1, 4) + messages(h, 3, 1, 3)[:2])
    await h.drain()
    await h.reset()
    assert not h.signal("wanted").get()
    network.open = 1.0
    expected = messages(h, 3, 10)
    source.send(expected)
    await h.drain(after=60)
    assert network.flits == expected

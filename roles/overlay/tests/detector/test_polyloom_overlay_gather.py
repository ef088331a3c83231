# SPDX-License-Identifier: Apache-2.0
"""Covers: boards of 1x1, 2x1, 1x4 and 4x2 tiles; every output in every cycle against sums over the same past cycle.

Tests polyloom_overlay_gather. Leaves out: counts that wrap (24 bits); what follows from the outputs
(overlay_detector_rtl_test.cc).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "detector_units_tb")
SIZES = [(1, 1), (2, 1), (1, 4), (4, 2)]
LINKS = 4


class Board:
    """Drives random tiles and periphery; the state of every cycle, to compare when it comes out."""

    def __init__(self, h: Harness, tiles: int, latency: int, inputs: int) -> None:
        names = ("all_idle", "all_vote", "in_flight", "sent", "received", "host_in", "host_out", "copies", "ended")
        self.inputs = {name: h.signal(name) for name in names}
        self.outputs = {name: h.signal(name) for name in ("passive", "vote", "sent_count", "received_count")}
        self.rng, self.tiles, self.all = h.rng, tiles, (1 << tiles) - 1
        self.sent, self.received = [0] * LINKS, [0] * LINKS
        self.inputs_of_router = inputs
        self.others = 0  # messages of the host let in - handed out, copies - keys that have ended
        self.expected: deque[dict[str, int]] = deque([dict.fromkeys(self.outputs, 0)] * latency)
        self.passive = self.almost = 0
        h.add(self)

    def reset(self) -> None:
        """All inputs are zero."""

    def busy(self) -> str:
        """Wait for nothing."""
        return ""

    def drive(self) -> None:
        """A cycle's inputs, often such that the sum is zero or all tiles are idle."""
        rng = self.rng
        pulses = {name: rng.getrandbits(LINKS) & rng.getrandbits(LINKS) for name in ("sent", "received")}
        others = {name: rng.getrandbits(1) for name in ("host_in", "host_out")}
        others |= {name: rng.choice((0, 0, rng.randint(0, self.inputs_of_router))) for name in ("copies", "ended")}
        for link in range(LINKS):
            self.sent[link] += pulses["sent"] >> link & 1
            self.received[link] += pulses["received"] >> link & 1
        self.others += others["host_in"] - others["host_out"] + others["copies"] - others["ended"]
        periphery = sum(self.received) - sum(self.sent) + self.others
        flights = [rng.getrandbits(16) for _ in range(self.tiles)]
        flights[-1] = -periphery - sum(flights[:-1])
        missing = rng.choice([0, 0, 0, 1, -1])  # on some tile
        flights[rng.randrange(self.tiles)] += missing
        idle = self.all if rng.random() < 0.7 else self.all & ~(1 << rng.randrange(self.tiles))
        vote = self.all if rng.random() < 0.5 else rng.getrandbits(self.tiles)
        values = {"all_idle": idle, "all_vote": vote, **pulses, **others}
        values["in_flight"] = sum((count & 0xFFFF) << 16 * tile for tile, count in enumerate(flights))
        for name, value in values.items():
            self.inputs[name].set(value)
        state = {"passive": int(idle == self.all and missing == 0), "vote": int(vote == self.all)}
        state["sent_count"] = sum(count << 24 * link for link, count in enumerate(self.sent))
        state["received_count"] = sum(count << 24 * link for link, count in enumerate(self.received))
        self.expected.append(state)
        self.passive += state["passive"]
        self.almost += missing != 0 and idle == self.all

    def sample(self, _cycle: int) -> None:
        """Compare with the state of ``latency`` cycles ago."""
        want = self.expected.popleft()
        assert {name: signal.get() for name, signal in self.outputs.items()} == want


@cocotb.test()
@cocotb.parametrize(which=range(len(SIZES)))
async def shows_one_past_cycle_of_the_board(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_size[which])
    x, y = SIZES[which]
    await h.reset()
    board = Board(h, x * y, x + y, 5 + x)
    await h.step(2000)
    assert board.passive > 100 and board.almost > 100

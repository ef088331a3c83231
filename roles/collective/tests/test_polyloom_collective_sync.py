# SPDX-License-Identifier: Apache-2.0
"""Covers: random steps of all kinds with pulses at any time, every output in every cycle against the counts of
README.md ("Lanes and pulses"): p pulses received, j blocks begun; the edges go_to_pulse, pulse_to_count, go_to_begin;
stop, flush.

Tests polyloom_collective_sync. Leaves out: counts near 2^31; proof that no block begins unpermitted: see the proofs.
"""

from __future__ import annotations

from typing import Any

import cocotb
from collective_units import LANE_STEP, Inputs

from polyloom.rtl.testing import Harness, bench

C, L, SOURCES = 2, 3, 7

test = bench(__file__, "collective_tb")


class Counts:
    """The rules, on integers and sets; drives the design and compares it in every cycle."""

    def __init__(self, h: Harness) -> None:
        names = ("stop", "flush", "go", "together", "send", "accept", "relay", "drained", "pulse_in", "read_pending")
        outputs = ("tx_select", "tx_begin", "tx_enable", "tx_waits", "pulse_out", "read_begin")
        self.io, self.rng = Inputs(h, *names, *outputs), h.rng
        self.received, self.begun = [0] * L, [0] * L
        self.waiting: dict[int, dict[str, Any]] = {}  # lane: block that has not begun
        self.relays: set[int] = set()  # rx lanes that pulse when their source begins
        self.enabled: set[int] = set()
        self.together, self.stop = False, False
        self.reads: set[int] = set()
        self.pulses_due: set[int] = set()
        self.begins = self.pulses = 0
        self.next_step: dict[str, Any] | None = None
        self.busy_text = ""
        h.add(self)

    def reset(self) -> None:
        """Idle."""

    def busy(self) -> str:
        """Wait for nothing."""
        return self.busy_text

    def new_step(self) -> dict[str, Any]:
        """Sends from random sources, takes, and what follows from both."""
        sends: dict[int, dict[str, Any]] = {}
        accepts: dict[int, bool] = {}
        for lane in range(L):
            if self.rng.random() < 0.7:
                only = self.rng.random() < 0.2
                eager = not only and self.rng.random() < 0.5
                sends[lane] = {"eager": eager, "only": only, "source": None if only else self.rng.randrange(SOURCES)}
            if self.rng.random() < 0.5:
                accepts[lane] = self.rng.random() < 0.4
        used = {s["source"] for s in sends.values()}
        relay = {lane for lane in range(L) if C + lane in used}
        return {"sends": sends, "accepts": accepts, "relay": relay, "together": self.rng.random() < 0.3, "used": used}

    def drive(self) -> None:
        """Choose what comes in this cycle."""
        rng, io = self.rng, self.io
        self.go = self.next_step if not self.waiting and not self.relays and rng.random() < 0.3 else None
        self.pulse_in = {lane for lane in range(L) if rng.random() < 0.15}
        self.drained = {lane for lane in range(L) if rng.random() < 0.1}
        values: dict[str, int] = {"go": 0, "together": rng.getrandbits(1)}
        if self.go:
            send = accept = 0
            for lane, s in self.go["sends"].items():
                send |= LANE_STEP.pack(valid=1, eager=s["eager"], pulse_only=s["only"]) << lane * LANE_STEP.width
            for lane, eager in self.go["accepts"].items():
                accept |= LANE_STEP.pack(valid=1, eager=eager) << lane * LANE_STEP.width
            values = {
                "go": 1,
                "together": self.go["together"],
                "send": send,
                "accept": accept,
                "relay": mask(self.go["relay"]),
            }
        io.set(**values, pulse_in=mask(self.pulse_in), drained=mask(self.drained), stop=int(self.stop))
        io.set(read_pending=mask(self.reads))

    def may(self, lane: int) -> bool:
        """Block j may begin when p >= j + 1, an eager one when p >= j."""
        need = self.begun[lane] if self.waiting[lane]["eager"] else self.begun[lane] + 1
        return self.received[lane] >= need

    def source_begins(self, source: int | None) -> bool:
        """All tx lanes that copy the source may begin; with together, all lanes of the step."""
        if self.stop or (self.together and not all(map(self.may, self.waiting))):
            return False
        return all(self.may(lane) for lane, s in self.waiting.items() if source is not None and s["source"] == source)

    def sample(self, cycle: int) -> None:
        """Compare this cycle's outputs, then count what happens at its edge."""
        begin = {lane for lane, s in self.waiting.items() if self.may(lane) and self.source_begins(s["source"])}
        reads = {c for c in self.reads if self.source_begins(c)}
        want = {
            "tx_begin": mask(begin), "tx_enable": mask(self.enabled), "pulse_out": mask(self.pulses_due),
            "tx_waits": mask({lane for lane in self.waiting if not self.may(lane)}), "read_begin": mask(reads),
        }  # fmt: skip
        got = {name: self.io.get(name) for name in want}
        assert got == want, f"cycle {cycle}: {got}, expected {want}"
        relayed = {lane for lane in self.relays if self.source_begins(C + lane)}
        due = relayed | self.drained
        self.begins, self.pulses = self.begins + len(begin), self.pulses + len(self.pulses_due)
        for lane in begin:
            self.begun[lane] += 1
            if not self.waiting[lane]["only"]:
                self.enabled.add(lane)
        for lane in self.pulse_in:
            self.received[lane] += 1
        self.waiting = {lane: s for lane, s in self.waiting.items() if lane not in begin}
        self.relays -= relayed
        self.reads -= reads
        if self.go:
            step = self.go
            self.waiting, self.together, self.enabled = dict(step["sends"]), step["together"], set()
            self.relays = {lane for lane, eager in step["accepts"].items() if not eager and lane in step["relay"]}
            due |= {lane for lane, eager in step["accepts"].items() if not eager and lane not in step["relay"]}
            self.reads = {source for source in step["used"] if source is not None and source < C}
            select = sum(1 << SOURCES * lane + s["source"] for lane, s in step["sends"].items() if not s["only"])
            self.io.set(tx_select=select)  # the switch shows it from the cycle after go
            self.next_step = None
        self.pulses_due = set() if self.stop else due


def mask(bits: set[int]) -> int:
    return sum(1 << bit for bit in bits)


@cocotb.test()
async def every_cycle_follows_the_counts(dut: Any) -> None:
    h = Harness(dut, dut.gen_sync)
    counts = Counts(h)
    await h.reset()
    for _ in range(150):
        counts.next_step = counts.new_step()
        await h.until(lambda: counts.next_step is None and not counts.waiting and not counts.relays)
    assert counts.begins > 200 and counts.pulses > 100


@cocotb.test()
async def stopped_nothing_begins_and_flush_forgets_counts(dut: Any) -> None:
    h = Harness(dut, dut.gen_sync)
    counts = Counts(h)
    await h.reset()
    for _ in range(12):
        counts.next_step = counts.new_step()
        await h.until(lambda: counts.next_step is None)
        await h.step(h.rng.randrange(6))
        counts.stop = True
        await h.step(8)  # pulses go on coming
        counts.io.set(flush=1)
        await h.step()
        counts.io.set(flush=0)
        counts.received, counts.begun = [0] * L, [0] * L
        counts.waiting, counts.relays, counts.enabled, counts.pulses_due = {}, set(), set(), set()
        counts.together, counts.stop, counts.reads = False, False, set()
        await h.step(2)


@cocotb.test()
async def edges_of_go_and_pulse(dut: Any) -> None:
    h = Harness(dut, dut.gen_sync)
    io = Inputs(h, "go", "send", "accept", "pulse_in", "pulse_out", "tx_begin")
    await h.reset()
    await io.once(go=1, send=LANE_STEP.pack(valid=1), accept=LANE_STEP.pack(valid=1))
    assert io.get("pulse_out") == 1  # leaves one edge after go
    await h.step()
    assert io.get("pulse_out") == 0 and io.get("tx_begin") == 0
    await h.step(5)
    assert io.get("tx_begin") == 0
    await io.once(pulse_in=1)
    assert io.get("tx_begin") == 1  # the pulse counts one edge later
    await h.step()
    assert io.get("tx_begin") == 0
    await io.once(pulse_in=1)
    await io.once(go=1, send=LANE_STEP.pack(valid=1))
    assert io.get("tx_begin") == 1  # the earliest: one edge after go

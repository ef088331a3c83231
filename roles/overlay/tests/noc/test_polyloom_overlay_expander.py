# SPDX-License-Identifier: Apache-2.0
"""Covers: messages with keys of all kinds of tables, chains of chains and senseless ones among them: what is asked for,
shown and told in every cycle, against a model written from the description; grants, responses of memory (by slice, in
any order), what takes copies and faults with random stalls, and without any; the input of a link and of a column, one
slice and two, boards of 3x2 and 5x6 tiles, of 64 and of 16 threads.

Leaves out: the buffer of messages (test_polyloom_overlay_board_input.py).
"""

from __future__ import annotations

from typing import Any

import cocotb
from expander_units import COLUMN, COPY, FAULT, REQUEST, Copy, ExpanderModel, Memory, Site, Tables
from noc_units import WEST, bits

from polyloom.rtl.testing import Harness, Stall, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "noc_tb")
#: As in noc_tb: port, tiles, threads of a tile, slices; messages at once.
SHAPES = ((Site(WEST, (3, 2), 64, 1), 5), (Site(COLUMN, (5, 6), 16, 2), 4))


class Expander:
    """What stands around it."""

    def __init__(self, h: Harness, site: Site, most: int, tables: Tables, stall: str) -> None:
        self.h, self.rng, self.site, self.most, self.tables = h, h.rng, site, most, tables
        names = (
            "board",
            "mesh",
            "key_valid",
            "key",
            "request_valid",
            "request_ready",
            "request",
            "beat_valid",
            "beat_place",
        )
        names += ("beat", "shown", "ends", "last", "way", "copy", "accepted", "fault_valid", "fault_ready", "fault")
        self.io = {name: h.signal(name) for name in names}
        self.io["board"].set(site.at[1] << 3 | site.at[0])
        self.io["mesh"].set(site.mesh[1] << 4 | site.mesh[0])
        self.model, self.memory = ExpanderModel(site), Memory(h, tables, stall)
        self.stalls = {name: Stall(h.rng, stall) for name in ("key", "request", "accepted", "fault")}
        self.ends = self.full = 0
        EveryCycle(h, self.drive, self.check)

    def go(self, name: str) -> bool:
        """Nothing stops it in this cycle."""
        return not self.stalls[name]()

    def drive(self) -> None:
        """Inputs, noise where they mean nothing."""
        self.key = self.rng.choice(self.tables.keys) if self.model.inside < self.most and self.go("key") else None
        self.granted = self.go("request") and self.model.request() is not None
        self.accepted = self.model.shown is not None and self.go("accepted")
        self.fault_ready = self.go("fault")
        self.beats = self.memory.responses()
        slices = range(self.site.slices)
        noise = {s: (self.rng.getrandbits(3), self.rng.getrandbits(256)) for s in slices} | self.beats
        for name, value in {
            "key_valid": int(self.key is not None),
            "key": self.rng.getrandbits(32) if self.key is None else self.key,
            "request_ready": int(self.granted),
            "accepted": int(self.accepted),
            "fault_ready": int(self.fault_ready),
            "beat_valid": bits(set(self.beats)),
            "beat_place": sum(noise[s][0] << 3 * s for s in slices),
            "beat": sum(noise[s][1] << 256 * s for s in slices),
        }.items():
            self.io[name].set(value)

    def check(self, cycle: int) -> None:
        """Compare, then the cycle ends."""
        got = {name: signal.get() for name, signal in self.io.items()}
        request, shown, fault = self.model.request(), self.model.shown, self.model.fault
        assert got["request_valid"] == (request is not None), (
            f"cycle {cycle}: asks {got['request_valid']}, expected {request}"
        )
        assert request is None or REQUEST.unpack(got["request"]) == request, (
            f"cycle {cycle}: {REQUEST.unpack(got['request'])}, expected {request}"
        )
        assert got["shown"] == (shown is not None), f"cycle {cycle}: shows {got['shown']}, expected {shown}"
        if shown:
            self.compare(shown, got, cycle)
        assert got["fault_valid"] == (fault is not None), f"cycle {cycle}: a fault {got['fault_valid']}, not {fault}"
        if fault:
            assert tuple(FAULT.unpack(got["fault"]).values())[::-1] == fault, f"cycle {cycle}: {fault}"
        if self.granted and request:
            self.memory.requested.append(request)
        self.ends += bool(self.accepted and shown and shown.end)
        self.full += self.model.used == 7
        self.model.end(self.key, self.granted, list(self.beats.values()), self.accepted, self.fault_ready)

    def compare(self, shown: Copy, got: dict[str, int], cycle: int) -> None:
        """A copy, or an end."""
        assert got["ends"] == shown.end, f"cycle {cycle}: an end {got['end']}"
        if shown.end:
            return
        copy = COPY.unpack(got["copy"])
        masks = (0xFFFF, 0xFFFF0000, 0xFFFFFFFF << 32)
        replaced = sum(mask for i, mask in enumerate(masks) if copy["replaces"] >> i & 1)
        saw = Copy(
            *(False, bool(got["last"]), got["way"].bit_length() - 1, copy["kind"], copy["dest"], copy["mask"]),
            *(replaced, copy["words"] & replaced),
        )
        assert got["way"].bit_count() == 1 and saw == shown, f"cycle {cycle}: {saw}, expected {shown}"


@cocotb.test()
@cocotb.parametrize(which=range(2), senseless=(0.0, 0.05), stall=("random", "never"))
async def copies_as_records_say(dut: Any, which: int, senseless: float, stall: str) -> None:
    h = Harness(dut, dut.gen_expander[which])
    site, most = SHAPES[which]
    site.mesh = (h.rng.randint(2, 8), h.rng.randint(2, 8))
    site.at = tuple(h.rng.randrange(n) for n in site.mesh)  # type: ignore[assignment]
    around = Expander(h, site, most, Tables(h.rng, site, senseless), stall)
    await h.reset()
    model = around.model
    await h.until(lambda: model.copies > 1500 and around.ends > 10 and model.chains > 20 and around.full > 50)
    assert model.faults > 30 if senseless else model.faults == 0


@cocotb.test()
async def a_circle_ends(dut: Any) -> None:
    """An indirection that leads back to its own key, with a copy each time."""
    h = Harness(dut, dut.gen_expander[0])
    site, most = SHAPES[0]
    site.mesh, site.at = (1, 1), (0, 0)
    tables = Tables(h.rng, site, 0.0)
    key = 0x01A00001
    record = 0b000 << 45 | 7 << 35 | 0xABCD  # to thread 7 of tile (0,0)
    tables.beats[0, key >> 5] = 2 << 240 | (0b100 << 45 | key) << 192 | record << 144
    tables.keys = [key]
    around = Expander(h, site, most, tables, "never")
    await h.reset()
    await h.until(lambda: around.model.faults == 2)
    assert around.model.copies in range(511, 514)

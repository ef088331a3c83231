# SPDX-License-Identifier: Apache-2.0
"""What tests of hub_parts.sv and hub_dma_parts.sv share: structs of the package; what takes TLPs from a queue."""

from __future__ import annotations

from hub_units import BEAT, Tlp

from polyloom.rtl.testing import Harness, Signal, Stall, Struct

DMA_STATE = Struct.of("polyloom_hub_pkg::dma_state_t")
DESCRIPTOR = Struct.of("polyloom_hub_pkg::descriptor_t")
BLOCK = Struct.of("polyloom_hub_pkg::block_t")
READ_BEAT = Struct.of("polyloom_hub_pkg::read_beat_t")


class Taker:
    """Output ``port`` of the switch: lets its request be granted, takes the beats of what was, a TLP after another.

    Part of an EveryCycle: ``allow`` and ``ready`` in drive, ``check`` in check. With ``beat_ready`` high in a cycle
    of a last beat, the next TLP may be granted in it.
    """

    def __init__(self, h: Harness, port: int, stall: str | float = "random") -> None:
        self.h, self.port = h, port
        self._grants, self._beats = Stall(h.rng, stall), Stall(h.rng, stall)
        self.active = False
        self.got: list[list[int]] = []
        self.grants: list[int] = []  # cycles
        self.cycles: list[int] = []  # of beats
        self._waits: int | None = None

    def allow(self) -> bool:
        """Whether a request is granted in this cycle, unless a TLP is on its way that does not end in it."""
        return not self._grants()

    def ready(self) -> bool:
        """Whether a beat is taken."""
        return self.active and not self._beats()

    def check(self, cycle: int, granted: bool, valid: bool, ready: bool, beat: int) -> bool:
        """See a cycle; True: the last beat of a TLP has gone."""
        assert self._waits is None or (valid and beat == self._waits), f"cycle {cycle}: the beat did not wait"
        self._waits = beat if valid and not ready and self.active else None
        ends = False
        if self.active and valid and ready:
            self.got[-1].append(beat)
            self.cycles.append(cycle)
            ends = bool(BEAT.unpack(beat)["last"])
        if ends:
            self.active = False
        if granted:
            assert not self.active, f"cycle {cycle}: output {self.port} granted amid a TLP"
            self.active = True
            self.got.append([])
            self.grants.append(cycle)
        return ends

    def tlps(self) -> list[Tlp]:
        """What came, as TLPs."""
        return [Tlp.of(beats) for beats in self.got]


def element(signal: Signal, index: int, count: int) -> int:
    """Element of an array of equal elements."""
    width = signal.width // count
    return signal.get() >> width * index & (1 << width) - 1

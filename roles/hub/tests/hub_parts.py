# SPDX-License-Identifier: Apache-2.0
"""What tests of hub_parts.sv and hub_dma_parts.sv share: structs of the package; what takes TLPs from a queue."""

from __future__ import annotations

from hub_units import BEAT, Tlp

from polyloom.rtl.testing import Harness, Signal, Stall, Struct

DMA_STATE = Struct(
    [
        *[("chain_busy", 1), ("proxy_busy", 1), ("queued", 5), ("address", 39), ("chain_error", 4)],
        *[("chain_address", 48), ("proxy_error", 4), ("chain_done", 32), ("proxy_done", 32)],
    ]
)
DESCRIPTOR = Struct(
    [
        *[("flag", 64), ("next", 64), ("id", 32), ("control", 32), ("destination_stride", 64), ("source_stride", 64)],
        *[("blocks", 32), ("block_bytes", 32), ("destination", 64), ("source", 64)],
    ]
)
BLOCK = Struct(
    [
        *[("proxy", 1), ("final_block", 1), ("to_stream", 1), ("stream_end", 1), ("flag", 1), ("flag_address", 39)],
        *[("id", 32), ("bytes", 32), ("address", 39)],
    ]
)
READ_BEAT = Struct([("final_beat", 1), ("bad", 1), ("top", 4), ("data", 128)])


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

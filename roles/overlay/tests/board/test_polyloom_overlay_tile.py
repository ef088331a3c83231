# SPDX-License-Identifier: Apache-2.0
"""Covers: a tile alone (polyloom_overlay_tile): control requests by the board's numbers
reach its cores and its scratchpad, threads run and fault, events stand until they are taken, counts of instructions.

Leaves out: messages and memory, which whole boards have (tests/test_overlay_swap.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from polyloom.base import paths
from polyloom.rtl.node_build import Shape, build
from polyloom.rtl.testing.model import Model

SHAPE = {"TilesX": "2", "TilesY": "2", "Cores": "2", "Threads": "4", "InstrWords": "256", "MailboxSlots": "128"}
TILE = 3
WRITE_INSTR, READ_INSTR, WRITE_SCRATCHPAD, READ_SCRATCHPAD, START = range(5)
ILLEGAL, CALL = 3, 12
LI_X1_7, ADDI_X1_X1_1, ECALL, NOTHING = 0x00700093, 0x00108093, 0x00000073, 0


@dataclass(frozen=True)
class Event:
    fault: int
    thread: int
    cause: int
    pc: int


class Tile(Model):
    """A tile of a board of four, out of reset, its memories cleared."""

    def __init__(self) -> None:
        files = (paths.home() / "roles/overlay/tests/board/tile_alone.f",)
        super().__init__(build(Shape("tile_alone", files, SHAPE)).path)
        self.reset()
        self.retired = 0
        for name, value in {"tile_i": TILE, "hart_base_i": TILE << 6, "mesh_i": 0x11, "out_room_i": 1}.items():
            self.set(name, value)
        for _ in range(200):
            self.cycle()

    def cycle(self) -> None:
        self.settle()
        self.retired += self.get("retired_o").bit_count()
        self.step()

    def request(self, op: int, target: int, addr: int, data: int) -> int | None:
        """A control request; what it reads, if it does. target in the board's numbers."""
        self.set("ctl_valid_i", 1)
        self.set("ctl_i", op << 59 | target << 48 | addr << 32 | data)
        for _ in range(100):
            self.settle()
            accepted = self.get("ctl_ready_o")
            self.step()
            if accepted:
                break
        else:
            raise AssertionError("a request is not taken")
        self.set("ctl_valid_i", 0)
        if op not in (READ_INSTR, READ_SCRATCHPAD):
            return None
        for _ in range(100):
            self.settle()
            if self.get("ctl_rsp_valid_o"):
                return self.get("ctl_rdata_o")
            self.step()
        raise AssertionError("a read is not answered")

    def event(self) -> Event:
        """Wait for an event, leave it for some cycles, take it."""
        self.set("event_ready_i", 0)
        for _ in range(300):
            self.cycle()
            self.settle()
            if self.get("event_valid_o"):
                break
        else:
            raise AssertionError("no event")
        raw = self.get("event_o")
        for _ in range(5):
            self.cycle()
            self.settle()
            assert (self.get("event_valid_o"), self.get("event_o")) == (1, raw)
        self.set("event_ready_i", 1)
        self.cycle()
        self.set("event_ready_i", 0)
        return Event(raw >> 78, raw >> 72 & 0x3F, raw >> 64 & 0xFF, raw >> 32 & 0xFFFFFFFF)


@pytest.fixture
def tile() -> Tile:
    return Tile()


def test_instructions_and_scratchpad_are_written_and_read(tile: Tile) -> None:
    for word in (0, 5, 255):
        tile.request(WRITE_INSTR, TILE, word, 0x1000 + word)
        tile.request(WRITE_SCRATCHPAD, TILE, 64 + 4 * (word % 16), 0x2000 + word)
    for word in (0, 5, 255):
        assert tile.request(READ_INSTR, TILE, word, 0) == 0x1000 + word
    assert tile.request(READ_SCRATCHPAD, TILE, 64 + 4 * 5, 0) == 0x2005


@pytest.mark.parametrize(("core", "thread"), [(0, 0), (0, 3), (1, 2)])
def test_a_thread_runs_until_it_faults(tile: Tile, core: int, thread: int) -> None:
    program = [LI_X1_7, *[ADDI_X1_X1_1] * 10, ECALL, NOTHING]
    for word, instruction in enumerate(program):
        tile.request(WRITE_INSTR, TILE, word, instruction)
    before = tile.retired
    tile.request(START, TILE * 2 + core, thread, 0)
    assert tile.event() == Event(1, 4 * core + thread, CALL, 4 * 11)
    assert tile.retired - before == 12  # with the one that faults
    tile.request(START, TILE * 2 + core, thread, 4 * 12)
    assert tile.event() == Event(1, 4 * core + thread, ILLEGAL, 4 * 12)
    assert tile.retired - before == 13


def test_requests_for_other_tiles_cores_do_nothing(tile: Tile) -> None:
    tile.request(WRITE_INSTR, TILE, 0, ECALL)
    tile.request(START, (TILE - 1) * 2, 0, 0)
    tile.set("event_ready_i", 1)
    for _ in range(200):
        tile.cycle()
        assert not tile.get("event_valid_o")
    assert tile.retired == 0

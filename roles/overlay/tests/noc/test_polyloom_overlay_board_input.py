# SPDX-License-Identifier: Apache-2.0
"""Covers: messages with and without keys through an input of the board router, from a link and from a column; begun,
granted and answered by memory at random and at once: room, what is asked for, what is shown to the outputs and every
flit that leaves, faults, copies and ends counted, in every cycle, against models of buffer and expander.

Leaves out: what records say (test_polyloom_overlay_expander.py); the outputs.
"""

from __future__ import annotations

from typing import Any

import cocotb
from expander_units import COLUMN, FAULT, REQUEST, Copy, ExpanderModel, Memory, Site, Tables
from noc_units import EAST, FLIT, KEY, MASK, InputModel, Message, Writer, bits, message_of

from polyloom.rtl.testing import Harness, Stall, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "noc_tb")
#: As in noc_tb: port, tiles, threads of a tile, slices; flits of the buffer, of the longest message.
SHAPES = ((Site(EAST, (3, 2), 64, 1), 32, 4), (Site(COLUMN, (5, 6), 16, 2), 7, 3))


class BoardInputModel(InputModel):
    """A message with a key (way -1) stays at the head until its expander has shown its last copy, or an end."""

    def __init__(self, size: int, longest: int, site: Site) -> None:
        super().__init__(size, longest)
        self.expander = ExpanderModel(site)

    def shown(self) -> Copy | None:
        """Of the message at the head, if it has a key."""
        return self.expander.shown if self.inside and self.gone == 0 and self.inside[0].way < 0 else None

    def head(self) -> Message | None:
        """As it leaves."""
        head, shown = super().head(), self.shown()
        if head is None or head.way >= 0:
            return head
        if shown is None or shown.end:
            return None
        first = FLIT.unpack(head.flits[0]) | {"kind": shown.kind, "dest": shown.dest, "mask": shown.mask}
        first["data"] = first["data"] & ~shown.bits | shown.words
        return Message([FLIT.pack(**first), *head.flits[1:]], shown.way)

    def end_cycle(self, arriving: Message | None, granted: bool) -> tuple[bool, bool]:
        """The cycle ends; whether a copy was granted, whether a message with a key ended."""
        shown = self.shown()
        drop = shown is not None and shown.end
        again = granted and shown is not None and not shown.last
        if drop:
            self.inside.popleft()
        elif again:
            self.stays = self.inside[0]
        ends_before = len(self.inside)
        self.end(None, granted)
        if self.stays is not None and len(self.inside) < ends_before:
            self.inside.appendleft(self.stays)
        if not self.gone:
            self.stays = None
        if arriving:
            self.inside.append(arriving)
        return granted and shown is not None, drop or (granted and shown is not None and shown.last)

    stays: Message | None = None


class BoardInput:
    """What stands around it."""

    def __init__(self, h: Harness, site: Site, size: int, longest: int, stall: str) -> None:
        self.h, self.rng, self.site, self.longest = h, h.rng, site, longest
        names = (
            "board",
            "mesh",
            "valid",
            "way",
            "in",
            "room",
            "head_valid",
            "head_long",
            "head_way",
            "grant",
            "ending",
        )
        names += (
            "flit",
            "request_valid",
            "request_ready",
            "request",
            "beat_valid",
            "beat_place",
            "beat",
            "fault_valid",
        )
        names += ("fault_ready", "fault", "copies", "ended", "idle")
        self.io = {name: h.signal(name) for name in names}
        self.io["board"].set(site.at[1] << 3 | site.at[0])
        self.io["mesh"].set(site.mesh[1] << 4 | site.mesh[0])
        self.tables = Tables(h.rng, site, 0.03)
        self.memory = Memory(h, self.tables, stall)
        self.model = BoardInputModel(size, longest, site)
        self.writer = Writer(h.rng, self.message)
        self.stalls = {name: Stall(h.rng, stall) for name in ("grant", "request", "fault")}
        self.copied = self.ends = self.plain = self.again = 0
        EveryCycle(h, self.drive, self.check)

    def message(self) -> Message:
        """Half of them with a key."""
        if self.rng.random() < 0.5:
            ways = [self.rng.randrange(5 + self.site.tiles[0])]
            return message_of(self.rng, MASK, self.rng.getrandbits(20), ways[0], self.longest)
        message = message_of(self.rng, KEY, self.rng.getrandbits(20), -1, self.longest)
        first = FLIT.unpack(message.flits[0]) | {"mask": self.rng.choice(self.tables.keys)}
        return Message([FLIT.pack(**first), *message.flits[1:]], -1)

    def drive(self) -> None:
        """Inputs, noise where they mean nothing."""
        self.now = self.writer.next()
        self.granted = self.model.head() is not None and not self.stalls["grant"]()
        self.requested = self.model.expander.request() is not None and not self.stalls["request"]()
        self.fault_ready = not self.stalls["fault"]()
        self.beats = self.memory.responses()
        way = 1 << self.now[0].way if self.now and self.now[0].way >= 0 and self.now[1] == 0 else 0
        for name, value in {
            "valid": int(self.now is not None),
            "way": way,
            "in": self.now[0].flits[self.now[1]] if self.now else self.rng.getrandbits(FLIT.width),
            "grant": int(self.granted),
            "request_ready": int(self.requested),
            "fault_ready": int(self.fault_ready),
            "beat_valid": bits(set(self.beats)),
            "beat_place": sum(place << 3 * s for s, (place, _) in self.beats.items()),
            "beat": sum(beat << 256 * s for s, (_, beat) in self.beats.items()),
        }.items():
            self.io[name].set(value)

    def check(self, cycle: int) -> None:
        """Compare, then the cycle ends."""
        io = {name: signal.get() for name, signal in self.io.items()}
        model = self.model
        arriving = self.now[0] if self.now and self.now[1] == 0 else None
        room, head, request = model.room(arriving), model.head(), model.expander.request()
        assert io["room"] == room, f"cycle {cycle}: room {io['room']}"
        assert io["idle"] == (not model.inside), f"cycle {cycle}: idle {io['idle']}"
        assert io["head_valid"] == (head is not None), f"cycle {cycle}: a head {io['head_valid']}"
        if head:
            got = io["head_long"], io["head_way"], io["flit"]
            assert got == (len(head) > 1, 1 << head.way, head.flits[0]), f"cycle {cycle}: {got}, expected {head}"
        elif model.gone:
            assert io["flit"] == model.inside[0].flits[model.gone], f"cycle {cycle}: flit {model.gone}"
        assert io["ending"] == model.ending(), f"cycle {cycle}: ending {io['ending']}"
        assert io["request_valid"] == (request is not None) and (
            request is None or REQUEST.unpack(io["request"]) == request
        ), f"cycle {cycle}"
        fault = model.expander.fault
        assert io["fault_valid"] == (fault is not None), f"cycle {cycle}"
        assert fault is None or tuple(FAULT.unpack(io["fault"]).values())[::-1] == fault, f"cycle {cycle}"
        if self.requested and request:
            self.memory.requested.append(request)
        key = FLIT.unpack(arriving.flits[0])["mask"] & 0xFFFFFFFF if arriving and arriving.way < 0 else None
        self.plain += self.granted and model.inside[0].way >= 0
        copied, ended = model.end_cycle(arriving, self.granted)
        assert (io["copies"], io["ended"]) == (copied, ended), f"cycle {cycle}: {io['copies']}, {io['ended']}"
        self.copied, self.ends = self.copied + copied, self.ends + ended
        model.expander.end(key, self.requested, list(self.beats.values()), copied or ended, self.fault_ready)
        self.writer.end(room)


@cocotb.test()
@cocotb.parametrize(which=range(2), stall=("random", "never"))
async def lets_messages_and_copies_go(dut: Any, which: int, stall: str) -> None:
    h = Harness(dut, dut.gen_board_input[which])
    site, size, longest = SHAPES[which]
    site.mesh = (h.rng.randint(2, 8), h.rng.randint(2, 8))
    site.at = tuple(h.rng.randrange(n) for n in site.mesh)  # type: ignore[assignment]
    port = BoardInput(h, site, size, longest, stall)
    await h.reset()
    await h.until(lambda: port.copied > 800 and port.ends > 50 and port.plain > 50 and port.writer.blocked > 100)

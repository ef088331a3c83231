# SPDX-License-Identifier: Apache-2.0
"""Covers: the periphery of a board of 2 x 2 tiles, its links played by hand: each wire of each link in every cycle; two
boards beside each other that pass barriers while threads wait, send over the link, to the host and with keys, wake, and
messages of the host enter: no release while a message is anywhere or a thread runs, one in the end; votes, epochs,
counts.

Leaves out: real links (overlay_link_swap_test.cc), larger meshes (overlay_detector_rtl_test.cc).
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, Struct, bench
from polyloom.rtl.testing.every_cycle import EveryCycle
from polyloom.rtl.testing.harness import Signal

test = bench(__file__, "board_parts_tb")
LINKS, TILES, BOARDS = 4, 4, 2
NORTH, EAST, SOUTH, WEST = range(LINKS)
EVENTS = Struct(
    [("sent", 1), ("ack", 1), ("again", 1), ("timeout", 2), ("back", 2), ("received", 1), ("bad", 1), ("rest", 4)]
)
#: Of the periphery, and of a link: what the link shows; what it is shown.
SHOWN = {"exit_ready": "out_ready", "enter_valid": "in_valid", "enter": "in", "tx_valid": "tx_valid", "tx": "tx"}
PULSES = {"sent": "sent", "received": "received", "held": "held"}
GIVEN = {"exit_valid": "out_valid_i", "exit": "out_i", "enter_room": "in_room_i", "tx_ready": "tx_ready_i"}
WIRE = {"rx_valid": "rx_valid_i", "rx": ("rx_last_i", "rx_keep_i", "rx_data_i")}


def hand(dut: Any, board: int, link: int, name: str) -> Signal:
    """A signal of a link."""
    return Signal(getattr(dut.gen_periphery[board].i_dut.gen_link[link].i_link, name))


@cocotb.test()
@cocotb.parametrize(board=range(BOARDS))
async def every_wire_leads_to_its_link(dut: Any, board: int) -> None:
    h = Harness(dut, dut.gen_periphery[board])
    names = {**SHOWN, **PULSES}
    outside = {n: [h.signal(n, link, LINKS) for link in range(LINKS)] for n in (*names, *GIVEN, "rx_valid", "rx")}
    outside |= {n: [h.signal(n, link, LINKS) for link in range(LINKS)] for n in ("again", "bad")}
    inside = {n: [hand(dut, board, link, n) for link in range(LINKS)] for n in (*names.values(), *GIVEN.values())}
    more = ("events", "idle", "timeout_i", "word_time_i", "rx_valid_i", *WIRE["rx"], "epoch_i")
    inside |= {n: [hand(dut, board, link, n) for link in range(LINKS)] for n in more}
    timeout, word_time, idle = h.signal("timeout"), h.signal("word_time"), h.signal("idle")
    await h.reset()
    for _ in range(300):
        times = h.values(16, 2)
        timeout.set(times[0])
        word_time.set(times[1])
        idles = h.rng.choice([15, 15, h.rng.getrandbits(4)])
        events = [h.rng.getrandbits(EVENTS.width) for _ in range(LINKS)]
        shown = {n: h.values(outside[n][0].width, LINKS) for n in names}
        given = {n: h.values(outside[n][0].width, LINKS) for n in (*GIVEN, "rx_valid", "rx")}
        for link in range(LINKS):
            for name, values in shown.items():
                inside[names[name]][link].set(values[link])
            for name, values in given.items():
                outside[name][link].set(values[link])
            inside["events"][link].set(events[link])
            inside["idle"][link].set(idles >> link & 1)
        await h.step()
        for link in range(LINKS):
            for name, values in shown.items():
                assert outside[name][link].get() == values[link], f"{name} of link {link}"
            for name, port in GIVEN.items():
                assert inside[port][link].get() == given[name][link], f"{port} of link {link}"
            last, keep, data = (inside[port][link].get() for port in WIRE["rx"])
            assert (last << 8 | keep) << 64 | data == given["rx"][link]
            assert inside["rx_valid_i"][link].get() == given["rx_valid"][link]
            assert [inside[n][link].get() for n in ("timeout_i", "word_time_i", "epoch_i")] == [*times, 0]
            event = EVENTS.unpack(events[link])
            assert (outside["again"][link].get(), outside["bad"][link].get()) == (event["again"], event["bad"])
        assert idle.get() == int(idles == 15)


class Board:
    """Tiles and messages of one board. A message goes: tile (sent) - link - other board - tile (freed, awake).

    One with a key stays in the router: copies leave it for tiles and the link, with the last one or later it ends.
    """

    def __init__(self, h: Harness, dut: Any, number: int) -> None:
        self.rng, self.number = h.rng, number
        h.scope = dut.gen_periphery[number]
        self.link = EAST if number == 0 else WEST
        names = "all_idle all_vote in_flight inject may_inject host_in host_out copies ended let_go let_go_vote"
        names += " barriers grants"
        self.s = {name: h.signal(name) for name in names.split()}
        self.hand = {n: hand(dut, number, self.link, n) for n in ("sent", "received", "epoch_i")}
        self.epochs = [hand(dut, number, link, "epoch_i") for link in range(LINKS)]
        links = [link for link in range(LINKS) if link != self.link]
        self.silent = [hand(dut, number, link, "to_valid") for link in links]
        h.scope = dut.gen_periphery[number].i_dut.gen_link[self.link].i_link
        self.words, self.control = h.sink("to"), h.source("from")
        self.carried = 0
        self.busy = [h.rng.randrange(1, 60) for _ in range(TILES)]  # cycles until all threads wait; 0: they do
        self.votes = h.rng.getrandbits(TILES)
        self.flight = [0] * TILES
        self.later: list[tuple[int, str, int]] = []  # cycle, what, tile or epoch
        self.on_link: list[tuple[int, int]] = []  # to the other board: cycle, epoch
        self.left = 3  # messages that threads send before the next barrier
        self.host_left = 3 if number == 0 else 0
        self.injects = self.let_in = False
        self.barriers = 0
        self.voted: list[int] = []

    def quiet(self) -> bool:
        """No thread runs, no message is here or on its way."""
        return not any(self.busy) and not self.later and not self.on_link and not self.let_in

    def _wait(self, cycle: int, least: int, what: str, which: int = 0) -> None:
        self.later.append((cycle + least + self.rng.randrange(30), what, which))

    def drive(self, cycle: int, other: Board) -> None:
        """What happens in this cycle."""
        pulses = dict.fromkeys(("sent", "received", "host_in", "host_out", "copies", "ended"), 0)
        for entry in [e for e in self.later if e[0] <= cycle]:
            _, what, which = entry
            if what in ("sent", "received", "host_in", "host_out") and pulses[what]:
                continue  # one a cycle
            self.later.remove(entry)
            if what == "free":
                self.flight[which] -= 1
                self.busy[which] = max(self.busy[which], self.rng.randrange(4, 60))
            elif what == "key":
                self._copy(cycle, which, pulses)
            else:
                pulses[what] = 1
            if what == "sent":
                self.on_link.append((cycle + 10 + self.rng.randrange(200), self.hand["epoch_i"].get()))
            if what == "host_in":
                self.let_in = False
                self._wait(cycle, 3, "free", self.rng.randrange(TILES))
        here = [m for m in other.on_link if m[0] <= cycle and m[1] == self.hand["epoch_i"].get()]
        if here:
            other.on_link.remove(here[0])
            pulses["received"] = 1
            self._wait(cycle, 3, "free", self.rng.randrange(TILES))
        self._run(cycle)
        self._show(pulses)
        self._carry(other)

    def _copy(self, cycle: int, copies: int, pulses: dict[str, int]) -> None:
        """A message with a key makes a copy in this cycle if it has any left, or ends."""
        if copies:
            pulses["copies"] += 1
            to = self.rng.choice(("free", "free", "sent", "host_out"))
            self._wait(cycle, 3, to, self.rng.randrange(TILES))
        if copies > 1 or (copies and self.rng.random() < 0.5):
            self._wait(cycle, 1, "key", copies - 1)
        else:
            pulses["ended"] += 1

    def _run(self, cycle: int) -> None:
        for t in range(TILES):
            if self.busy[t] > 8 and self.left and self.rng.random() < 0.05:
                self.left -= 1
                self.flight[t] += 1
                what = self.rng.choice(("sent", "sent", "host_out", "key"))
                self._wait(cycle, 3, what, self.rng.randrange(5) if what == "key" else 0)
                self.busy[t] = max(self.busy[t], 6)
            self.busy[t] = max(0, self.busy[t] - 1)
        if self.host_left and not self.injects and self.rng.random() < 0.01:
            self.injects, self.host_left = True, self.host_left - 1

    def _show(self, pulses: dict[str, int]) -> None:
        for name in ("sent", "received"):
            self.hand[name].set(pulses[name])
        for name in ("host_in", "host_out", "copies", "ended"):
            self.s[name].set(pulses[name])
        self.s["inject"].set(int(self.injects))
        self.s["all_idle"].set(sum(1 << t for t in range(TILES) if not self.busy[t]))
        self.s["all_vote"].set(self.votes)
        self.s["in_flight"].set(sum((f & 0xFFFF) << 16 * t for t, f in enumerate(self.flight)))

    def _carry(self, other: Board) -> None:
        """The detector's words, as the link would."""
        other.control.send(self.words.passed[self.carried :])
        self.carried = len(self.words.passed)

    def check(self, cycle: int, boards: list[Board]) -> None:
        """Releases, and messages of the host."""
        assert not any(valid.get() for valid in self.silent)
        if self.injects and self.s["may_inject"].get():
            self.injects, self.let_in = False, True
            self.later.append((cycle + 1 + self.rng.randrange(5), "host_in", 0))
        go = self.s["let_go"].get()
        assert go in (0, (1 << TILES) - 1)
        if go:
            self._release(cycle, boards)
        assert all(epoch.get() == self.barriers % 2 for epoch in self.epochs), f"epoch in cycle {cycle}"
        assert self.s["barriers"].get() == self.barriers

    def _release(self, cycle: int, boards: list[Board]) -> None:
        if self.barriers == max(b.barriers for b in boards):
            assert all(board.quiet() for board in boards), f"board {self.number} is released early, cycle {cycle}"
            self.voted.append(int(all(board.votes == 15 for board in boards)))
        else:
            self.voted.append(boards[1 - self.number].voted[self.barriers])
        assert self.s["let_go_vote"].get() == 15 * self.voted[-1], f"vote of board {self.number}, cycle {cycle}"
        self.barriers += 1
        self.left, self.host_left = self.rng.randrange(4), self.rng.randrange(3) if self.number == 0 else 0
        self.busy = [self.rng.randrange(4, 80) for _ in range(TILES)]
        self.votes = self.rng.choice([15, 15, self.rng.getrandbits(TILES)])


@cocotb.test()
async def two_boards_pass_barriers(dut: Any) -> None:
    """Six of them."""
    h = Harness(dut)
    boards = [Board(h, dut, number) for number in range(BOARDS)]

    def drive() -> None:
        for number, board in enumerate(boards):
            board.drive(h.cycle, boards[1 - number])

    def check(cycle: int) -> None:
        for board in boards:
            board.check(cycle, boards)

    EveryCycle(h, drive, check)
    await h.reset()
    await h.until(lambda: min(board.barriers for board in boards) >= 6)


@cocotb.test()
async def the_gate_asks_when_the_board_has_reported(dut: Any) -> None:
    """Board (0,0) waits, the other does not; the gate opens all the same, once a grant is counted."""
    h = Harness(dut, dut.gen_periphery[0])
    idle, inject, open_, grants = (h.signal(n) for n in ("all_idle", "inject", "may_inject", "grants"))
    await h.reset()
    inject.set(1)
    await h.until(lambda: bool(open_.get()))
    assert grants.get() == 0
    inject.set(0)
    await h.step(2)
    assert not open_.get()
    idle.set(15)
    await h.step(200)
    for count in (1, 2):
        inject.set(1)
        await h.until(lambda: bool(open_.get()))
        assert grants.get() == count
        inject.set(0)
        await h.step(200)
    assert h.signal("barriers").get() == 0


@cocotb.test()
async def no_pulse_is_lost_while_clocks_stand_still(dut: Any) -> None:
    """Each kind comes alone, long after anything else; the board reports only if the sum of all is zero."""
    h = Harness(dut, dut.gen_periphery[1])
    idle, flight = h.signal("all_idle"), h.signal("in_flight")
    pulses = [(h.signal("host_in"), -1), (h.signal("host_out"), 1), (h.signal("copies"), -1), (h.signal("ended"), 1)]
    pulses += [(hand(dut, 1, EAST, "sent"), 1), (hand(dut, 1, WEST, "received"), -1)]
    report = hand(dut, 1, WEST, "to_valid")
    await h.reset()
    for (signal, freed), times in zip(pulses, (1, 2, 4, 8, 16, 32), strict=True):
        for _ in range(times):
            await h.step(100)
            signal.set(1)
            await h.step()
            signal.set(0)
            flight.set((flight.get() + freed) & 0xFFFF)
    await h.step(100)
    assert not report.get()
    idle.set(15)
    await h.until(lambda: bool(report.get()), 200)

# SPDX-License-Identifier: Apache-2.0
"""Covers: random frames, whole and damaged in every way (bits, words missing or too many, a wrong keep, wrong type,
mark or zeros under a right check), of 1 word and longer, directly behind each other and with gaps, and words between
two frames' ends: what each word is, in every cycle; good or bad 1 cycle after the last word, against the CRC-32 of
zlib and the lengths in the header; the header's fields.

Leaves out: keep of words that are not the last (wires fill them).
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import cocotb
from reliable_link_units import ETHER_TYPE, MARK, MIN_ITEMS, WORD0, WORD1, Frame, Wire, check_of, on_wire

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "reliable_link_tb")
DAMAGES = ("none", "bit", "word1", "less", "more", "cut", "keep", "check", "noise", "counts")


def damaged(rng: random.Random, how: str) -> list[Wire]:
    """A frame on the wire; the check is right for its words except where that is the damage."""
    words = Frame.random(rng, 255 if rng.random() < 0.1 else 20).words()
    if how == "word1":
        words[1] ^= 1 << rng.randrange(24, 64)
    elif how == "less":
        del words[2 + rng.randrange(len(words) - 2)]
    elif how == "more":
        words += [rng.getrandbits(64) for _ in range(rng.choice([1, 1, 2, 9]))]
    elif how == "counts":
        fields = WORD0.unpack(words[0])
        name = rng.choice(["control_count", "data_count"])
        most = 31 if name == "control_count" else 255
        words[0] = WORD0.pack(**(fields | {name: min(most, max(0, fields[name] + rng.choice([-1, 1])))}))
    wire = on_wire(words)
    if how == "bit":
        at = rng.randrange(len(wire) - 1)
        wire[at] = (wire[at][0] ^ 1 << rng.randrange(64), 0xFF, 0)
    elif how == "cut":
        wire = wire[: rng.randint(1, len(wire) - 1)]
        wire[-1] = (wire[-1][0], rng.choice([0x0F, 0xFF]), 1)
    elif how == "keep":
        wire[-1] = (wire[-1][0], rng.choice([0xFF, 0x07, 0x1F, 0x0E]), 1)
    elif how == "check":
        wire[-1] = (wire[-1][0] ^ 1 << rng.randrange(32), 0x0F, 1)
    elif how == "noise":
        wire = [(rng.getrandbits(64), 0xFF, 0) for _ in range(rng.randint(0, 12))] + [(rng.getrandbits(64), 0x0F, 1)]
    return wire


def is_good(wire: list[Wire]) -> bool:
    """Length, type and check are right."""
    words = [data for data, _, _ in wire[:-1]]
    if len(words) < 2:
        return False
    first, second = WORD0.unpack(words[0]), WORD1.unpack(words[1])
    items = max(MIN_ITEMS, first["control_count"] + first["data_count"])
    right = second["zero"] == 0 and second["ether_type"] == ETHER_TYPE and second["mark"] == MARK
    return right and len(words) == 2 + items and wire[-1][1] == 0x0F and wire[-1][0] & 0xFFFFFFFF == check_of(words)


def kinds(wire: list[Wire]) -> list[str]:
    """What each word is shown as."""
    first = WORD0.unpack(wire[0][0])
    items = ["control_item"] * first["control_count"] + ["data_item"] * first["data_count"]
    names = ["data_head", "control_head", *items]
    return [names[n] if n < len(names) else "" for n in range(len(wire))]


class Wires:
    """Sends words when it likes; compares what is shown of each in the cycle after."""

    def __init__(self, h: Harness, gap: float) -> None:
        self.h, self.gap = h, gap
        self.flags = {n: h.signal(n) for n in ("data_head", "control_head", "data_item", "control_item", "good", "bad")}
        self.io = {
            n: h.signal(n) for n in ("rx_valid", "rx_data", "rx_keep", "rx_last", "word", "word0", "word1", "idle")
        }
        self.queue: list[tuple[Wire, str, list[Wire], int]] = []  # word, kind, frame, place in it
        self.shown: tuple[Wire, str, list[Wire], int] | None = None
        self.sent: tuple[Wire, str, list[Wire], int] | None = None
        self.frames: Counter[bool] = Counter()
        EveryCycle(h, self.drive, self.check)

    def send(self, wire: list[Wire]) -> None:
        """Queue a frame."""
        names = kinds(wire)
        self.queue += [(word, names[n], wire, n) for n, word in enumerate(wire)]

    def drive(self) -> None:
        """A word, or none; noise where there is none."""
        rng = self.h.rng
        self.sent = self.queue.pop(0) if self.queue and rng.random() >= self.gap else None
        data, keep, last = self.sent[0] if self.sent else (rng.getrandbits(64), rng.getrandbits(8), rng.getrandbits(1))
        self.io["rx_valid"].set(int(self.sent is not None))
        self.io["rx_data"].set(data)
        self.io["rx_keep"].set(keep)
        self.io["rx_last"].set(last)

    def check(self, cycle: int) -> None:
        """Of the word of the cycle before."""
        want: set[str] = set()
        if self.shown is not None:
            word, kind, wire, place = self.shown
            want = {kind} - {""}
            if place == len(wire) - 1:
                good = is_good(wire)
                want.add("good" if good else "bad")
                self.frames[good] += 1
            assert self.io["word"].get() == word[0], f"cycle {cycle}"
            if place >= len(wire) - 5 and place >= 3:
                header = (self.io["word0"].get(), self.io["word1"].get())
                assert header == (wire[0][0], wire[1][0]), f"cycle {cycle}: header of a frame of {len(wire)} words"
        got = {name for name, signal in self.flags.items() if signal.get()}
        assert got == want, f"cycle {cycle}: {got}, expected {want}"
        assert self.io["idle"].get() == int(self.shown is None), f"cycle {cycle}"
        self.shown = self.sent


@cocotb.test()
@cocotb.parametrize(gap=(0.0, 0.3), how=DAMAGES)
async def reports_good_from_bad(dut: Any, gap: float, how: str) -> None:
    h = Harness(dut, dut.gen_parser)
    wires = Wires(h, gap)
    await h.reset()
    for _ in range(12):
        wires.send(damaged(h.rng, how if h.rng.random() < 0.7 else "none"))
    wires.send(damaged(h.rng, "none"))
    await h.until(lambda: not wires.queue and wires.shown is None)
    assert wires.frames.total() == 13 and wires.frames[True] >= 1

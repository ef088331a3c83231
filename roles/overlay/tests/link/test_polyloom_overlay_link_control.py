# SPDX-License-Identifier: Apache-2.0
"""Covers: packets of 1 to 31 words both ways at once, with random stalls on all four sides: their number in the first
word, put in and taken out, ends, nothing taken while a packet leaves, cycles of a packet that nothing stalls; what
comes passes in its own cycle; idle in every cycle.

Leaves out: packets that are longer, or use the bits of the number (asserted in the RTL).
"""

from __future__ import annotations

import random
from typing import Any

import cocotb
from link_units import WORD

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "link_tb")
LONGEST = 31


def packet(rng: random.Random) -> list[int]:
    """Words of the detector: the highest byte of the first is free."""
    count = rng.choice((1, 2, LONGEST, rng.randint(1, LONGEST)))
    return [rng.getrandbits(56), *(rng.getrandbits(64) for _ in range(count - 1))]


def marked(words: list[int], numbered: bool) -> list[int]:
    """With the mark of the last one; on the link the first one has their number."""
    first = words[0] | (len(words) << 56 if numbered else 0)
    return [WORD.pack(last=int(i == len(words) - 1), word=w) for i, w in enumerate([first, *words[1:]])]


@cocotb.test()
@cocotb.parametrize(stall=("random", "never"))
async def numbers_packets(dut: Any, stall: str) -> None:
    h = Harness(dut, dut.gen_control)
    leave, out = h.source("leave", stall), h.sink("out", stall)
    into, come = h.source("in", stall), h.sink("come", stall)
    idle = h.signal("idle")
    held, sending, idles = 0, False, 0  # words of the packet that leaves, none of which is given up before the last

    def check(cycle: int) -> None:
        nonlocal held, sending, idles
        assert idle.get() == (held == 0 and not into.valid.get()), f"cycle {cycle}: {held} held"
        assert out.valid.get() == sending, f"cycle {cycle}"
        assert not (sending and leave.ready.get()), f"cycle {cycle}: a word is taken while a packet leaves"
        assert sending or leave.ready.get(), f"cycle {cycle}: stops for nothing"
        assert (come.valid.get(), into.ready.get()) == (into.valid.get(), come.ready.get()), f"cycle {cycle}"
        idles += idle.get()
        if leave.valid.get() and leave.ready.get():
            held += 1
            sending = bool(WORD.unpack(leave.payload.get())["last"])  # type: ignore[union-attr]
        elif sending and out.ready.get() and WORD.unpack(out.payload.get())["last"]:  # type: ignore[union-attr]
            held, sending = 0, False

    EveryCycle(h, lambda: None, check)
    await h.reset()
    leaving, coming = ([packet(h.rng) for _ in range(60)] for _ in range(2))
    for words in leaving:
        leave.send(marked(words, False))
        out.expect(marked(words, True))
    for words in coming:
        into.send([WORD.unpack(word)["word"] for word in marked(words, True)])
        come.expect(marked(words, False))
    await h.drain()
    assert idles > 0 and into.cycles == come.cycles
    if stall == "never":
        assert out.cycles[-1] - leave.cycles[0] == 2 * len(out.cycles) - 1
        assert come.cycles[-1] - come.cycles[0] == len(come.cycles) - 1

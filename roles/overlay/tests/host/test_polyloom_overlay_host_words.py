# SPDX-License-Identifier: Apache-2.0
"""Covers: words of instruction memories and scratchpads of boards of four shapes: single and broadcast writes, pairs
and odd halves, reads of both; random stalls, late responses; each access's requests in order and no other, the response
in its cycle, and none else; halves without a gap; a reset between the halves.

Leaves out: ranges outside a memory (..._host_range); frames beside a read (..._host).
"""

from __future__ import annotations

from typing import Any

import cocotb
from host_ends import Words, random_accesses
from host_units import CTL, WRITE_SCRATCHPAD, Tiles

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "host_tb")


@cocotb.test()
@cocotb.parametrize(which=range(4))
async def words_become_requests(dut: Any, which: int) -> None:
    """All kinds, in order, with stalls; a read is answered a cycle after its last half's response."""
    h = Harness(dut, dut.gen_words)
    words, tiles = Words(h), Tiles(h)
    await h.reset()
    responses = random_accesses(h, words, which, 200)
    tiles.sink.expect(words.requests)
    await h.drain()
    assert words.responses == responses
    assert words.cycles == tiles.last_responses(words.pairs)


@cocotb.test()
async def a_half_a_cycle(dut: Any) -> None:
    """Writes keep the tiles busy when no one stalls; a request stands in the cycle of its access."""
    h = Harness(dut, dut.gen_words)
    words, tiles = Words(h, "never"), Tiles(h, "never")
    await h.reset()
    words.access(True, True, False, 1, 0, True, 1)
    words.access(True, False, True, 0x3FF, 4, True, 2)
    words.access(True, False, False, 3, 4, False, 2)
    await h.drain()
    assert [r["addr"] for r in tiles.requests()] == [0, 4, 4, 5, 4]
    first, second, third = words.source.cycles
    assert tiles.sink.cycles == [first - 1, first, second - 1, second, third]


@cocotb.test()
async def reset_forgets_half_an_access(dut: Any) -> None:
    """After it the low half comes first again."""
    h = Harness(dut, dut.gen_words)
    words, tiles = Words(h, "never"), Tiles(h, "never")
    await h.reset()
    words.access(True, True, False, 1, 8, True, h.rng.getrandbits(64))
    await h.until(lambda: len(tiles.sink.passed) == 1)
    await h.reset()
    await h.drain()
    low, high = words.requests
    assert tiles.sink.passed == [low, low, high]
    assert CTL.unpack(low)["op"] == WRITE_SCRATCHPAD

# SPDX-License-Identifier: Apache-2.0
"""Covers: beats of 1 to 16 bytes to beats of 16 or 32, the reader's sizes at random, streams that end anywhere,
stalls on both sides, flush; a beat a cycle.

Tests polyloom_hub_pack. Leaves out: nothing known.
"""

from __future__ import annotations

from typing import Any

import cocotb
from hub_units import BEAT

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.harness import Signal

test = bench(__file__, "hub_tb")


def cut(h: Harness, data: bytes, largest: bool = False) -> list[int]:
    """A stream as beats of any size."""
    beats, place = [], 0
    while place < len(data):
        size = min(16 if largest else h.rng.randint(1, 16), len(data) - place)
        word = int.from_bytes(data[place : place + size] + h.rng.randbytes(16 - size), "little")
        place += size
        beats.append(BEAT.pack(last=int(place == len(data)), top=size - 1, data=word))
    return beats


def fields(word: int, width: int) -> tuple[int, bytes]:
    """Of a beat out: last, bytes."""
    count_width = (width + 32).bit_length()
    count = word >> 8 * width & (1 << count_width) - 1
    data = (word & (1 << 8 * width) - 1).to_bytes(width, "little")
    assert not any(data[count:])
    return word >> 8 * width + count_width, data[:count]


@cocotb.test()
@cocotb.parametrize(which=[0, 1])
async def streams_of_any_length(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_pack[which])
    source, sink = h.source("in"), h.sink("out")
    width = 16 << which
    h.signal("accept").set(width)
    await h.reset()
    wanted = []
    for length in [1, 15, 16, 17, 31, 32, 33, *(h.rng.randint(1, 300) for _ in range(30))]:
        data = h.rng.randbytes(length)
        source.send(cut(h, data))
        wanted += [(int(i + width >= length), data[i : i + width]) for i in range(0, length, width)]
    await h.until(lambda: len(sink.passed) == len(wanted))
    # `last` is told in the cycle in which a beat is taken.
    assert [fields(word, width)[1] for word in sink.passed] == [data for _, data in wanted]
    assert [fields(word, width)[0] for word in sink.passed] == [last for last, _ in wanted]


@cocotb.test()
async def the_reader_says_how_much(dut: Any) -> None:
    h = Harness(dut, dut.gen_pack[0])
    source, accept = h.source("in"), Signal(dut.gen_pack[0].accept)
    data, got = h.rng.randbytes(1500), b""
    ready, valid, out = h.signal("out_ready"), h.signal("out_valid"), h.signal("out")
    accept.set(16)
    await h.reset()
    source.send(cut(h, data))
    for _ in range(6000):
        size = h.rng.randint(1, 16)
        accept.set(size)
        ready.set(0)
        await h.step()
        if valid.get() and h.rng.random() < 0.5:
            part = fields(out.get(), 16)[1]
            ready.set(1)
            await h.step()
            assert len(part) == min(size, len(data) - len(got))
            got += part
        if len(got) == len(data):
            break
    assert got == data


@cocotb.test()
async def full_rate_and_flush(dut: Any) -> None:
    h = Harness(dut, dut.gen_pack[0])
    source, sink = h.source("in", "never"), h.sink("out", "never")
    h.signal("accept").set(16)
    await h.reset()
    data = h.rng.randbytes(16 * 50)
    source.send(cut(h, data, largest=True))
    await h.until(lambda: len(sink.passed) == 50)
    assert sink.cycles == [cycle + 1 for cycle in source.cycles] == list(range(sink.cycles[0], sink.cycles[0] + 50))
    source.send(BEAT.pack(last=0, top=4, data=7))
    await h.step(3)
    assert h.signal("held").get() == 5
    h.signal("flush").set(1)
    await h.step()
    h.signal("flush").set(0)
    assert h.signal("held").get() == 0

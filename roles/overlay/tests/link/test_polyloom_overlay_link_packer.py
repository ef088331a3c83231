# SPDX-License-Identifier: Apache-2.0
"""Covers: messages of every kind and length, flits and items with random stalls: items against the layout of
sim/board/mesh_link.h, where a group ends, the epoch of the header (and none elsewhere), when a flit is taken, when a
message counts as sent; an item in every cycle where nothing stalls; masks of no, one and many threads;
keys, 0 among them.

Leaves out: flits that do not begin with a first one (asserted in the RTL).
"""

from __future__ import annotations

from typing import Any

import cocotb
from link_units import HOST, MASK, WORD, Message

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "link_tb")


def messages_of(h: Harness, epoch: int) -> list[Message]:
    """Random ones, of an epoch; some for the host, with any mask."""
    messages = [Message.any_of(h.rng, epoch) for _ in range(60)]
    for message in messages:
        if message.kind == HOST:
            message.mask = h.rng.choice((0, h.rng.getrandbits(64), 1 << 63))
    return messages


@cocotb.test()
@cocotb.parametrize(stall=("random", "never"))
async def makes_items(dut: Any, stall: str) -> None:
    h = Harness(dut, dut.gen_packer)
    source, sink = h.source("out", stall), h.sink("item", stall)
    epoch, sent = h.signal("epoch"), h.signal("sent")
    now, amid, count = 0, False, 0

    def drive() -> None:  # amid a message its epoch no longer matters
        epoch.set(h.rng.randrange(2) if amid else now)

    def check(cycle: int) -> None:
        nonlocal amid, count
        passes = sink.valid.get() and sink.ready.get()
        last = bool(passes and WORD.unpack(sink.payload.get())["last"])  # type: ignore[union-attr]
        assert sent.get() == last, f"cycle {cycle}: sent {sent.get()}"
        assert sink.valid.get() == source.valid.get(), f"cycle {cycle}"
        count += last
        amid = not last if passes else amid

    EveryCycle(h, drive, check)
    await h.reset()
    expected: list[int] = []
    accepted: list[int] = []  # numbers of the items with which flits are taken
    for phase in range(8):
        now = phase & 1
        messages = messages_of(h, now)
        for message in messages:
            items = message.items()
            body = len(expected) + 1 + (message.kind == MASK)
            accepted += [body + 2 * i + 1 for i in range(len(message.data))]
            expected += [WORD.pack(last=int(i == len(items) - 1), word=item) for i, item in enumerate(items)]
            source.send(message.flits(h.rng))
        sink.expect(expected[len(sink.passed) :])
        begin = len(sink.cycles)
        await h.drain()
        if stall == "never":
            assert sink.cycles[-1] - sink.cycles[begin] == len(sink.cycles) - begin - 1, "not an item a cycle"
    assert count == 480
    assert source.cycles == [sink.cycles[i] for i in accepted], "a flit is not taken with its second half"

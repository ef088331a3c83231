# SPDX-License-Identifier: Apache-2.0
"""Covers: datagrams of 0 to 1472 bytes with random addresses (sums that carry) and random stalls on both sides, against
frames made in Python; latency and throughput; the package's MACs and byte order.

Leaves out: more than 1472 bytes (an assertion).
"""

from __future__ import annotations

from typing import Any

import cocotb
from udp_frames import End, number, udp, words

from polyloom.rtl.testing import Harness, Struct, bench

test = bench(__file__, "udp_tb")
IN = Struct([("bytes", 16), ("port", 16), ("to", 96), ("last", 1), ("data", 64)])


def datagram(h: Harness, me: End, to: End, data: bytes) -> tuple[list[int], list[int]]:
    """The module's input and the frame it must make of it."""
    frame = udp(me, to, data)
    frame += h.rng.randbytes(-len(frame) % 8)  # what is behind the data is passed on as it is
    out = words(frame)
    given = [w for w in words(frame[40:])]
    noise = h.rng.getrandbits(16)  # there the UDP checksum will be
    given[0] = given[0] & ~0xFFFF | noise
    return [IN.pack(bytes=len(data), port=me.port, to=to.packed()) | w for w in given], out


@cocotb.test()
async def frames_under_random_stalls(dut: Any) -> None:
    h = Harness(dut, dut.gen_tx)
    ip, source, sink = h.signal("ip"), h.source("in"), h.sink("out")
    await h.reset()
    for sizes in ([0, 1, 5, 6, 7, 8, 13, 14, 15, 1471, 1472], [h.rng.randint(0, 60) for _ in range(100)]):
        own = number(h.rng, 32)
        ip.set(own)
        for size in sizes:
            me = End.node(own, number(h.rng, 16))
            given, out = datagram(h, me, End.random(h.rng), h.rng.randbytes(size))
            source.send(given)
            sink.expect(out)
        await h.drain()


@cocotb.test()
@cocotb.parametrize(total=[0x1FFFE, 0x1FFFF, 0x20000, 0x2FFFD, 0x2FFFE, 0x2FFFF, 0x30000])
async def sums_whose_carry_carries(dut: Any, total: int) -> None:
    h = Harness(dut, dut.gen_tx)
    ip, source, sink = h.signal("ip"), h.source("in"), h.sink("out")
    await h.reset()
    own = 0xFFFF4000 if total > 0x20000 else 0x00014000
    ip.set(own)
    rest = (
        total - 0xC511 - (28 + 10) - (own >> 16) - (own & 0xFFFF)
    )  # of the destination's halves; the others are fixed
    high = min(rest, 0xFFFF)
    assert 0 <= rest - high <= 0xFFFF
    given, out = datagram(h, End.node(own, 9), End(h.rng.getrandbits(48), high << 16 | rest - high, 5), bytes(10))
    source.send(given)
    sink.expect(out)
    await h.drain()


@cocotb.test()
async def five_words_more_and_no_bubble(dut: Any) -> None:
    h = Harness(dut, dut.gen_tx)
    ip, source, sink = h.signal("ip"), h.source("in", "never"), h.sink("out", "never")
    await h.reset()
    ip.set(0x0A500001)
    total = 0
    for size in (30, 30, 6, 1470, 30):
        given, out = datagram(h, End.node(0x0A500001, 9), End.random(h.rng), h.rng.randbytes(size))
        assert len(out) == len(given) + 5
        source.send(given)
        sink.expect(out)
        total += len(out)
    await h.drain()
    assert sink.cycles == list(range(sink.cycles[0], sink.cycles[0] + total))
    assert source.cycles[0] == sink.cycles[0] + 5

# SPDX-License-Identifier: Apache-2.0
"""Covers: frames of 1 to 84 and of 1514 bytes with right and wrong check sequence (one bit, one byte, cut off, a byte
too many), directly behind each other and with holes; latency; idle_o.

Leaves out: keep with holes (not legal), damage that CRC-32 does not see.
"""

from __future__ import annotations

from typing import Any

import cocotb
from ethernet_words import CHECKED, fcs, lane

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "ethernet_tb")


def frames_of(words: list[int]) -> list[tuple[bytes, int]]:
    """What came out: frames with their verdict."""
    frames, data = [], bytearray()
    for bits in words:
        word = CHECKED.unpack(bits)
        count = word["keep"].bit_length()
        assert word["keep"] == (1 << count) - 1 and count > 0
        assert word["last"] or count == 8
        data += word["data"].to_bytes(8, "little")[:count]
        if word["last"]:
            frames.append((bytes(data), word["bad"]))
            data = bytearray()
    assert not data, "a frame without end"
    return frames


def damaged(h: Harness, sent: bytes) -> bytes:
    """Something else than was sent."""
    how = h.rng.randrange(4)
    if how == 0:
        bit = h.rng.randrange(8 * len(sent))
        return bytes(b ^ (1 << bit % 8 if i == bit // 8 else 0) for i, b in enumerate(sent))
    if how == 1:
        at = h.rng.randrange(len(sent))
        return sent[:at] + bytes([sent[at] ^ h.rng.randint(1, 255)]) + sent[at + 1 :]
    return sent[: -h.rng.randint(1, 3)] if how == 2 else sent + h.rng.randbytes(1)


def is_right(sent: bytes) -> bool:
    """Whether the last four bytes are the check sequence of the others."""
    return fcs(sent[:-4]) == sent[-4:]


@cocotb.test()
@cocotb.parametrize(stall=["never", "random", 0.5])
async def verdict_and_bytes(dut: Any, stall: str | float) -> None:
    h = Harness(dut, dut.gen_fcs_rx)
    source, sink, idle = h.source("rx", stall), h.sink("out", "never"), h.signal("idle")
    await h.reset()
    sent = []
    sizes = [*range(81), 1510, *(h.rng.randint(0, 40) for _ in range(150))]
    h.rng.shuffle(sizes)
    for size in sizes:
        data = h.rng.randbytes(size)
        frame = data + fcs(data)
        sent.append(damaged(h, frame) if h.rng.random() < 0.4 else frame)
        if h.rng.random() < 0.1:
            sent.append(h.rng.randbytes(h.rng.randint(1, 4)))  # no room for a check sequence
    for frame in sent:
        source.send(lane(frame))
    await h.drain()
    want = [(frame[:-4], int(not is_right(frame))) for frame in sent if len(frame) > 4]
    assert frames_of(sink.passed) == want
    assert {bad for _, bad in want} == {0, 1}
    assert idle.get() == 1


@cocotb.test()
@cocotb.parametrize(stall=["never", 0.5])
async def latency_and_idle(dut: Any, stall: str | float) -> None:
    h = Harness(dut, dut.gen_fcs_rx)
    source, sink, idle = h.source("rx", stall), h.sink("out", "never"), h.signal("idle")
    await h.reset()
    for size in (60, 59, 64, 20):  # the check sequence shares the last word with data, and not
        begin, seen = len(source.passed), len(sink.passed)
        data = h.rng.randbytes(size)
        source.send(lane(data + fcs(data)))
        await h.until(lambda begin=begin: len(source.passed) > begin + 1)
        assert idle.get() == 0
        await h.drain()
        assert idle.get() == 1
        # Only when the next word comes it is known whether this one was the frame's last.
        came, left = source.cycles[begin:], sink.cycles[seen:]
        assert len(left) == (size + 7) // 8
        after = [*came[1:], came[-1]]
        assert left == [max(c + 3, a + 2) for c, a in zip(came, after, strict=True)][: len(left)]

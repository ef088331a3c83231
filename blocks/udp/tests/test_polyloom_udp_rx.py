# SPDX-License-Identifier: Apache-2.0
"""Covers: every reason to drop a frame, alone and at random between good datagrams and ARP requests, each told once;
datagrams of 0 to 1472 bytes with and without padding; frames of 1 word on; random stalls on all sides.

Leaves out: wrong IP and UDP checksums (not looked at, the header says), wrong check sequences (blocks/ethernet).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cocotb
from udp_frames import BROADCAST, WORD, End, arp, udp, words

from polyloom.rtl.testing import Harness, Signal, Struct, bench

test = bench(__file__, "udp_tb")
ME = End.node(0x0A50F103)
PORTS = [2718, 2719, 65535]
OUT = Struct([("bytes", 13), ("sender", 96), ("port", 3), ("last", 1), ("data", 64)])
Change = Callable[[bytes], bytes]


def put(at: int, *values: int) -> Change:
    """Other bytes from `at` on."""
    return lambda frame: frame[:at] + bytes(values) + frame[at + len(values) :]


DROPS: dict[str, Change] = {
    "MAC first byte": put(0, 0x03),
    "MAC last byte": put(5, 0x04),
    "broadcast": put(0, *[255] * 6),
    "type IPv6": put(12, 0x86, 0xDD),
    "type VLAN": put(12, 0x81, 0x00),
    "IP version": put(14, 0x65),
    "IP options": put(14, 0x46),
    "IP length 27": put(16, 0, 27),
    "IP length beyond the frame": put(16, 5, 255),
    "more fragments": put(20, 0x20),
    "fragment offset high": put(20, 0x10),
    "fragment offset low": put(21, 0x01),
    "TCP": put(23, 6),
    "ICMP": put(23, 1),
    "IP first byte": put(30, 11),
    "IP second byte": put(31, 0x51),
    "IP third byte": put(32, 0xF0),
    "IP last byte": put(33, 4),
    "port below": put(36, 2717 >> 8, 2717 & 255),
    "port above": put(36, 2720 >> 8, 2720 & 255),
    "UDP length 7": put(38, 0, 7),
    "UDP length beyond IP": lambda frame: put(38, *(frame[16] * 256 + frame[17] - 19).to_bytes(2, "big"))(frame),
    **{f"{n} bytes": lambda frame, n=n: frame[:n] for n in (1, 7, 8, 14, 15, 16, 24, 33, 34, 40, 41)},  # type: ignore[misc]
}
ARP_DROPS: dict[str, Change] = {
    "ARP hardware": put(14, 0, 6),
    "ARP protocol": put(16, 0x86, 0xDD),
    "ARP hardware length": put(18, 8),
    "ARP protocol length": put(19, 16),
    "ARP response": put(20, 0, 2),
    "ARP other IP, first byte": put(38, 11),
    "ARP other IP, last byte": put(41, 4),
    "ARP other MAC": put(0, 2, 0x50, 1, 2, 3, 4),
    "ARP cut short": lambda frame: frame[:40],
}


class Pulses:
    """Counts the cycles in which a signal is high."""

    def __init__(self, signal: Signal) -> None:
        self.count = 0
        self._signal = signal

    def reset(self) -> None:
        """Nothing."""

    def drive(self) -> None:
        """Nothing."""

    def sample(self, cycle: int) -> None:
        """Look."""
        self.count += self._signal.get()

    def busy(self) -> str:
        """Wait for nothing."""
        return ""


class World:
    """The module with its neighbours, and what must come."""

    def __init__(self, dut: Any) -> None:
        self.h = Harness(dut, dut.gen_rx)
        self.source = self.h.source("in")
        self.sink, self.arp = self.h.sink("out"), self.h.sink("arp")
        self.reported = Pulses(self.h.signal("dropped"))
        self.h.add(self.reported)
        self.dropped = 0
        self.want: list[tuple[int, int, bytes]] = []
        self.want_arp: list[int] = []

    async def start(self) -> None:
        """Reset, set the addresses."""
        await self.h.reset()
        self.h.signal("ip").set(ME.ip)
        self.h.signal("ports").set(sum(p << 16 * i for i, p in enumerate(PORTS)))

    def frame(self, frame: bytes, padded: int = 0) -> None:
        """Send a frame, with bytes of padding to which other noise is added up to the end of its last word."""
        rng = self.h.rng
        frame += rng.randbytes(padded)
        whole = frame + rng.randbytes(-len(frame) % 8)
        self.source.send(len(frame) << WORD.width | w for w in words(whole))

    def good(self, size: int, padded: int = 0) -> None:
        """A datagram for this node."""
        rng, which = self.h.rng, self.h.rng.randrange(3)
        sender, data = End.random(rng), rng.randbytes(size)
        self.frame(udp(sender, End.node(ME.ip, PORTS[which]), data), padded)
        self.want.append((sender.packed(), 1 << which, data))

    def request(self, to_all: bool) -> None:
        """An ARP request for this node."""
        requester = End.random(self.h.rng)
        self.frame(arp(1, requester, ME, BROADCAST if to_all else ME.mac), self.h.rng.choice([0, 6, 18]))
        self.want_arp.append(requester.packed() >> 16)

    def bad(self, name: str) -> None:
        """A frame to be dropped."""
        rng = self.h.rng
        if name in ARP_DROPS:
            frame = ARP_DROPS[name](arp(1, End.random(rng), ME, rng.choice([BROADCAST, ME.mac])))
        else:
            frame = DROPS[name](udp(End.random(rng), End.node(ME.ip, rng.choice(PORTS)), rng.randbytes(30)))
        self.frame(frame)
        self.dropped += 1

    async def finish(self) -> None:
        """Let all through; compare."""
        await self.h.drain(60_000)
        assert self.datagrams() == self.want
        assert self.arp.passed == self.want_arp
        assert self.reported.count == self.dropped

    def datagrams(self) -> list[tuple[int, int, bytes]]:
        """What came."""
        found, data = [], b""
        for word in map(OUT.unpack, self.sink.passed):
            data += word["data"].to_bytes(8, "little")
            if word["last"]:
                assert len(data) == (word["bytes"] + 2 + 7) // 8 * 8, "words of the datagram"
                found.append((word["sender"], word["port"], data[2 : 2 + word["bytes"]]))
                data = b""
        assert data == b""
        return found


@cocotb.test()
@cocotb.parametrize(name=[*DROPS, *ARP_DROPS])
async def each_reason(dut: Any, name: str) -> None:
    w = World(dut)
    await w.start()
    w.good(20)
    w.bad(name)
    w.good(17)
    w.request(True)
    w.bad(name)
    w.request(False)
    await w.finish()


@cocotb.test()
async def all_mixed(dut: Any) -> None:
    w = World(dut)
    await w.start()
    names = [*DROPS, *ARP_DROPS]
    sizes = [*range(20), 1471, 1472]
    for _ in range(300):
        what = w.h.rng.random()
        if what < 0.5:
            size = w.h.rng.choice(sizes)
            w.good(size, w.h.rng.choice([0, 0, 18, max(0, 18 - size), 40]))
        elif what < 0.6:
            w.request(w.h.rng.random() < 0.5)
        else:
            w.bad(w.h.rng.choice(names))
    await w.finish()

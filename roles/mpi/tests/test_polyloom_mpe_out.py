# SPDX-License-Identifier: Apache-2.0
"""Covers: datagrams of both ports and responses to ARP at the same time, to others and to this node itself; frames
compared with kernel_frames.py byte by byte; random stalls of datagrams, wire and receive side; frames without
holes; the order of each source's; the size of a frame that turns round; when it is empty and idle; a store that a
frame fills; the cycles to the first word.

Leaves out: frames that are longer than the store, which must not come.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from kernel_frames import MANAGEMENT, MPI, mac_of, udp
from kernel_parts import ENDPOINT, WORD, part, words_of

from polyloom.rtl.testing import Stall, Struct, bench

test = bench(__file__, "kernel_tb")
GRAM = Struct([("bytes", 16), ("manage", 1), ("to", ENDPOINT.width), ("last", 1), ("data", 64)])
BACK = Struct([("size", 13), ("last", 1), ("data", 64)])
MOST = (512, 21)  # words of the stores
ARP_WORDS = 8


class Bench:
    """The part and what surrounds it. Frames are lists of words."""

    def __init__(self, dut: Any, which: int, stall: str | float = "random") -> None:
        self.h = part(dut, "out", which)
        rng = self.h.rng
        self.ip = rng.getrandbits(32)
        self.h.signal("ip").set(self.ip)
        self.grams, self.arps = self.h.source("gram", stall), self.h.source("arp", stall)
        self.sinks = {"tx": self.h.sink("tx", stall), "back": self.h.sink("back", stall)}
        #: Frames that must come, by where they go and from whom.
        self.due: dict[tuple[str, str], deque[list[int]]] = {
            (to, source): deque() for to in self.sinks for source in ("gram", "arp")
        }
        self._part: dict[str, list[int]] = {"tx": [], "back": []}
        self._seen = {"tx": 0, "back": 0}
        self._empty, self._idle = self.h.signal("empty"), self.h.signal("idle")
        self.h.add(self)

    def reset(self) -> None:
        """Nothing."""

    def drive(self) -> None:
        """Nothing."""

    def sample(self, cycle: int) -> None:
        """Compare frames as they end; see that none has a hole."""
        for to, sink in self.sinks.items():
            if self._part[to]:
                assert sink.valid.get(), f"{to}: a hole in a frame in cycle {cycle}"
            for bits in sink.passed[self._seen[to] :]:
                self._take(to, bits, cycle)
            self._seen[to] = len(sink.passed)
        if any(s.valid.get() for s in self.sinks.values()):
            assert not self._empty.get() and not self._idle.get(), f"empty or idle in cycle {cycle}, as a frame leaves"

    def _take(self, to: str, bits: int, cycle: int) -> None:
        word = BACK.unpack(bits) if to == "back" else WORD.unpack(bits)
        part_ = self._part[to]
        part_.append(word["data"])
        if not word["last"]:
            return
        for source in ("gram", "arp"):
            due = self.due[to, source]
            if due and due[0] == part_:
                due.popleft()
                if to == "back":
                    assert word["size"] == 8 * len(part_), f"cycle {cycle}: size {word['size']}"
                part_.clear()
                return
        text = " ".join(f"{w:016x}" for w in part_)
        raise AssertionError(f"{to}: a frame in cycle {cycle} that is not due: {text}")

    def busy(self) -> str:
        """Say what has not come."""
        left = {f"{to} from {source}": len(due) for (to, source), due in self.due.items() if due}
        return f"frames: {left}" if left else ""

    def someone(self, own: float = 0.3) -> dict[str, int]:
        """An endpoint: this node, one whose MAC is alike, or anyone."""
        rng = self.h.rng
        mac = int.from_bytes(mac_of(self.ip), "big")
        if rng.random() >= own:
            mac = rng.choice([mac ^ 1 << rng.randrange(48), rng.getrandbits(48)])
        return {"mac": mac, "ip": rng.choice([self.ip, rng.getrandbits(32)]), "port": rng.getrandbits(16)}

    def gram(self, size: int, own: float = 0.3) -> None:
        """A datagram of so many bytes."""
        rng = self.h.rng
        to, manage = self.someone(own), rng.getrandbits(1)
        words = words_of(rng.randbytes(2 + size), rng.randbytes(8))
        for i, word in enumerate(words):
            last = int(i == len(words) - 1)
            self.grams.send(GRAM.pack(bytes=size, manage=manage, to=ENDPOINT.pack(**to), last=last, data=word))
        head = udp(self.ip, to["ip"], to["port"], bytes(size), MANAGEMENT if manage else MPI)
        head = to["mac"].to_bytes(6, "big") + mac_of(self.ip) + head[12:40] + bytes(2)
        body = b"".join(w.to_bytes(8, "little") for w in words)[2:]
        self._due(to["mac"], "gram", words_of(head + body))

    def request(self, own: float = 0.1) -> None:
        """An ARP request; the response is padded to 60 bytes."""
        to = self.someone(own)
        self.arps.send(ENDPOINT.pack(**to))
        mac, mine = to["mac"].to_bytes(6, "big"), mac_of(self.ip)
        body = mac + mine + bytes.fromhex("08060001080006040002") + mine + self.ip.to_bytes(4, "big")
        self._due(to["mac"], "arp", words_of((body + mac + to["ip"].to_bytes(4, "big")).ljust(60, b"\0")))

    def _due(self, mac: int, source: str, frame: list[int]) -> None:
        back = mac == int.from_bytes(mac_of(self.ip), "big")
        self.due["back" if back else "tx", source].append(frame)


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def frames(dut: Any, which: int) -> None:
    for _ in range(2):
        b = Bench(dut, which)
        rng = b.h.rng
        await b.h.reset()
        most = 8 * (MOST[which] - 5) - 2
        for i in range(50):
            if rng.random() < 0.3:
                b.request()
            else:
                b.gram(rng.choice([14, 22, 30, 38, 1 + rng.randrange(100), min(1470, most) if i % 20 == 0 else 46]))
        await b.h.drain()
        assert b.h.signal("empty").get() and b.h.signal("idle").get()


@cocotb.test()
async def not_idle(dut: Any) -> None:
    """Neither idle nor empty from a datagram's first word until its frame has left; nor idle with a response to ARP."""
    b = Bench(dut, 0, "never")
    empty, idle = b.h.signal("empty"), b.h.signal("idle")
    for request in (False, True):
        await b.h.reset()
        await b.h.step(2)
        assert empty.get() and idle.get()
        b.sinks["tx"].stall = Stall(b.h.rng, "always")
        b.request(0.0) if request else b.gram(46, 0.0)
        await b.h.step()
        assert request or not idle.get()
        for _ in range(40):
            await b.h.step()
            assert not idle.get()
        assert not empty.get()
        b.sinks["tx"].stall = Stall(b.h.rng, "never")
        await b.h.drain()
        assert empty.get() and idle.get()


@cocotb.test()
async def whole_frames_only(dut: Any) -> None:
    """The first word leaves two cycles after the frame's last one: header of 5 words, datagram."""
    b = Bench(dut, 0, "never")
    await b.h.reset()
    for size in (22, 70, 1470):
        b.gram(size, 0.0)
        begin = b.h.cycle
        before = len(b.sinks["tx"].passed)
        await b.h.drain()
        words = (size + 9) // 8 + 5
        cycles = b.sinks["tx"].cycles[before:]
        assert cycles == list(range(begin + words + 1, begin + 2 * words + 1)), (begin, words, cycles[0])

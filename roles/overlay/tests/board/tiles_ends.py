# SPDX-License-Identifier: Apache-2.0
"""Who stands around the memory slices in the test of polyloom_overlay_tiles: six memories, and clients (four tiles, two
DMAs, the board router's ports to each slice) with lines of their own.
"""

from __future__ import annotations

from collections import deque

from polyloom.rtl.testing import Harness, Struct
from polyloom.rtl.testing.every_cycle import EveryCycle

TILES, SLICES, MEMORIES = 4, 2, 6
OF_SLICE = TILES // SLICES  # its first clients; then the board router's ports, then the DMA
LINE_REQ = Struct.of("polyloom_overlay_pkg::line_req_t")
LINE = Struct([*LINE_REQ.members, ("wdata", 256)])
DMA_LINE = Struct([*LINE.members, ("wstrb", 32)])
AX = Struct([("id", 9), ("addr", 40), ("len", 8)])
W = Struct.of("polyloom_axi_pkg::w_t")
R = Struct([("id", 9), ("data", 256), ("last", 1)])
#: A slice's memories as a thread sees them: DRAM, SRAM A, SRAM B (first address of each).
BASES = (0x02000000, 0x00800000, 0x01000000)


class Memory:
    """One of the six: room does not depend on what is asked; each line is answered by its id, late, in any order."""

    def __init__(self, h: Harness, number: int) -> None:
        self.rng, self.number = h.rng, number
        self._in = {c: [h.signal(f"{c}_{w}", number, MEMORIES) for w in ("valid", "ready")] for c in ("ar", "aw", "w")}
        self._bits = {c: h.signal(c, number, MEMORIES) for c in ("ar", "aw", "w")}
        self._r, self._b = h.source("r", index=number), h.source("b", index=number)
        self.words: dict[int, int] = {}
        self.requests: list[tuple[int, int, int]] = []  # id, address, written
        self._late: list[int] = []
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        """Room, the same for an address and its data."""
        self._in["ar"][1].set(self.rng.getrandbits(1))
        write = self.rng.getrandbits(1)
        self._in["aw"][1].set(write)
        self._in["w"][1].set(write)
        if self._late and self.rng.random() < 0.3:
            self._r.send(self._late.pop(self.rng.randrange(len(self._late))))

    def check(self, cycle: int) -> None:
        """Take a read or a write; an AW comes with its W."""
        accepted = {c: valid.get() and ready.get() for c, (valid, ready) in self._in.items()}
        assert bool(accepted["aw"]) == bool(accepted["w"])
        for channel in ("ar", "aw"):
            if not accepted[channel]:
                continue
            request = AX.unpack(self._bits[channel].get())
            assert request["len"] == 0 and request["addr"] % 32 == 0, f"memory {self.number}, cycle {cycle}"
            self.requests.append((request["id"], request["addr"], int(channel == "aw")))
            old = self.words.get(request["addr"], self.number << 128 | request["addr"])
            if channel == "ar":
                self._late.append(R.pack(id=request["id"], data=old, last=1))
            else:
                beat = W.unpack(self._bits["w"].get())
                mask = sum(0xFF << 8 * i for i in range(32) if beat["strb"] >> i & 1)
                self.words[request["addr"]] = old & ~mask | beat["data"] & mask
                self._b.send(0)


class Client:
    """A tile or the DMA: writes and reads lines of its own, and knows what they hold."""

    def __init__(self, h: Harness, number: int, memories: list[Memory], dma: bool) -> None:
        self.rng, self.number, self.memories, self.dma = h.rng, number, memories, dma
        self.slice = number if dma else number // OF_SLICE
        self.client = OF_SLICE + 2 if dma else number % OF_SLICE
        self.source = h.source("line", index=number if dma else None)
        names = ("line_rsp_valid", "line_rsp_tag", "line_rsp_data")
        self.rsp = [h.signal(n, number, SLICES) if dma else h.signal(f"{n}_i") for n in names]
        self.lines: dict[tuple[int, int], int] = {}
        self.waits: dict[int, tuple[int, int]] = {}  # tag: line
        self.tags: deque[int] = deque(range(16))
        self.left = 120
        self.got = 0
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        """The next request, to one of few lines; a line that is read is not written meanwhile (nor read twice)."""
        if self.left == 0 or self.source.busy() or not self.tags:
            return
        memory, row = self.rng.randrange(3), self.rng.randrange(8)
        offset = 32 * (self.slice << 10 | self.client << 7 | row)
        key = (memory, offset)
        values = {"tag": self.tags[0], "addr": BASES[memory] + offset}
        old = self.lines.get(key)
        if old is None or self.rng.random() < 0.4:
            if key in self.waits.values():
                return
            self._write(key, values)
        else:
            self.waits[self.tags.popleft()] = key
            self._send(values)
        self.left -= 1

    def _send(self, values: dict[str, int]) -> None:
        self.source.send((DMA_LINE if self.dma else LINE).pack(**values))

    def _write(self, key: tuple[int, int], values: dict[str, int]) -> None:
        data = self.rng.getrandbits(256)
        new = key not in self.lines
        strobe = self.rng.getrandbits(32) if self.dma and not new else (1 << 32) - 1
        mask = sum(0xFF << 8 * i for i in range(32) if strobe >> i & 1)
        self.lines[key] = self.lines.get(key, 0) & ~mask | data & mask
        self._send(values | {"write": 1, "wdata": data} | ({"wstrb": strobe} if self.dma else {}))

    def check(self, cycle: int) -> None:
        """A line that was asked for."""
        if not self.rsp[0].get():
            return
        tag, data = self.rsp[1].get(), self.rsp[2].get()
        assert tag in self.waits, f"client {self.number} gets a line with tag {tag} in cycle {cycle}"
        assert data == self.lines[self.waits.pop(tag)], f"client {self.number}, cycle {cycle}"
        self.tags.append(tag)
        self.got += 1


class KeyPort:
    """A port of the board router: reads lines that no one writes."""

    def __init__(self, h: Harness, slice_: int, port: int) -> None:
        self.rng, self.slice, self.port = h.rng, slice_, port
        self.source = h.source("key", index=2 * slice_ + port)
        self.valid = h.signal("key_rsp_valid", 2 * slice_ + port, 2 * SLICES)
        self.rsp = [h.signal(n, slice_, SLICES) for n in ("key_rsp_tag", "key_rsp_data")]
        self.waits: dict[int, int] = {}  # tag: what the line holds
        self.left = 60
        self.got = 0
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        """The next request."""
        tag = self.rng.getrandbits(6)
        if self.left == 0 or self.source.busy() or tag in self.waits:
            return
        memory = self.rng.randrange(3)
        offset = 32 * (self.slice << 10 | OF_SLICE + self.port << 7 | self.rng.getrandbits(7))
        self.waits[tag] = 3 * self.slice + memory << 128 | (BASES[memory] + offset & (0x7FFFFFFF, 0x7FFFFF)[memory > 0])
        self.source.send(LINE_REQ.pack(tag=tag, addr=BASES[memory] + offset))
        self.left -= 1

    def check(self, cycle: int) -> None:
        """A line that was asked for."""
        if not self.valid.get():
            return
        tag, data = (signal.get() for signal in self.rsp)
        assert data == self.waits.pop(tag), f"slice {self.slice}, port {self.port}, cycle {cycle}"
        self.got += 1

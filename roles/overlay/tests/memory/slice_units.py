# SPDX-License-Identifier: Apache-2.0
"""Who stands around a slice in its test: clients that ask for lines, three memories with room or without."""

from __future__ import annotations

from collections import deque

from memory_units import LINE_REQ, Shape

from polyloom.rtl.testing import Harness, Stall

SRAM_A, SRAM_B, DRAM, DRAM_END, INTERLEAVED = 0x00800000, 0x01000000, 0x01800000, 0x80000000, 0xC0000000
PARTITION_BITS, VIEW_BITS = 9, 30


def place_of(addr: int, line_bytes: int) -> tuple[int, int]:
    """Memory, and address in it, of a line as a thread sees it (roles/overlay/sim/tile/memory.cc)."""
    if addr < DRAM:
        return (1 if addr < SRAM_B else 2), addr % (SRAM_B - SRAM_A)
    if addr < INTERLEAVED:
        return 0, addr
    line = addr % (1 << VIEW_BITS) // line_bytes
    offsets = (1 << VIEW_BITS - PARTITION_BITS) // line_bytes
    return 0, 0x40000000 + (line % offsets << PARTITION_BITS | line // offsets) * line_bytes


class Clients:
    """Tiles and the host, which ask one thing after the other; a client's tags differ until its line has come."""

    def __init__(self, h: Harness, shape: Shape) -> None:
        self._h, self._shape = h, shape
        count = shape.clients
        self._sources = [h.source("request", index=client) for client in range(count)]
        self._signals = [
            (h.signal("request_valid", c, count), h.signal("request_ready", c, count), h.signal("request", c, count))
            for c in range(count)
        ]
        self._back = [h.signal(f"back_{name}") for name in ("valid", "tag", "data")]
        self.lines = 0
        self._sent = [0] * count
        self._tags: list[set[int]] = [set() for _ in range(count)]
        self._last = [0] * count
        h.add(self)

    def forget(self) -> None:
        """After a reset: no line comes any more but of what is queued and still asked."""
        for client, tags in enumerate(self._tags):
            requests = self._sent[client] > len(self._sources[client].passed)
            tags.intersection_update({self._last[client]} if requests else set())

    def reset(self) -> None:
        """Nothing of its own."""

    def busy(self) -> str:
        """Wait for nothing."""
        return ""

    def sample(self, cycle: int) -> None:
        """Nothing of its own."""

    def drive(self) -> None:
        """Queue the next request of each that has none left; it may be offered from the next cycle on."""
        for client, source in enumerate(self._sources):
            if self._sent[client] == len(source.passed):
                source.send(self._request(client))
                self._sent[client] += 1

    def _request(self, client: int) -> int:
        rng, tags = self._h.rng, self._tags[client]
        low, high = rng.choice([(SRAM_A, SRAM_B), (SRAM_B, DRAM), (DRAM, DRAM_END), (INTERLEAVED, 1 << 32)])
        write = rng.random() < 0.5 or len(tags) > 40
        tag = rng.choice([tag for tag in range(64) if tag not in tags])
        self._last[client] = tag
        if not write:
            tags.add(tag)
        addr = rng.randrange(low, high) // self._shape.line_bytes * self._shape.line_bytes
        request = LINE_REQ.pack(write=int(write), tag=tag, addr=addr)
        bits = 8 * self._shape.line_bytes
        return request << bits | rng.getrandbits(bits)

    def _parts(self, bits: int) -> tuple[dict[str, int], int]:
        width = 8 * self._shape.line_bytes
        return LINE_REQ.unpack(bits >> width), bits & (1 << width) - 1

    def offered(self, client: int) -> tuple[dict[str, int], int] | None:
        """What a client offers in this cycle."""
        valid, _, request = self._signals[client]
        return self._parts(request.get()) if valid.get() else None

    def may_request(self, client: int) -> bool:
        """Whether the slice is ready for it."""
        return bool(self._signals[client][1].get())

    def new(self, cycle: int) -> list[tuple[int, tuple[dict[str, int], int]]]:
        """Requests that were taken in this cycle."""
        return [
            (client, self._parts(source.passed[-1]))
            for client, source in enumerate(self._sources)
            if source.cycles and source.cycles[-1] == cycle
        ]

    def check_back(self, cycle: int, due: tuple[int, int] | None) -> bool:
        """The line that must come in this cycle: owner and bytes."""
        valid, tag, data = (signal.get() for signal in self._back)
        assert valid == (0 if due is None else 1 << (due[0] >> 6)), f"cycle {cycle}: {valid:b}, expected {due}"
        if due is not None:
            assert (tag, data) == (due[0] & 63, due[1]), f"cycle {cycle}"
            self._tags[due[0] >> 6].remove(due[0] & 63)
            self.lines += 1
        return due is not None


class Memories:
    """Room for requests at random; lines in any order, with pauses."""

    def __init__(self, h: Harness, shape: Shape) -> None:
        self._h, self._shape = h, shape
        ports = {
            "ar": ("valid", "addr", "len", "id"), "aw": ("valid", "addr", "len", "id"),
            "w": ("valid", "data", "strb", "last"), "r": ("valid", "ready", "data", "last", "id"),
        }  # fmt: skip
        self._s = [
            {f"{p}_{n}": h.signal(f"{p}_{n}", m, 3) for p, names in ports.items() for n in names} for m in range(3)
        ]
        self._ready = {p: h.signal(f"{p}_ready") for p in ("ar", "aw", "w")}
        self._valid = {p: h.signal(f"{p}_valid") for p in ("ar", "aw", "w")}
        self._stalls = {p: [Stall(h.rng) for _ in range(3)] for p in ("ar", "aw", "w", "r")}
        self._room: dict[str, list[bool]] = {}
        self.must_take: int | None = None  # the other half of a line
        self.written = 0
        self.forget()

    def forget(self) -> None:
        """After a reset."""
        self._lines: list[list[int]] = [[], [], []]  # owners of those asked for
        self._beats: list[deque[int]] = [deque() for _ in range(3)]
        self._owner, self._line, self._offers = [0] * 3, [0] * 3, [False] * 3
        self.due: tuple[int, int] | None = None
        self.must_take = None

    def drive(self) -> None:
        """Room, and beats of lines."""
        for port, ready in self._ready.items():
            self._room[port] = [not stall() for stall in self._stalls[port]]
            if port == "w" and self.must_take is not None:
                self._room[port][self.must_take] = True
            ready.set(sum(room << m for m, room in enumerate(self._room[port])))
        self.must_take = None
        for m in range(3):
            self._drive_line(m)

    def _drive_line(self, m: int) -> None:
        s, rng, lines = self._s[m], self._h.rng, self._lines[m]
        if not self._beats[m] and lines:
            self._owner[m] = lines.pop(rng.randrange(len(lines)))
            self._beats[m].extend(rng.getrandbits(256) for _ in range(self._shape.line_bytes // 32))
            self._line[m] = sum(beat << 256 * i for i, beat in enumerate(self._beats[m]))
        self._offers[m] = bool(self._beats[m]) and (self._offers[m] or not self._stalls["r"][m]())
        s["r_valid"].set(int(self._offers[m]))
        s["r_data"].set(self._beats[m][0] if self._offers[m] else rng.getrandbits(256))
        s["r_last"].set(int(len(self._beats[m]) == 1))
        s["r_id"].set(self._owner[m])

    def response(self) -> None:
        """See which beats were taken; a line's last one is due in the next cycle."""
        for m, s in enumerate(self._s):
            if self._offers[m] and s["r_ready"].get():
                self._beats[m].popleft()
                self._offers[m] = False
                if not self._beats[m]:
                    assert self.due is None, "two lines end in one cycle"
                    self.due = self._owner[m], self._line[m]

    def has_room(self, channel: int, write: bool) -> bool:
        """For a request of this kind."""
        return all(self._room[port][channel] for port in (("aw", "w") if write else ("ar",)))

    def request(self, channel: int, owner: int) -> None:
        """A line was asked for; it may come from the next cycle on."""
        self._lines[channel].append(owner)

    def check_none(self, cycle: int, ports: tuple[str, ...]) -> None:
        """Nothing goes out there."""
        for port in ports:
            assert self._valid[port].get() == 0, f"cycle {cycle}: {port} of no one"

    def check_address(self, cycle: int, port: str, channel: int, addr: int, owner: int) -> None:
        """A request for a line."""
        s = self._s[channel]
        assert self._valid[port].get() == 1 << channel, f"cycle {cycle}: {port}, expected memory {channel}"
        got = tuple(s[f"{port}_{name}"].get() for name in ("addr", "len", "id"))
        assert got == (addr, self._shape.line_bytes // 32 - 1, owner), f"cycle {cycle}: {got}, expected {addr:#x}"

    def check_write(
        self, cycle: int, channel: int, item: tuple[dict[str, int], int], host: bool, upper: bool = False
    ) -> None:
        """A beat of a line; the host's strobes are its data's low bits."""
        s, size = self._s[channel], self._shape.line_bytes
        strobe = item[1] % (1 << size) if host else (1 << size) - 1
        shift = 32 if upper else 0
        assert self._valid["w"].get() == 1 << channel, f"cycle {cycle}: w, expected memory {channel}"
        got = tuple(s[f"w_{name}"].get() for name in ("data", "strb", "last"))
        last = int(upper or size == 32)
        assert got == (item[1] >> 8 * shift & (1 << 256) - 1, strobe >> shift & (1 << 32) - 1, last), f"cycle {cycle}"
        self.written += last

# SPDX-License-Identifier: Apache-2.0
"""Frames between a host and a board of 2 x 2 tiles of 2 cores of 2 threads, and what they lead to, for the test of
polyloom_overlay_frontend: made from blocks/shell/host_frames.h, not from the RTL.
"""

from __future__ import annotations

from polyloom.rtl.testing import Harness, Struct

TILES, SLICES, CORES, THREADS = 4, 2, 2, 2
MSG, WRITE, READ, REG_READ, UART_IN, START = 1, 2, 3, 5, 6, 7
WRITE_DONE, READ_DATA, REG_DATA, UART_OUT, FAULT, FRAME_ERROR = 0x42, 0x43, 0x45, 0x46, 0x48, 0x4F
OF_THE_ROLE = (MSG, UART_OUT, FAULT)
INSTR, SCRATCHPAD = 2, 3
WRITE_INSTR, READ_INSTR, WRITE_SCRATCHPAD, READ_SCRATCHPAD, CTL_START, CTL_UART = range(6)
CTL = Struct.of("polyloom_overlay_pkg::ctl_req_t")
LINE = Struct([("write", 1), ("tag", 6), ("addr", 32), ("wdata", 256), ("wstrb", 32)])
HEADER = Struct.of("polyloom_overlay_pkg::header_t")
FLIT = Struct.of("polyloom_overlay_pkg::flit_t")
WORD = Struct.of("polyloom_shell_pkg::host_word_t")
REPORTED = Struct([("tile", 8), ("fault", 1), ("thread", 6), ("cause", 8), ("pc", 32), ("value", 32)])
UNICAST, MASK, KEY, HOST = range(4)
ROUTE = Struct.of("polyloom_overlay_pkg::route_fault_t")
WINDOWS = (0x00800000, 0x01000100, 0x02FFFFC0, 0x7FFFF000, 0xC0001000)


def word0(op: int, aux: int, arg: int, tag: int = 0) -> int:
    """First word of a frame."""
    return op | aux << 8 | tag << 16 | arg << 32


def words_of(data: bytes) -> list[int]:
    """Bytes as words, the last one filled up with zeros."""
    return [int.from_bytes(data[i : i + 8], "little") for i in range(0, len(data), 8)]


class Host:
    """Makes frames; notes what must come back, go to the tiles and enter the network."""

    def __init__(self, h: Harness) -> None:
        self.rng = h.rng
        self.rx, self.tx = h.source("rx"), h.sink("tx")
        self.memory: list[dict[int, int]] = [{} for _ in range(SLICES)]
        self.words: dict[tuple[int, int, int], int] = {}
        self.responses: list[list[int]] = []
        self.of_memory: list[int] = []  # requests to the tiles
        self.of_frames: list[int] = []
        self.flits: list[int] = []
        self.registers: dict[int, int] = {}

    def send(self, words: list[int]) -> None:
        """A frame."""
        self.rx.send([WORD.pack(last=int(i == len(words) - 1), data=w) for i, w in enumerate(words)])

    def access(self, space: int, write: bool) -> None:
        """Some bytes of a space."""
        rng, tag = self.rng, self.rng.getrandbits(16)
        target = rng.randrange(TILES) if space in (INSTR, SCRATCHPAD) else 0
        if space == INSTR and write and rng.random() < 0.2:
            target = 0xFFFFFFFF
        if space in (INSTR, SCRATCHPAD):
            size = 4 * rng.randint(1, 9)
            address = rng.randrange(20) if space == INSTR else 4 * rng.randrange(20)
        else:
            size, address = rng.randint(1, 200), rng.choice(WINDOWS) + rng.randrange(64)
        second = size | target << 32
        data = rng.randbytes(size)
        if write:
            self._store(space, target, address, data)
            self.responses.append([word0(WRITE_DONE, space, address, tag), second])
            self.send([word0(WRITE, space, address, tag), second, *words_of(data)])
            return
        data = self._load(space, target, address, size)
        self.responses.append([word0(READ_DATA, space, address, tag), second, *words_of(data)])
        self.send([word0(READ, space, address, tag), second])

    def _store(self, space: int, target: int, address: int, data: bytes) -> None:
        if space not in (INSTR, SCRATCHPAD):
            self.memory[space].update({address + i: byte for i, byte in enumerate(data)})
            return
        everyone = target == 0xFFFFFFFF
        for i in range(0, len(data), 4):
            at = address + (i // 4 if space == INSTR else i)
            value = int.from_bytes(data[i : i + 4], "little")
            for t in range(TILES) if everyone else [target]:
                self.words[space, t, at] = value
            op = WRITE_INSTR if space == INSTR else WRITE_SCRATCHPAD
            # With all, the target means nothing.
            self.of_memory.append(
                CTL.pack(op=op, all=int(everyone), target=0 if everyone else target, addr=at, data=value)
            )

    def _load(self, space: int, target: int, address: int, size: int) -> bytes:
        if space not in (INSTR, SCRATCHPAD):
            return bytes(self.memory[space].get(address + i, 0) for i in range(size))
        data = b""
        for i in range(0, size, 4):
            at = address + (i // 4 if space == INSTR else i)
            data += self.words.get((space, target, at), 0).to_bytes(4, "little")
            op = READ_INSTR if space == INSTR else READ_SCRATCHPAD
            self.of_memory.append(CTL.pack(op=op, target=target, addr=at))
        return data

    def register(self) -> None:
        """One of those that stand still."""
        reg, tag = self.rng.choice(list(self.registers)), self.rng.getrandbits(16)
        self.responses.append([word0(REG_DATA, 0, reg, tag), self.registers[reg]])
        self.send([word0(REG_READ, 0, reg, tag)])

    def byte(self) -> None:
        """For a thread."""
        core, thread, byte = self.rng.randrange(TILES * CORES), self.rng.randrange(THREADS), self.rng.getrandbits(8)
        self.of_frames.append(CTL.pack(op=CTL_UART, target=core, addr=thread, data=byte))
        self.send([word0(UART_IN, byte, core | thread << 16)])

    def start(self) -> None:
        """Of a core's threads; now and then of a core that is not there."""
        core, pc, tag = self.rng.randrange(TILES * CORES + 1), self.rng.getrandbits(32), self.rng.getrandbits(16)
        words = [word0(START, THREADS, core | 1 << 16, tag), pc]
        if core == TILES * CORES:
            self.responses.append([word0(FRAME_ERROR, 7, 0, tag), words[0]])
        else:
            self.of_frames += [CTL.pack(op=CTL_START, target=core, addr=t, data=pc) for t in range(THREADS)]
        self.send(words)

    def message(self) -> None:
        """Into the network."""
        rng = self.rng
        dest, mask = rng.randrange(2) | rng.randrange(2) << 2, rng.randrange(1, 1 << CORES * THREADS)
        data = [rng.getrandbits(128) for _ in range(rng.randint(1, 4))]
        kind = UNICAST if mask.bit_count() == 1 else MASK
        if rng.random() < 0.3:
            kind, dest, mask = KEY, 1 << 12, rng.getrandbits(32)
        self.flits += flits_of(kind, dest, mask, data)
        self.send(message_words(dest, mask, data))


def flits_of(kind: int, dest: int, mask: int, data: list[int]) -> list[int]:
    """A message as flits; the header is with the first one."""
    head = HEADER.pack(kind=kind, flits=len(data) - 1, dest=dest, mask=mask)
    last = len(data) - 1
    return [
        FLIT.pack(first=int(i == 0), last=int(i == last), header=0 if i else head, data=d) for i, d in enumerate(data)
    ]


def message_words(dest: int, mask: int, data: list[int]) -> list[int]:
    """The same as a frame."""
    return [word0(MSG, len(data), dest), mask, *(d >> s & (1 << 64) - 1 for d in data for s in (0, 64))]


def random_event(h: Harness, board: int) -> tuple[int, list[int]]:
    """A byte or a fault, and its frame."""
    rng = h.rng
    tile, core, thread = rng.randrange(TILES), rng.randrange(CORES), rng.randrange(THREADS)
    values = {"thread": core * THREADS + thread, "cause": rng.randrange(1, 256)}
    values |= {"pc": rng.getrandbits(32), "value": rng.getrandbits(32), "fault": rng.getrandbits(1)}
    if not values["fault"]:
        frame = [word0(UART_OUT, values["cause"], tile * CORES + core | thread << 16)]
    else:
        place = ((board << 2 | tile // 2) << 2 | tile % 2) << 6 | values["thread"]
        frame = [word0(FAULT, values["cause"], place), values["pc"] | values["value"] << 32]
    return REPORTED.pack(tile=tile, **values), frame


def random_route_fault(h: Harness, board: int) -> tuple[int, list[int]]:
    """A record that the router passes over, and its frame: a fault of the board's first thread."""
    values = {"why": h.rng.randrange(6), "key": h.rng.getrandbits(32), "value": h.rng.getrandbits(32)}
    return ROUTE.pack(**values), [
        word0(FAULT, 0x90 + values["why"], board << 10),
        values["key"] | values["value"] << 32,
    ]


def frames_of(words: list[int]) -> list[list[int]]:
    """Cut a stream of words into frames."""
    frames: list[list[int]] = [[]]
    for word in map(WORD.unpack, words):
        frames[-1].append(word["data"])
        if word["last"]:
            frames.append([])
    return frames[:-1]

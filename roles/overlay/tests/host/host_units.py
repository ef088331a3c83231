# SPDX-License-Identifier: Apache-2.0
"""What the tests of the overlay's host side share: board shapes, structs, frames, and who stands around it.

Frames and checks are made here from blocks/shell/host_frames.h and roles/overlay/sim/board, not from the RTL.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass
from typing import Any

from polyloom.rtl.testing import Harness, Struct

MSG, UART_IN, START, UART_OUT, FAULT = 0x01, 0x06, 0x07, 0x46, 0x48
WRITE_INSTR, READ_INSTR, WRITE_SCRATCHPAD, READ_SCRATCHPAD, CTL_START, CTL_UART = range(6)
UNICAST, MASK, KEY, HOST = range(4)
BROADCAST = 0xFFFFFFFF

CTL = Struct.of("polyloom_overlay_pkg::ctl_req_t")
HEADER = Struct.of("polyloom_overlay_pkg::header_t")
FLIT = Struct.of("polyloom_overlay_pkg::flit_t")
WORD = Struct.of("polyloom_shell_pkg::host_word_t")
REPORTED = Struct([("tile", 8), ("fault", 1), ("thread", 6), ("cause", 8), ("pc", 32), ("value", 32)])
REQUEST = Struct.of("polyloom_shell_pkg::prog_req_t")
ROLE_WORD = Struct.of("polyloom_shell_pkg::role_word_t", flat=True)
RANGE = Struct.of("polyloom_shell_pkg::range_t")


@dataclass(frozen=True)
class Shape:
    """A board, as shape() of host_tb.sv has it."""

    tiles_x: int
    tiles_y: int
    cores: int
    threads: int
    slices: int = 1
    instr_words: int = 2048
    mailbox_slots: int = 512
    max_flits: int = 4
    extra_send_slot: int = 0
    host_flits: int = 512
    routers: bool = True

    @property
    def tiles(self) -> int:
        """Of the board."""
        return self.tiles_x * self.tiles_y

    @property
    def pairs(self) -> int:
        """Instruction memories of the board."""
        return self.tiles * ((self.cores + 1) // 2)

    def mailbox(self, board: tuple[int, int], tile: tuple[int, int]) -> int:
        """Id of a mailbox, board and tile as (x, y): fields as wide as published, or wider where a board is larger."""
        x_bits = max(2, (self.tiles_x - 1).bit_length())
        y_bits = max(2, (self.tiles_y - 1).bit_length())
        return ((board[1] << 3 | board[0]) << y_bits | tile[1]) << x_bits | tile[0]

    def mailbox_bits(self) -> int:
        """Bits of such an id."""
        return max(2, (self.tiles_x - 1).bit_length()) + max(2, (self.tiles_y - 1).bit_length()) + 6


SHAPES = (
    Shape(3, 2, 2, 4, 2, 512, 128, host_flits=16),
    Shape(1, 1, 1, 1, max_flits=1, host_flits=2, routers=False),
    Shape(4, 4, 4, 16, 2),
    Shape(5, 1, 4, 16, extra_send_slot=1),
)


def word0(op: int, aux: int, arg: int, tag: int = 0) -> int:
    """First word of a frame."""
    return op | aux << 8 | tag << 16 | arg << 32


def flits_of(kind: int, dest: int, mask: int, data: list[int]) -> list[int]:
    """A message as flits; the header is with the first one."""
    head = HEADER.pack(kind=kind, flits=len(data) - 1, dest=dest, mask=mask)
    return [
        FLIT.pack(first=int(i == 0), last=int(i == len(data) - 1), header=head if i == 0 else 0, data=d)
        for i, d in enumerate(data)
    ]


def message_frame(dest: int, mask: int, data: list[int], tag: int = 0) -> list[int]:
    """A message as words of a frame."""
    halves = [d >> shift & (1 << 64) - 1 for d in data for shift in (0, 64)]
    return [word0(MSG, len(data), dest, tag), mask, *halves]


class Agent:
    """Takes part in the clock loop; subclasses say what they drive and sample."""

    def __init__(self, h: Harness) -> None:
        self.h = h
        h.add(self)

    def reset(self) -> None:
        """Nothing."""

    def drive(self) -> None:
        """Nothing."""

    def sample(self, cycle: int) -> None:
        """Nothing."""

    def busy(self) -> str:
        """Wait for nothing."""
        return ""


class Shell(Agent):
    """Passes frames on as the shell does: the next one after the response to the one before."""

    def __init__(self, h: Harness, stall: str | float = "random") -> None:
        self._source = h.source("pass", stall)
        self._valid, self._refused = h.signal("pass_rsp_valid"), h.signal("pass_rsp_refused")
        self._frames: deque[list[int]] = deque()
        self._sent = 0  # words of the frame under way
        self._end = 0  # words passed when it is whole
        self.responses: list[bool] = []  # refused
        self.cycles: list[int] = []
        super().__init__(h)

    def send(self, frame: list[int]) -> None:
        """Queue a frame."""
        self._frames.append(frame)

    def drive(self) -> None:
        """Begin the next frame; the source drives it from the coming cycle on."""
        if self._frames and self._sent == 0:
            frame = self._frames[0]
            self._sent, self._end = len(frame), len(self._source.passed) + len(frame)
            self._source.send([WORD.pack(last=int(i == len(frame) - 1), data=w) for i, w in enumerate(frame)])

    def sample(self, cycle: int) -> None:
        """See the response, which must come after the last word."""
        if not self._valid.get():
            return
        assert self._sent and len(self._source.passed) == self._end, f"response without a frame in cycle {cycle}"
        assert cycle > self._source.cycles[-1], "response in the cycle of the last word"
        self.responses.append(bool(self._refused.get()))
        self.cycles.append(cycle)
        self._frames.popleft()
        self._sent = 0

    def busy(self) -> str:
        """Say how many frames are not answered."""
        return f"{len(self._frames)} frames without a response" if self._frames else ""


class Tiles(Agent):
    """Takes requests with random stalls and responds to reads in order, late."""

    def __init__(self, h: Harness, stall: str | float = "random", wait: int = 6) -> None:
        self.sink = h.sink("ctl", stall)
        self._valid, self._data = h.signal("ctl_rsp_valid"), h.signal("ctl_rdata")
        self.memory: dict[tuple[int, int, int], int] = {}  # scratchpad?, target, word
        self._wait, self._seen = wait, 0
        self.responded: list[int] = []  # cycles
        self._responses: deque[tuple[int, int]] = deque()
        super().__init__(h)

    def requests(self) -> list[dict[str, int]]:
        """All that came."""
        return [CTL.unpack(bits) for bits in self.sink.passed]

    def reset(self) -> None:
        """No response."""
        self._valid.set(0)

    def last_responses(self, pairs: list[bool]) -> list[int]:
        """By read, one more than the cycle in which the response to its last half was given."""
        cycles = iter(self.responded)
        return [max(next(cycles) for _ in range(1 + pair)) + 1 for pair in pairs]

    def drive(self) -> None:
        """Respond to a read when its time has come; without a response the data are noise."""
        ready = bool(self._responses) and self.h.cycle >= self._responses[0][0]
        self.responded += [self.h.cycle] * ready
        self._valid.set(int(ready))
        self._data.set(self._responses.popleft()[1] if ready else self.h.rng.getrandbits(32))

    def sample(self, cycle: int) -> None:
        """Look up what is read."""
        for bits in self.sink.passed[self._seen :]:
            r = CTL.unpack(bits)
            scratchpad = int(r["op"] in {WRITE_SCRATCHPAD, READ_SCRATCHPAD})
            if r["op"] in {READ_INSTR, READ_SCRATCHPAD}:
                assert not r["all"]
                at = r["addr"] // 4 if scratchpad else r["addr"]
                value = self.memory.get((scratchpad, r["target"], at), at * 0x10001 ^ r["target"] << 24)
                self._responses.append((cycle + 1 + self.h.rng.randrange(self._wait), value))
        self._seen = len(self.sink.passed)

    def busy(self) -> str:
        """Say how many reads are not answered."""
        return "reads without a response" if self._responses else ""


class Network(Agent):
    """The board router's host port and the gate: takes messages, checks how they come.

    ``open`` and ``room``: chances that the gate is open and that there is room, a cycle.
    """

    def __init__(self, h: Harness, room: float = 0.5, open_: float = 0.5) -> None:
        self.room, self.open = room, open_
        self._signals = {n: h.signal(n) for n in ("enter_valid", "enter", "room", "may_inject", "host_in", "wanted")}
        self._let_in = False  # in the cycle before
        self._in_message = False
        self.flits: list[int] = []
        self.cycles: list[int] = []
        super().__init__(h)

    def reset(self) -> None:
        """Closed."""
        self._signals["room"].set(0)
        self._signals["may_inject"].set(0)

    def drive(self) -> None:
        """Throw the dice."""
        self._signals["room"].set(int(self.h.rng.random() < self.room))
        self._signals["may_inject"].set(int(self.h.rng.random() < self.open))

    def sample(self, cycle: int) -> None:
        """A message begins one cycle after it is let in, and goes on without a gap."""
        s = {name: signal.get() for name, signal in self._signals.items()}
        if s["enter_valid"]:
            flit = FLIT.unpack(s["enter"])
            assert bool(flit["first"]) == (not self._in_message)
            assert self._let_in == bool(flit["first"]), f"a first flit in cycle {cycle} that was not let in, or late"
            self._in_message = not flit["last"]
            self.flits.append(s["enter"])
            self.cycles.append(cycle)
        else:
            assert not self._in_message, f"a gap within a message in cycle {cycle}"
            assert not self._let_in, f"no flit in cycle {cycle} after a message was let in"
        if s["host_in"]:
            assert s["room"] and s["may_inject"] and s["wanted"], f"let in without leave in cycle {cycle}"
        self._let_in = bool(s["host_in"])


@dataclass
class Expected:
    """What a sequence of frames must lead to."""

    refused: list[bool]
    requests: list[int]
    flits: list[int]


class FrameMaker:
    """Random messages, console bytes and starts, some that the board must refuse, and what they lead to."""

    def __init__(self, rng: random.Random, shape: Shape, board: tuple[int, int], mesh: tuple[int, int]) -> None:
        self.rng, self.shape, self.board, self.mesh = rng, shape, board, mesh
        self.expected = Expected([], [], [])

    def make(self) -> list[int]:
        """A well-formed frame; what it leads to is added to ``expected``."""
        return self.rng.choice([self.message, self.byte, self.start])()

    def message(self) -> list[int]:
        """To a mailbox of the mesh, or with a key; now and then wrong in one point."""
        s, rng = self.shape, self.rng
        threads = s.cores * s.threads
        flits = rng.randint(1, s.max_flits)
        board = [rng.randrange(self.mesh[0]), rng.randrange(self.mesh[1])]
        tile = [rng.randrange(s.tiles_x), rng.randrange(s.tiles_y)]
        mask = 1 << rng.randrange(threads) if rng.random() < 0.5 else rng.getrandbits(threads)
        high = 0
        axis = rng.randrange(2)
        match rng.randrange(12):
            case 0:
                flits = rng.randint(s.max_flits + 1, 16)
            case 1:
                mask = 0
            case 2:
                mask |= 1 << rng.randrange(threads, 64) if threads < 64 else 0
            case 3:
                high = 1 << rng.randrange(s.mailbox_bits(), 32)
            case 4 if self.mesh[axis] < 8:
                board[axis] = self.mesh[axis]
            case 5 if ((s.tiles_x, s.tiles_y)[axis]).bit_count() > 1 or (s.tiles_x, s.tiles_y)[axis] < 4:
                tile[axis] = (s.tiles_x, s.tiles_y)[axis]
            case 6 | 7:
                high, mask = 4 << s.mailbox_bits(), rng.choice((0, rng.getrandbits(32), rng.getrandbits(64)))
                flits = rng.randint(1, s.max_flits + 1)
                if rng.random() < 0.8:
                    board, tile = [0, 0], [0, 0]
        dest = s.mailbox((board[0], board[1]), (tile[0], tile[1])) | high
        is_key = s.routers and dest == 4 << s.mailbox_bits()
        fits = self.board == (0, 0) and flits <= s.max_flits
        of_mailbox = (
            0 < mask < 1 << threads
            and dest < 1 << s.mailbox_bits()
            and board[0] < self.mesh[0]
            and board[1] < self.mesh[1]
            and tile[0] < s.tiles_x
            and tile[1] < s.tiles_y
        )
        data = [rng.getrandbits(128) for _ in range(flits)]
        good = fits and (is_key or of_mailbox)
        self.expected.refused.append(not good)
        if good:
            kind = KEY if is_key else UNICAST if mask.bit_count() == 1 else MASK
            self.expected.flits += flits_of(kind, dest, mask, data)
        return message_frame(dest, mask, data, rng.getrandbits(16))

    def byte(self) -> list[int]:
        """To a thread of a core, or of every core."""
        s, rng = self.shape, self.rng
        broadcast, byte = rng.random() < 0.3, rng.getrandbits(8)
        core = 0 if broadcast else self._near(s.tiles * s.cores, 16)
        thread = self._near(s.threads, 8)
        good = thread < s.threads and core < s.tiles * s.cores
        self.expected.refused.append(not good)
        if good:
            self.expected.requests.append(
                CTL.pack(op=CTL_UART, all=int(broadcast), target=core, addr=thread, data=byte)
            )
        return [word0(UART_IN, byte, core | thread << 16 | int(broadcast) << 31, rng.getrandbits(16))]

    def start(self) -> list[int]:
        """Of some threads of some cores."""
        s, rng = self.shape, self.rng
        cores = s.tiles * s.cores
        first = self._near(cores, 16)
        count = 1 + self._near(min(6, max(1, cores - first)), 15)
        if rng.random() < 0.1:
            first, count = 0, cores
        threads = 1 + self._near(s.threads, 7)
        pc = rng.getrandbits(32)
        good = first + count <= cores and threads <= s.threads
        self.expected.refused.append(not good)
        if good:
            every_core = first == 0 and count == cores
            self.expected.requests += [
                CTL.pack(op=CTL_START, all=int(every_core), target=core, addr=thread, data=pc)
                for core in range(first, 1 if every_core else first + count)
                for thread in range(threads)
            ]
        return [word0(START, threads, first | count << 16, rng.getrandbits(16)), pc]

    def _near(self, limit: int, bits: int) -> int:
        """Mostly below the limit, now and then at it, one more or anything."""
        kind = self.rng.randrange(12)
        if kind < 2:
            return limit - 1 + kind
        return self.rng.getrandbits(bits) if kind == 2 else self.rng.randrange(limit)


def scope(dut: Any, which: int) -> Harness:
    """The harness of a board."""
    return Harness(dut, dut.gen_host[which])


def place(h: Harness, board: tuple[int, int], mesh: tuple[int, int]) -> None:
    """Where the board is."""
    place_board(h, board)
    h.signal("mesh").set(mesh[1] << 4 | mesh[0])


def place_board(h: Harness, board: tuple[int, int]) -> None:
    """The same for a part that knows no mesh."""
    h.signal("board").set(board[1] << 3 | board[0])

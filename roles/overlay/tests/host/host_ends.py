# SPDX-License-Identifier: Apache-2.0
"""What the tests of the overlay's host side and of its parts share beside host_units.py: the shell's accesses to
memories with what they lead to, and what a board tells its host with the frames that it becomes.
"""

from __future__ import annotations

from host_units import (
    CTL,
    FAULT,
    HOST,
    MASK,
    READ_INSTR,
    READ_SCRATCHPAD,
    REPORTED,
    REQUEST,
    ROLE_WORD,
    SHAPES,
    UART_OUT,
    WORD,
    WRITE_INSTR,
    WRITE_SCRATCHPAD,
    Agent,
    Shape,
    flits_of,
    message_frame,
    word0,
)

from polyloom.rtl.testing import Harness


class Words(Agent):
    """The shell's accesses, one after the other; a read waits for its response."""

    def __init__(self, h: Harness, stall: str | float = "random") -> None:
        self.source = h.source("words", stall)
        self._valid, self._data = h.signal("words_rsp_valid"), h.signal("words_rsp")
        self._queue: list[tuple[int, bool, bool]] = []  # bits, read, pair
        self._waits = False
        self._read = False
        self._pair = False
        self.responses: list[int] = []
        self.cycles: list[int] = []  # of the responses
        self.pairs: list[bool] = []  # by read: it has two halves
        self.requests: list[int] = []
        super().__init__(h)

    def access(
        self, write: bool, scratchpad: bool, everyone: bool, target: int, at: int, pair: bool, data: int
    ) -> None:
        """Queue an access, and note the requests that it is."""
        request = REQUEST.pack(write=int(write), addr=self.h.rng.getrandbits(32), wdata=data)
        role = ROLE_WORD.pack(scratchpad=int(scratchpad), all=int(everyone), target=target, addr=at, pair=int(pair))
        self.pairs += [] if write else [pair]
        self._queue.append((request << ROLE_WORD.width | role, not write, pair))
        op = {(True, False): WRITE_INSTR, (False, False): READ_INSTR, (True, True): WRITE_SCRATCHPAD}.get(
            (write, scratchpad), READ_SCRATCHPAD
        )
        for half in range(1 + pair):
            self.requests.append(
                CTL.pack(
                    op=op,
                    all=int(everyone and write),
                    target=0 if everyone and not write else target,
                    addr=4 * (at + half) if scratchpad else at + half,
                    data=data >> 32 * half & 0xFFFFFFFF if write else 0,
                )
            )

    def drive(self) -> None:
        """The next access."""
        if self._queue and not self._waits and not self._read:
            bits, self._read, self._pair = self._queue.pop(0)
            self._waits, self._passed = True, len(self.source.passed)
            self.source.send(bits)

    def sample(self, cycle: int) -> None:
        """A read's response."""
        if self._waits and len(self.source.passed) > self._passed:
            self._waits = False
        if self._valid.get():
            assert self._read, f"response without a read in cycle {cycle}"
            assert not self._waits, f"response before the access was taken in cycle {cycle}"
            self._read = False
            self.cycles.append(cycle)
            self.responses.append(self._data.get() & (1 << (64 if self._pair else 32)) - 1)

    def busy(self) -> str:
        """Say how much is left."""
        return f"{len(self._queue)} accesses" if self._queue or self._waits or self._read else ""


def random_accesses(h: Harness, words: Words, which: int, count: int) -> list[int]:
    """Queue some; what the reads must bring, from the addresses alone (Tiles responses so)."""
    s, rng, responses = SHAPES[which], h.rng, []
    for _ in range(count):
        write, scratchpad, pair = rng.random() < 0.5, rng.random() < 0.5, rng.random() < 0.7
        everyone = not scratchpad and rng.random() < 0.3
        size = s.mailbox_slots * 16 if scratchpad else s.instr_words
        at = rng.choice([0, size - 1 - pair, rng.randrange(size - 1)])
        # The target means nothing with `everyone`; the shell passes on what the frame said: all ones.
        target = 0x3FF if everyone else rng.randrange(s.tiles if scratchpad else s.pairs)
        words.access(write, scratchpad, everyone, target, at, pair, rng.getrandbits(64))
        if not write:
            place_ = 0 if everyone else target
            halves = [(at + i) * 0x10001 ^ place_ << 24 for i in range(1 + pair)]
            responses.append(sum(half << 32 * i for i, half in enumerate(halves)))
    return responses


class Pulses(Agent):
    """Cycles in which a signal is high."""

    def __init__(self, h: Harness, name: str) -> None:
        self._signal = h.signal(name)
        self.cycles: list[int] = []
        super().__init__(h)

    def sample(self, cycle: int) -> None:
        """Note."""
        if self._signal.get():
            self.cycles.append(cycle)


def random_event(h: Harness, shape: Shape, board: tuple[int, int]) -> tuple[int, list[int]]:
    """What a tile tells, and the frame that it becomes."""
    rng = h.rng
    tile, core, thread = rng.randrange(shape.tiles), rng.randrange(shape.cores), rng.randrange(shape.threads)
    index = core * shape.threads + thread
    cause, pc, value = rng.randrange(1, 256), rng.getrandbits(32), rng.getrandbits(32)
    if rng.random() < 0.5:
        reported = REPORTED.pack(tile=tile, thread=index, cause=cause, pc=pc, value=value)
        return reported, [word0(UART_OUT, cause, tile * shape.cores + core | thread << 16)]
    reported = REPORTED.pack(tile=tile, fault=1, thread=index, cause=cause, pc=pc, value=value)
    mailbox = shape.mailbox(board, (tile % shape.tiles_x, tile // shape.tiles_x))
    return reported, [word0(FAULT, cause, mailbox << 6 | index), pc | value << 32]


def random_message(h: Harness, shape: Shape) -> tuple[list[int], list[int]]:
    """Flits and frame."""
    dest, mask = h.rng.getrandbits(20), h.rng.getrandbits(64)
    data = h.values(128, h.rng.randint(1, shape.max_flits))
    return flits_of(h.rng.choice([HOST, MASK]), dest, mask, data), message_frame(dest, mask, data)


def frames_of(words: list[int]) -> list[list[int]]:
    """Cut a stream of words into frames."""
    frames: list[list[int]] = [[]]
    for word in map(WORD.unpack, words):
        frames[-1].append(word["data"])
        if word["last"]:
            frames.append([])
    assert not frames[-1], "the last frame is not whole"
    return frames[:-1]


def message_ends(words: list[int], cycles: list[int]) -> list[int]:
    """Cycles in which the last words of messages passed."""
    ends: list[int] = []
    first = True
    message = False
    for word, cycle in zip(map(WORD.unpack, words), cycles, strict=True):
        message = word["data"] & 0xFF == 1 if first else message
        first = bool(word["last"])
        if first and message:
            ends.append(cycle)
    return ends

# SPDX-License-Identifier: Apache-2.0
"""Random host frames, and what a parser must do with each: the rules of blocks/shell/host_frames.h in plain Python."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from shell_units import CMD

MSG, WRITE, READ, REG_WRITE, REG_READ, UART_IN, START = range(1, 8)
WRITE_DONE, READ_DATA, REG_DATA, UART_OUT, FAULT, EVENT, FRAME_ERROR = 0x42, 0x43, 0x45, 0x46, 0x48, 0x49, 0x4F
OPS = (MSG, WRITE, READ, REG_WRITE, REG_READ, UART_IN, START)
OTHERS = (WRITE_DONE, READ_DATA, REG_DATA, UART_OUT, FAULT, EVENT, FRAME_ERROR)
UNKNOWN_OP, LENGTH, SPACE, RANGE, FIELD, REFUSED = range(2, 8)
SLICE0, SLICE1, INSTR, SCRATCHPAD, CHANNEL, PROGRAM = range(6)
MOST_BYTES, MOST_WORDS = 1 << 24, 34
CHANNELS, CHANNEL_BYTES, PROGRAM_WORDS = 3, 8192, 100


@dataclass(frozen=True)
class Shape:
    """What the board takes."""

    pass_frames: bool
    role_spaces: bool

    @staticmethod
    def role_has(space: int, target: int, address: int, bytes: int) -> bool:
        """Some ranges are there, others are not."""
        return (space + target * 3 + address * 5 + bytes * 7) % 8 < 5

    def has(self, space: int, target: int, address: int, count: int) -> bool:
        """Whether the range is there."""
        if self.role_spaces:
            return self.role_has(space, target, address, count)
        if space == CHANNEL:
            return target < CHANNELS and address + count <= CHANNEL_BYTES
        return space == PROGRAM and address % 8 == count % 8 == 0 and address + count <= 8 * PROGRAM_WORDS

    def command(self, space: int, target: int, address: int, count: int) -> int:
        """For the DMA."""
        if not self.role_spaces:
            return CMD.pack(words=int(space == PROGRAM), target=target & 127, address=address, bytes=count)
        if space in {SLICE0, SLICE1}:
            return CMD.pack(words=0, target=space, address=address, bytes=count)
        where = {"scratchpad": int(space == SCRATCHPAD), "all": target >> 31, "target": target & 1023}
        byte = address << 2 & 0xFFFFFFFF if space == INSTR else address
        return CMD.pack(words=1, **where, address=byte, bytes=count)


@dataclass
class Frame:
    """A frame and what it leads to. ``refused``, ``value``: what it will be told by whom it asks."""

    words: list[int]
    cut: bool = False
    refused: bool = False
    value: int = 0
    requests: bool = False
    events: list[tuple[Any, ...]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)


def fields(word0: int, word1: int) -> tuple[int, int, int, int]:
    """Space, target, address, bytes."""
    return word0 >> 8 & 255, word1 >> 32, word0 >> 32, word1 & 0xFFFFFFFF


def range_reason(space: int, target: int, address: int, count: int) -> int:
    """Why no board could have this range; 0 if one could."""
    if space > PROGRAM or (space in {SLICE0, SLICE1, PROGRAM} and target):
        return SPACE
    past = address + (count // 4 if space == INSTR else count)
    if not 0 < count <= MOST_BYTES or (space == INSTR and count % 4) or past > 1 << 32:
        return RANGE
    return 0


def unpadded(words: list[int], count: int) -> bool:
    """Bytes past the end are not zero."""
    return count % 8 != 0 and words[-1] >> 8 * (count % 8) != 0


def _memory_reason(op: int, w: list[int]) -> int:
    if len(w) < 2:
        return LENGTH
    where = fields(w[0], w[1])
    if reason := range_reason(*where):
        return reason
    data = -(-where[3] // 8) if op == READ_DATA else 0
    if len(w) != 2 + data:
        return LENGTH
    return FIELD if data and unpadded(w, where[3]) else 0


def _start_reason(aux: int, arg: int, word1: int) -> int:
    first, cores = arg & 0xFFFF, arg >> 16
    if cores == 0 or aux == 0 or word1 >> 32:
        return FIELD
    return RANGE if first + cores > 1 << 16 else 0


def short_reason(w: list[int]) -> int:
    """Why a whole short frame is malformed; 0 if it is not."""
    op, aux, arg = w[0] & 255, w[0] >> 8 & 255, w[0] >> 32
    if op == MSG:
        return FIELD if not 0 < aux <= 16 else LENGTH * (len(w) != 2 + 2 * aux)
    if op in {WRITE, READ, WRITE_DONE, READ_DATA}:
        return _memory_reason(op, w)
    lengths = {
        REG_WRITE: 2,
        REG_READ: 1,
        REG_DATA: 2,
        UART_IN: 1,
        UART_OUT: 1,
        START: 2,
        FAULT: 2,
        EVENT: 4,
        FRAME_ERROR: 2,
    }
    if op not in lengths:
        return UNKNOWN_OP
    if len(w) != lengths[op]:
        return LENGTH
    if op == START:
        return _start_reason(aux, arg, w[1])
    uart = bool(arg >> 24 & 127) or (arg >> 31 and (op != UART_IN or arg & 0xFFFF))
    wrong = {UART_IN: uart, UART_OUT: uart, FAULT: aux == 0, EVENT: arg >> 24 != 0}
    wrong[FRAME_ERROR] = not 0 < aux <= REFUSED or arg != 0
    return FIELD if wrong.get(op, aux != 0) else 0


def _error(frame: Frame, reason: int) -> None:
    word0 = frame.words[0]
    tag = word0 >> 16 & 0xFFFF
    frame.events.append(("response", 0, FRAME_ERROR | reason << 8 | tag << 16, word0))
    frame.counts["bad_frame"] = 1


def _reply(frame: Frame, op: int, word1: int) -> tuple[Any, ...]:
    return ("response", int(op == READ_DATA), frame.words[0] >> 8 << 8 | op, word1)


def _write(frame: Frame, shape: Shape) -> None:
    where = fields(frame.words[0], frame.words[1])
    data, total = frame.words[2:], -(-where[3] // 8)
    if reason := range_reason(*where):
        return _error(frame, reason)
    if not data and not frame.cut:
        return _error(frame, LENGTH)
    if not shape.has(*where):
        return _error(frame, REFUSED)
    frame.requests = True
    frame.events.append(("write", shape.command(*where)))
    frame.counts["bytes_written"] = 0
    for n, word in enumerate(data):
        ends = n == total - 1
        if ends != (n == len(data) - 1 and not frame.cut) or (ends and unpadded([word], where[3])):
            frame.events.append(("abort",))
            return _error(frame, FIELD if ends and n == len(data) - 1 and not frame.cut else LENGTH)
        frame.events.append(("word", word))
        frame.counts["bytes_written"] += min(8, where[3] - 8 * n)
    if frame.cut:
        frame.events.append(("abort",))
        return _error(frame, LENGTH)
    if frame.refused:
        return _error(frame, REFUSED)
    frame.counts["frame_in"] = 1
    frame.events.append(_reply(frame, WRITE_DONE, frame.words[1]))
    return None


def _short(frame: Frame, shape: Shape) -> None:
    w, op = frame.words, frame.words[0] & 255
    frame.counts["frame_in"] = 1
    if reason := short_reason(w):
        return _error(frame, reason)
    if op == READ and shape.has(*fields(w[0], w[1])):
        frame.events.append((*_reply(frame, READ_DATA, w[1]), shape.command(*fields(w[0], w[1]))))
        return None
    if op in {REG_READ, REG_WRITE}:
        frame.requests = True
        if op == REG_WRITE:
            frame.events.append(("register", 1, w[0] >> 32, w[1]))
        else:
            frame.events.append(("register", 0, w[0] >> 32))
            if not frame.refused:
                frame.events.append(_reply(frame, REG_DATA, frame.value))
        return _error(frame, REFUSED) if frame.refused else None
    if op in {MSG, UART_IN, START} and shape.pass_frames:
        frame.requests = True
        frame.events.append(("pass", *w))
        return _error(frame, REFUSED) if frame.refused else None
    return _error(frame, REFUSED)


def judge(frame: Frame, shape: Shape) -> None:
    """Fill in what the frame leads to."""
    if frame.words[0] & 255 == WRITE and len(frame.words) >= 2:
        _write(frame, shape)
    elif frame.cut or len(frame.words) > MOST_WORDS:
        _error(frame, LENGTH)
    else:
        _short(frame, shape)


def _range_words(rng: random.Random, op: int, shape: Shape) -> list[int]:
    space = rng.choice([CHANNEL, PROGRAM, rng.randrange(6), rng.randrange(6), rng.randrange(8)])
    wild = rng.random() < 0.1
    count = rng.choice([8, 8, 16, rng.randint(1, 90), rng.randint(1, 90), 0 if wild else 24, MOST_BYTES + wild])
    if count >= MOST_BYTES and (op == WRITE or rng.random() < 0.5):
        count = 40
    top = rng.choice([CHANNEL_BYTES - count, 8 * PROGRAM_WORDS - count, (1 << 32) - count, (1 << 32) - count // 4])
    address = rng.choice([rng.randrange(8192), rng.randrange(90) * 8, top + rng.randrange(-8, 9)]) & 0xFFFFFFFF
    target = 0
    if space not in {SLICE0, SLICE1, PROGRAM} or rng.random() < 0.05:
        target = rng.choice([rng.randrange(4), rng.randrange(4), 0xFFFFFFFF, rng.getrandbits(32)])
    if space == INSTR and rng.random() < 0.8:
        count &= ~3
    return [op | space << 8 | rng.getrandbits(16) << 16 | address << 32, count | target << 32]


def _length(rng: random.Random, words: int) -> int:
    return max(
        0, words + (rng.choice([-1, 1, 40, MOST_WORDS - words, MOST_WORDS + 1 - words]) if rng.random() < 0.1 else 0)
    )


def random_frame(rng: random.Random, shape: Shape, may_cut: bool) -> Frame:
    """One, mostly well formed."""
    op = rng.choice([*OPS, *OPS, WRITE, WRITE, READ, rng.choice(OTHERS), rng.getrandbits(8)])
    small = rng.random() < 0.8
    aux = rng.choice([0, 1, 2, 16, rng.randrange(20)]) if small else rng.getrandbits(8)
    arg = (
        rng.getrandbits(16) | rng.randrange(256) << 16 | rng.getrandbits(7) << 24 if not small else rng.getrandbits(22)
    )
    if rng.random() < 0.1:
        arg = rng.choice([1 << 31, 1 << 31 | 5 << 16, 0x0001FFFF, 0x0002FFFF])
    words = [op | aux << 8 | rng.getrandbits(16) << 16 | arg << 32]
    length = {MSG: 2 + 2 * aux, EVENT: 4, UART_IN: 1, UART_OUT: 1, REG_READ: 1}.get(op, 2)
    if op in {REG_READ, REG_WRITE, REG_DATA} and rng.random() < 0.8:
        words[0] &= ~0xFF00
    if op in {WRITE, READ, WRITE_DONE, READ_DATA}:
        words = _range_words(rng, op, shape)
        data = -(-(words[1] & 0xFFFFFFFF) // 8) if op in {WRITE, READ_DATA} else 0
        length = 2 + min(data, 60)
    while len(words) < length:
        words.append(rng.getrandbits(32 if op == START and small else 64))
    if op in {WRITE, READ_DATA} and (tail := words[1] % 8) and length > 2 and rng.random() < 0.9:
        words[-1] &= (1 << 8 * tail) - 1
    length = max(1, _length(rng, length))
    words = words[:length] + [rng.getrandbits(64) for _ in range(length - len(words))]
    frame = Frame(words, refused=rng.random() < 0.2, value=rng.getrandbits(64))
    if may_cut and rng.random() < 0.1:
        frame.cut = True
        frame.words = words[: rng.randint(1, len(words))]
    judge(frame, shape)
    return frame

# SPDX-License-Identifier: Apache-2.0
"""Instructions of collective nodes, for programs of one's own.

Input: numbers; output: ``Instruction`` tuples that ``Communicator.run_programs`` executes. A program is a list of
them: what a step moves, then ``go``, again and again, then ``end``. Rules: ``roles/collective/program.h``.

    copy = [read(0, src.offset, 4096), write(1, from_read(0), dst.offset, 4096), go(mark=1), end()]
"""

from __future__ import annotations

from typing import NamedTuple

BEAT = 32  # bytes; buffers and patterns begin at multiples of it
REDUCE, PARTITION, PASS = 1, 2, 3  # kinds of operators
NO_MARK = 0xFF
_NONE = 0xFF


class Instruction(NamedTuple):
    """One instruction; fields that it does not use are zero."""

    op: int
    number: int = 0  # of the channel, lane, port or mark
    source: int = _NONE
    flags: int = 0
    run_bytes: int = 0
    base: int = 0
    stride: int = 0
    runs: int = 0
    extra: int = 0


def from_read(channel: int) -> int:
    """Source: what DMA engine R# of the channel reads."""
    return channel


def from_lane(lane: int) -> int:
    """Source: what arrives on the lane."""
    return 0x80 + lane


def from_operator(output: int) -> int:
    """Source: an output of the operator."""
    return 0xC0 + output


def read(channel: int, base: int, run_bytes: int, runs: int = 1, stride: int = 0) -> Instruction:
    """R# reads ``runs`` runs of ``run_bytes`` bytes, ``stride`` apart, from byte ``base`` of the channel."""
    return Instruction(1, channel, run_bytes=run_bytes, base=base, stride=stride, runs=runs)


def write(
    channel: int, source: int, base: int, run_bytes: int, runs: int = 1, stride: int = 0, open_end: bool = False
) -> Instruction:
    """W# writes what ``source`` gives; ``open_end``: the stream may be shorter than the pattern."""
    return Instruction(2, channel, source, 4 if open_end else 0, run_bytes, base, stride, runs)


def send(
    lane: int, source: int = _NONE, eager: bool = False, pulse_only: bool = False, signature: int = 0
) -> Instruction:
    """One block from ``source`` leaves on the lane; the peer must take it with the same flags and signature."""
    return Instruction(3, lane, source, eager | pulse_only << 1, extra=signature)


def take(lane: int, eager: bool = False, pulse_only: bool = False, signature: int = 0) -> Instruction:
    """One block is expected on the lane; sinks select it by ``from_lane``."""
    return Instruction(4, lane, flags=eager | pulse_only << 1, extra=signature)


def feed(port: int, source: int) -> Instruction:
    """Input ``port`` of the operator takes from ``source``."""
    return Instruction(5, port, source)


def config(output: int, kind: int, word: int, mask: int) -> Instruction:
    """Configure an output of the operator (``blocks/operators/README.md``): its word and the inputs it takes."""
    signed = mask - (1 << 64) if mask >> 63 else mask
    return Instruction(6, output, base=word, stride=signed, extra=kind)


def go(mark: int = NO_MARK, together: bool = False) -> Instruction:
    """Start the step. ``mark``: gets the cycle of its end; ``together``: sources wait for all permissions."""
    return Instruction(7, mark, flags=int(together))


def end() -> Instruction:
    """End the program."""
    return Instruction(0)

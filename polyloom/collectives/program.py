# SPDX-License-Identifier: Apache-2.0
"""Instructions of collective nodes, for programs of one's own.

Input: numbers; output: ``Instruction`` tuples that ``Communicator.run_programs`` executes. A program is a list of
them: what a step moves, then ``go``, again and again, then ``end``. Rules: ``roles/collective/arch/program.h``.

    copy = [read(0, src.offset, 4096), write(1, from_read(0), dst.offset, 4096), go(mark=1), end()]
"""

from __future__ import annotations

from typing import NamedTuple

from polyloom.collectives import encoding

BEAT = encoding.BEAT_BYTES  # buffers and patterns begin at multiples of it
REDUCE, PARTITION, PASS = encoding.OPERATOR_REDUCE, encoding.OPERATOR_PARTITION, encoding.OPERATOR_PASS
NO_MARK = 0xFF


class Instruction(NamedTuple):
    """One instruction; fields that it does not use are zero."""

    op: int
    number: int = 0  # of the channel, lane, port or mark
    source: int = encoding.FROM_NONE
    flags: int = 0
    run_bytes: int = 0
    base: int = 0
    stride: int = 0
    runs: int = 0
    extra: int = 0


def from_read(channel: int) -> int:
    """Source: what DMA engine R# of the channel reads."""
    return encoding.FROM_READ + channel


def from_lane(lane: int) -> int:
    """Source: what arrives on the lane."""
    return encoding.FROM_LANE + lane


def from_operator(output: int) -> int:
    """Source: an output of the operator."""
    return encoding.FROM_OPERATOR + output


def _flags(eager: bool, pulse_only: bool) -> int:
    return (encoding.FLAG_EAGER if eager else 0) | (encoding.FLAG_PULSE_ONLY if pulse_only else 0)


def read(channel: int, base: int, run_bytes: int, runs: int = 1, stride: int = 0) -> Instruction:
    """R# reads ``runs`` runs of ``run_bytes`` bytes, ``stride`` apart, from byte ``base`` of the channel."""
    return Instruction(encoding.OP_READ, channel, run_bytes=run_bytes, base=base, stride=stride, runs=runs)


def write(
    channel: int, source: int, base: int, run_bytes: int, runs: int = 1, stride: int = 0, open_end: bool = False
) -> Instruction:
    """W# writes what ``source`` gives; ``open_end``: the stream may be shorter than the pattern."""
    return Instruction(
        encoding.OP_WRITE, channel, source, encoding.FLAG_OPEN_END if open_end else 0, run_bytes, base, stride, runs
    )


def send(
    lane: int, source: int = encoding.FROM_NONE, eager: bool = False, pulse_only: bool = False, signature: int = 0
) -> Instruction:
    """One block from ``source`` leaves on the lane; the peer must take it with the same flags and signature."""
    return Instruction(encoding.OP_SEND, lane, source, _flags(eager, pulse_only), extra=signature)


def take(lane: int, eager: bool = False, pulse_only: bool = False, signature: int = 0) -> Instruction:
    """One block is expected on the lane; sinks select it by ``from_lane``."""
    return Instruction(encoding.OP_TAKE, lane, flags=_flags(eager, pulse_only), extra=signature)


def feed(port: int, source: int) -> Instruction:
    """Input ``port`` of the operator takes from ``source``."""
    return Instruction(encoding.OP_FEED, port, source)


def config(output: int, kind: int, word: int, mask: int) -> Instruction:
    """Configure an output of the operator (``blocks/operators/README.md``): its word and the inputs it takes."""
    signed = mask - (1 << 64) if mask >> 63 else mask
    return Instruction(encoding.OP_CONFIG, output, base=word, stride=signed, extra=kind)


def go(mark: int = NO_MARK, together: bool = False) -> Instruction:
    """Start the step. ``mark``: gets the cycle of its end; ``together``: sources wait for all permissions."""
    return Instruction(encoding.OP_GO, mark, flags=encoding.FLAG_TOGETHER if together else 0)


def end() -> Instruction:
    """End the program."""
    return Instruction(encoding.OP_END)

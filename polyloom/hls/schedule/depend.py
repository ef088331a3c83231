# SPDX-License-Identifier: Apache-2.0
"""Order of operations with effects: which must follow which, by how many cycles, over how many iterations.

A read and a write of one word need different cycles, since a block RAM gives undefined data otherwise. Handshakes with
the world outside stay in order with each other and with all memory accesses.
"""

from __future__ import annotations

from dataclasses import dataclass

from polyloom.hls.ir import HANDSHAKES, Block, Instr
from polyloom.hls.linear import Linear, LoopAddresses
from polyloom.hls.memory import Memories


@dataclass(frozen=True)
class Order:
    """``after`` is at least ``cycles`` after ``before`` of ``distance`` iterations earlier."""

    before: Instr
    after: Instr
    cycles: int
    distance: int = 0


@dataclass(frozen=True)
class Collision:
    """``store`` may not be in the cycle of ``other``, ``distance`` iterations later: they share a word, not a byte."""

    store: Instr
    other: Instr
    distance: int


def exclusive(instr: Instr) -> bool:
    """Whether an operation may wait for the world outside, so that its cycle has no other access."""
    return instr.op in HANDSHAKES or Memories.may_be_dram(instr)


def ordered(instr: Instr) -> bool:
    """Whether the order of an operation matters at all."""
    return instr.op in {"load", "store", "cycle"} or instr.op in HANDSHAKES


def orders(block: Block, loop: LoopAddresses | None = None) -> list[Order]:
    """All pairs; with ``loop`` also those across iterations of the block as a loop."""
    result = []
    ops = [i for i in block.body if ordered(i)]
    for k, second in enumerate(ops):
        for first in ops[:k]:
            if _conflict(first, second, loop, same_iteration=True):
                result.append(Order(first, second, _cycles(first)))
    if loop is not None:
        for first in ops:
            for second in ops:
                distance = _loop_distance(first, second, loop)
                if distance is not None:
                    result.append(Order(first, second, _cycles(first), distance))
    return result


def _cycles(first: Instr) -> int:
    return 2 if first.op == "load" and Memories.may_be_dram(first) else 1


def _conflict(first: Instr, second: Instr, loop: LoopAddresses | None, same_iteration: bool) -> bool:
    if first.op not in {"load", "store"} or second.op not in {"load", "store"}:
        return True
    if first.op == "load" and second.op == "load":
        return exclusive(first) and exclusive(second)
    if not overlap(first, second):
        return False
    forms = loop or LoopAddresses.none()
    difference = forms.of(first.args[0]).minus(forms.of(second.args[0]))
    return _may_touch(difference, first.attr, second.attr)


def overlap(first: Instr, second: Instr) -> bool:
    """Whether two accesses may be to the same object."""
    if first.objects is None or second.objects is None:
        return True
    return bool(first.objects & second.objects)


def _may_touch(difference: Linear, first_bytes: int, second_bytes: int) -> bool:
    """Whether accesses whose addresses differ so may be in the same 64-bit word."""
    if difference.terms:
        return True
    gap = difference.signed()
    return -8 < gap < 8 or not (gap <= -first_bytes or gap >= second_bytes)


def _loop_distance(first: Instr, second: Instr, loop: LoopAddresses) -> int | None:
    """In how many iterations ``second`` may meet what ``first`` did: the least, or None for never."""
    if not _conflict_kinds(first, second):
        return None
    if first.op not in {"load", "store"} or second.op not in {"load", "store"}:
        return 1
    if not overlap(first, second):
        return None
    a, b = loop.of(first.args[0]), loop.of(second.args[0])
    difference = a.minus(b)
    step = loop.step(b)
    if difference.terms or step is None or loop.step(a) != step:
        return 1
    gap = difference.signed()  # first's address is so far ahead of second's in the same iteration
    if step == 0:
        return 1 if _may_touch(difference, first.attr, second.attr) else None
    # first is at gap - d * step from where second is d iterations later
    for distance in range(1, 9):
        if -first.attr < gap - distance * step < second.attr:
            return distance
    return None if gap / step < 1 else 9


def collisions(block: Block, loop: LoopAddresses) -> list[Collision]:
    """Pairs of accesses to be kept out of one cycle although neither needs the other."""
    result = []
    accesses = [i for i in block.body if i.op in {"load", "store"}]
    for store in (i for i in accesses if i.op == "store"):
        for other in accesses:
            if other is store or not overlap(store, other):
                continue
            a, b = loop.of(store.args[0]), loop.of(other.args[0])
            difference, step = a.minus(b), loop.step(b)
            if difference.terms or not step or loop.step(a) != step:
                continue
            for distance in range(-8, 9):
                if -8 < difference.signed() - distance * step < 8:
                    result.append(Collision(store, other, distance))
    return result


def _conflict_kinds(first: Instr, second: Instr) -> bool:
    if first.op == "load" and second.op == "load":
        return False
    return not (first.op == "cycle" and second.op == "cycle" and first is not second)

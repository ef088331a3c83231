# SPDX-License-Identifier: Apache-2.0
"""A loop's counter gets as many bits as its constant bounds need, not as many as the C type has.

%i:64 = phi [0, before], [%n, loop]           %i.1:11 = phi [0, before], [%n.1, loop]
%n:64 = add %i, 1                       ->    %n.1:11 = add %i.1, 1;   %i = zext %i.1;   %n = zext %n.1
%e:1 = icmp.eq %n, 1024                       %e:1 = icmp.eq %n.1, 1024
"""

from __future__ import annotations

from polyloom.hls.fold import Builder
from polyloom.hls.ir import Block, Const, Function, Instr, replace_all
from polyloom.hls.linear import COUNTER


def narrow_counters(function: Function) -> None:
    """All loops of one block that run from one constant to another."""
    for block in function.blocks:
        if block in block.successors():
            for phi in list(block.phis):
                _narrow(function, block, phi)


def _narrow(function: Function, block: Block, phi: Instr) -> None:
    bounds = _bounds(block, phi)
    if bounds is None:
        return
    compare, after, first, last = bounds
    width = last.bit_length()
    if width >= phi.width:
        return
    step = after.args[1]
    assert isinstance(step, Const)
    small = Instr(width, "phi", [], COUNTER, name=function.fresh(phi.name), where=phi.where)
    head: list[Instr] = [small]
    build = Builder(function, head, phi.where, phi.name)
    wide = build.op("zext", phi.width, small)
    small_after = build.emit("add", width, small, build.const(width, step.value), attr=COUNTER)
    wide_after = build.op("zext", phi.width, small_after)
    small.args = [small_after if b is block else Const(width, first) for b in phi.blocks]
    small.blocks = list(phi.blocks)
    compare.args = [small_after, Const(width, last)]
    block.instrs = [i for i in block.instrs if i is not phi and i is not after]
    phis = len(block.phis)
    block.instrs[phis:phis] = head[1:]
    block.instrs.insert(0, small)
    replace_all(function, {phi: wide, after: wide_after})


def _bounds(block: Block, phi: Instr) -> tuple[Instr, Instr, int, int] | None:
    """(comparison, next value, first, last next value) of a counter that ends the loop by being equal to a constant."""
    compare = block.term.args[0] if block.term.args else None
    if not isinstance(compare, Instr) or compare.op != "icmp" or compare.attr not in {"eq", "ne"}:
        return None
    after, limit = compare.args
    if not isinstance(after, Instr) or after not in block.instrs or not isinstance(limit, Const):
        return None
    if after.op != "add" or after.args[0] is not phi or not isinstance(after.args[1], Const):
        return None
    if phi.args[phi.blocks.index(block)] is not after:
        return None
    outside = [a for a, b in zip(phi.args, phi.blocks, strict=True) if b is not block]
    first, step = outside[0], after.args[1].value
    if not all(isinstance(a, Const) and isinstance(first, Const) and a.value == first.value for a in outside):
        return None
    assert isinstance(first, Const)
    # the loop must go on while they differ, upwards, and meet the limit
    stays = block.term.blocks[1] if compare.attr == "eq" else block.term.blocks[0]
    distance = limit.value - first.value
    if stays is not block or step >> (phi.width - 1) or not step or distance <= 0 or distance % step:
        return None
    return compare, after, first.value, limit.value


__all__ = ["narrow_counters"]

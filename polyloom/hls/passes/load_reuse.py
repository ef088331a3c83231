# SPDX-License-Identifier: Apache-2.0
"""A value that an earlier iteration has loaded is not loaded again.

In a loop that moves by 4 bytes, a load at p + 4 is in the next iteration at p:

    %a = load.4 %p + 4                  %b = phi [load.4 of the first %p], [%a]
    %b = load.4 %p              ->      %a = load.4 %p + 4

Only where nothing that the loop stores may be in the way. The loads before the loop are done even if the loop's body
would not have done them.
"""

from __future__ import annotations

from polyloom.hls.fold import Builder, mask
from polyloom.hls.ir import ADDRESS_BITS, Block, Const, Function, Instr, Value, predecessors, replace_all
from polyloom.hls.linear import Linear, LoopAddresses
from polyloom.hls.schedule.depend import overlap
from polyloom.hls.schedule.modulo import can_pipeline

_FURTHEST = 8  # iterations that a value may be kept


def reuse_loads(function: Function) -> None:
    """All loops of one block."""
    for block in function.blocks:
        if can_pipeline(block):
            _reuse_same(function, block)
            _reuse_earlier(function, block)


def _safe(load: Instr, block: Block) -> bool:
    stores = [i for i in block.body if i.op == "store"]
    return load.op == "load" and not any(overlap(load, s) for s in stores)


def _reuse_same(function: Function, block: Block) -> None:
    """Two loads of one address in an iteration."""
    addresses = LoopAddresses(block)
    mapping: dict[Value, Value] = {}
    known: list[Instr] = []
    for load in block.body:
        if not _safe(load, block):
            continue
        form = addresses.of(load.args[0])
        for other in known:
            gap = addresses.of(other.args[0]).minus(form)
            if other.attr == load.attr and not gap.terms and gap.constant == 0:
                mapping[load] = other
                break
        else:
            known.append(load)
    replace_all(function, mapping)
    block.instrs = [i for i in block.instrs if i not in mapping]


def _reuse_earlier(function: Function, block: Block) -> None:
    before = [p for p in predecessors(function)[block] if p is not block]
    if len(before) != 1 or len(before[0].successors()) != 1:
        return
    addresses = LoopAddresses(block)
    loads = [i for i in block.body if _safe(i, block)]
    for load in loads:
        form = addresses.of(load.args[0])
        step = addresses.step(form)
        if not step:
            continue
        best: tuple[int, Instr] | None = None
        for other in loads:
            gap = addresses.of(other.args[0]).minus(form)
            if other is load or other.op != "load" or other.attr != load.attr or gap.terms:
                continue
            distance, rest = divmod(gap.signed(), step)
            if rest == 0 and 0 < distance <= _FURTHEST and (best is None or distance < best[0]):
                best = (distance, other)
        if best is not None:
            _carry(function, block, before[0], load, best, step)


def _carry(function: Function, block: Block, before: Block, load: Instr, found: tuple[int, Instr], step: int) -> None:
    """``load`` gets what ``found`` was so many iterations ago."""
    distance, source = found
    initial = _first_address(function, block, before, load.args[0])
    if initial is None:
        return
    term = before.instrs.pop()
    build = Builder(function, before.instrs, load.where, "early")
    value: Value = source
    phis = []
    for back in range(distance):
        # the phi that is ``back + 1`` iterations behind begins with what stands so many steps before its source
        offset = Const(ADDRESS_BITS, (step * (distance - 1 - back)) & mask(ADDRESS_BITS))
        first = build.emit("load", load.width, build.op("add", ADDRESS_BITS, initial, offset), attr=load.attr)
        first.align, first.objects, first.early = load.align, load.objects, True
        phi = Instr(load.width, "phi", [first, value], name=function.fresh("carried"), where=load.where)
        phi.blocks = [before, block]
        phis.append(phi)
        value = phi
    before.instrs.append(term)
    block.instrs[0:0] = phis
    load.op, load.args, load.attr, load.objects = "copy", [value], None, None


def _first_address(function: Function, block: Block, before: Block, address: Value) -> Value | None:
    """The address in the first iteration, computed before the loop; None if that is not possible."""
    term = before.instrs.pop()
    build = Builder(function, before.instrs, stem="first")
    inside = set(block.instrs)
    done: dict[Value, Value] = {}

    def copied(value: Value, depth: int) -> Value | None:
        if value not in inside:
            return value
        assert isinstance(value, Instr)
        if value in done:
            return done[value]
        if value.op == "phi":
            return value.args[value.blocks.index(before)]
        if depth > 24 or value.op in {"load", "result"} or not value.width:
            return None
        args = [copied(a, depth + 1) for a in value.args]
        if any(a is None for a in args):
            return None
        done[value] = build.op(value.op, value.width, *(a for a in args if a is not None), attr=value.attr)
        return done[value]

    result = copied(address, 0)
    before.instrs.append(term)
    return result


__all__ = ["Linear", "reuse_loads"]

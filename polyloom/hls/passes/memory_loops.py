# SPDX-License-Identifier: Apache-2.0
"""Copies and fills of memory become loops of one access a step, as wide as the alignment allows.

    memcpy %d, %s, 24   ->   loop: %i = phi [0], [%i + 8]; load.8 %s + %i; store.8 %d + %i; until %i + 8 = 24

An overlapping move runs downwards where its target lies above its source.
"""

from __future__ import annotations

from polyloom.hls.fold import Builder
from polyloom.hls.ir import ADDRESS_BITS, Block, Const, Function, Instr, Value, predecessors

_STRAIGHT = 4  # as many accesses are written out instead of a loop


def expand_memory_operations(function: Function) -> None:
    """Replace memcpy, memmove and memset."""
    again = True
    while again:
        again = False
        for block in function.blocks:
            for index, instr in enumerate(block.instrs):
                if instr.op in {"memcpy", "memmove", "memset"}:
                    _expand(function, block, index)
                    again = True
                    break
            if again:
                break


def alignment(value: Value, depth: int = 0) -> int:
    """Largest power of two, at most 8, that surely divides a value."""
    if isinstance(value, Const):
        return 8 if value.value == 0 else min(8, value.value & -value.value)
    if not isinstance(value, Instr) or depth > 8:
        return 1
    parts = [alignment(a, depth + 1) for a in value.args]
    if value.op in {"add", "sub", "or", "xor", "select"}:
        return min(parts[-2:])
    if value.op == "phi":
        return min(parts, default=1) if depth < 4 else 1
    if value.op in {"zext", "sext", "trunc"}:
        return parts[0]
    if value.op == "mul":
        return min(8, parts[0] * parts[1])
    if value.op == "shl" and isinstance(value.args[1], Const):
        return min(8, parts[0] << min(3, value.args[1].value))
    return 1


def split_block(function: Function, block: Block, index: int, stem: str) -> Block:
    """Move what follows ``index`` to a new block; the caller writes the terminator of the old one."""
    rest = Block(function.fresh(stem), block.instrs[index + 1 :])
    block.instrs = block.instrs[:index]
    function.blocks.insert(function.blocks.index(block) + 1, rest)
    for target in rest.successors():
        for phi in target.phis:
            phi.blocks = [rest if b is block else b for b in phi.blocks]
    return rest


def _expand(function: Function, block: Block, index: int) -> None:
    instr = block.instrs[index]
    target, source, length = instr.args
    where, fill = instr.where, instr.op == "memset"
    unit = min(alignment(target), alignment(length), 8 if fill else alignment(source))
    if isinstance(length, Const) and length.value <= unit * _STRAIGHT:
        out: list[Instr] = []
        _straight(Builder(function, out, where), instr, unit)
        block.instrs[index : index + 1] = out
        return
    rest = split_block(function, block, index, "copied")
    build = Builder(function, block.instrs, where)
    count = build.resize(length, ADDRESS_BITS)
    word = _repeated(build, source, unit) if fill else None
    down: Value | None = None
    if instr.op == "memmove":
        down = build.op("icmp", 1, source, target, attr="ult")
    loop = Block(function.fresh("copy"))
    function.blocks.insert(function.blocks.index(block) + 1, loop)
    if isinstance(length, Const):
        block.instrs.append(Instr(0, "br", [], where=where, blocks=[loop]))
    else:
        empty = build.op("icmp", 1, count, build.const(ADDRESS_BITS, 0), attr="eq")
        block.instrs.append(Instr(0, "br", [empty], where=where, blocks=[rest, loop]))
    _loop(function, (block, loop, rest), (target, source, count), word, down, unit)
    assert rest in predecessors(function)


def _loop(
    function: Function,
    blocks: tuple[Block, Block, Block],
    operands: tuple[Value, Value, Value],
    word: Value | None,
    down: Value | None,
    unit: int,
) -> None:
    before, loop, rest = blocks
    target, source, count = operands
    where = before.term.where
    phi = Instr(ADDRESS_BITS, "phi", [], name=function.fresh("at"), where=where)
    loop.instrs.append(phi)
    build = Builder(function, loop.instrs, where)
    step = build.const(ADDRESS_BITS, unit)
    after = build.op("add", ADDRESS_BITS, phi, step)
    offset: Value = phi
    if down is not None:
        back = build.op("sub", ADDRESS_BITS, count, after)
        offset = build.op("select", ADDRESS_BITS, down, back, phi)
    value = word
    if value is None:
        load = build.emit("load", unit * 8, build.op("add", ADDRESS_BITS, source, offset), attr=unit)
        load.align = unit
        value = load
    address = build.op("add", ADDRESS_BITS, target, offset)
    loop.instrs.append(Instr(0, "store", [address, value], unit, where=where, align=unit))
    end = build.op("icmp", 1, after, count, attr="eq")
    loop.instrs.append(Instr(0, "br", [end], where=where, blocks=[rest, loop]))
    phi.args, phi.blocks = [Const(ADDRESS_BITS, 0), after], [before, loop]


def _repeated(build: Builder, byte: Value, unit: int) -> Value:
    word = build.resize(build.resize(byte, 8), unit * 8)
    have = 8
    while have < unit * 8:
        word = build.op("or", unit * 8, word, build.op("shl", unit * 8, word, build.const(unit * 8, have)))
        have *= 2
    return word


def _straight(build: Builder, instr: Instr, unit: int) -> None:
    target, source, length = instr.args
    assert isinstance(length, Const)
    offsets = [build.const(ADDRESS_BITS, at) for at in range(0, length.value, unit)]
    if instr.op == "memset":
        words = [_repeated(build, source, unit)] * len(offsets)
    else:
        words = []
        for offset in offsets:
            load = build.emit("load", unit * 8, build.op("add", ADDRESS_BITS, source, offset), attr=unit)
            load.align = unit
            words.append(load)
    for offset, word in zip(offsets, words, strict=True):
        address = build.op("add", ADDRESS_BITS, target, offset)
        build.out.append(Instr(0, "store", [address, word], unit, where=instr.where, align=unit))

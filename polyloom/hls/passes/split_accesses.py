# SPDX-License-Identifier: Apache-2.0
"""Accesses that are wider than a word, or may cross a word, become several that do not.

load.8 %p (align 4)   ->   load.4 %p + 4 : load.4 %p
"""

from __future__ import annotations

from polyloom.hls.fold import Builder
from polyloom.hls.ir import ADDRESS_BITS, Function, Instr, Value, replace_all
from polyloom.hls.passes.memory_loops import alignment


def pieces(bytes_: int, align: int) -> list[tuple[int, int]]:
    """(offset, bytes) of aligned accesses of 1, 2, 4 or 8 bytes."""
    result = []
    at = 0
    while at < bytes_:
        size = min(8, align)
        while size > bytes_ - at or (at and at % size):
            size //= 2
        result.append((at, size))
        at += size
    return result


def split_accesses(function: Function) -> None:
    """Rewrite all loads and stores of a function."""
    mapping: dict[Value, Value] = {}
    for block in function.blocks:
        out: list[Instr] = []
        for instr in block.instrs:
            if instr.op not in {"load", "store"}:
                out.append(instr)
                continue
            align = max(instr.align, alignment(instr.args[0]))
            align = min(8, align & -align)
            parts = pieces(instr.attr, align)
            if len(parts) == 1:
                out.append(instr)
                continue
            build = Builder(function, out, instr.where, instr.name or "part")
            if instr.op == "load":
                mapping[instr] = _load(build, instr, parts)
            else:
                _store(build, instr, parts)
        block.instrs = out
    replace_all(function, mapping)


def _load(build: Builder, instr: Instr, parts: list[tuple[int, int]]) -> Value:
    result: Value | None = None
    for offset, size in parts:
        address = build.op("add", ADDRESS_BITS, instr.args[0], build.const(ADDRESS_BITS, offset))
        part = build.emit("load", size * 8, address, attr=size)
        part.align = size
        wide = build.op("zext", instr.width, part)
        moved = build.op("shl", instr.width, wide, build.const(instr.width, offset * 8))
        result = moved if result is None else build.op("or", instr.width, result, moved)
    assert result is not None
    return result


def _store(build: Builder, instr: Instr, parts: list[tuple[int, int]]) -> None:
    address, value = instr.args
    for offset, size in parts:
        where = build.op("add", ADDRESS_BITS, address, build.const(ADDRESS_BITS, offset))
        moved = build.op("lshr", value.width, value, build.const(value.width, offset * 8))
        part = build.resize(moved, size * 8)
        build.out.append(Instr(0, "store", [where, part], size, where=instr.where, align=size))

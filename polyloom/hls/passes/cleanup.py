# SPDX-License-Identifier: Apache-2.0
"""Removes what is computed twice in a block, folds constants, drops what nothing uses.

%a = add %x, 1          %a = add %x, 1
%b = add %x, 1     ->
%c = mul %b, %a         %c = mul %a, %a
"""

from __future__ import annotations

from polyloom.hls.fold import simplify
from polyloom.hls.ir import EFFECTS, Const, Function, Instr, Value, remove_unreachable, replace_all

_NO_SHARING = EFFECTS | {"load", "phi", "pop", "copy", "result", "memcpy", "memmove", "memset"}
KEPT = EFFECTS | {"memcpy", "memmove", "memset"}


def cleanup(function: Function) -> None:
    """Until nothing changes."""
    changed = True
    while changed:
        changed = _fold(function)
        _drop(function)


def _key(value: Value) -> object:
    if isinstance(value, Const):
        return (value.width, value.value, value.objects)
    return id(value)


def _fold(function: Function) -> bool:
    mapping: dict[Value, Value] = {}

    def final(value: Value) -> Value:
        while value in mapping:
            value = mapping[value]
        return value

    for block in function.blocks:
        seen: dict[object, Instr] = {}
        for instr in block.instrs:
            instr.args = [final(a) for a in instr.args]
            if instr.op == "phi":
                others = {_key(a): a for a in instr.args if a is not instr}
                if len(others) == 1:
                    mapping[instr] = next(iter(others.values()))
                continue
            if instr.op == "copy":
                mapping[instr] = instr.args[0]
                continue
            if not instr.width or instr.op in _NO_SHARING:
                continue
            known = simplify(instr.op, instr.attr, instr.width, instr.args)
            key = (instr.op, instr.width, str(instr.attr), *map(_key, instr.args))
            if known is None and key in seen:
                known = seen[key]
            if known is not None and known is not instr:
                mapping[instr] = known
            else:
                seen[key] = instr
    branches = _branches(function, final)
    replace_all(function, mapping)
    for block in function.blocks:
        block.instrs = [i for i in block.instrs if i not in mapping]
    return bool(mapping) or branches


def _branches(function: Function, final: object) -> bool:
    """Take branches on constants; True if there was one."""
    changed = False
    for block in function.blocks:
        term = block.term
        if term.op == "br" and len(term.blocks) == 2:
            cond = term.args[0]
            if isinstance(cond, Const) or term.blocks[0] is term.blocks[1]:
                keep = term.blocks[0] if isinstance(cond, Const) and cond.value else term.blocks[1]
                term.args, term.blocks = [], [keep]
                changed = True
        elif term.op == "switch" and isinstance(term.args[0], Const):
            value = term.args[0].value
            keep = term.blocks[1 + term.attr.index(value)] if value in term.attr else term.blocks[0]
            term.op, term.attr, term.args, term.blocks = "br", None, [], [keep]
            changed = True
    if changed:
        remove_unreachable(function)
    return changed


def _drop(function: Function) -> None:
    live: set[Instr] = set()
    stack = [i for i in function.instrs() if i.op in KEPT or i.op == "pop"]
    while stack:
        instr = stack.pop()
        if instr in live:
            continue
        live.add(instr)
        stack += [a for a in instr.args if isinstance(a, Instr)]
    for block in function.blocks:
        block.instrs = [i for i in block.instrs if i in live]

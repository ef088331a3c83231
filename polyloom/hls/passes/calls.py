# SPDX-License-Identifier: Apache-2.0
"""Calls that LLVM has not inlined become jumps that remember where to return. Recursion is refused.

%r = call f %a; rest   ->   call f %a -> rest.1;   rest.1: %r = result f; rest
"""

from __future__ import annotations

from polyloom.hls.errors import HlsError
from polyloom.hls.ir import Function, Instr, Module, replace_all
from polyloom.hls.passes.memory_loops import split_block


def check_recursion(module: Module) -> None:
    """HlsError naming the circle if a function may call itself."""
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> None:
        for instr in module.functions[name].instrs():
            if instr.op == "call" and instr.attr not in module.functions:
                message = f"{instr.attr} is called but none of the files defines it, nor does the C library of kernels"
                raise HlsError(instr.where, message)
            if instr.op == "call" and instr.attr not in done:
                if instr.attr in path:
                    circle = " -> ".join([*path[path.index(instr.attr) :], instr.attr])
                    raise HlsError(instr.where, f"recursion ({circle}) cannot be in a kernel; use a loop")
                visit(instr.attr, [*path, instr.attr])
        done.add(name)

    visit(module.entry, [module.entry])
    module.functions = {n: f for n, f in module.functions.items() if n in done}


def split_calls(function: Function) -> None:
    """Every call ends its block."""
    for block in list(function.blocks):
        current = block
        while True:
            index = next((k for k, i in enumerate(current.instrs[:-1]) if i.op == "call"), None)
            if index is None:
                break
            call = current.instrs[index]
            rest = split_block(function, current, index, "after")
            jump = Instr(0, "call", call.args, call.attr, where=call.where, blocks=[rest])
            if call.width:
                result = Instr(call.width, "result", [], call.attr, call.name, call.where)
                rest.instrs.insert(0, result)
                replace_all(function, {call: result})
            current.instrs.append(jump)
            current = rest

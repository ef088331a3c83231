# SPDX-License-Identifier: Apache-2.0
"""Calls that LLVM has not inlined become jumps that remember where to return.

%r = call f %a; rest   ->   call f %a -> rest.1;   rest.1: %r = result f; rest
"""

from __future__ import annotations

from polyloom.hls.errors import HlsError
from polyloom.hls.ir import Function, Instr, Module, replace_all
from polyloom.hls.passes.memory_loops import split_block


def check_calls(module: Module) -> None:
    """HlsError naming a function that is called and not there; what is never called goes."""
    reached = {module.entry}
    left = [module.entry]
    while left:
        for instr in module.functions[left.pop()].instrs():
            if instr.op != "call" or instr.attr in reached:
                continue
            if instr.attr not in module.functions:
                message = f"{instr.attr} is called but none of the files defines it, nor does the C library of kernels"
                raise HlsError(instr.where, message)
            reached.add(instr.attr)
            left.append(instr.attr)
    module.functions = {n: f for n, f in module.functions.items() if n in reached}


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

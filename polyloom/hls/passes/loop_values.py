# SPDX-License-Identifier: Apache-2.0
"""Gives a loop of one block the form that overlapping needs: every value that leaves an iteration is an operation.

A phi that is used after the loop, and a phi's next value that is a phi or comes from outside, get a copy:

    %a = phi [0], [%b]        %a = phi [0], [%b1]
    %b = phi [1], [%c]   ->   %b = phi [1], [%c];  %b1 = copy %b
"""

from __future__ import annotations

from polyloom.hls.ir import Block, Function, Instr, Value


def normalise_loop(function: Function, block: Block) -> None:
    """Add the copies."""
    inside = set(block.instrs)
    phis = set(block.phis)
    copies: dict[Value, Instr] = {}

    def copied(value: Value) -> Instr:
        if value not in copies:
            copy = Instr(value.width, "copy", [value], name=function.fresh("carried"), where=block.term.where)
            copies[value] = copy
        return copies[value]

    for phi in block.phis:
        at = phi.blocks.index(block)
        value = phi.args[at]
        if value in phis or value not in inside:
            phi.args[at] = copied(value)
    for other in function.blocks:
        if other is block:
            continue
        for instr in other.instrs:
            instr.args = [copied(a) if a in phis else a for a in instr.args]
    block.instrs[-1:-1] = copies.values()

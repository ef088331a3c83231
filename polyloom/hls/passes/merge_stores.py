# SPDX-License-Identifier: Apache-2.0
"""Stores to one address in a block become one, as the branches of a condition leave them behind.

store %p, %a if %c              %v = select %d, %b, %a
store %p, %b if %d      ->      store %p, %v if %c | %d
"""

from __future__ import annotations

from polyloom.hls.fold import Builder
from polyloom.hls.ir import HANDSHAKES, Block, Function, Instr
from polyloom.hls.linear import LoopAddresses
from polyloom.hls.memory import Memories
from polyloom.hls.schedule.depend import overlap


def merge_stores(function: Function) -> None:
    """All blocks."""
    for block in function.blocks:
        while _merge_one(function, block):
            pass


def _merge_one(function: Function, block: Block) -> bool:
    addresses = LoopAddresses(block)
    last: Instr | None = None
    for instr in block.instrs:
        if last is not None and instr.op == "store" and instr.attr == last.attr:
            gap = addresses.of(instr.args[0]).minus(addresses.of(last.args[0]))
            if not gap.terms and gap.constant == 0:
                _replace(function, block, last, instr)
                return True
        if instr.op == "store" and not Memories.may_be_dram(instr):
            last = instr
        elif instr.op in HANDSHAKES or (last is not None and instr.op == "load" and overlap(instr, last)):
            last = None
    return False


def _replace(function: Function, block: Block, first: Instr, second: Instr) -> None:
    out: list[Instr] = []
    build = Builder(function, out, second.where, "merged")
    if len(second.args) > 2:
        address, value, condition = second.args
        second.args = [address, build.op("select", value.width, condition, value, first.args[1])]
        if len(first.args) > 2:
            second.args.append(build.op("or", 1, first.args[2], condition))
    second.objects = (
        second.objects if second.objects is None or first.objects is None else second.objects | first.objects
    )
    block.instrs.remove(first)
    at = block.instrs.index(second)
    block.instrs[at:at] = out


__all__ = ["merge_stores"]

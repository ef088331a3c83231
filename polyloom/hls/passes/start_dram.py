# SPDX-License-Identifier: Apache-2.0
"""Static objects in DRAM get their initial values when the kernel starts: DRAM holds anything before.

static int a[1 << 20] = {1, 2};   ->   memcpy @a, @a.start, 8;  memset @a + 8, 0, 4194296;  what the entry does
"""

from __future__ import annotations

from polyloom.hls.ir import ADDRESS_BITS, Const, Instr, Module


def start_dram(module: Module) -> None:
    """Put the copies and fills at the head of the entry."""
    first: list[Instr] = []
    for obj in module.objects:
        if not obj.in_dram or obj.kind == "local":
            continue
        begin = 0
        if obj.start is not None:
            begin = obj.start.size
            source = Const(ADDRESS_BITS, obj.start.address, frozenset({obj.start}))
            target = Const(ADDRESS_BITS, obj.address, frozenset({obj}))
            first.append(Instr(0, "memcpy", [target, source, Const(ADDRESS_BITS, begin)]))
        rest = (obj.size + 7) // 8 * 8 - begin
        if rest:
            target = Const(ADDRESS_BITS, obj.address + begin, frozenset({obj}))
            first.append(Instr(0, "memset", [target, Const(8, 0), Const(ADDRESS_BITS, rest)]))
    entry = module.functions[module.entry].blocks[0]
    entry.instrs[:0] = first

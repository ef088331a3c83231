# SPDX-License-Identifier: Apache-2.0
"""Facts about a kernel for programs and people: objects, constant strings, loops, states, registers, ports, memory."""

from __future__ import annotations

from typing import Any

from polyloom.base import json_text
from polyloom.hls.emit.count import Counting
from polyloom.hls.emit.design import Design
from polyloom.hls.emit.streams import used_ports
from polyloom.hls.ir import Const, Instr
from polyloom.hls.loops import loops
from polyloom.hls.options import Options
from polyloom.hls.reader.debug import in_library
from polyloom.hls.schedule.plan import Plan
from polyloom.hls.schedule.why import Why


def report_of(design: Design, options: Options) -> dict[str, Any]:
    """The report; call it when the text has been written, since that decides about registers."""
    memories = design.memories
    objects = []
    strings = {}
    for obj in sorted(design.module.objects, key=lambda o: o.address):
        memory = memories.of_object.get(obj)
        objects.append(
            {
                "name": obj.name,
                "address": obj.address,
                "bytes": obj.size,
                "kind": obj.kind,
                "memory": memory.name if memory else "dram" if obj.in_dram else None,
                "copies": memory.copies if memory else 0,
                "where": obj.where,
            }
        )
        text = obj.content.ljust(obj.size, b"\0")
        if obj.kind == "constant" and not obj.points and text.endswith(b"\0") and b"\0" not in text[:-1]:
            strings[f"{obj.address:#010x}"] = json_text.of_bytes(text[:-1])
    return {
        "objects": objects,
        "strings": strings,
        "loops": _loops(design, options),
        "states": len(design.states()),
        "registers": {"count": len(design.registers), "bits": sum(design.registers.values())},
        "units": _units(design),
        "ports": {
            "push": used_ports(design, "push"),
            "pop": used_ports(design, "pop"),
            "dram": memories.dram,
        },
        "dram_bytes": sum(o.size for o in design.module.objects if o.in_dram),
        "memory_bits": sum(m.words * 64 * m.copies for m in memories.memories),
    }


def _loops(design: Design, options: Options) -> list[dict[str, Any]]:
    """All loops; those of the library without reasons. ``rows``: of what counts them, that of the first block first."""
    why = Why(design.plans, design.memories, options.delay_ns)
    rows = Counting(design)
    found = []
    for function in design.module.functions.values():
        every = loops(function)
        for loop in every:
            plan = design.plans[loop.header]
            block = plan.block
            single = len(loop.blocks) == 1
            latch = next(b for b in function.blocks if b in loop.blocks and block in b.successors())
            where = next((i.where for i in [latch.term, *latch.instrs] if i.where), "")
            inside = [other for other in every if other.header in loop.blocks]
            others = [b for b in function.blocks if b in loop.blocks and b is not block]
            found.append(
                {
                    "where": where,
                    "nest": sum(block in other.blocks for other in every),
                    "pipelined": bool(plan.ii),
                    "ii": (plan.ii or plan.length) if single else None,
                    "depth": plan.length if single else None,
                    "trip_count": trip_count(plan) if single else None,
                    "why": "" if in_library(where) else why.of(loop, inside),
                    "rows": [row for b in [block, *others] for row in rows.rows_of(b)],
                }
            )
    return found


def trip_count(plan: Plan) -> int | None:
    """How often a loop of one block runs, if that is a constant."""
    block = plan.block
    cond = block.term.args[0] if block.term.args else None
    if not isinstance(cond, Instr) or cond.op != "icmp" or cond.attr != "eq":
        return None
    after, limit = cond.args
    if not isinstance(after, Instr) or after.op != "add" or not isinstance(limit, Const):
        return None
    phi, step = after.args
    if not (isinstance(phi, Instr) and phi.op == "phi" and phi in block.phis and isinstance(step, Const)):
        return None
    first = [a for a, b in zip(phi.args, phi.blocks, strict=True) if b is not block]
    if len(first) != 1 or not isinstance(first[0], Const) or not step.value:
        return None
    distance = (limit.value - first[0].value) % (1 << phi.width)
    return distance // step.value if distance % step.value == 0 else None


def _units(design: Design) -> dict[str, int]:
    result: dict[str, int] = {}
    for use in design.binding.units:
        key = f"{use.unit.kind}_{use.unit.width}"
        result[key] = result.get(key, 0) + 1
    return result

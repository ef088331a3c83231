# SPDX-License-Identifier: Apache-2.0
"""Which port of which memory, and which unit, serves each operation. Input: the plans; output: a Binding.

In a cycle writes take port A first (DMA shares port B); a write goes to all copies of a memory, a read to one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from polyloom.hls.ir import Instr
from polyloom.hls.memory import Memories, Memory
from polyloom.hls.schedule.plan import Plan
from polyloom.hls.units import Unit, Units


@dataclass(frozen=True)
class Port:
    """A port of a copy of a memory; ``copy`` -1: of all copies."""

    memory: Memory
    side: str  # "a" or "b"
    copy: int


@dataclass(eq=False)
class Access:
    """An operation at a port."""

    plan: Plan
    instr: Instr
    port: Port


@dataclass(eq=False)
class UnitUse:
    """One unit and the operations that it does."""

    name: str
    unit: Unit
    users: list[tuple[Plan, Instr]] = field(default_factory=list)


@dataclass(eq=False)
class Binding:
    """The result."""

    accesses: list[Access] = field(default_factory=list)
    port_of: dict[tuple[Instr, Memory], Port] = field(default_factory=dict)
    units: list[UnitUse] = field(default_factory=list)
    unit_of: dict[Instr, UnitUse] = field(default_factory=dict)


def bind(plans: list[Plan], memories: Memories, units: Units) -> Binding:
    """Bind all operations of all plans."""
    binding = Binding()
    for plan in plans:
        _bind_ports(plan, memories, binding)
        _bind_units(plan, units, binding)
    return binding


def _by_slot(plan: Plan, instrs: list[Instr]) -> dict[int, list[Instr]]:
    result: dict[int, list[Instr]] = {}
    for instr in instrs:
        time = plan.time[instr]
        result.setdefault(time % plan.ii if plan.ii else time, []).append(instr)
    return result


def _bind_ports(plan: Plan, memories: Memories, binding: Binding) -> None:
    accesses = [i for i in plan.block.body if i.op in {"load", "store"}]
    for together in _by_slot(plan, accesses).values():
        for memory in memories.memories:
            here = [i for i in together if memory in memories.of(i)]
            sides = ["a", "b"]
            for instr in (i for i in here if i.op == "store"):
                _note(binding, plan, instr, Port(memory, sides.pop(0), -1))
            places = [(side, copy) for side in sides for copy in range(memory.copies)]
            for instr in (i for i in here if i.op == "load"):
                side, copy = places.pop(0)
                _note(binding, plan, instr, Port(memory, side, copy))


def _note(binding: Binding, plan: Plan, instr: Instr, port: Port) -> None:
    binding.accesses.append(Access(plan, instr, port))
    binding.port_of[(instr, port.memory)] = port


def _bind_units(plan: Plan, units: Units, binding: Binding) -> None:
    busy: dict[UnitUse, set[int]] = {}
    for instr in sorted(plan.block.body, key=lambda i: plan.time[i]):
        unit = units.of(instr)
        if unit is None:
            continue
        time = plan.time[instr]
        span = {(time + k) % plan.ii if plan.ii else time + k for k in range(unit.interval)}
        same = [u for u in binding.units if u.unit == unit]
        use = next((u for u in same if not span & busy.get(u, set())), None)
        if use is None:
            result = f"_{unit.result}" if unit.result not in {1, unit.width} else ""
            use = UnitUse(f"{unit.kind}_{unit.width}{result}_{len(same)}", unit)
            binding.units.append(use)
        busy.setdefault(use, set()).update(span)
        use.users.append((plan, instr))
        binding.unit_of[instr] = use

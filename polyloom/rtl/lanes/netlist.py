# SPDX-License-Identifier: Apache-2.0
"""A design as groups of cells, read from the JSON that Yosys writes.

A group is a module that was not flattened: the top, and modules that stand in it many times. Each instance of a group
is a lane; lanes are a power of two, and some may have no instance. A signal is a list of bits of its group: 0 and 1
are constants (an undefined bit is 0), others are numbers of nets. Instances inside a group of several lanes: lane =
position in the parent * lanes of the parent + parent's lane.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from polyloom.base.errors import UserError

Sig = tuple[int, ...]
MOST_LANES = 64  # masks of lanes are words of 64 bits in blocks/verilated/shim/lanes.cc


@dataclass(eq=False, slots=True)
class Cell:
    """One cell, or one instance of a group."""

    name: str
    type: str
    parameters: Mapping[str, int]
    ports: dict[str, Sig]
    source: str  # file:line of the RTL

    def number(self, name: str, otherwise: int = 0) -> int:
        """A parameter."""
        return self.parameters.get(name, otherwise)


@dataclass(eq=False)
class Group:
    """A module and its instances."""

    name: str
    inputs: dict[str, Sig]
    outputs: dict[str, Sig]
    cells: list[Cell]
    instances: list[Cell]  # of other groups, in order of the lanes
    parent: Group | None = None
    places: list[Cell] = field(default_factory=list)  # the instances in the parent
    lanes: int = 1
    used: int = 1  # the lanes with an instance, as bits
    names: dict[int, str] = field(default_factory=dict)  # of nets: the deepest in the hierarchy

    def place_of(self, cell: Cell) -> str:
        """Path of the module that the cell came from."""
        if cell.name.startswith("$flatten"):
            return cell.name[8:].rpartition(".")[0].replace("\\", "")
        for port in ("Q", "Y"):
            if port in cell.ports:
                return self.names.get(cell.ports[port][0], "").rpartition(".")[0]
        return cell.name.rpartition(".")[0]


def read(modules: Mapping[str, Any], top: str) -> list[Group]:
    """Groups, each after its parent. UserError if a group stands in two others."""
    groups = {name: _group(name, module, modules.keys()) for name, module in modules.items()}
    first = next((g for name, g in groups.items() if name.split("$")[0] == top), None)
    if first is None:
        raise UserError(f"Yosys has no module {top}")
    ordered = [first]
    for group in ordered:
        for instance in group.instances:
            child = groups[instance.type]
            if child.parent not in (None, group):
                raise UserError(f"{child.name} stands both in {group.name} and elsewhere, so it cannot be lanes")
            if child.parent is None:
                child.parent = group
                ordered.append(child)
            child.places.append(instance)
            child.lanes = 1 << (group.lanes * len(child.places) - 1).bit_length()
            if child.lanes > MOST_LANES:
                raise UserError(f"{child.name} stands {child.lanes} times; lanes are at most {MOST_LANES}")
            child.used = sum(group.used << i * group.lanes for i in range(len(child.places)))
    return ordered


def _group(name: str, module: Mapping[str, Any], modules: Any) -> Group:
    ports = {port: (facts["direction"], _sig(facts["bits"])) for port, facts in module["ports"].items()}
    _refuse_initial(name, module)
    cells = [_cell(cell, facts) for cell, facts in module["cells"].items() if not _is_silent(facts)]
    _turn_shifts(cells)
    return Group(
        name=name,
        inputs={port: bits for port, (direction, bits) in ports.items() if direction == "input"},
        outputs={port: bits for port, (direction, bits) in ports.items() if direction == "output"},
        cells=[cell for cell in cells if cell.type not in modules],
        instances=[cell for cell in cells if cell.type in modules],
        names=_names(module["netnames"]),
    )


def _is_silent(facts: Mapping[str, Any]) -> bool:
    """Without meaning for a simulation."""
    covers = facts["type"] == "$check" and facts["parameters"]["FLAVOR"] not in ("assert", "assume")
    return covers or facts["type"] == "$scopeinfo"


def _refuse_initial(name: str, module: Mapping[str, Any]) -> None:
    """Initial values are for designs without a reset; here what has none starts at random."""
    for net, facts in module["netnames"].items():
        if "init" in facts["attributes"]:
            raise UserError(f"{_source(facts)}: {net} of {name} has an initial value, so it cannot be lanes")
    for facts in module["cells"].values():
        if facts["type"] == "$mem_v2" and set(facts["parameters"]["INIT"]) & {"0", "1"}:
            raise UserError(f"{_source(facts)}: a memory of {name} has initial contents, so it cannot be lanes")


def _source(facts: Mapping[str, Any]) -> str:
    return str(facts["attributes"].get("src", ""))


def _names(nets: Mapping[str, Any]) -> dict[int, str]:
    found: dict[int, str] = {}
    for name, facts in nets.items():
        if not name.startswith("$"):
            for bit in _sig(facts["bits"]):
                if bit > 1 and name.count(".") >= found.get(bit, "").count("."):
                    found[bit] = name
    return found


def _turn_shifts(cells: list[Cell]) -> None:
    """Writing to an element of an array comes as a shift to the right by a negated index: make it one to the left."""
    negated = {cell.ports["Y"]: cell for cell in cells if cell.type == "$neg" and not cell.number("A_SIGNED")}
    for i, cell in enumerate(cells):
        index = negated.get(cell.ports.get("B", ()))
        if cell.type == "$shift" and index is not None and len(index.ports["Y"]) > len(index.ports["A"]):
            ports = {**cell.ports, "B": index.ports["A"]}
            cells[i] = Cell(cell.name, "$shl", cell.parameters, ports, cell.source)


def _cell(name: str, facts: Mapping[str, Any]) -> Cell:
    numbers = {key: _number(value) for key, value in facts["parameters"].items()}
    ports = {port: _sig(bits) for port, bits in facts["connections"].items()}
    return Cell(name, facts["type"], numbers, ports, _source(facts))


def _number(text: str | int) -> int:
    if isinstance(text, int):
        return text
    digits = text.replace("x", "0").replace("z", "0")
    return int(digits, 2) if digits and not digits.strip("01") else 0


def _sig(bits: Sequence[int | str]) -> Sig:
    return tuple(bit if isinstance(bit, int) else int(bit == "1") for bit in bits)

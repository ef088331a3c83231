# SPDX-License-Identifier: Apache-2.0
"""What computes each bit of a design, in pieces that fit processor words, and an order to compute them in.

Input: groups (netlist.py); output: a Graph. Cells that treat all bits alike (multiplexers, registers, bitwise logic,
ports of groups) are cut where all their inputs are joints of different signals, so that the fields of a structure go
their ways without being packed and unpacked; and where they are wider than a word. What is left is a Unit: it is
computed at once, after the units that it depends on.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from polyloom.base.errors import UserError
from polyloom.rtl.lanes.netlist import Cell, Group, Sig

CHUNK = 32  # bits of the pieces of what is wider than LIMIT
LIMIT = 64
LEAST, MOST = 8, 60  # steps of a chunk: where a module ends, and at most; small ones rest more often

#: Cells whose output bit i depends on bit i of these inputs, and on all of the others.
ALIKE = {
    "$mux": ("A", "B"),
    "$not": ("A",),
    "$and": ("A", "B"),
    "$or": ("A", "B"),
    "$xor": ("A", "B"),
    "$bwmux": ("A", "B", "S"),
    "$pmux": ("A", "B"),
    "$bmux": ("A",),
}
REGISTERS = {"$dff", "$dffe", "$adff", "$adffe", "$sdff", "$sdffe", "$sdffce"}


@dataclass(eq=False, slots=True)
class Driver:
    """An output of a cell, or a port of a group, and where it is cut: bit i of ``cuts`` is set if bits i-1 and i are
    apart. ``inputs``: what is cut alike, none if the output cannot be cut; ``control``: the rest."""

    group: Group
    cell: Cell | None
    port: str
    bits: Sig
    inputs: list[tuple[Group, Sig]]
    control: list[tuple[Group, Sig]]
    cuts: int = 0

    def pieces(self) -> list[tuple[int, int]]:
        """[from, to) of each."""
        at = [0, *(i for i in range(1, len(self.bits)) if self.cuts >> i & 1), len(self.bits)]
        return list(itertools.pairwise(at))


@dataclass(eq=False, slots=True)
class Unit:
    """Bits [low, high) of a driver; of a register: of its next value."""

    driver: Driver
    low: int
    high: int


@dataclass(eq=False, slots=True)
class Sink:
    """What needs signals but drives none: the writes of a memory, an assertion, or (no cell) an output of the top."""

    group: Group
    cell: Cell | None
    port: str


Step = Unit | Sink


@dataclass
class Graph:
    """All of a design. ``order``: what is computed in a cycle, in chunks; a step needs what stands before it."""

    groups: list[Group]
    drivers: list[Driver] = field(default_factory=list)
    order: list[list[Step]] = field(default_factory=list)


def build(groups: Sequence[Group]) -> Graph:
    """The graph. UserError if logic depends on itself."""
    graph = Graph(list(groups))
    of_bit: dict[Group, dict[int, tuple[Driver, int]]] = {}
    named = {group.name: group for group in groups}
    for group in groups:
        graph.drivers += _drivers(group)
        for instance in group.instances:
            child = named[instance.type]
            for name, inside in child.outputs.items():
                graph.drivers.append(Driver(group, instance, name, instance.ports[name], [(child, inside)], []))
    for driver in graph.drivers:
        bits = of_bit.setdefault(driver.group, {})
        for i, bit in enumerate(driver.bits):
            bits[bit] = (driver, i)
    _cut(graph.drivers, of_bit)
    _Order(graph, of_bit).run()
    return graph


def _drivers(group: Group) -> Iterator[Driver]:
    for name, bits in group.inputs.items():
        outside = [(group.parent, place.ports[name]) for place in group.places if group.parent is not None]
        yield Driver(group, None, name, bits, outside, [])
    for cell in group.cells:
        if cell.type in REGISTERS:
            control = [(group, cell.ports[name]) for name in ("EN", "SRST") if name in cell.ports]
            yield Driver(group, cell, "Q", cell.ports["Q"], [(group, cell.ports["D"])], control)
        elif cell.type == "$mem_v2":
            width, size = cell.number("WIDTH"), cell.number("ABITS")
            chunks = sum(1 << i for i in range(CHUNK, width, CHUNK))
            for port in range(cell.number("RD_PORTS")):
                data = cell.ports["RD_DATA"][port * width : (port + 1) * width]
                address = cell.ports["RD_ADDR"][port * size : (port + 1) * size]
                yield Driver(group, cell, f"{port}", data, [], [(group, address)], chunks)
        elif "Y" in cell.ports:
            yield _of_cell(group, cell)
        elif cell.type != "$check":
            raise UserError(f"{cell.source or cell.name}: cells of type {cell.type} cannot be lanes")


def _of_cell(group: Group, cell: Cell) -> Driver:
    width = len(cell.ports["Y"])
    alike = ALIKE.get(cell.type, ())
    inputs: list[tuple[Group, Sig]] = []
    for name in alike:
        bits = cell.ports[name]
        if len(bits) % width or (len(bits) != width and cell.type not in ("$pmux", "$bmux")):
            alike, inputs = (), []  # an operand that must be extended first
            break
        inputs += [(group, bits[i : i + width]) for i in range(0, len(bits), width)]
    control = [(group, bits) for name, bits in cell.ports.items() if name != "Y" and name not in alike]
    return Driver(group, cell, "Y", cell.ports["Y"], inputs, control)


_OfBit = dict[Group, dict[int, tuple[Driver, int]]]


def _cut(drivers: Sequence[Driver], of_bit: _OfBit) -> None:
    """The largest set of cuts such that all inputs of a driver have each of its cuts; then those of wide ones."""
    users: dict[Driver, set[Driver]] = {}
    for driver in drivers:
        if driver.inputs:
            driver.cuts = (1 << len(driver.bits)) - 2
        for group, sig in driver.inputs:
            for bit in sig:
                if bit > 1 and (source := of_bit[group].get(bit)):
                    users.setdefault(source[0], set()).add(driver)
    waiting = dict.fromkeys(d for d in drivers if d.inputs)
    while waiting:
        driver = next(iter(waiting))
        del waiting[driver]
        cuts = driver.cuts
        for group, sig in driver.inputs:
            cuts &= _joints(sig, of_bit[group])
        if cuts != driver.cuts:
            driver.cuts = cuts
            waiting.update(dict.fromkeys(users.get(driver, ())))
    for driver in drivers:
        if driver.inputs or driver.cell is None:
            for low, high in driver.pieces():
                if high - low > LIMIT:
                    driver.cuts |= sum(1 << i for i in range(low + CHUNK, high, CHUNK))


def _joints(sig: Sig, of_bit: dict[int, tuple[Driver, int]]) -> int:
    found = 0
    before: tuple[Driver, int] | None = None
    for i, bit in enumerate(sig):
        source = of_bit.get(bit) if bit > 1 else None
        if (
            source is None
            or before is None
            or source[0] is not before[0]
            or source[1] != before[1] + 1
            or source[0].cuts >> source[1] & 1
        ):
            found |= 1 << i
        before = source
    return found


class _Order:
    """Depth first from what is needed, in order of the modules, so that what is used together stands together."""

    def __init__(self, graph: Graph, of_bit: _OfBit) -> None:
        self.graph = graph
        self.of_bit = of_bit
        self.unit_at: dict[Driver, list[Unit]] = {}
        self.sinks = sorted(self._sinks(), key=lambda sink: sink[0])

    def run(self) -> None:
        """Fill graph.order; where pieces of cells seem to depend on themselves, cut them into bits."""
        while True:
            for driver in self.graph.drivers:
                self.unit_at[driver] = self._units(driver)
            circle = self._sort()
            if not circle:
                return
            wide = [u.driver for u in circle if u.driver.inputs and u.high - u.low > 1]
            if not wide:
                raise UserError(_explain(circle))
            for driver in wide:
                driver.cuts = (1 << len(driver.bits)) - 2

    def _units(self, driver: Driver) -> list[Unit]:
        units: list[Unit] = []
        for low, high in driver.pieces():
            units += [Unit(driver, low, high)] * (high - low)
        return units

    def _sources(self, group: Group, sig: Sig) -> Iterator[Unit]:
        of_bit = self.of_bit[group]
        last = None
        for bit in sig:
            if bit > 1 and (source := of_bit.get(bit)) and not _is_start(source[0]):
                unit = self.unit_at[source[0]][source[1]]
                if unit is not last:
                    last = unit
                    yield unit

    def _needs(self, step: Step) -> Iterator[Unit]:
        if isinstance(step, Unit):
            driver = step.driver
            for group, sig in driver.control:
                yield from self._sources(group, sig)
            for group, sig in driver.inputs:
                yield from self._sources(group, sig[step.low : step.high])
            return
        if step.cell is None:
            yield from self._sources(step.group, step.group.outputs[step.port])
        else:
            for name in ("WR_ADDR", "WR_EN", "WR_DATA") if step.cell.type == "$mem_v2" else ("A", "EN"):
                yield from self._sources(step.group, step.cell.ports[name])

    def _sinks(self) -> Iterator[tuple[tuple[int, str], Driver | Sink]]:
        """With what they are sorted by: group and module."""
        for number, group in enumerate(self.graph.groups):
            for cell in group.cells:
                if cell.type in ("$mem_v2", "$check"):
                    yield (number, group.place_of(cell)), Sink(group, cell, "")
        for driver in self.graph.drivers:
            if driver.cell is not None and driver.cell.type in REGISTERS:
                yield (self.graph.groups.index(driver.group), driver.group.place_of(driver.cell)), driver
        top = self.graph.groups[0]
        for name in top.outputs:
            yield (0, name), Sink(top, None, name)

    def _sort(self) -> list[Unit]:
        """Empty if it worked, else a circle."""
        order: list[list[Step]] = [[]]
        state: dict[Step, int] = {}
        before = None
        for place, sink in self.sinks:
            if place != before and len(order[-1]) >= LEAST:
                order.append([])
            before = place
            starts: list[Step] = [sink] if isinstance(sink, Sink) else list(dict.fromkeys(self.unit_at[sink]))
            for start in starts:
                circle = self._visit(start, state, order)
                if circle:
                    return circle
        self.graph.order = [chunk for chunk in order if chunk]
        return []

    def _visit(self, start: Step, state: dict[Step, int], order: list[list[Step]]) -> list[Unit]:
        state[start] = 1
        stack = [(start, self._needs(start))]
        while stack:
            step, needs = stack[-1]
            for need in needs:
                seen = state.get(need)
                if seen is None:
                    state[need] = 1
                    stack.append((need, self._needs(need)))
                    break
                if seen == 1:
                    path = [s for s, _ in stack]
                    return [s for s in path[path.index(need) :] if isinstance(s, Unit)]
            else:
                state[step] = 2
                if len(order[-1]) >= MOST:
                    order.append([])
                order[-1].append(step)
                stack.pop()
        return []


def _is_start(driver: Driver) -> bool:
    """What has its value before anything is computed: a register, an input of the top."""
    if driver.cell is None:
        return driver.group.parent is None
    return driver.cell.type in REGISTERS


def _explain(circle: Sequence[Unit]) -> str:
    names = [f"{u.driver.group.name}.{u.driver.cell.name if u.driver.cell else u.driver.port}" for u in circle[:8]]
    groups = {unit.driver.group.name for unit in circle if unit.driver.cell is None}
    if groups:
        return (
            f"instances of {', '.join(sorted(groups))} depend on each other within a cycle, so they cannot be lanes: "
            + ", ".join(names)
        )
    return f"logic depends on itself: {', '.join(names)}"

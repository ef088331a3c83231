# SPDX-License-Identifier: Apache-2.0
"""LLVM code of a design, and what the C++ around it (blocks/verilated/shim/lanes.cc) needs to know.

Memory of an instance of the design, each region with a base pointer of its own:
  %q  registers                                   %d  their next values, laid out alike
  %t  what one chunk hands to another             %k  assertions that fail, then masks of the memories' writes
  %m  memories: of each its lanes, of each lane its rows of 32-bit words
  %p  ports of the top, as the C ABI has them     %f  flags: three sets of chunks, see activity.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from polyloom.base.errors import UserError
from polyloom.rtl.lanes import activity
from polyloom.rtl.lanes.cells import Cells
from polyloom.rtl.lanes.code import Chunk, Coder, Slots, Word, constant, element_bits, slot_bytes, vector
from polyloom.rtl.lanes.graph import REGISTERS, Driver, Graph, Sink, Unit
from polyloom.rtl.lanes.netlist import Cell, Group, Sig

POINTERS = "qdtkmpf"
_MOST_ROWS = 1 << 24
_NOT_YET = -(1 << 60)  # no reference: of bits of a signal that the present piece of a cell does not take
_GATHER = 16  # lanes of one gathering load; of more LLVM does not come to an end


@dataclass(frozen=True)
class Fill:
    """What a register starts with, or goes to in reset: ``value`` in ``count`` elements of ``size`` bytes; a random
    value of ``width`` bits if it is None."""

    offset: int
    count: int
    size: int
    width: int
    value: int | None


@dataclass(frozen=True)
class Memory:
    """In %m: ``rows`` rows of all ``lanes`` together, of ``width`` bits each; the chunks that read it."""

    offset: int
    rows: int
    lanes: int
    width: int
    readers: set[int]


@dataclass(frozen=True)
class Write:
    """A write port of a memory: ``mask`` (of lanes, 64 bits) in %k; ``address``, ``data``, ``enables`` in %t, words of
    all lanes one after another. ``enables`` -1: whole rows."""

    memory: int  # number of it
    rows: int  # of a lane
    words: int
    lanes: int
    mask: int
    address: int
    data: int
    enables: int


@dataclass(frozen=True)
class Port:
    """Of the top, in %p; of an input the chunks that read each of its 64-bit words."""

    name: str
    bits: int
    offset: int
    is_input: bool
    words: list[Word] = field(default_factory=list)


@dataclass
class Output:
    """All that the build needs."""

    chunks: list[str] = field(default_factory=list)
    commits: list[tuple[int, int]] = field(default_factory=list)  # of each chunk: its registers' offset and bytes
    sizes: dict[str, int] = field(default_factory=dict)
    resets: list[Fill] = field(default_factory=list)
    starts: list[Fill] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    ports: list[Port] = field(default_factory=list)
    checks: list[tuple[str, int, int]] = field(default_factory=list)  # where, lanes, offset in %k
    check_bytes: int = 0


def emit(graph: Graph) -> Output:
    """Code and tables."""
    return _Emitter(graph).run()


class _Emitter:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.coder = Coder()
        self.cells = {group: Cells(self.coder, group.lanes) for group in graph.groups}
        self.refs = {group: _constants(group, graph) for group in graph.groups}
        self.slots = {name: Slots() for name in POINTERS}
        self.slots["t"] = self.coder.temporaries
        self.memory_of: dict[Cell, int] = {}
        self.register_at: dict[tuple[Driver, int], Word] = {}
        self.check_at: dict[Cell, int] = {}
        self.out = Output()

    def run(self) -> Output:
        out, coder = self.out, self.coder
        self._inputs()
        self._registers()
        self._sinks()
        for steps in self.graph.order:
            coder.next_chunk()
            for step in steps:
                if isinstance(step, Sink):
                    self._sink(step)
                elif step.driver.cell is not None and step.driver.cell.type in REGISTERS:
                    self._next(step)
                else:
                    self._compute(step)
        for chunk in coder.chunks:
            activity.finish(coder, chunk, len(coder.chunks))
        self.slots["f"].take(64 * -(-activity.flag_bytes(len(coder.chunks)) // 64))
        out.sizes = {name: slots.size for name, slots in self.slots.items()}
        out.sizes["d"] = out.sizes["q"]
        out.chunks = [_text(chunk) for chunk in coder.chunks]
        return out

    def _signal(self, group: Group, sig: Sig) -> list[int]:
        refs = self.refs[group]
        return [refs.get(bit, _NOT_YET) for bit in sig]

    def _set(self, driver: Driver, low: int, refs: Sequence[int]) -> None:
        of_group = self.refs[driver.group]
        for bit, ref in zip(driver.bits[low : low + len(refs)], refs, strict=True):
            of_group[bit] = ref

    # ---- what is there from the start ----
    def _inputs(self) -> None:
        top = self.graph.groups[0]
        for name, bits in top.inputs.items():
            port = self._port(name, len(bits), is_input=True)
            for at in range(0, len(bits), 64):
                width = min(64, len(bits) - at)
                refs = self.coder.stored(1, max(width, 2), "%p", port.offset + at // 8)  # whole bytes, so no bit word
                port.words.append(self.coder.word(refs[0])[0])
                for bit, ref in zip(bits[at:], refs, strict=False):
                    self.refs[top][bit] = ref

    def _port(self, name: str, bits: int, is_input: bool) -> Port:
        port = Port(name, bits, self.slots["p"].take(64 * -(-bits // 512)), is_input)
        self.out.ports.append(port)
        return port

    def _registers(self) -> None:
        """Those that one chunk computes lie together."""
        for steps in self.graph.order:
            begin = self.slots["q"].take(64)
            for step in steps:
                if isinstance(step, Unit) and step.driver.cell is not None and step.driver.cell.type in REGISTERS:
                    self._register(step)
            self.out.commits.append((begin, self.slots["q"].size - begin))

    def _register(self, unit: Unit) -> None:
        cell, group, width = unit.driver.cell, unit.driver.group, unit.high - unit.low
        assert cell is not None
        self._clocked(group, cell)
        offset = self.slots["q"].take(slot_bytes(group.lanes, width))
        refs = self.coder.stored(group.lanes, width, "%q", offset)
        self._set(unit.driver, unit.low, refs)
        self.register_at[unit.driver, unit.low] = self.coder.word(refs[0])[0]
        if "ARST" in cell.ports:
            value = cell.number("ARST_VALUE") >> unit.low & ((1 << width) - 1)
            self.out.resets.append(_fill(offset, group.lanes, width, value))
        else:
            self.out.starts.append(_fill(offset, group.lanes, width, None))

    def _clocked(self, group: Group, cell: Cell) -> None:
        """All have the one clock and the one reset."""
        clock = _top_port(group, cell.ports["CLK"])
        reset = _top_port(group, cell.ports["ARST"]) if "ARST" in cell.ports else "rst_ni"
        if clock != "clk_i" or not cell.number("CLK_POLARITY") or reset != "rst_ni" or cell.number("ARST_POLARITY"):
            raise UserError(
                f"{cell.source}: a register of {group.name} with another clock than the rising clk_i, or another reset "
                "than the low rst_ni, cannot be lanes"
            )

    def _sinks(self) -> None:
        for group in self.graph.groups:
            for cell in group.cells:
                if cell.type == "$mem_v2":
                    self._memory(group, cell)
                elif cell.type == "$check":
                    self.check_at[cell] = self.slots["k"].take(slot_bytes(group.lanes, 1))
                    self.out.checks.append((cell.source, group.lanes, self.check_at[cell]))
        self.slots["k"].take(64)
        self.out.check_bytes = self.slots["k"].size

    def _memory(self, group: Group, cell: Cell) -> None:
        width, rows = cell.number("WIDTH"), 1 << cell.number("ABITS")
        all_clocked = cell.number("WR_CLK_ENABLE") == (1 << cell.number("WR_PORTS")) - 1
        clocks = {_top_port(group, (bit,)) for bit in cell.ports["WR_CLK"]} <= {"clk_i"}
        if rows > _MOST_ROWS or cell.number("OFFSET") or cell.number("RD_CLK_ENABLE") or not (all_clocked and clocks):
            raise UserError(
                f"{cell.source}: a memory that is not written at the rising clk_i, or of more than "
                f"{_MOST_ROWS} rows, cannot be lanes"
            )
        offset = self.slots["m"].take(64 * -(-group.lanes * rows * -(-width // 32) // 16))
        self.memory_of[cell] = len(self.out.memories)
        self.out.memories.append(Memory(offset, group.lanes * rows, group.lanes, width, set()))

    # ---- what is computed ----
    def _compute(self, unit: Unit) -> None:
        driver, low, high = unit.driver, unit.low, unit.high
        cell, group = driver.cell, driver.group
        if cell is None:
            refs = self._gather(group, driver.port, low, high)
        elif cell.type == "$mem_v2":
            refs = self._read(group, cell, int(driver.port), low, high)
        elif driver.port != "Y":
            refs = self._pick(group, cell, driver, low, high)
        else:
            refs = self.cells[group].compute(cell, lambda name: self._signal(group, cell.ports[name]), low, high)
        self._set(driver, low, refs)

    def _gather(self, group: Group, port: str, low: int, high: int) -> list[int]:
        """An input of a group, from the parent's signals of its instances."""
        parent = group.parent
        assert parent is not None
        coder, lanes, width = self.coder, group.lanes, high - low
        signals = [self._signal(parent, place.ports[port][low:high]) for place in group.places]
        if lanes == parent.lanes:
            return signals[0]
        if all(ref < 2 for signal in signals for ref in signal):
            return self._constants(lanes, parent.lanes, signals)
        if width == 1:
            parts = []
            for i, (ref,) in enumerate(signals):
                if ref:
                    part = coder.op(f"zext i{parent.lanes} {coder.bit(parent.lanes, ref)} to i{lanes}")
                    parts.append(coder.op(f"shl i{lanes} {part}, {i * parent.lanes}") if i else part)
            return coder.computed(lanes, 1, coder.tree("or", f"i{lanes}", parts))  # else a constant, see above
        bits = element_bits(width)
        kind = vector(lanes, f"i{bits}")
        names = [coder.pack(parent.lanes, signal) for signal in signals]
        if parent.lanes == 1:
            if len(set(names)) == 1:
                first = coder.op(f"insertelement {kind} poison, i{bits} {names[0]}, i32 0")
                zeros = f"<{lanes} x i32> zeroinitializer"
                return coder.computed(lanes, width, coder.op(f"shufflevector {kind} {first}, {kind} poison, {zeros}"))
            whole = "poison"
            for i, name in enumerate(names):
                whole = coder.op(f"insertelement {kind} {whole}, i{bits} {name}, i32 {i}")
            return coder.computed(lanes, width, whole)
        return coder.computed(lanes, width, self._joined(names, parent.lanes, lanes, f"i{bits}"))

    def _joined(self, names: list[str], size: int, lanes: int, element: str) -> str:
        """Vectors of ``size`` elements as one of ``lanes``; both are powers of two."""
        names = [*names, *["poison"] * (lanes // size - len(names))]
        while len(names) > 1:
            half, which = vector(size, element), ", ".join(f"i32 {i}" for i in range(2 * size))
            names = [
                self.coder.op(f"shufflevector {half} {a}, {half} {b}, <{2 * size} x i32> <{which}>")
                for a, b in zip(names[::2], names[1::2], strict=True)
            ]
            size *= 2
        return names[0]

    def _constants(self, lanes: int, of_parent: int, signals: Sequence[Sequence[int]]) -> list[int]:
        """Constants that may differ between lanes: bit by bit, so that equal ones vanish."""
        result = []
        for i in range(len(signals[0])):
            bits = [signal[i] for signal in signals for _ in range(of_parent)]
            bits += [bits[0]] * (lanes - len(bits))
            if len(set(bits)) == 1:
                result.append(bits[0])
            else:
                value = sum(bit << lane for lane, bit in enumerate(bits))
                result += self.coder.computed(lanes, 1, self.coder.op(f"add i{lanes} 0, {value}"))
        return result

    def _pick(self, group: Group, instance: Cell, driver: Driver, low: int, high: int) -> list[int]:
        """An output of an instance of a group: lanes of it."""
        child, sig = driver.inputs[0]
        coder, mine = self.coder, group.lanes
        first = child.places.index(instance) * mine

        def piece(only: Sequence[Sequence[int]]) -> list[int]:
            refs = only[0]
            if refs[0] < 2 or child.lanes == mine:
                return list(refs)
            if refs[0] == refs[-1]:
                mask = coder.bit(child.lanes, refs[0])
                if first:
                    mask = coder.op(f"lshr i{child.lanes} {mask}, {first}")
                return coder.computed(mine, 1, coder.op(f"trunc i{child.lanes} {mask} to i{mine}")) * len(refs)
            kind, name = vector(child.lanes, f"i{element_bits(len(refs))}"), coder.pack(child.lanes, refs)
            if mine == 1:
                return coder.computed(1, len(refs), coder.op(f"extractelement {kind} {name}, i32 {first}"))
            which = ", ".join(f"i32 {first + i}" for i in range(mine))
            part = coder.op(f"shufflevector {kind} {name}, {kind} poison, <{mine} x i32> <{which}>")
            return coder.computed(mine, len(refs), part)

        return coder.split([self._signal(child, sig[low:high])], piece)

    def _next(self, unit: Unit) -> None:
        register, low, high = unit.driver, unit.low, unit.high
        cell, group = register.cell, register.group
        assert cell is not None
        cells = self.cells[group]
        now = self._signal(group, register.bits[low:high])
        value = self._signal(group, cell.ports["D"][low:high])
        enable = self._condition(group, cell, "EN")
        clear = self._condition(group, cell, "SRST")
        if enable is not None and cell.type != "$sdffce":
            value, enable = cells.mux(enable, now, value), None
        if clear is not None:
            number = cell.number("SRST_VALUE") >> low
            value = cells.mux(clear, value, [number >> i & 1 for i in range(high - low)])
        if enable is not None:
            value = cells.mux(enable, now, value)
        word = self.register_at[register, low]
        self.coder.chunk.registers.append((word, self.coder.pack(group.lanes, value)))

    def _condition(self, group: Group, cell: Cell, name: str) -> int | None:
        if name not in cell.ports:
            return None
        (ref,) = self._signal(group, cell.ports[name])
        return ref if cell.number(f"{name}_POLARITY") else self.cells[group].invert(ref)

    # ---- memories ----
    def _read(self, group: Group, cell: Cell, port: int, low: int, high: int) -> list[int]:
        coder, lanes, width = self.coder, group.lanes, high - low
        memory = self.out.memories[self.memory_of[cell]]
        memory.readers.add(coder.chunk.number)
        bits = cell.number("ABITS")
        address = self._signal(group, cell.ports["RD_ADDR"][port * bits : (port + 1) * bits])
        index = self._index(lanes, address, 1 << bits, -(-memory.width // 32))
        kind = vector(lanes, "i32")
        base = coder.op(f"getelementptr i8, ptr %m, i64 {memory.offset + 4 * (low // 32)}")
        if lanes == 1:
            wide = coder.op(f"zext i32 {index} to i64")
            pointer = coder.op(f"getelementptr i32, ptr {base}, i64 {wide}")
            name = coder.op(f"load i32, ptr {pointer}, align 4")
        elif lanes <= _GATHER:
            name = self._gathered(base, lanes, index)
        else:
            parts = []
            for first in range(0, lanes, _GATHER):
                which = ", ".join(f"i32 {first + i}" for i in range(_GATHER))
                some = coder.op(f"shufflevector {kind} {index}, {kind} poison, <{_GATHER} x i32> <{which}>")
                parts.append(self._gathered(base, _GATHER, some))
            name = self._joined(parts, _GATHER, lanes, "i32")
        if width == 1:
            flags = coder.op(f"trunc {kind} {name} to {vector(lanes, 'i1')}")
            return coder.computed(lanes, 1, coder.to_mask(lanes, flags))
        return coder.computed(lanes, width, coder.resize(lanes, name, 32, element_bits(width)))

    def _gathered(self, base: str, lanes: int, index: str) -> str:
        coder, kind, yes = self.coder, vector(lanes, "i32"), ", ".join(["i1 true"] * lanes)
        pointers = coder.op(f"getelementptr i32, ptr {base}, {kind} {index}")
        return coder.op(
            f"call {kind} @llvm.masked.gather.v{lanes}i32.v{lanes}p0(<{lanes} x ptr> {pointers}, i32 4, "
            f"<{lanes} x i1> <{yes}>, {kind} poison)"
        )

    def _address(self, lanes: int, address: list[int]) -> str:
        """As 32-bit numbers."""
        address = [*address, 0] if len(address) == 1 else address
        return self.coder.resize(lanes, self.coder.pack(lanes, address), element_bits(len(address)), 32)

    def _index(self, lanes: int, address: list[int], rows: int, words: int) -> str:
        """Number of a row's first word, from the memory's begin."""
        coder, kind = self.coder, vector(lanes, "i32")
        index = self._address(lanes, address)
        if words > 1:
            index = coder.op(f"mul {kind} {index}, {constant(lanes, 32, words)}")
        if lanes == 1:
            return index
        starts = ", ".join(f"i32 {lane * rows * words}" for lane in range(lanes))
        return coder.op(f"add {kind} {index}, <{starts}>")

    def _writes(self, group: Group, cell: Cell) -> None:
        """Ports of one address are one."""
        width, bits = cell.number("WIDTH"), cell.number("ABITS")
        ports: list[tuple[list[int], list[int], list[int]]] = []
        for i in range(cell.number("WR_PORTS")):
            address = self._signal(group, cell.ports["WR_ADDR"][i * bits : (i + 1) * bits])
            enable = self._signal(group, cell.ports["WR_EN"][i * width : (i + 1) * width])
            data = self._signal(group, cell.ports["WR_DATA"][i * width : (i + 1) * width])
            if ports and ports[-1][0] == address and not any(map(int.__mul__, ports[-1][1], enable)):
                _, other, before = ports.pop()
                data = [new if on else old for on, new, old in zip(enable, data, before, strict=True)]
                enable = [on or off for on, off in zip(enable, other, strict=True)]
            ports.append((address, enable, data))
        for address, enable, data in ports:
            if any(enable):
                self._write(group, cell, address, enable, data)

    def _write(self, group: Group, cell: Cell, address: list[int], enable: list[int], data: list[int]) -> None:
        coder, lanes, number = self.coder, group.lanes, self.memory_of[cell]
        words = -(-cell.number("WIDTH") // 32)
        distinct = [ref for ref in dict.fromkeys(enable) if ref]
        mask = self.cells[group].all(distinct, self.cells[group].either, 0)
        size = slot_bytes(lanes, 32)
        at_mask, at_address = self.slots["k"].take(8), coder.temporaries.take(size)
        whole_mask = coder.bit(lanes, mask)
        if lanes < 64:
            whole_mask = coder.op(f"zext i{lanes} {whole_mask} to i64")
        coder.store(1, 64, whole_mask, "%k", at_mask)
        coder.store(lanes, 32, self._address(lanes, address), "%t", at_address)
        whole = len(distinct) == 1 and 0 not in enable
        at_data = self._rows(lanes, words, data)
        at_enables = -1 if whole else self._rows(lanes, words, enable)
        rows = 1 << cell.number("ABITS")
        self.out.writes.append(Write(number, rows, words, lanes, at_mask, at_address, at_data, at_enables))

    def _rows(self, lanes: int, words: int, refs: list[int]) -> int:
        """Store a row as 32-bit words; where."""
        size = slot_bytes(lanes, 32)
        offset = self.coder.temporaries.take(64 * -(-size * words // 64))
        refs = [*refs, *([0] * (32 * words - len(refs)))]
        for k in range(words):
            self.coder.store(lanes, 32, self.coder.pack(lanes, refs[32 * k : 32 * k + 32]), "%t", offset + k * size)
        return offset

    # ---- what is needed ----
    def _sink(self, sink: Sink) -> None:
        group, cell, coder = sink.group, sink.cell, self.coder
        if cell is None:
            sig = group.outputs[sink.port]
            port = self._port(sink.port, len(sig), is_input=False)
            refs = self._signal(group, sig)
            refs += [0] * (-len(refs) % 64)
            for at in range(0, len(refs), 64):
                coder.store(1, 64, coder.pack(1, refs[at : at + 64]), "%p", port.offset + at // 8)
        elif cell.type == "$mem_v2":
            self._writes(group, cell)
        else:
            (a,), (enable,) = self._signal(group, cell.ports["A"]), self._signal(group, cell.ports["EN"])
            bad = coder.bit(group.lanes, self.cells[group].both(enable, self.cells[group].invert(a)))
            if group.used != (1 << group.lanes) - 1:
                bad = coder.op(f"and i{group.lanes} {bad}, {group.used}")
            coder.store(group.lanes, 1, bad, "%k", self.check_at[cell])


def _constants(group: Group, graph: Graph) -> dict[int, int]:
    """References of the bits that nothing computes: 0, 1, and nets without a driver, which are 0."""
    driven = {bit for driver in graph.drivers if driver.group is group for bit in driver.bits}
    used = {bit for cell in [*group.cells, *group.instances] for sig in cell.ports.values() for bit in sig}
    used |= {bit for sig in group.outputs.values() for bit in sig}
    return {bit: 0 for bit in used - driven} | {0: 0, 1: 1}


def _top_port(group: Group, sig: Sig) -> str:
    """Name of the top's input that a signal is, or nothing."""
    name = next((name for name, bits in group.inputs.items() if bits == sig), "")
    if group.parent is None or not name:
        return name
    found = {_top_port(group.parent, place.ports[name]) for place in group.places}
    return found.pop() if len(found) == 1 else ""


def _fill(offset: int, lanes: int, width: int, value: int | None) -> Fill:
    if width == 1:
        ones = (1 << lanes) - 1
        return Fill(offset, 1, slot_bytes(lanes, 1), lanes, None if value is None else value * ones)
    return Fill(offset, lanes, element_bits(width) // 8, width, value)


def _text(chunk: Chunk) -> str:
    body = "\n".join(f"  {line}" for line in chunk.lines)
    pointers = ", ".join(f"ptr noalias %{name}" for name in POINTERS)
    return f"define void @polyloom_lanes_{chunk.number}({pointers}) {{\n{body}\n  ret void\n}}\n"

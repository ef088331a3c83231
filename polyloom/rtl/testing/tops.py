# SPDX-License-Identifier: Apache-2.0
"""Signals of test tops, from the ports of what is tested.

A top holds modules, each in a scope of its own, whose signals a test drives. Where an instance ends in ``.*``, the
signals of its other ports are declared here, under the ports' names; so are those that a port is connected to by name
and that nothing else declares::

    for (genvar k = 0; k < 2; k++) begin : gen_room
      polyloom_overlay_noc_room #(.Flits(4 + k)) i_dut (.leave_i(out), .*);
    end

becomes, in the same line, ``logic out = '0; logic [1:0] arrive_flits_i = '0; logic room_o; ...``. Types are bits, as
many as slang finds when it elaborates the scope with its parameters, also where a port is an unpacked array; inputs
begin with 0. What the scope or the top declares itself, as clock and reset, stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from polyloom.base.errors import UserError
from polyloom.rtl.filelist import FileList


@dataclass
class _Signal:
    """Bits of an element, elements of an unpacked array (0: none), by the index of the loop that the scope is in."""

    is_input: bool
    bits: dict[int, int] = field(default_factory=dict)
    elements: dict[int, int] = field(default_factory=dict)


@dataclass
class _Scope:
    """Where a scope's signals are declared: before its first instance."""

    offset: int
    genvar: str
    signals: dict[str, _Signal] = field(default_factory=dict)


@dataclass
class _File:
    """What is put into a file: scopes by their place, and connections of unpacked ports by theirs."""

    scopes: dict[int, _Scope] = field(default_factory=dict)
    connections: dict[int, str] = field(default_factory=dict)


def expanded(top: str, files: FileList, own: Sequence[Path]) -> dict[Path, str]:
    """The texts of those of the files ``own`` that have such instances, with their signals."""
    import pyslang

    bag, options = pyslang.Bag(), pyslang.ast.CompilationOptions()
    options.topModules = {top}
    bag.compilationOptions = options
    compilation = pyslang.ast.Compilation(bag)
    places: dict[int, Path] = {}
    for path in files.sources:
        tree = pyslang.syntax.SyntaxTree.fromFile(str(path))
        places[tree.root.sourceRange.start.buffer.id] = path
        compilation.addSyntaxTree(tree)
    tops = compilation.getRoot().topInstances
    if not tops:
        raise UserError(f"no module {top} in {', '.join(map(str, own))}")
    found: dict[Path, _File] = {}
    for instance, index in _instances(tops[0].body, 0, pyslang.ast.SymbolKind):
        path = places[instance.syntax.sourceRange.start.buffer.id]
        if path in own and any(str(one).strip() == ".*" for one in instance.syntax.connections):
            _add(instance, index, found.setdefault(path, _File()), pyslang)
    return {path: _with(path.read_bytes(), file) for path, file in found.items()}


def _instances(scope: Any, index: int, kinds: Any) -> Iterator[tuple[Any, int]]:
    """Of a top and of what it is made of in tests: each with its index in the innermost loop."""
    for member in scope:
        if member.kind == kinds.Instance:
            yield member, index
            if not member.definition.name.startswith("polyloom_"):
                yield from _instances(member.body, 0, kinds)
        elif member.kind == kinds.GenerateBlockArray:
            for number, block in enumerate(member.entries):
                yield from _instances(block, number, kinds)
        elif member.kind == kinds.GenerateBlock and not member.isUninstantiated:
            yield from _instances(member, index, kinds)


def _add(instance: Any, index: int, file: _File, pyslang: Any) -> None:
    """Note the signals that an instance lacks."""
    declaration = instance.syntax.parent
    block, loop = declaration.parent, declaration.parent.parent
    genvar = loop.identifier.valueText if loop.kind == pyslang.syntax.SyntaxKind.LoopGenerate else ""
    offset = declaration.sourceRange.start.offset
    scope = file.scopes.setdefault(block.sourceRange.start.offset, _Scope(offset, genvar))
    scope.offset = min(scope.offset, offset)
    connected, rest = {}, 0
    for one in instance.syntax.connections:
        text = str(one).strip()
        if text == ".*":
            rest = one.sourceRange.start.offset
        elif text.endswith(")"):
            port, _, expression = text[1:-1].partition("(")
            connected[port.strip()] = (expression.strip(), one.sourceRange.end.offset - 1)
    of_rest = ""
    for port in instance.body.portList:
        name, end = connected.get(port.name, (port.name, 0))
        declared = instance.parentScope.lookupName(name) if name.isidentifier() else instance
        if declared is not None and not getattr(declared, "isImplicit", False):
            continue
        is_input = port.direction == pyslang.ast.ArgumentDirection.In
        signal = scope.signals.setdefault(name, _Signal(is_input))
        signal.is_input = signal.is_input and is_input
        kind = port.type.canonicalType
        signal.elements[index] = 0
        if not kind.isIntegral:
            signal.elements[index], kind = kind.range.width, kind.elementType.canonicalType
            if end:
                file.connections[end] = "_elements"
            else:
                of_rest += f".{port.name}({name}_elements), "
        signal.bits[index] = kind.bitWidth
    if of_rest:
        file.connections[rest] = of_rest


def _with(text: bytes, file: _File) -> str:
    """The text, with all of that in the lines of these places, so that messages name the right ones."""
    inserts = dict(file.connections)
    for scope in file.scopes.values():
        words = [_declaration(name, signal, scope.genvar) for name, signal in scope.signals.items()]
        inserts[scope.offset] = "".join(f"{word} " for word in words)
    done, before = b"", 0
    for offset in sorted(inserts):
        done += text[before:offset] + inserts[offset].encode()
        before = offset
    return (done + text[before:]).decode()


def _declaration(name: str, signal: _Signal, genvar: str) -> str:
    before = ""

    def number(what: str, by_index: dict[int, int]) -> str:
        nonlocal before
        if len(set(by_index.values())) == 1:
            return str(next(iter(by_index.values())))
        if not genvar:
            raise UserError(f"{name}: its {what} differ in a loop that is not the scope's own; declare it")
        values = ", ".join(str(by_index.get(k, 1)) for k in range(max(by_index) + 1))
        before += f"localparam int unsigned {name}_{what}[{max(by_index) + 1}] = '{{{values}}}; "
        return f"{name}_{what}[{genvar}]"

    bits, count = number("bits", signal.bits), number("count", signal.elements)
    zero = " = '0" if signal.is_input else ""
    if count == "0":
        return f"{before}logic [{bits}-1:0] {name}{zero};"
    part, element = f"{name}[element*{bits}+:{bits}]", f"{name}_elements[element]"
    sides = f"{element} = {part}" if signal.is_input else f"{part} = {element}"
    return (
        f"{before}logic [{count}*{bits}-1:0] {name}{zero}; logic [{bits}-1:0] {name}_elements[{count}]; "
        f"for (genvar element = 0; element < {count}; element++) begin : gen_{name} assign {sides}; end"
    )

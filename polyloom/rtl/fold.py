# SPDX-License-Identifier: Apache-2.0
"""Folds equal modules of an RTLIL file into one, so that each is synthesized once and counted often.

read_slang writes a module for every instance. Two are folded if their text is equal but for source positions and for
the numbers in names that Yosys made; the modules inside are folded first. What is left is named by its contents, so
an equal module of another design has the same name. Input and output: RTLIL text.
Before: ``fifo$top.a``, ``fifo$top.b``, of the same parameters. After: ``fifo$0a1b2c3d4e5f``, which top has twice.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from dataclasses import dataclass, field

from polyloom.base.errors import UserError

_DECLARED = re.compile(r"^\s*(?:wire|memory|cell|process)\b.*?(\S+)$")
_CELL = re.compile(r"^(\s*cell )(\\\S+)( \S+)$")
_POSITION = re.compile(r"^\s*attribute \\src ")
_PORT = re.compile(r"^\s*wire .*\b(?:input|output|inout) \d")
_MADE = re.compile(r"(?<!\S)\$\S+")
_DIGITS = 12


@dataclass
class _Module:
    """A module's lines, from its first attribute to its end, and what stands in it."""

    name: str
    lines: list[str]
    children: set[str] = field(default_factory=set)


@dataclass
class Folded:
    """Different modules, those inside others first; ``contents``: a hash of each; ``before``: how many there were."""

    head: list[str]
    modules: dict[str, _Module]
    contents: dict[str, str]
    before: int

    def text(self, wanted: Collection[str] | None = None) -> str:
        """RTLIL: of all modules, or of the wanted ones (by name, without backslash), the others as black boxes."""
        lines = list(self.head)
        for name, module in self.modules.items():
            if wanted is None or name in wanted:
                lines += module.lines
            else:
                lines += ["attribute \\blackbox 1", f"module \\{name}", *filter(_PORT.match, module.lines), "end"]
        return "\n".join(lines) + "\n"

    def above(self, wanted: Collection[str]) -> set[str]:
        """The wanted modules and all that have one of them inside."""
        found: set[str] = set()
        for name, module in self.modules.items():
            if name in wanted or module.children & found:
                found.add(name)
        return found


def fold(text: str, top: str) -> Folded:
    """The design with equal modules folded and named by their contents; ``top`` keeps its name."""
    head, modules = _split(text)
    names: dict[str, str] = {}
    kept: dict[str, _Module] = {}
    contents: dict[str, str] = {}
    for name in _bottom_up(modules):
        module = modules[name]
        lines = [_rename_cell(line, names) for line in module.lines]
        content = _content(name, lines)
        source = name.split("$")[0].removeprefix("\\")
        new = top if name == f"\\{top}" else f"{source}${content[:_DIGITS]}"
        names[name] = f"\\{new}"
        at = lines.index(f"module {name}")
        inside = {names[child].removeprefix("\\") for child in module.children if child in modules}
        kept.setdefault(new, _Module(new, [*lines[:at], f"module \\{new}", *lines[at + 1 :]], inside))
        contents[new] = content
    return Folded(head, kept, contents, len(modules))


def _split(text: str) -> tuple[list[str], dict[str, _Module]]:
    """What stands before the first module, and the modules."""
    head: list[str] = []
    modules: dict[str, _Module] = {}
    pending: list[str] = []
    current: _Module | None = None
    for line in text.splitlines():
        if current is not None:
            current.lines.append(line)
            if cell := _CELL.match(line):
                current.children.add(cell[2])
            if line == "end":
                modules[current.name] = current
                current = None
        elif line.startswith("module "):
            current = _Module(line.split()[1], [*pending, line])
            pending = []
        elif line.startswith("attribute "):
            pending.append(line)
        else:
            head.append(line)
    if current is not None or not modules:
        raise UserError("Yosys wrote RTLIL that has no whole module")
    return head, modules


def _bottom_up(modules: dict[str, _Module]) -> list[str]:
    """Names, each after those of the modules inside it."""
    order: dict[str, None] = {}

    def visit(name: str) -> None:
        if name in order:
            return
        for child in sorted(modules[name].children):
            if child in modules:
                visit(child)
        order[name] = None

    for name in modules:
        visit(name)
    return list(order)


def _rename_cell(line: str, same: dict[str, str]) -> str:
    cell = _CELL.match(line)
    return f"{cell[1]}{same.get(cell[2], cell[2])}{cell[3]}" if cell else line


def _content(name: str, lines: list[str]) -> str:
    """A hash of all that makes a difference: made names are numbered in the order of their first appearance."""
    lines = [line for line in lines if not _POSITION.match(line) and not line.startswith(("module ", "attribute "))]
    names = {m[1] for line in lines if (m := _DECLARED.match(line)) and m[1].startswith("$")}
    numbers: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        made = match[0]
        return numbers.setdefault(made, f"${len(numbers)}") if made in names else made

    # The name in the source too, so that a row of the table never gathers two modules that happen to be alike.
    digest = hashlib.sha256(name.split("$")[0].encode())
    for line in lines:
        digest.update(b"\n" + _MADE.sub(number, line).encode())
    return digest.hexdigest()

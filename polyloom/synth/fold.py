# SPDX-License-Identifier: Apache-2.0
"""Folds equal modules of an RTLIL file into one, so that each is synthesized once and counted often.

read_slang writes a module for every instance. Two are folded if their text is equal but for source positions and for
the numbers in names that Yosys made; the modules inside are folded first. Input and output: RTLIL text.
Before: ``fifo$top.a``, ``fifo$top.b``, of the same parameters. After: ``fifo$top.a``, which top has twice.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

from polyloom.errors import UserError

_DECLARED = re.compile(r"^\s*(?:wire|memory|cell|process)\b.*?(\S+)$")
_CELL = re.compile(r"^(\s*cell )(\\\S+)( \S+)$")
_POSITION = re.compile(r"^\s*attribute \\src ")
_MADE = re.compile(r"(?<!\S)\$\S+")


@dataclass
class _Module:
    """A module's lines, from its first attribute to its end."""

    name: str
    lines: list[str]
    children: set[str] = field(default_factory=set)


def fold(text: str) -> tuple[str, int, int]:
    """The design with equal modules folded; how many modules there were, and how many are left."""
    head, modules = _split(text)
    same: dict[str, str] = {}
    by_content: dict[str, str] = {}
    for name in _bottom_up(modules):
        module = modules[name]
        module.lines = [_rename_cell(line, same) for line in module.lines]
        same[name] = by_content.setdefault(_content(module), name)
    kept = [module for name, module in modules.items() if same[name] == name]
    return "\n".join([*head, *(line for module in kept for line in module.lines)]) + "\n", len(modules), len(kept)


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


def _content(module: _Module) -> str:
    """A hash of all that makes a difference: made names are numbered in the order of their first appearance."""
    lines = [
        line for line in module.lines if not _POSITION.match(line) and not line.startswith(("module ", "attribute "))
    ]
    names = {m[1] for line in lines if (m := _DECLARED.match(line)) and m[1].startswith("$")}
    numbers: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        name = match[0]
        return numbers.setdefault(name, f"${len(numbers)}") if name in names else name

    digest = hashlib.sha256()
    for line in lines:
        digest.update(_MADE.sub(number, line).encode() + b"\n")
    # The name in the source, so that a row of the table never gathers two modules that happen to be alike.
    digest.update(module.name.split("$")[0].encode())
    return digest.hexdigest()

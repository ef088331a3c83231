# SPDX-License-Identifier: Apache-2.0
"""Statements as a tree that can be printed, and from which nodes can be dropped without the program going wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Node:
    """A statement: lines, or sections of a head and what stands in its braces. Example: an if with else: two sections.

    ``fixed``: something else needs it (a declaration), so the reducer leaves it.
    """

    lines: list[str] = field(default_factory=list)
    sections: list[tuple[str, list[Node]]] = field(default_factory=list)
    tail: str = "}"
    fixed: bool = False

    def text(self, indent: int = 1) -> Iterator[str]:
        """Its lines."""
        space = "  " * indent
        for line in self.lines:
            yield space + line
        for number, (head, children) in enumerate(self.sections):
            yield space + ("} " if number else "") + head + " {"
            for child in children:
                yield from child.text(indent + 1)
        if self.sections:
            yield space + self.tail


@dataclass
class Function:
    """A function: what stands before its brace, and its statements."""

    head: str
    body: list[Node]

    def text(self) -> Iterator[str]:
        """Its lines."""
        yield self.head + " {"
        for node in self.body:
            yield from node.text()
        yield "}"


@dataclass
class Program:
    """A program: declarations, functions, and how many words it reads."""

    seed: int
    declarations: list[str]
    functions: list[Function]
    words: int

    def source(self) -> str:
        """The program in C."""
        lines = [f"/* random kernel, seed {self.seed} */", *self.declarations]
        for function in self.functions:
            lines += ["", *function.text()]
        return "\n".join(lines) + "\n"

    def lists(self) -> Iterator[list[Node]]:
        """Every list of statements, outer ones first."""
        waiting = [function.body for function in self.functions]
        while waiting:
            nodes = waiting.pop(0)
            yield nodes
            waiting += [children for node in nodes for _, children in node.sections]

# SPDX-License-Identifier: Apache-2.0
"""Arrows of use between the folders of the tree: held against scripts/arrows.toml by ``make lint``.

Input: the tracked files, the table. A file uses what it includes (C, C++), imports (Python), lists (``*.f``), and it
starts programs and modules, by their names. Output: a line for each use that the table does not allow, for each arrow
of the table that no file has, and for each circle; exit status 1 if there is one. ``--json``: the arrows, to draw
them.
"""

from __future__ import annotations

import graphlib
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import rooms
import uses

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "scripts" / "arrows.toml"
#: Tests join what they need, from above too.
_TEST = re.compile(r"(^|/)(tests|testing|formal)/|_test\.(cc|h)$|(^|/)(test_\w+|conftest)\.py$|(^|/)test_\w+\.(h|cc)$")


@dataclass(frozen=True)
class Use:
    """A line of a file that uses another room."""

    file: str
    line: int
    room: str
    used: str
    what: str
    starts: bool = False


class Table:
    """scripts/arrows.toml: what a room is made of, and which rooms it may use."""

    def __init__(self, path: Path = TABLE) -> None:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        self.uses: dict[str, list[str]] = content["uses"]
        self.starts: dict[str, list[str]] = content["starts"]
        self.programs: dict[str, str] = content["programs"]
        self.includes: list[str] = content["includes"]
        for room, used in [*self.uses.items(), *self.starts.items()]:
            for name in [room, *used]:
                if name not in self.uses:
                    raise SystemExit(f"{path}: {room}: {name} is no room of [uses]")

    def room(self, name: str) -> str:
        """The room of a file: the longest one that its path begins with; "" of files of none."""
        parts = name.split("/")
        for number in range(len(parts), 0, -1):
            if (room := "/".join(parts[:number])) in self.uses:
                return room
        return ""

    def circle(self) -> list[str]:
        """Rooms that use one another in a circle, the first one again at the end; empty if there is none."""
        try:
            graphlib.TopologicalSorter(self.uses).prepare()
        except graphlib.CycleError as error:
            return list(reversed(error.args[1]))
        return []


class Reader:
    """Finds what files use."""

    def __init__(self, table: Table, names: Sequence[str]) -> None:
        self.table = table
        self.reader = uses.Reader(names, table.includes)
        self.programs = re.compile("|".join(rf'(?<=["\' ]){re.escape(name)}(?=["\' ])' for name in table.programs))

    def uses(self, name: str) -> Iterator[Use]:
        """Of one file, uses of other rooms."""
        room = self.table.room(name)
        if not room or Path(name).suffix not in uses.SUFFIXES or _TEST.search(name):
            return
        text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
        for line, what in self.reader.used(name, text):
            if what == "polyloom/__init__.py":  # for the version
                continue
            if (used := self.table.room(what)) not in {"", room}:
                yield Use(name, line, room, used, what)
        for match in self.programs.finditer(text):
            if (used := self.table.programs[match[0]]) != room:
                yield Use(name, uses.line_of(text, match.start()), room, used, match[0], starts=True)


def problems(table: Table, found: list[Use]) -> list[str]:
    """What is wrong with the uses, and with the table; a line each."""
    faults = []
    for use in found:
        allowed = (table.starts if use.starts else table.uses).get(use.room, [])
        if use.used not in allowed:
            verb = "start" if use.starts else "use"
            may = f"{use.room} may {verb} {', '.join(allowed) or 'no other room'}"
            faults.append(f"{use.file}:{use.line}: {verb}s {use.what} of {use.used}; {may} (scripts/arrows.toml)")
    there = {(use.starts, use.room, use.used) for use in found}
    for starts, rows in ((False, table.uses), (True, table.starts)):
        for room, allowed in rows.items():
            gone = [used for used in allowed if (starts, room, used) not in there]
            verb = "start" if starts else "use"
            faults += [f"scripts/arrows.toml: {room} may {verb} {used}, but no file does; take it out" for used in gone]
    if circle := table.circle():
        faults.append(f"scripts/arrows.toml: a circle: {' -> '.join(circle)}")
    return faults


def main() -> None:
    """Lines on standard error, or the arrows as JSON."""
    table = Table()
    names = rooms.there()
    reader = Reader(table, names)
    found = [use for name in names for use in reader.uses(name)]
    if "--json" in sys.argv[1:]:
        arrows = sorted({(use.room, use.used) for use in found if not use.starts})
        started = sorted({(use.room, use.used) for use in found if use.starts})
        print(json.dumps({"rooms": list(table.uses), "arrows": arrows, "starts": started}))
        return
    faults = problems(table, found)
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

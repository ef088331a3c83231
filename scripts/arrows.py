# SPDX-License-Identifier: Apache-2.0
"""Arrows of use between the folders of the tree: held against scripts/arrows.toml by ``make lint``.

Input: the tracked files, the table. A file uses what it includes (C, C++), imports (Python), lists (``*.f``), and it
starts programs and modules, by their names. Output: a line for each use that the table does not allow, for each arrow
of the table that no file has, and for each circle; exit status 1 if there is one. ``--json``: the arrows, to draw
them.
"""

from __future__ import annotations

import ast
import graphlib
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "scripts" / "arrows.toml"
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include "([^"]+)"', re.MULTILINE)
_LISTED = re.compile(r"^(?:-f\s+|\+incdir\+)?([\w./-]+)\s*$", re.MULTILINE)
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


def tracked() -> list[str]:
    """All files that git knows and that are there, but links."""
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file() and not (ROOT / name).is_symlink()]


class Reader:
    """Finds what files use."""

    def __init__(self, table: Table, names: list[str]) -> None:
        self.table = table
        self.names = set(names)
        self.programs = re.compile("|".join(rf'(?<=["\' ]){re.escape(name)}(?=["\' ])' for name in table.programs))

    def uses(self, name: str) -> Iterator[Use]:
        """Of one file, uses of other rooms."""
        room, suffix = self.table.room(name), Path(name).suffix
        if not room or suffix not in {".h", ".cc", ".cpp", ".c", ".py", ".f"} or _TEST.search(name):
            return
        text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
        found = {".py": self._imports, ".f": self._lists}.get(suffix, self._includes)
        for line, what in found(name, text):
            if (used := self.table.room(what)) not in {"", room}:
                yield Use(name, line, room, used, what)
        for match in self.programs.finditer(text):
            if (used := self.table.programs[match[0]]) != room:
                yield Use(name, _line(text, match.start()), room, used, match[0], starts=True)

    def _includes(self, name: str, text: str) -> Iterator[tuple[int, str]]:
        places = ["", *(f"{place}/" for place in self.table.includes), f"{Path(name).parent}/"]
        for match in _INCLUDE.finditer(text):
            if match[1].startswith("spec/"):  # made of spec/ in the build folder
                yield _line(text, match.start()), match[1]
                continue
            paths = (os.path.normpath(place + match[1]) for place in places)
            found = next((path for path in paths if path in self.names), None)
            if found is not None:
                yield _line(text, match.start()), found

    def _imports(self, name: str, text: str) -> Iterator[tuple[int, str]]:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules = [f"{node.module}.{alias.name}" for alias in node.names]
            else:
                continue
            for module in modules:
                path = module.replace(".", "/")
                while path and not {f"{path}.py", f"{path}/__init__.py"} & self.names:
                    path = path.rpartition("/")[0]
                if path and path != "polyloom":  # its version
                    yield node.lineno, f"{path}.py" if f"{path}.py" in self.names else f"{path}/__init__.py"

    def _lists(self, name: str, text: str) -> Iterator[tuple[int, str]]:
        for match in _LISTED.finditer(text):
            yield _line(text, match.start()), os.path.normpath(f"{Path(name).parent}/{match[1]}")


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def problems(table: Table, uses: list[Use]) -> list[str]:
    """What is wrong with the uses, and with the table; a line each."""
    found = []
    for use in uses:
        allowed = (table.starts if use.starts else table.uses).get(use.room, [])
        if use.used not in allowed:
            verb = "start" if use.starts else "use"
            may = f"{use.room} may {verb} {', '.join(allowed) or 'no other room'}"
            found.append(f"{use.file}:{use.line}: {verb}s {use.what} of {use.used}; {may} (scripts/arrows.toml)")
    there = {(use.starts, use.room, use.used) for use in uses}
    for starts, rows in ((False, table.uses), (True, table.starts)):
        for room, allowed in rows.items():
            gone = [used for used in allowed if (starts, room, used) not in there]
            verb = "start" if starts else "use"
            found += [f"scripts/arrows.toml: {room} may {verb} {used}, but no file does; take it out" for used in gone]
    if circle := table.circle():
        found.append(f"scripts/arrows.toml: a circle: {' -> '.join(circle)}")
    return found


def main() -> None:
    """Lines on standard error, or the arrows as JSON."""
    table = Table()
    names = tracked()
    reader = Reader(table, names)
    uses = [use for name in names for use in reader.uses(name)]
    if "--json" in sys.argv[1:]:
        arrows = sorted({(use.room, use.used) for use in uses if not use.starts})
        started = sorted({(use.room, use.used) for use in uses if use.starts})
        print(json.dumps({"rooms": list(table.uses), "arrows": arrows, "starts": started}))
        return
    found = problems(table, uses)
    for problem in found:
        print(problem, file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

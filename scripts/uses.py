# SPDX-License-Identifier: Apache-2.0
"""What a file uses of the tree: it includes (C, C++), imports (Python) or lists (``*.f``) another one.

Input: the names of all files, and the folders whose headers are included without them; a file's text. Output: lines and
the paths that they name.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

SUFFIXES = {".h", ".cc", ".cpp", ".c", ".py", ".f"}
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include "([^"]+)"', re.MULTILINE)
_LISTED = re.compile(r"^(?:-f\s+|\+incdir\+)?([\w./-]+)\s*$", re.MULTILINE)


class Reader:
    """Reads files of a tree."""

    def __init__(self, names: Sequence[str], includes: Sequence[str]) -> None:
        self.names = set(names)
        self.includes = includes

    def used(self, name: str, text: str) -> Iterator[tuple[int, str]]:
        """Lines of a file of SUFFIXES, and what each uses."""
        found = {".py": self._imports, ".f": self._lists}.get(Path(name).suffix, self._includes)
        yield from found(name, text)

    def _includes(self, name: str, text: str) -> Iterator[tuple[int, str]]:
        places = ["", *(f"{place}/" for place in self.includes), f"{Path(name).parent}/"]
        for match in _INCLUDE.finditer(text):
            if match[1].startswith("spec/"):  # made of spec/ in the build folder
                yield line_of(text, match.start()), match[1]
                continue
            paths = (os.path.normpath(place + match[1]) for place in places)
            found = next((path for path in paths if path in self.names), None)
            if found is not None:
                yield line_of(text, match.start()), found

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
                if path:
                    yield node.lineno, f"{path}.py" if f"{path}.py" in self.names else f"{path}/__init__.py"

    def _lists(self, name: str, text: str) -> Iterator[tuple[int, str]]:
        for match in _LISTED.finditer(text):
            yield line_of(text, match.start()), os.path.normpath(f"{Path(name).parent}/{match[1]}")


def line_of(text: str, at: int) -> int:
    """The number of the line that a place of a text is in."""
    return text.count("\n", 0, at) + 1

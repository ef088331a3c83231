# SPDX-License-Identifier: Apache-2.0
"""Where in the C sources an operation comes from: the metadata of -g1."""

from __future__ import annotations

import re

_NODE = re.compile(r"^(!\d+) = (?:distinct )?!(\w+)\((.*)\)$")
_FIELD = re.compile(r'(\w+): ("[^"]*"|![\d]+|[^,]+)')
_LIBRARY = re.compile(r"roles/mpi/(runtime/(mpi|kernel)|include|arch)/|^newlib/lib[cm]/")


def in_library(where: str) -> bool:
    """Whether a place is in the kernels' library, and not in the program."""
    return _LIBRARY.search(where) is not None


class Locations:
    """``of("!12")`` is "file.c:3:7"."""

    def __init__(self, lines: list[str]) -> None:
        self._nodes: dict[str, tuple[str, dict[str, str]]] = {}
        for line in lines:
            match = _NODE.match(line)
            if match:
                self._nodes[match.group(1)] = (match.group(2), dict(_FIELD.findall(match.group(3))))

    def of(self, node: str) -> str:
        """file:line:column, or "" where nothing is known."""
        kind, fields = self._nodes.get(node, ("", {}))
        if kind == "DILocation":
            file = self._file(fields.get("scope", ""))
            return f"{file}:{fields.get('line', '0')}:{fields.get('column', '0')}" if file else ""
        if kind == "DISubprogram":
            file = self._file(node)
            return f"{file}:{fields.get('line', '0')}:1" if file else ""
        return ""

    def of_program(self, node: str) -> str:
        """The same; of what was inlined from the kernels' library, the place where the program calls it."""
        while in_library(self.of(node)) and (outer := self._nodes[node][1].get("inlinedAt")):
            node = outer
        return self.of(node)

    def _file(self, node: str) -> str:
        seen = 0
        while node and seen < 50:
            kind, fields = self._nodes.get(node, ("", {}))
            if kind == "DIFile":
                return fields.get("filename", "").strip('"')
            node = fields.get("file") or fields.get("scope") or ""
            seen += 1
        return ""

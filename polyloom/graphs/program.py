# SPDX-License-Identifier: Apache-2.0
"""A vertex program of the user's, from a file or a string (docs/own-program.md)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from polyloom import own_program, process
from polyloom.graphs.errors import GraphError


class Program:
    """A vertex program in C++: ``Program("kcore.cc")``, or the text of one. ``Graph.run`` compiles it when it runs.

    A string that holds a line end is the program itself, ``name`` what it is called.
    """

    def __init__(self, source: str | Path, name: str = "program") -> None:
        self.text = source if isinstance(source, str) and "\n" in source else ""
        self.path = None if self.text else Path(source)
        self.name = name
        if self.path is not None and not own_program.is_source(str(self.path)):
            raise GraphError(
                f"source = {str(source)!r}: the name of a file that ends in .cc, or a program, is expected"
            )
        if self.path is not None and not self.path.is_file():
            raise GraphError(f"source = {str(source)!r}: there is no such file")

    @contextlib.contextmanager
    def file(self) -> Iterator[Path]:
        """Where the program is, inside this context."""
        if self.path is not None:
            yield self.path
            return
        with process.scratch("program") as folder:
            file = folder / f"{self.name}.cc"
            file.write_text(self.text, encoding="utf-8")
            yield file

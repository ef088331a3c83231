# SPDX-License-Identifier: Apache-2.0
"""A vertex program of the user's, from a file or a string (docs/guides/own-program.md)."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from polyloom.base.cache import PROGRAMS
from polyloom.graphs.errors import GraphError
from polyloom.jobs import own_program


class Program:
    """A vertex program in C++: ``Program("kcore.cc")``, or the text of one. ``Graph.run`` compiles it when it runs.

    A string that holds a line end is the program itself, ``name`` what it is called.
    """

    def __init__(self, source: str | Path, name: str = "program") -> None:
        if not isinstance(source, str | Path):
            raise GraphError(f"source = {source!r}: a program, or the name of a file that ends in .cc, is expected")
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][\w-]{0,63}", name):
            raise GraphError(f"name = {name!r}: a name of letters, digits, - and _ is expected")
        self.text = source if isinstance(source, str) and "\n" in source else ""
        self.name = name if self.text else Path(source).stem
        if not own_program.is_source(f"{self.name}.cc" if self.text else str(source)):
            raise GraphError(
                f"source = {str(source)!r}: a program, or the name of a file that ends in .cc, is expected"
            )
        if self.text:
            self.path = self._kept()
        elif Path(source).is_file():
            self.path = Path(source)
        else:
            raise GraphError(f"source = {str(source)!r}: there is no such file")

    def _kept(self) -> Path:
        """The text as a file that stays, so that it is compiled once."""
        key = hashlib.sha256(f"{self.name}\n{self.text}".encode()).hexdigest()
        file = f"{self.name}.cc"
        entry, _ = PROGRAMS.provide(key, file, lambda made: self._write(made / file))
        return entry / file

    def _write(self, file: Path) -> None:
        file.write_text(self.text, encoding="utf-8")

    def shown(self, message: str) -> str:
        """A message about the file, for who has given the text."""
        return message.replace(str(self.path), f"{self.name}.cc") if self.text else message

    def __repr__(self) -> str:
        return f"<program {self.name}{'' if self.text else f' of {self.path}'}>"

# SPDX-License-Identifier: Apache-2.0
"""Reads file lists, the one place that says which sources a module needs; every tool is fed from them.

Input: a ``*.f`` file. Output: FileList, absolute paths, each once, in order of first mention. A line is one of

    rtl/module.sv        a source, relative to the list's folder (also .v; .vlt goes to the Verilator waivers)
    -f other.f           the lines of another list, at this place, unless they were read before
    +incdir+DIR          a folder for `include
    # text, // text      a comment, also behind a line

``${common_cells}`` and ``${cvfpu}`` stand for the folders of the PULP library and of CVFPU in the installed package
pythondata-cpu-cv32e40p. ``python -m polyloom.rtl.filelist LIST`` prints a list's sources.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from polyloom.base import paths
from polyloom.base.errors import UserError

_PACKAGE = "pythondata_cpu_cv32e40p"
_VENDOR = "system_verilog/rtl/vendor"
VARIABLES = {"common_cells": "pulp_platform_common_cells", "cvfpu": "pulp_platform_fpnew"}

_COMMENT = re.compile(r"(^|\s)(#|//).*$")
_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_SOURCE_SUFFIXES = {".sv", ".v"}


@dataclass
class FileList:
    """What a module needs: sources in order of compilation, include folders, Verilator waivers."""

    sources: list[Path] = field(default_factory=list)
    include_dirs: list[Path] = field(default_factory=list)
    vlt: list[Path] = field(default_factory=list)

    def add(self, other: FileList) -> None:
        """What another list has and this one lacks, behind what this one has."""
        for mine, theirs in (
            (self.sources, other.sources),
            (self.include_dirs, other.include_dirs),
            (self.vlt, other.vlt),
        ):
            mine.extend(p for p in theirs if p not in mine)

    def with_sources(self, *sources: Path) -> FileList:
        """A copy with more sources behind."""
        return FileList([*self.sources, *sources], list(self.include_dirs), list(self.vlt))

    def verilator_args(self) -> list[str]:
        """As Verilator takes them: include folders, waivers, sources."""
        return [*(f"+incdir+{folder}" for folder in self.include_dirs), *map(str, self.vlt), *map(str, self.sources)]

    def files(self) -> list[Path]:
        """Everything whose change must lead to a new build: sources, waivers, headers of the include folders."""
        headers = [header for folder in self.include_dirs for header in sorted(folder.rglob("*.svh"))]
        return [*self.vlt, *self.sources, *headers]


def read(path: Path | str) -> FileList:
    """Read a list and the lists in it. UserError with file and line if something is wrong."""
    result = FileList()
    top = Path(path).resolve()
    if not top.is_file():
        raise UserError(f"file list {path} does not exist")
    _Reader(result).read(top)
    if not result.sources:
        raise UserError(f"{path}: the list names no source")
    return result


def vendor_folder(name: str) -> Path:
    """Folder behind ``${name}``; UserError if the package is not installed."""
    package = _PACKAGE.replace("_", "-")
    command = paths.how_to_install(package, pip=True)
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise UserError(f"the Python package {package} is not installed; run `{command}`")
    folder = Path(found.origin).parent / _VENDOR / VARIABLES[name]
    if not folder.is_dir():
        raise UserError(f"{folder} is missing in the installed {package}; run `{command}`")
    return folder


class _Reader:
    def __init__(self, result: FileList) -> None:
        self._result = result
        self._done: set[Path] = set()
        self._open: list[Path] = []

    def read(self, path: Path) -> None:
        self._open.append(path)
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            text = _COMMENT.sub("", line).strip()
            if text:
                self._entry(text, path, f"{path}:{number}")
        self._open.pop()
        self._done.add(path)

    def _entry(self, text: str, path: Path, where: str) -> None:
        if text.startswith("-f ") or text.startswith("-f\t"):
            self._nested(self._path(text[3:].strip(), path, where), where)
        elif text.startswith("+incdir+"):
            folder = self._path(text.removeprefix("+incdir+"), path, where)
            if not folder.is_dir():
                raise UserError(f"{where}: folder {folder} does not exist")
            _append_once(self._result.include_dirs, folder)
        elif text[0] in "+-":
            raise UserError(f"{where}: '{text}' is not known; allowed: a path, -f LIST, +incdir+DIR, comments")
        else:
            self._file(self._path(text, path, where), where)

    def _nested(self, path: Path, where: str) -> None:
        if path in self._open:
            raise UserError(f"{where}: {path} includes itself: {' -> '.join(p.name for p in [*self._open, path])}")
        if not path.is_file():
            raise UserError(f"{where}: file list {path} does not exist")
        if path not in self._done:
            self.read(path)

    def _file(self, path: Path, where: str) -> None:
        if not path.is_file():
            raise UserError(f"{where}: {path} does not exist")
        if path.suffix == ".vlt":
            _append_once(self._result.vlt, path)
        elif path.suffix in _SOURCE_SUFFIXES:
            _append_once(self._result.sources, path)
        else:
            raise UserError(f"{where}: {path.name} is no source; allowed: .sv, .v, .vlt; a list needs -f before it")

    def _path(self, text: str, path: Path, where: str) -> Path:
        if " " in text or "\t" in text:
            raise UserError(f"{where}: '{text}' has a space; one path a line")

        def value(match: re.Match[str]) -> str:
            if match.group(1) not in VARIABLES:
                known = ", ".join(f"${{{name}}}" for name in VARIABLES)
                raise UserError(f"{where}: {match.group(0)} is not known; known: {known}")
            return str(vendor_folder(match.group(1)))

        return (path.parent / _VARIABLE.sub(value, text)).resolve()


def _append_once(paths: list[Path], path: Path) -> None:
    if path not in paths:
        paths.append(path)


if __name__ == "__main__":
    try:
        print("\n".join(read(sys.argv[1]).verilator_args()))
    except UserError as error:
        sys.exit(f"filelist: {error}")

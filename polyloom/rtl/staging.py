# SPDX-License-Identifier: Apache-2.0
"""Copies sources into one folder, for tools that see nothing outside the folder they run in (yowasp).

Input: a file list and a folder. Output: the files' names relative to the folder, in order. ``original`` turns the
names in a tool's messages back.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from polyloom.rtl.filelist import FileList


@dataclass
class Staged:
    """Relative names of the copies, and where each came from."""

    sources: list[str] = field(default_factory=list)
    include_dirs: list[str] = field(default_factory=list)
    origin: dict[str, str] = field(default_factory=dict)

    def original(self, text: str) -> str:
        """A message with the names of the copies replaced by those of the sources."""
        for name, path in self.origin.items():
            text = text.replace(name, path)
        return text

    def slang_args(self) -> str:
        """Include folders and sources as read_slang takes them."""
        return " ".join([*(f"-I {folder}" for folder in self.include_dirs), *self.sources])


def stage(files: FileList, folder: Path) -> Staged:
    """Copy the sources to ``rtl/`` and the include folders' headers to ``include/N/``."""
    staged = Staged()
    (folder / "rtl").mkdir(parents=True, exist_ok=True)
    for number, source in enumerate(files.sources):
        name = f"rtl/{number:03d}_{source.name}"
        shutil.copyfile(source, folder / name)
        staged.sources.append(name)
        staged.origin[name] = str(source)
    for number, include in enumerate(files.include_dirs):
        name = f"include/{number}"
        for header in include.rglob("*.svh"):
            target = folder / name / header.relative_to(include)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(header, target)
        staged.include_dirs.append(name)
        staged.origin[name] = str(include)
    return staged

# SPDX-License-Identifier: Apache-2.0
"""Folders that we write into and replace: which files in them are ours, and who uses them now.

The rule, its manifest and its lock are those of fabric/run (README.md there), whose RunFolder this is.
Usage: ``with RunFolder(path) as run: run.write("run.json", text)``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from polyloom.base import compiled, files


def __getattr__(name: str) -> str:
    """MANIFEST, FIRST_LINE, PARTIAL, PREVIOUS, HELD: what fabric/run/folder.h calls so, loaded when it is asked for."""
    if name.isupper():
        return str(getattr(_ext(), name))
    raise AttributeError(name)


class RunFolder:
    """A folder of ours, held against every other run while this context lasts.

    A new or an empty folder becomes ours. One that exists must be a record: with ``keep`` its files stay, else they
    make room and go at the end, and nothing else does. A folder that holds anything that its manifest does not name is
    refused by a UserError before anything has changed. ``made``: folders that the caller has just made for it,
    innermost first; they go again if nothing is written. What an exception leaves without a run.json is no record: it
    goes, and the record that was there before is back.
    """

    def __init__(self, path: Path, keep: bool = False, made: Sequence[Path] = ()) -> None:
        self.path = path.absolute()
        self._folder = _ext().RunFolder(self.path, keep, list(made))

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and not (self.path / "run.json").exists():
            self.give_up()
        self.release()

    @property
    def has_begun(self) -> bool:
        """Whether the run has written anything."""
        return bool(self._folder.has_begun)

    def give_up(self) -> None:
        """Leave the folder as it was before: what was written goes, and an earlier record comes back."""
        self._folder.give_up()

    @property
    def env(self) -> dict[str, str]:
        """For programs that write into this folder on our behalf."""
        return {_ext().HELD: str(self.path)}

    @property
    def descriptors(self) -> tuple[int, ...]:
        """For such programs to inherit: the folder is held until the last of them has ended, even if we are killed."""
        return (self._folder.descriptor,)

    def claim(self, name: str) -> Path:
        """Path of a file that is about to be written; the manifest names it from now on. UserError if it is not ours.

        A name that ends in "/" is that of a record in this record.
        """
        return Path(self._folder.claim(name))

    def write(self, name: str, text: str) -> Path:
        """Write a whole file."""
        path = self.claim(name)
        files.write(path, text)
        return path

    def remove_partial(self) -> None:
        """Remove what a program that was killed has left of files on their way."""
        self._folder.remove_partial()

    def release(self) -> None:
        """Let the next one in."""
        self._folder.release()


def add(folder: Path, name: str, text: str) -> Path:
    """Write one more file into a record; into a folder without a manifest (of an older version) only a new one."""
    if folder.is_dir() and not (folder / _ext().MANIFEST).exists() and not os.path.lexists(folder / name):
        files.write(folder / name, text)
        return folder / name
    with RunFolder(folder, keep=True) as run:
        return run.write(name, text)


def check(folder: Path, keep: bool = False) -> None:
    """UserError if ``RunFolder`` would refuse this folder for what lies in it; changes nothing."""
    _ext().check(folder, keep)


def names_of(folder: Path) -> set[str]:
    """What a folder's manifest names; UserError if it is none. Without one: nothing."""
    return set(_ext().names_of(folder))


def _ext() -> Any:
    return compiled.load("fabric")

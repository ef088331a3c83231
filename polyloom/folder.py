# SPDX-License-Identifier: Apache-2.0
"""Folders that we write into and replace: which files in them are ours, and who uses them now.

The rule, its manifest and its lock are those of fabric/run (README.md there); fabric/run/folder.h is the same in C++.
Usage: ``with RunFolder(path) as run: run.write("run.json", text)``.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from polyloom import files
from polyloom.errors import UserError

MANIFEST = ".polyloom-record"
#: Files of the simulator on their way; named by the manifest while they lie there.
PARTIAL = ".partial"
#: The record that a run replaces, a record in this record until the run has one of its own.
PREVIOUS = ".previous"
FIRST_LINE = "polyloom record 1: files below are polyloom's, which replaces and removes them\n"
_HELD = "POLYLOOM_RUN_HELD"


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
        held = os.environ.get(_HELD)
        self._held = bool(held) and self.path.is_dir() and Path(held or "").is_dir() and self.path.samefile(held or "")
        self._made = list(made)
        self._fd = -1
        if not self._held:
            check(self.path, keep)
        try:
            self._open()
        except OSError as error:
            raise _refusal(self.path, f"cannot be written: {error.strerror}") from error
        try:
            if not self._held:
                check(self.path, keep)  # again, now that nobody else writes
                if not keep:
                    self._set_aside()
            if os.fstat(self._fd).st_size == 0:
                os.write(self._fd, FIRST_LINE.encode())
        except BaseException:
            self.release()
            raise

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and not self._held and not (self.path / "run.json").exists():
            self.give_up()
        self.release()

    @property
    def has_begun(self) -> bool:
        """Whether the run has written anything."""
        return any(not name.startswith(f"{PREVIOUS}/") for name in names_of(self.path))

    def give_up(self) -> None:
        """Leave the folder as it was before: what was written goes, and an earlier record comes back."""
        previous = self.path / PREVIOUS
        _remove_files(self.path, names_of(self.path) - {f"{PREVIOUS}/"})
        names = sorted(names_of(previous))
        os.ftruncate(self._fd, 0)
        os.write(self._fd, "".join([FIRST_LINE, *(f"{name}\n" for name in (*names, f"{PREVIOUS}/"))]).encode())
        _move(previous, self.path, names)
        _remove_record(previous)
        os.ftruncate(self._fd, 0)
        os.write(self._fd, "".join([FIRST_LINE, *(f"{name}\n" for name in names)]).encode())

    @property
    def env(self) -> dict[str, str]:
        """For programs that write into this folder on our behalf."""
        return {_HELD: str(self.path)}

    @property
    def descriptors(self) -> tuple[int, ...]:
        """For such programs to inherit: the folder is held until the last of them has ended, even if we are killed."""
        return (self._fd,)

    def claim(self, name: str) -> Path:
        """Path of a file that is about to be written; the manifest names it from now on. UserError if it is not ours.

        A name that ends in "/" is that of a record in this record.
        """
        path = self.path / name
        if name not in names_of(self.path):
            if os.path.lexists(path):
                raise _refusal(
                    self.path, f'"{name}" in it is not a file of polyloom\'s, which would overwrite it; move it away'
                )
            os.write(self._fd, f"{name}\n".encode())
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, name: str, text: str) -> Path:
        """Write a whole file."""
        path = self.claim(name)
        files.write(path, text)
        return path

    def remove_partial(self) -> None:
        """Remove what a program that was killed has left of files on their way."""
        _remove_partial(self.path, names_of(self.path))

    def release(self) -> None:
        """Let the next one in."""
        if self._fd < 0:
            return
        if not self._held:
            _remove_record(self.path / PREVIOUS)
        with contextlib.suppress(OSError):
            if not self._held and [entry.name for entry in self.path.iterdir()] == [MANIFEST]:
                (self.path / MANIFEST).unlink()
                for folder in self._made:
                    folder.rmdir()
        os.close(self._fd)
        self._fd = -1

    def _open(self) -> None:
        while True:
            if not self.path.is_dir():
                self._made += [folder for folder in (self.path, *self.path.parents) if not folder.exists()]
                self.path.mkdir(parents=True)
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            self._fd = os.open(self.path / MANIFEST, flags, 0o666)
            if self._held:
                return
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(self._fd)
                self._fd = -1
                raise _refusal(
                    self.path, "another run is using this folder; wait for its end or give another folder"
                ) from None
            with contextlib.suppress(FileNotFoundError):
                if os.fstat(self._fd).st_ino == (self.path / MANIFEST).stat().st_ino:
                    return
            os.close(self._fd)  # its last holder has just removed it

    def _set_aside(self) -> None:
        """Make room. At each moment the manifests name all that lies there, should we be killed."""
        previous = self.path / PREVIOUS
        _remove_partial(self.path, names_of(self.path))
        _remove_record(previous)
        names = sorted(names_of(self.path) - {f"{PARTIAL}/", f"{PREVIOUS}/"})
        _remove_unfinished(self.path, set(names))
        if any(os.path.lexists(self.path / name) for name in names):
            os.write(self._fd, f"{PREVIOUS}/\n".encode())
            previous.mkdir()
            (previous / MANIFEST).write_text(
                "".join([FIRST_LINE, *(f"{name}\n" for name in names)]), errors="surrogateescape"
            )
            _move(self.path, previous, names)
            names = [f"{PREVIOUS}/"]
        else:
            names = []
        os.ftruncate(self._fd, 0)
        os.write(self._fd, "".join([FIRST_LINE, *(f"{name}\n" for name in names)]).encode())


def add(folder: Path, name: str, text: str) -> Path:
    """Write one more file into a record; into a folder without a manifest (of an older version) only a new one."""
    if folder.is_dir() and not (folder / MANIFEST).exists() and not os.path.lexists(folder / name):
        files.write(folder / name, text)
        return folder / name
    with RunFolder(folder, keep=True) as run:
        return run.write(name, text)


def check(folder: Path, keep: bool = False) -> None:
    """UserError if ``RunFolder`` would refuse this folder for what lies in it; changes nothing."""
    if not os.path.lexists(folder):
        return
    if not folder.is_dir():
        raise _refusal(folder, "this exists and is not a folder; give another name")
    names = names_of(folder)
    if keep and names:
        return
    try:
        found = _foreign(folder, folder, names)
    except OSError as error:
        raise _refusal(folder, f"cannot be read: {error.strerror}") from error
    if found:
        raise _refusal(
            folder,
            f'"{found}" in it is not a file of a run record of polyloom; nothing was changed; '
            "give a new or an empty folder, or move it away",
        )


def names_of(folder: Path) -> set[str]:
    """What a folder's manifest names; UserError if it is none. Without one: nothing."""
    try:
        text = (folder / MANIFEST).read_text(errors="surrogateescape")
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise _refusal(folder, f"its {MANIFEST} cannot be read: {error.strerror}") from error
    if text and not text.startswith(FIRST_LINE):
        raise _refusal(folder, f"its {MANIFEST} is not polyloom's; give a new or an empty folder")
    return {line for line in text.splitlines()[1:] if _stays_inside(line)}


def _stays_inside(name: str) -> bool:
    """A manifest that was tampered with must not reach outside of its folder."""
    path = PurePosixPath(name)
    return bool(name) and not path.is_absolute() and ".." not in path.parts


def _refusal(folder: Path, why: str) -> UserError:
    return UserError(f'run record "{folder}": {why}')


def _foreign(root: Path, folder: Path, names: set[str]) -> str:
    """The first entry below ``folder`` that is not ours, relative to ``root``; "" if all are."""
    for entry in sorted(folder.iterdir()):
        name = entry.relative_to(root).as_posix()
        if not entry.is_dir() or entry.is_symlink():
            if name == MANIFEST or name in names or _is_partial_of(name, names):
                continue
            return name
        if f"{name}/" in names:
            found = "" if name == PARTIAL else _foreign(entry, entry, names_of(entry))
        elif any(other.startswith(f"{name}/") for other in names):
            found = _foreign(root, entry, names)
            if found:
                return found
        else:
            return name
        if found:
            return f"{name}/{found}"
    return ""


def _is_partial_of(name: str, names: set[str]) -> bool:
    """``.NAME.partial-...`` of a file that the manifest names: of ``files.whole`` in a run that was killed."""
    path = PurePosixPath(name)
    file, mark, _ = path.name.rpartition(".partial-")
    return bool(mark) and file.startswith(".") and (path.parent / file[1:]).as_posix() in names


def _remove_partial(folder: Path, names: set[str]) -> None:
    if f"{PARTIAL}/" in names and not (folder / PARTIAL).is_symlink():
        shutil.rmtree(folder / PARTIAL, ignore_errors=True)


def _remove_unfinished(folder: Path, names: set[str]) -> None:
    for entry in list(folder.rglob(".*.partial-*")):
        if _is_partial_of(entry.relative_to(folder).as_posix(), names):
            entry.unlink(missing_ok=True)


def _remove_files(folder: Path, names: set[str]) -> None:
    """Remove what the manifest names, run.json first: a folder with one is whole. The manifest itself stays."""
    _remove_partial(folder, names)
    names = names - {f"{PARTIAL}/"}
    _remove_unfinished(folder, names)
    for name in _in_order(names):
        with contextlib.suppress(OSError):  # gone already, or in use: then its folder stays too
            if _leads_outside(folder, name):
                continue
            if name.endswith("/"):
                _remove_record(folder / name)
            else:
                (folder / name).unlink(missing_ok=True)
            _remove_empty(folder, name)


def _remove_record(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        _remove_files(path, names_of(path))
        (path / MANIFEST).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # not empty
            path.rmdir()


def _move(source: Path, target: Path, names: Iterable[str]) -> None:
    """Move what lies there of these names, run.json first, and remove folders that are empty then."""
    for name in _in_order(names):
        if _leads_outside(source, name) or not os.path.lexists(source / name):
            continue
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).rename(target / name)
        _remove_empty(source, name)


def _in_order(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: (name != "run.json", name))


def _folders_of(root: Path, name: str) -> list[Path]:
    return [root / parent for parent in PurePosixPath(name).parents if str(parent) != "."]


def _leads_outside(root: Path, name: str) -> bool:
    """By a folder that is a link somebody else's files would be reached: such a name is left alone."""
    path = root / name
    linked = name.endswith("/") and path.is_symlink()
    return linked or any(parent.is_symlink() for parent in _folders_of(root, name))


def _remove_empty(root: Path, name: str) -> None:
    with contextlib.suppress(OSError):
        for parent in _folders_of(root, name):
            parent.rmdir()

# SPDX-License-Identifier: Apache-2.0
"""``polyloom clean``: removes what runs that were killed have left. Input: folders; output: what went, and its bytes.

Only what is proven to be ours and in no one's use goes: a temporary folder whose owner's file names a process that does
not live any more, and of a run folder that no run holds what the manifest names.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyloom.base import cache, folder, process
from polyloom.base.errors import UserError


@dataclass(frozen=True)
class Item:
    """Something that was left."""

    path: Path
    what: str
    bytes: int


def clean(runs: Sequence[Path], caches: bool = False, dry_run: bool = False) -> list[Item]:
    """Find and, unless ``dry_run``, remove. ``runs`` are folders of run folders; ``caches``: all entries of caches."""
    places = [Path(tempfile.gettempdir()), Path("/tmp"), *(kept.folder for kept in cache.ALL)]
    items = [item for place in dict.fromkeys(places) for item in _temporary(place, dry_run)]
    items += [item for place in runs for item in _runs(place, dry_run)]
    if caches:
        items += [item for kept in cache.ALL for item in _entries(kept, dry_run)]
    return items


def _folders(place: Path) -> list[Path]:
    with contextlib.suppress(OSError):
        return sorted(path for path in place.iterdir() if path.is_dir() and not path.is_symlink())
    return []


def _temporary(place: Path, dry_run: bool) -> Iterator[Item]:
    """Temporary folders of ``process.scratch`` whose process is gone."""
    for path in _folders(place):
        try:  # another process may remove its folder at any time
            if not path.name.startswith("polyloom-") or path.stat().st_uid != os.getuid():
                continue
            alive = process.is_alive((path / process.OWNER).read_text())
        except (OSError, ValueError):
            continue
        if alive is False:
            yield Item(path, "temporary folder of a process that has ended", cache.size_of(path))
            if not dry_run:
                shutil.rmtree(path, ignore_errors=True)


def _runs(place: Path, dry_run: bool) -> Iterator[Item]:
    """What was on its way in run folders, and runs that did not come to their run.json."""
    if not place.is_dir():
        raise UserError(f"{place}: there is no such folder; give one with run folders in it")
    for path in _folders(place):
        if not (path / folder.MANIFEST).is_file() or not _is_free(path):
            continue
        try:
            names = folder.names_of(path)
        except UserError:
            continue
        if f"{folder.PARTIAL}/" in names and (path / folder.PARTIAL).is_dir():
            yield Item(path / folder.PARTIAL, "half a record", cache.size_of(path / folder.PARTIAL))
            if not dry_run:
                with contextlib.suppress(UserError), folder.RunFolder(path, keep=True) as run:
                    run.remove_partial()
        if (path / "run.json").exists():
            continue
        with contextlib.suppress(UserError):  # somebody else's files in it: it stays
            folder.check(path)
            size = cache.size_of(path)
            if not dry_run:
                with folder.RunFolder(path, made=[path]):
                    pass
            yield Item(path, "run that did not come to its record", size)


def _is_free(path: Path) -> bool:
    """Whether no run holds the folder; the lock goes with the last process that has it."""
    try:
        with (path / folder.MANIFEST).open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return True
    except OSError:
        return False


def _entries(kept: cache.Cache, dry_run: bool) -> Iterator[Item]:
    for path in kept.entries():
        yield Item(path, f"entry of the cache {kept.kind}", cache.size_of(path))
        if not dry_run:
            with contextlib.suppress(OSError):  # another process was first
                cache.remove(path)


def as_text(items: Sequence[Item], dry_run: bool) -> str:
    """A line each, and the sum."""
    lines = [f"{_amount(item.bytes):>9}  {item.path}: {item.what}" for item in items]
    total = _amount(sum(item.bytes for item in items))
    verb = "to remove" if dry_run else "removed"
    return "\n".join([*lines, f"{total} {verb}" if items else f"nothing {verb}"])


def _amount(size: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"

# SPDX-License-Identifier: Apache-2.0
"""What is built once and kept: kernels, models in RTL, counts of synthesis. Input: a key; output: a folder.

A cache lies where its variable says, else in ``$XDG_CACHE_HOME/polyloom`` (``~/.cache/polyloom``), where every checkout
of this user finds it, else, for who may not write there, in the build folder; what the installation has is used from
there in any case. It is bounded by ``$POLYLOOM_CACHE_BYTES`` (10G): what was not used for longest goes. Safe with
several processes.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyloom.base import paths, process
from polyloom.base.errors import UserError

#: In each entry: it is ours, and its time is that of the last use.
MARKER = ".polyloom-cache"
DEFAULT_BYTES = 10 << 30
#: An entry that was used so lately may be in use: its path is known to somebody who has not opened it yet.
SETTLE_SECONDS = 600.0


@dataclass(frozen=True)
class Cache:
    """A folder of entries, a folder each."""

    kind: str
    variable: str
    place: Path | None = None  # here and nowhere else

    @property
    def folder(self) -> Path:
        """Where new entries go; it may not exist yet."""
        wanted = self.place or os.environ.get(self.variable)
        if wanted:
            return Path(wanted)
        own = user_folder() / self.kind
        return own if _is_writable(own) else paths.build_dir() / self.kind

    def find(self, key: str, file: str) -> Path | None:
        """The entry, if it is there and has that file."""
        for folder in (self.folder, *([] if self.place else [paths.build_dir() / self.kind])):
            if os.access(folder / key / file, os.R_OK):  # another user's may be closed to us
                with contextlib.suppress(OSError):  # none of ours, or not ours to write
                    os.utime(folder / key / MARKER)
                return folder / key
        return None

    def provide(self, key: str, file: str, make: Callable[[Path], None]) -> tuple[Path, bool]:
        """The entry, and whether it was there; else ``make`` fills it. Others who want it wait, and find it."""
        known = self.find(key, file)
        if known is not None:
            return known, True
        with (self.made() / f"{key}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            known = self.find(key, file)  # it may have come while we waited
            if known is not None:
                return known, True
            process.guard()
            with self.making(key) as fresh:
                make(fresh)
        return self.folder / key, False

    @contextlib.contextmanager
    def making(self, key: str) -> Iterator[Path]:
        """A new folder to fill, which becomes the entry when all went well. Anyone who comes first wins."""
        folder = self.made()
        with process.scratch("making", folder) as scratch:
            fresh = scratch / key  # unlike the folder around it, as open to other users as ours say
            fresh.mkdir()
            yield fresh
            (fresh / MARKER).touch()
            with contextlib.suppress(OSError):  # there is one by now, which is equal
                fresh.rename(folder / key)
        if not os.access(folder / key, os.R_OK | os.X_OK):
            raise UserError(
                f"{folder / key} belongs to a user who lets no one read it; set {self.variable} to a folder of yours"
            )
        self.trim(bound())

    def knows(self, key: str) -> bool:
        """Whether there is an entry, of a cache whose entries have no contents."""
        return self.find(key, MARKER) is not None

    def note(self, key: str) -> None:
        """Make an entry without contents."""
        with self.making(key):
            pass

    def made(self) -> Path:
        """The folder, which exists now; UserError if it cannot be written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not os.access(self.folder, os.W_OK | os.X_OK):
                raise PermissionError(13, os.strerror(13))
        except OSError as error:
            raise UserError(
                f"the cache {self.folder} cannot be written: {error.strerror}; set {self.variable} to a folder that can"
            ) from None
        return self.folder

    def entries(self) -> list[Path]:
        """All that is proven to be ours, what was not used for longest first."""
        if not self.folder.is_dir():
            return []
        found = []
        for path in self.folder.iterdir():
            with contextlib.suppress(OSError):
                if not path.is_symlink():
                    found.append(((path / MARKER).stat().st_mtime, path))
        return [path for _, path in sorted(found)]

    def trim(self, most: int, settle: float = SETTLE_SECONDS) -> None:
        """Remove what was not used for longest until no more than ``most`` bytes are left."""
        with contextlib.suppress(OSError), (self.folder / ".trim.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            sizes = {path: size_of(path) for path in self.entries()}
            left = sum(sizes.values())
            for path, size in sizes.items():
                if left <= most or (path / MARKER).stat().st_mtime > time.time() - settle:
                    return
                remove(path)
                left -= size


def remove(entry: Path) -> None:
    """Remove an entry: at once for all who look for it, and of all of it even if we are killed."""
    with process.scratch("gone", entry.parent) as trash:
        entry.rename(trash / entry.name)


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder."""
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            total += path.lstat().st_size
    return total


def bound() -> int:
    """``$POLYLOOM_CACHE_BYTES``: a number, with K, M, G or T."""
    text = os.environ.get("POLYLOOM_CACHE_BYTES", "")
    if not text:
        return DEFAULT_BYTES
    match = re.fullmatch(r"(\d+)([KMGT]?)", text)
    if not match:
        raise UserError(f"POLYLOOM_CACHE_BYTES={text}: allowed is a number of bytes, with K, M, G or T (10G)")
    return int(match[1]) << 10 * " KMGT".index(match[2] or " ")


def user_folder() -> Path:
    """Of all caches of this user."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "polyloom"


def _is_writable(folder: Path) -> bool:
    """Whether it could be made and written."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK | os.X_OK)


def digest(words: Sequence[str], files: Sequence[Path]) -> str:
    """Of words and the texts of files, by their names: a key."""
    found = hashlib.sha256("\0".join(words).encode())
    for path in files:
        text = path.read_bytes()
        found.update(f"\0{path.name}\0{len(text)}\0".encode())
        found.update(text)
    return found.hexdigest()[:20]


KERNELS = Cache("kernels", "POLYLOOM_KERNEL_CACHE")
RTL = Cache("rtl", "POLYLOOM_RTL_CACHE")
#: Vertex programs of users.
PROGRAMS = Cache("programs", "POLYLOOM_PROGRAM_CACHE")
SYNTH = Cache("synth", "POLYLOOM_SYNTH_CACHE")
#: What tools have found to be right: an entry without contents, whose key is of all that they have looked at.
PROVEN = Cache("proven", "POLYLOOM_PROVEN_CACHE")
ALL = (KERNELS, PROGRAMS, RTL, SYNTH, PROVEN)

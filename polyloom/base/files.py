# SPDX-License-Identifier: Apache-2.0
"""Writing files that a person may look at: whole or not at all, by fabric/partial_file.h."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from polyloom.base import compiled
from polyloom.base.errors import UserError


def check_output(path: Path, endings: Sequence[str], read: Path | None = None, record: Path | None = None) -> None:
    """UserError, before the work, if a result cannot go to ``--out path``.

    ``read``: the file that it is made of; ``record``: the run's own folder (default: POLYLOOM_RUN_DIR).
    """
    if path.is_dir():
        raise UserError(f"--out {path}: is a folder; give a file in it")
    special = path.exists() and not path.is_file()  # a pipe, a device
    if path.suffix not in endings and not special:
        raise UserError(f"--out {path}: the file's name must end in {' or '.join(endings)}")
    if read is not None and path.exists() and read.exists() and path.samefile(read):
        raise UserError(f"--out {path}: is the file that is read; give another one")
    folder = path.absolute().parent
    own = record or Path(os.environ.get("POLYLOOM_RUN_DIR") or "/nowhere")
    if folder == own.absolute() or (folder.is_dir() and own.is_dir() and folder.samefile(own)):
        raise UserError(f"--out {path}: lies in the run's own folder, whose files are the record; give another place")
    if not folder.is_dir():
        raise UserError(f"--out {path}: there is no folder {folder}")


@contextlib.contextmanager
def whole(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """A file to write ("w" or "wb") that appears under ``path`` when the block is left in good order, else not at all.

    A pipe or a device is written as it stands, and a link stays one. UserError naming file and cause if it cannot be
    written.
    """
    partial = compiled.load("fabric").PartialFile(path)
    try:
        with os.fdopen(partial.duplicate(), mode, encoding=None if "b" in mode else "utf-8") as file:
            yield file
        partial.commit()
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        partial.discard()


def write(path: Path, text: str) -> None:
    """A file with this text, whole or not at all."""
    with whole(path) as file:
        file.write(text)

# SPDX-License-Identifier: Apache-2.0
"""Bodies in NPZ files. Input: a path or a state; output: a state, or a file that is there whole or not at all.

A snapshot has ``format``, ``version``, ``step``, ``time`` and the arrays pos, vel, mass, id, acc, pot, domain. Files
for ``--from`` need only pos and mass; vel is zero and id counts up if they are missing. Other names are refused.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from polyloom.base import files, memory
from polyloom.base.errors import UserError
from polyloom.nbody import arrays
from polyloom.nbody.arrays import ARRAYS, BYTES_A_BODY, FRESH, State
from polyloom.nbody.loader import NBodyError

FORMAT, VERSION = "polyloom-nbody", 1
#: How a ZIP archive begins, one without members, and a NumPy file of one array.
_ARCHIVE, _EMPTY, _ARRAY = b"PK\x03\x04", b"PK\x05\x06", b"\x93NUMPY"
_NAME = re.compile(r"snapshot-(\d{10})\.npz")


def name_of(step: int) -> str:
    """File name of the snapshot at a step."""
    return f"snapshot-{step:010d}.npz"


def write(path: Path, state: State) -> None:
    """Write a state; UserError if the file cannot be written."""
    content: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    content |= {"step": state.get("step", 0), "time": state.get("time", 0.0)}
    content |= {name: state[name] for name in ARRAYS if name in state}
    with files.whole(path, "wb") as file:
        np.savez(file, **content)


def read(path: Path) -> State:
    """Read a snapshot: UserError if it is none, is cut short, or has another version."""
    state = _read_arrays(path)
    if str(state.get("format")) != FORMAT or "version" not in state:
        raise UserError(f"{path} is no snapshot of polyloom nbody: it has no format '{FORMAT}'; give such a file")
    if not np.array_equal(state["version"], VERSION):
        raise UserError(f"{path} is a snapshot of version {state['version']}; this program reads {VERSION}")
    missing = [name for name in (*ARRAYS, "step", "time") if name not in state]
    if missing:
        raise UserError(f"{path} lacks {', '.join(missing)}; a snapshot has all of {', '.join(ARRAYS)}, step, time")
    for name in ("step", "time"):
        if np.ndim(state[name]) != 0 or np.asarray(state[name]).dtype.kind not in "fiu":
            raise UserError(f"{path}: {name} is no number")
    return _checked(path, state)


def read_bodies(path: Path) -> State:
    """Read initial conditions: a snapshot's bodies without its forces, or plain arrays pos and mass."""
    content = _read_arrays(path)
    if "version" in content and not np.array_equal(content["version"], VERSION):
        raise UserError(f"{path} has version {content['version']}; this program reads {VERSION}")
    missing = [name for name in ("pos", "mass") if name not in content]
    if missing:
        raise UserError(f"{path} lacks {', '.join(missing)}; bodies need pos (N, 3) and mass (N)")
    state = _checked(path, {name: content[name] for name in FRESH if name in content})
    count = len(state["mass"])
    return {"vel": np.zeros((count, 3)), "id": np.arange(count, dtype=np.uint64)} | state


def snapshots(folder: Path) -> list[Path]:
    """Snapshots in a run folder, the oldest first."""
    return sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name))


def latest(folder: Path) -> tuple[Path, State]:
    """The last whole snapshot of a run; UserError if there is none."""
    problems = []
    for path in reversed(snapshots(folder)):
        try:
            return path, read(path)
        except UserError as error:
            problems.append(str(error))
    reason = f" ({problems[0]})" if problems else ""
    raise UserError(f"{folder} has no whole snapshot to resume from{reason}; runs write them with --snapshot-every K")


def _read_arrays(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as raw:
            _look(path, raw.read(len(_ARRAY)))
            raw.seek(0)
            with np.load(raw, allow_pickle=False) as file:
                sizes = {member.filename: member.file_size for member in file.zip.infolist()}
                work = BYTES_A_BODY * sizes.get("mass.npy", 0) // 8
                memory.require(sum(sizes.values()) + work, f"a simulation of {path}")
                content = {name: file[name] for name in file.files}
    except FileNotFoundError:
        raise UserError(f"{path} does not exist") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from error
    except (MemoryError, UserError):
        raise
    except Exception as error:  # NumPy's reader lets through what its parts raise: TokenError, SyntaxError, BadZipFile
        why = "it holds Python objects, not numbers" if "pickle" in str(error) else str(error)
        raise UserError(f"{path} is damaged or cut short: {why}") from error
    strange = [name for name, array in content.items() if not isinstance(array, np.ndarray)]
    if strange:
        raise UserError(f"{path} is damaged or no NPZ file: its member {strange[0]} is no array")
    try:
        arrays.refuse_unknown(content)
    except NBodyError as error:
        raise UserError(f"{path}: {error}") from error
    return content


def _look(path: Path, head: bytes) -> None:
    """How a file begins: NumPy takes what is neither of its own for Python objects."""
    needed = "needed is an NPZ file, of pos (N, 3) and mass (N) at least"
    if head == _ARRAY:
        raise UserError(f"{path} is a single array; {needed}")
    if len(head) < len(_ARCHIVE) and _ARCHIVE.startswith(head):
        raise UserError(f"{path} is cut short: it has {len(head)} bytes; {needed}")
    if not head.startswith((_ARCHIVE, _EMPTY)):
        raise UserError(f"{path} is no NPZ file: it begins with {head!r}; {needed}")


def _checked(path: Path, state: State) -> State:
    """The state, its arrays of the types that the compiled module takes."""
    try:
        count = len(arrays.vectors("pos", state["pos"]))
        return {**state, **{name: arrays.array_of(name, state[name], count) for name in ARRAYS if name in state}}
    except NBodyError as error:
        raise UserError(f"{path}: {error}") from error

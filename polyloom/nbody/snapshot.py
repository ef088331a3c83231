# SPDX-License-Identifier: Apache-2.0
"""Bodies in NPZ files. Input: a path or a state; output: a state, or a file that is there whole or not at all.

A snapshot has ``format``, ``version``, ``step``, ``time`` and the arrays pos, vel, mass, id, acc, pot, domain. Files
for ``--from`` need only pos and mass; vel is zero and id counts up if they are missing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from polyloom import files
from polyloom.errors import UserError
from polyloom.nbody.simulation import ARRAYS, State

FORMAT, VERSION = "polyloom-nbody", 1
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
    _check_lengths(path, state)
    return state


def read_bodies(path: Path) -> State:
    """Read initial conditions: a snapshot's bodies without its forces, or plain arrays pos and mass."""
    content = _read_arrays(path)
    if "version" in content and not np.array_equal(content["version"], VERSION):
        raise UserError(f"{path} has version {content['version']}; this program reads {VERSION}")
    missing = [name for name in ("pos", "mass") if name not in content]
    if missing:
        raise UserError(f"{path} lacks {', '.join(missing)}; bodies need pos (N, 3) and mass (N)")
    count = np.size(content["mass"])
    state = {
        "pos": content["pos"],
        "vel": content.get("vel", np.zeros((count, 3))),
        "mass": content["mass"],
        "id": content.get("id", np.arange(count, dtype=np.uint64)),
    }
    _check_lengths(path, state)
    return state


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
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            raise UserError(f"{path} is a single array; needed is an NPZ file, of pos (N, 3) and mass (N) at least")
        with loaded as file:
            arrays = {name: file[name] for name in file.files}
    except FileNotFoundError:
        raise UserError(f"{path} does not exist") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from error
    except (MemoryError, UserError):
        raise
    except Exception as error:  # NumPy's reader lets through what its parts raise: TokenError, SyntaxError, BadZipFile
        why = "it holds Python objects, not numbers" if "pickle" in str(error) else str(error)
        raise UserError(f"{path} is damaged or cut short, or no NPZ file: {why}") from error
    strange = [name for name, array in arrays.items() if not isinstance(array, np.ndarray)]
    if strange:
        raise UserError(f"{path} is damaged or no NPZ file: its member {strange[0]} is no array")
    return arrays


def _check_lengths(path: Path, state: State) -> None:
    count = np.size(state["mass"])
    for name, (_, width) in ARRAYS.items():
        if name not in state:
            continue
        right = (count, width) if width > 1 else (count,)
        shape, kind = np.shape(state[name]), np.asarray(state[name]).dtype
        if kind.kind not in "fiu":
            raise UserError(f"{path}: {name} has the type {kind}; it must hold real numbers")
        if shape != right:
            raise UserError(f"{path}: {name} has the shape {shape}; with {count} masses it must have {right}")

# SPDX-License-Identifier: Apache-2.0
"""What a caller gives, checked before the compiled module sees it. Input: arrays and numbers; output: the same, typed.

Everything that is refused is an NBodyError naming what it is, what it looks like and what would be right.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polyloom.nbody.loader import NBodyError

State = dict[str, Any]

#: Arrays of a state, their types and widths. A fresh state has the first four.
ARRAYS: dict[str, tuple[type, int]] = {
    "pos": (np.float64, 3),
    "vel": (np.float64, 3),
    "mass": (np.float64, 1),
    "id": (np.uint64, 1),
    "acc": (np.float64, 3),
    "pot": (np.float64, 1),
    "domain": (np.uint32, 1),
}
FRESH = ("pos", "vel", "mass", "id")
#: What a body takes at least: its arrays where they are made, and once more in a domain.
BYTES_A_BODY = 200
#: What else a state may hold: of a snapshot.
OTHERS = ("step", "time", "format", "version")
#: A team of threads larger than that is a mistake.
MOST_THREADS = 4096


def vectors(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Positions or the like, a row a body."""
    array = _numbers(name, values, "fiu")
    if array.shape == (0,):  # an empty list
        array = array.reshape(0, 3)
    if array.ndim != 2 or array.shape[1] != 3:
        hint = f"; give {name}.T if a column is a body" if array.ndim == 2 and array.shape[0] == 3 else ""
        raise NBodyError(f"{name} has the shape {array.shape}; it must have (N, 3), a row a body{hint}")
    return np.ascontiguousarray(array, dtype=np.float64)


def masses(values: ArrayLike, count: int) -> NDArray[np.float64]:
    """Of so many bodies: an array, or one number for all."""
    array = _numbers("mass", values, "fiu")
    if array.shape not in {(), (count,)}:
        raise NBodyError(
            f"mass has the shape {array.shape}; with {count} bodies it must have ({count},) or be a number"
        )
    return np.ascontiguousarray(np.broadcast_to(array.astype(np.float64), (count,)))


def of_state(state: State) -> dict[str, NDArray[Any]]:
    """The arrays of a state as the compiled module takes them: FRESH, or all of ARRAYS."""
    of_type("state", state, dict)
    refuse_unknown(state)
    needed = (*ARRAYS, "step", "time") if "acc" in state else FRESH
    missing = [name for name in needed if name not in state]
    if missing:
        why = "one with accelerations" if "acc" in state else "one"
        raise NBodyError(f"the state lacks {', '.join(missing)}; {why} has {', '.join(needed)}")
    pos = vectors("pos", state["pos"])
    return {name: array_of(name, state[name], len(pos)) for name in needed if name in ARRAYS}


def refuse_unknown(names: Any) -> None:
    """What is not read would be lost without a word: velocities under another name, for example."""
    for name in names:
        if name in ARRAYS or name in OTHERS:
            continue
        near = [known for known in ARRAYS if str(name).lower().startswith(known)]  # as "velocity" does
        hint = f"; did you mean {near[0]}?" if near else ""
        raise NBodyError(
            f"'{name}' is unknown{hint} (known are {', '.join(ARRAYS)}; of a snapshot {', '.join(OTHERS)})"
        )


def array_of(name: str, values: ArrayLike, count: int) -> NDArray[Any]:
    """One of ARRAYS, of so many bodies."""
    kind, width = ARRAYS[name]
    real = kind is np.float64
    array = _numbers(name, values, "fiu" if real else "iu")
    right = (count, width) if width > 1 else (count,)
    if array.shape != right:
        raise NBodyError(f"{name} has the shape {array.shape}; with {count} bodies it must have {right}")
    if not real and count and (array.min() < 0 or array.max() > np.iinfo(kind).max):
        raise NBodyError(f"{name} has a value that is below 0 or above {np.iinfo(kind).max}")
    return np.ascontiguousarray(array, dtype=kind)


def structured(name: str, values: Any, dtype: np.dtype[Any], count: int | None = None) -> NDArray[np.uint8]:
    """Structures as bytes. ``count``: how many there must be."""
    if not isinstance(values, np.ndarray) or values.dtype != dtype:
        found = f"the type {values.dtype}" if isinstance(values, np.ndarray) else type(values).__name__
        raise NBodyError(f"{name} is {found}; it must be an array of {', '.join(dtype.names or ())} ({dtype})")
    if count is not None and values.size != count:
        raise NBodyError(f"{name} has the shape {values.shape}; there must be {count}")
    return np.ascontiguousarray(values).reshape(-1).view(np.uint8)


def of_type(name: str, value: Any, kind: type) -> None:
    """NBodyError if the value is of another type."""
    if not isinstance(value, kind):
        raise NBodyError(f"{name} is of the type {type(value).__name__}; it must be {kind.__name__}")


def natural(name: str, value: Any, most: int = 2**63 - 1) -> int:
    """An integer from 0 to ``most``."""
    try:
        number = operator.index(value)
    except TypeError:
        raise NBodyError(f"{name} {value!r}: must be an integer") from None
    if not 0 <= number <= most:
        raise NBodyError(f"{name} {number}: must be 0 to {most}")
    return number


def real(name: str, value: Any) -> float:
    """A finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise NBodyError(f"{name} {value!r}: must be a number") from None
    if not math.isfinite(number):
        raise NBodyError(f"{name} {number}: must be finite")
    return number


def _numbers(name: str, values: ArrayLike, kinds: str) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError as error:  # rows of different lengths
        raise NBodyError(f"{name} is no array: {error}") from None
    if array.size and array.dtype.kind not in kinds:
        wanted = "real numbers" if "f" in kinds else "integers"
        raise NBodyError(f"{name} has the type {array.dtype}; it must hold {wanted}")
    return array

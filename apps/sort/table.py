# SPDX-License-Identifier: Apache-2.0
"""Records of a sort: a table with a row (key, value) each, as users have them and as nodes hold them.

Input: a ``.npy`` file or a generator; output: columns of unsigned 32-bit words in whose order the keys' own order is
kept, and back again. Errors: ValueError that names the file and what would be right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from apps.sort.cluster import Column
from polyloom.base import files, memory
from polyloom.base.errors import UserError

Table = NDArray[Any]  # [record, (key, value)], of an integer type
SIGN = np.uint32(1 << 31)
INT32, UINT32 = (-(1 << 31), (1 << 31) - 1), (0, (1 << 32) - 1)


def uniform(rng: np.random.Generator, count: int, types: int) -> Column:
    """Every type as frequent as the others."""
    return rng.integers(0, types, count, dtype=np.uint32)


def two_to_one(rng: np.random.Generator, count: int, types: int) -> Column:
    """One type twice as frequent as each other one."""
    drawn = rng.integers(0, types + 1, count, dtype=np.uint32)
    drawn[drawn == types] = types // 2 - 1
    return drawn


#: Keys by name: of so many types, but ``wide`` has all 32 bits.
DATA: dict[str, Callable[[np.random.Generator, int, int], Column]] = {
    "uniform": uniform,
    "two-to-one": two_to_one,
    "all-equal": lambda _, count, types: np.full(count, types // 3, dtype=np.uint32),
    "wide": lambda rng, count, _: rng.integers(0, 1 << 32, count, dtype=np.uint32),
}


def generate(data: str, nodes: int, count: int, types: int, seed: int) -> Table:
    """``count`` records a node; a value names its record."""
    rng = np.random.default_rng(seed)
    keys = [DATA[data](rng, count, types) for _ in range(nodes)]
    return np.column_stack([np.concatenate(keys), np.arange(nodes * count, dtype=np.uint32)])


def read(path: Path, work: float = 0) -> Table:
    """The table of a .npy file: shape (records, 2), integers that fit 32 bits.

    UserError unless there is memory for it, and then for ``work`` bytes more a record.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise ValueError(f"{path} is a pipe or a device; give a file")
    try:
        memory.require(path.stat().st_size, f"a sort of {path}")
        np.load(path, mmap_mode="r", allow_pickle=False)  # whether all is there that its header announces
        table = np.load(path, allow_pickle=False)
    except (OSError, MemoryError, UserError):
        raise
    except Exception as error:  # NumPy's reader lets through what its parts raise: TokenError, SyntaxError, BadZipFile
        why = "it holds Python objects" if "pickle" in str(error) else str(error)
        raise ValueError(f"{path} is no .npy file of numbers: {why}") from error
    if not isinstance(table, np.ndarray):
        raise ValueError(f"{path} is an archive of arrays; needed is one .npy array with a row (key, value) a record")
    if table.ndim != 2 or table.shape[1] != 2:
        raise ValueError(f"{path}: shape {table.shape}; needed is a row (key, value) a record, so (records, 2)")
    if table.dtype.kind not in "iu":
        raise ValueError(f"{path}: {table.dtype}; keys and values are integers of 32 bits (uint32, int32, or wider)")
    memory.require(work * len(table), f"a sort of {path}")
    for n, what in enumerate(("key", "value")):
        _check(path, what, table[:, n])
    return table


def _signed(column: NDArray[Any]) -> bool:
    """Whether the column's integers are to be read as signed: one of them is negative."""
    return bool(len(column) and int(column.min()) < 0)


def _check(path: Path, what: str, column: NDArray[Any]) -> None:
    limits = INT32 if _signed(column) else UINT32
    for row in {int(np.argmin(column)), int(np.argmax(column))} if len(column) else ():
        found = int(column[row])
        if not limits[0] <= found <= limits[1]:
            why = "where another one is negative" if limits == INT32 and found > 0 else "of 32 bits"
            raise ValueError(f"{path}: row {row}: {what} {found}; {why} it may be {limits[0]} to {limits[1]}")


@dataclass(frozen=True)
class Code:
    """How a table becomes columns of unsigned words; keys in whose order the words are, signed or not."""

    dtype: np.dtype[Any]
    signed_keys: bool
    signed_values: bool

    @staticmethod
    def of(table: Table) -> Code:
        """The code of a table that ``read`` or ``generate`` has made."""
        return Code(table.dtype, _signed(table[:, 0]), _signed(table[:, 1]))

    def encode(self, table: Table) -> tuple[Column, Column]:
        """Keys, with the sign bit turned where they are signed, and values."""
        keys, values = (table[:, n].astype(np.int64).astype(np.uint32) for n in (0, 1))
        return (keys ^ SIGN if self.signed_keys else keys), values

    def decode(self, keys: Column, values: Column) -> Table:
        """The table again, of the type that it had."""
        key = (keys ^ SIGN).view(np.int32) if self.signed_keys else keys
        value = values.view(np.int32) if self.signed_values else values
        return np.column_stack([key.astype(self.dtype), value.astype(self.dtype)])


def write(path: Path, table: Table) -> None:
    """Write all records, .npy or .csv."""
    if path.suffix == ".npy":
        with files.whole(path, "wb") as file:
            np.save(file, table)
        return
    with files.whole(path) as file:
        np.savetxt(file, table, fmt="%d", delimiter=",", header="key,value", comments="")

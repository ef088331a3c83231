# SPDX-License-Identifier: Apache-2.0
"""What the user calls the vertices: rows 0 .. n-1 inside, any hashable objects outside.

Input: names; output: rows of names, names of rows, and the text by which records and messages tell them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloom.graphs.errors import GraphError

Array = NDArray[Any]
#: Two names that a message shows where many are meant.
SHOWN = 3


class Vertices(Sequence[Any]):
    """Names by row: a range, an array of ascending whole numbers, or a list of objects."""

    def __init__(self, names: range | Array | list[Any]) -> None:
        self._names = names

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, row: Any) -> Any:
        name = self._names[row]
        if isinstance(row, slice):
            return Vertices(name).to_list()
        return name.item() if isinstance(name, np.integer) else name

    def __repr__(self) -> str:
        return f"<{self.summary()}>"

    @property
    def are_rows(self) -> bool:
        """Whether every vertex is called by its row."""
        return isinstance(self._names, range)

    @property
    def numbers(self) -> Array | None:
        """Ascending whole numbers that are not negative, if they are called so and not by their rows."""
        given = self._names
        return given if isinstance(given, np.ndarray) and (not len(given) or given[0] >= 0) else None

    def to_list(self) -> list[Any]:
        """All names, as Python's own objects."""
        return self._names.tolist() if isinstance(self._names, np.ndarray) else list(self._names)

    def to_array(self) -> Array:
        """All names as an array: of whole numbers, of text, or of objects."""
        if isinstance(self._names, list):
            if all(isinstance(name, str) for name in self._names):
                return np.array(self._names, dtype=str) if self._names else np.empty(0, dtype=str)
            return objects(self._names)
        return np.asarray(self._names, dtype=None if isinstance(self._names, np.ndarray) else np.int64)

    def take(self, rows: Array) -> list[Any]:
        """The names of rows."""
        if isinstance(self._names, list):
            return [self._names[row] for row in rows.tolist()]
        found = rows if isinstance(self._names, range) else self._names[rows]
        return list(found.tolist())

    def row(self, name: Any, argument: str) -> int:
        """The row of a name. GraphError naming the argument if no vertex is called so."""
        try:
            found = self._row(name)
        except TypeError:
            raise GraphError(f"{argument} = {name!r}: is not hashable, so no vertex is called so") from None
        if found is None:
            raise GraphError(f"{argument} = {name!r}: the graph has no such vertex; it has {self.summary()}")
        return found

    def _row(self, name: Any) -> int | None:
        if isinstance(self._names, list):
            return self._rows.get(name)
        if isinstance(name, (bool, np.bool_)) or name != name or not hasattr(name, "__index__"):
            whole = isinstance(name, (float, np.floating)) and float(name).is_integer()
            if not whole:
                return None
            name = int(name)
        number = int(name)
        if isinstance(self._names, range):
            return number if 0 <= number < len(self._names) else None
        at = int(np.searchsorted(self._names, number)) if -(1 << 63) <= number < 1 << 64 else len(self._names)
        return at if at < len(self._names) and int(self._names[at]) == number else None

    @cached_property
    def _rows(self) -> dict[Any, int]:
        return {name: row for row, name in enumerate(self._names)}

    def words(self, argument: str) -> list[bytes] | None:
        """Their text, where they are no numbers. GraphError naming the argument if two have the same."""
        if not isinstance(self._names, list) and (self.are_rows or self.numbers is not None):
            return None
        texts = [str(name) for name in self.to_list()]
        if len(set(texts)) < len(texts):
            seen: dict[str, int] = {}
            for row, text in enumerate(texts):
                if text in seen:
                    raise GraphError(
                        f"{argument}: the vertices {self[seen[text]]!r} and {self[row]!r} are both written {text!r}, "
                        "so that no record could tell them apart; rename one (networkx.relabel_nodes, astype)"
                    )
                seen[text] = row
        return [text.encode("utf-8", "surrogatepass") for text in texts]

    def summary(self) -> str:
        """In a few words, for messages."""
        if not len(self):
            return "none"
        shown = ", ".join(repr(self[row]) for row in range(min(SHOWN, len(self))))
        more = f", ... {self[len(self) - 1]!r}" if len(self) > SHOWN else ""
        return f"{len(self)} vertices: {shown}{more}"


def objects(values: Sequence[Any]) -> Array:
    """An array of these objects, tuples among them too."""
    array = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        array[row] = value
    return array

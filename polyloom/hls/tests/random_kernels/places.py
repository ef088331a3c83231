# SPDX-License-Identifier: Apache-2.0
"""What a program can read or write: variables, array elements, struct fields, through whatever name leads there.

A place is a pattern with a hole for each index: ``g.rows[{}].x[{}]`` with (5, 3). A scope holds the places that can be
seen at some point of the program, and the loop variables with their ranges.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from polyloom.hls.tests.random_kernels.c_types import U32, Type


@dataclass(frozen=True)
class Place:
    """Somewhere to read and, mostly, to write."""

    pattern: str
    type: Type
    dims: tuple[int, ...] = ()
    writable: bool = True
    #: Whether its bits may be taken apart: floats only as values, since the bits of a NaN are not defined.
    plain: bool = True

    @property
    def is_array(self) -> bool:
        """Whether a pointer to consecutive elements can be made: the last index ends the pattern."""
        return bool(self.dims) and self.pattern.endswith("[{}]")


@dataclass
class Scope:
    """Places, loop variables (name, how many values it takes from 0 on), arrays of structs (name, size, pointer)."""

    places: list[Place] = field(default_factory=list)
    loops: list[tuple[str, int]] = field(default_factory=list)
    structs: list[tuple[str, int, str]] = field(default_factory=list)

    @contextmanager
    def loop(self, name: str, count: int, kind: Type = U32) -> Iterator[None]:
        """Inside, the loop variable can be used."""
        self.loops.append((name, count))
        self.places.append(Place(name, kind, writable=False))
        yield
        self.places.pop()
        self.loops.pop()

# SPDX-License-Identifier: Apache-2.0
"""Whether fp32 holds the bodies: pairs that are too near one another. Input: bodies and softening; output: numbers.

Trees hold positions as fp32 in one frame for all bodies (nbody/tree/frame.h), so a pair's separation is off by about
the last place of its coordinates, and the force between the two by as much of it as that is of their separation. Near
pairs are found by grids whose cells fit that last place: one grid for each power of two of the largest coordinate.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloom.nbody.frame import Frame

Floats = NDArray[np.float64]

#: Relative error of a pair's force above which it is told.
TOLERANCE = 1e-3
#: Pairs beyond so many are not counted.
MOST_PAIRS = 1 << 21
#: Sides of the cells in which near pairs are looked for, in the distance that counts as near.
CELL = 16
#: Without softening bodies nearer than this part of the frame count as coincident (nbody/walk/kernels.h).
COINCIDENT = 1e-12
#: Largest force of a softened pair, in units of G m / eps^2: at a separation of eps / sqrt(2).
SOFTENED_PEAK = 2 / 3**1.5


class PrecisionWarning(UserWarning):
    """Forces between near bodies are less exact than fp32 forces are elsewhere."""


@dataclass(frozen=True)
class Closeness:
    """The worst pair, and how many there are. ``enough``: a softening with which none would be told."""

    pairs: int
    bodies: tuple[int, int]
    separation: float
    error: float  # of the force between the two, relative; of a softened pair's greatest force if that is more
    length: float  # of the frame
    enough: float

    def __str__(self) -> str:
        first, second = self.bodies
        count = f"{self.pairs}" if self.pairs < MOST_PAIRS else f"{self.pairs} or more"
        others = f" ({count} such pairs in all)" if self.pairs > 1 else ""
        return (
            f"bodies {first} and {second} are {self.separation:.3g} apart; positions are held as fp32 in a frame of "
            f"{self.length:.3g}, so the force between them is off by {100 * self.error:.2g} %{others}; "
            f"a softening (eps) of {self.enough:.1g} would keep it below {100 * TOLERANCE:g} %"
        )


def examine(pos: Floats, eps: float, frame: Frame) -> Closeness | None:
    """The pairs whose force fp32 spoils by more than TOLERANCE; None if there are none. ``frame``: of their tree."""
    if len(pos) < 2:
        return None
    if eps <= COINCIDENT * frame.length:  # so little is none to fp32 (nbody/walk/walk.cc)
        eps = 0.0
    origin, length = np.array(frame.origin), frame.length
    places = (pos - origin) / length
    held = places.astype(np.float32).astype(np.float64)
    found: list[tuple[NDArray[Any], ...]] = []
    pairs = 0
    for first, second in _near_pairs(places):
        apart, held_apart = pos[second] - pos[first], length * (held[second] - held[first])
        if eps == 0:
            held_apart[np.linalg.norm(held_apart, axis=1) <= COINCIDENT * length] = 0
        error = _errors(apart, held_apart, eps)
        moved = np.linalg.norm(held_apart - apart, axis=1)
        reported = error > TOLERANCE
        found.append(tuple(column[reported] for column in (first, second, error, moved)))
        pairs += int(reported.sum())
        if pairs >= MOST_PAIRS:
            break
    if not pairs:
        return None
    first, second, error, moved = (np.concatenate(column) for column in zip(*found, strict=True))
    pairs = min(len(np.unique(first * len(pos) + second)), MOST_PAIRS)  # a pair may share cells of several grids
    worst = int(np.argmax(error))
    low, high = int(first[worst]), int(second[worst])
    separation = float(np.linalg.norm(pos[high] - pos[low]))
    # A softened force changes by at most G m / eps^3 a unit of length.
    enough = float(moved.max()) / (SOFTENED_PEAK * TOLERANCE)
    return Closeness(pairs, (low, high), separation, float(error[worst]), length, enough)


def _near_pairs(places: Floats) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Pairs of bodies in two places, the lower first, among them all that fp32 could spoil; some more than once.

    fp32 moves a body by at most half a last place along each axis, 2^-24 of the power of two below its largest
    coordinate. Three times the displacement by the separation is more than a pair's force can be off, to first order.
    """
    reach = 2 * COINCIDENT  # bodies so near may count as coincident
    least = int(np.floor(np.log2(reach * TOLERANCE * 2**24 / 18)))
    largest = np.maximum(np.abs(places).max(axis=1), 2.0**least)
    powers = np.frexp(largest)[1].astype(np.int64) - 1
    for power in np.unique(powers):
        near = 18 * 2.0 ** (power - 24) / TOLERANCE + reach
        # So near, the other one has this power or the next below.
        bodies = np.flatnonzero((powers == power) | (powers == power - 1))
        scaled = places[bodies] / (CELL * near)
        cells = np.floor(scaled).astype(np.int64)  # below 2^7
        keys = (cells[:, 0] << 40) + (cells[:, 1] << 20) + cells[:, 2]
        for axis in range(3):  # who is that near to the next cell is there too
            beside = np.floor(scaled[:, axis] + 1 / CELL) > cells[:, axis]
            keys = np.append(keys, keys[beside] + (1 << (40, 20, 0)[axis]))
            bodies, scaled, cells = (np.concatenate((each, each[beside])) for each in (bodies, scaled, cells))
        where = places[bodies]
        order = np.lexsort((where @ (1, np.pi, np.e), keys))  # bodies in one place follow one another
        keys, bodies, where = keys[order], bodies[order], where[order]
        fresh = np.append(True, (np.diff(keys) != 0) | (np.diff(where, axis=0) != 0).any(axis=1))
        keys, bodies = keys[fresh], bodies[fresh]
        starts = np.arange(len(keys))
        for step in range(1, len(keys)):
            starts = starts[starts + step < len(keys)]
            starts = starts[keys[starts] == keys[starts + step]]
            if not len(starts):
                break
            first, second = bodies[starts], bodies[starts + step]
            within = np.linalg.norm(places[second] - places[first], axis=1) < near
            yield np.minimum(first, second)[within], np.maximum(first, second)[within]


def _errors(exact: Floats, held: Floats, eps: float) -> Floats:
    forces = [_pull(apart, eps) for apart in (exact, held)]
    scale = np.linalg.norm(forces[0], axis=1)
    if eps > 0:  # nearer than where the force is greatest it falls to nothing
        scale[np.linalg.norm(exact, axis=1) < eps / 2**0.5] = SOFTENED_PEAK / eps**2
    errors: Floats = np.linalg.norm(forces[1] - forces[0], axis=1) / scale
    return errors


def _pull(apart: Floats, eps: float) -> Floats:
    """Of unit masses; none between bodies in one place, which is where those are that fall together in fp32."""
    squared = np.einsum("ij,ij->i", apart, apart)
    pull: Floats = apart / (np.where(squared > 0, squared, 1) + eps * eps)[:, None] ** 1.5
    return pull


def warn(closeness: Closeness | None) -> None:
    """A PrecisionWarning at the caller's caller, if there is reason for one."""
    if closeness is not None:
        warnings.warn(PrecisionWarning(str(closeness)), stacklevel=3)

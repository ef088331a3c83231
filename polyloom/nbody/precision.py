# SPDX-License-Identifier: Apache-2.0
"""Whether fp32 holds the bodies: pairs that are too near one another. Input: bodies and softening; output: numbers.

Trees hold positions as fp32 in one frame for all bodies (nbody/tree/frame.h), so a pair's separation is off by about
the frame's last place, and the force between the two by as much of it as that is of their separation.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Relative error of a pair's force above which it is told.
TOLERANCE = 1e-3
#: How far along the curve a body's nearest is looked for. Of two that are much nearer to each other than to the rest
#: the curve seldom brings another one between.
REACH = 2
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
        others = f" ({self.pairs} such pairs in all)" if self.pairs > 1 else ""
        return (
            f"bodies {first} and {second} are {self.separation:.3g} apart; positions are held as fp32 in a frame of "
            f"{self.length:.3g}, so the force between them is off by {100 * self.error:.2g} %{others}; "
            f"a softening (eps) of {self.enough:.1g} would keep it below {100 * TOLERANCE:g} %"
        )


def examine(pos: Floats, eps: float, tree: Any) -> Closeness | None:
    """The pairs whose force fp32 spoils by more than TOLERANCE; None if there are none. ``tree``: of these bodies."""
    if len(pos) < 2:
        return None
    frame = tree.frame
    origin = np.array(frame.origin)
    order = tree.order.astype(np.int64)
    exact = pos[order]
    held = origin + frame.length * ((exact - origin) / frame.length).astype(np.float32).astype(np.float64)
    slack = np.abs(held - exact).sum(axis=1)
    found: list[tuple[NDArray[Any], ...]] = []
    for step in range(1, min(REACH + 1, len(pos))):
        apart = exact[step:] - exact[:-step]
        squared = np.einsum("ij,ij->i", apart, apart)
        # Three times the displacement by the separation is more than a pair's force can be off, to first order.
        bound = 3 * (slack[step:] + slack[:-step]) / TOLERANCE + 2 * COINCIDENT * frame.length
        (near,) = np.nonzero((squared > 0) & (squared < bound * bound))
        if len(near):
            held_apart = (held[step:] - held[:-step])[near]
            if eps == 0:
                held_apart[np.linalg.norm(held_apart, axis=1) <= COINCIDENT * frame.length] = 0
            error, moved = _errors(apart[near], held_apart, eps), np.linalg.norm(held_apart - apart[near], axis=1)
            columns = (order[near], order[near + step], np.sqrt(squared[near]), error, moved)
            found.append(tuple(column[error > TOLERANCE] for column in columns))
    if not any(len(each[0]) for each in found):
        return None
    first, second, separation, error, moved = (np.concatenate(column) for column in zip(*found, strict=True))
    worst = int(np.argmax(error))
    low, high = sorted((int(first[worst]), int(second[worst])))
    # A softened force changes by at most G m / eps^3 a unit of length.
    enough = float(moved.max()) / (SOFTENED_PEAK * TOLERANCE)
    return Closeness(len(error), (low, high), float(separation[worst]), float(error[worst]), frame.length, enough)


def _errors(exact: Floats, held: Floats, eps: float) -> Floats:
    forces = [_pull(apart, eps) for apart in (exact, held)]
    scale = np.linalg.norm(forces[0], axis=1)
    if eps > 0:
        scale = np.maximum(scale, SOFTENED_PEAK / eps**2)
    errors: Floats = np.linalg.norm(forces[1] - forces[0], axis=1) / scale
    return errors


def _pull(apart: Floats, eps: float) -> Floats:
    """Of unit masses; none between bodies in one place, which is where those are that fall together in fp32."""
    squared = np.einsum("ij,ij->i", apart, apart)
    pull: Floats = apart / (np.where(squared > 0, squared, 1) + eps * eps)[:, None] ** 1.5
    return pull


def of_state(state: dict[str, Any], eps: float) -> Closeness | None:
    """The same of a simulation's state; bodies by their ``id`` if there is one."""
    from polyloom.nbody.trees import Tree

    pos = np.ascontiguousarray(state["pos"], dtype=np.float64)
    found = examine(pos, eps, Tree(pos, state["mass"]))
    if found is None or "id" not in state:
        return found
    low, high = sorted(int(state["id"][body]) for body in found.bodies)
    return replace(found, bodies=(low, high))


def warn(closeness: Closeness | None) -> None:
    """A PrecisionWarning at the caller's caller, if there is reason for one."""
    if closeness is not None:
        warnings.warn(PrecisionWarning(str(closeness)), stacklevel=3)

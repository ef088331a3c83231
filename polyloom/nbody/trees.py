# SPDX-License-Identifier: Apache-2.0
"""Trees, forces and LETs of NumPy arrays. Input: positions (N, 3) and masses (N); output: arrays in the same order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polyloom.nbody import arrays, precision
from polyloom.nbody.frame import Frame
from polyloom.nbody.loader import ext
from polyloom.nbody.precision import Closeness
from polyloom.nbody.settings import Settings

Floats = NDArray[np.float64]

#: A node as it lies in memory and travels (nbody/tree/record.h).
RECORD = np.dtype(
    [("q", "<f4"), ("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("mass", "<f4"), ("more", "<u4")],
)
#: What a LET is made for: a box (radius 0), or a sphere (min = max = centre).
TARGET = np.dtype([("min", "<f4", 3), ("max", "<f4", 3), ("kappa", "<f4"), ("radius", "<f4")])


def _arrays(pos: ArrayLike, mass: ArrayLike) -> tuple[Floats, Floats]:
    positions = arrays.vectors("pos", pos)
    return positions, arrays.masses(mass, len(positions))


class Tree:
    """The octree of bodies that stand still. Options: those of ``Settings``; ``threads`` 0: one a processor."""

    def __init__(self, pos: ArrayLike, mass: ArrayLike, threads: int = 0, **options: Any) -> None:
        positions, masses = _arrays(pos, mass)
        team = arrays.natural("threads", threads, arrays.MOST_THREADS)
        self._tree = ext.Tree(Settings(**options).as_dict(), team, positions, masses)

    @property
    def records(self) -> NDArray[Any]:
        """Nodes in breadth-first order, as RECORD."""
        nodes: NDArray[Any] = self._tree.records().view(RECORD)
        return nodes

    @property
    def radius(self) -> NDArray[np.float32]:
        """Of each node, b: no member is farther from its centre of mass."""
        radii: NDArray[np.float32] = self._tree.radius()
        return radii

    @property
    def order(self) -> NDArray[np.uint64]:
        """Indices of the bodies along the curve."""
        order: NDArray[np.uint64] = self._tree.order()
        return order

    @property
    def frame(self) -> Frame:
        """Units of the records."""
        x, y, z, length, mass = self._tree.frame()
        return Frame((x, y, z), length, mass)

    @property
    def target(self) -> NDArray[Any]:
        """What a LET for these bodies is made for: one TARGET, none if there are no bodies."""
        target: NDArray[Any] = self._tree.target().view(TARGET)
        return target

    def forces(self) -> tuple[Floats, Floats]:
        """Accelerations and potentials of the bodies, without their own."""
        self._tree.forces()
        acceleration, potential = self._tree.result()
        return acceleration, potential

    def forces_with(self, *others: NDArray[Any]) -> tuple[Floats, Floats]:
        """The same with the records of other trees (in the same frame) beside this one."""
        self._tree.forces_with([arrays.structured("a tree", other, RECORD) for other in others])
        acceleration, potential = self._tree.result()
        return acceleration, potential

    def interactions(self) -> tuple[int, int]:
        """Of the last forces: how many with bodies or masses of nodes, how many with second moments."""
        points, cells, _ = self._tree.stats()
        return points, cells


def accelerations(pos: ArrayLike, mass: ArrayLike, threads: int = 0, **options: Any) -> Floats:
    """Accelerations by tree: ``accelerations(pos, mass, eps=0, theta=0.5, mac="angle", quadrupole=False)``.

    PrecisionWarning where bodies are so near one another that fp32 positions spoil the force between them.
    """
    positions, masses = _arrays(pos, mass)
    tree = Tree(positions, masses, threads, **options)
    precision.warn(precision.examine(positions, Settings(**options).eps, tree.frame))
    return tree.forces()[0]


def closeness(state: dict[str, Any], eps: float) -> Closeness | None:
    """The worst pair of a simulation's state (``precision.examine``); bodies by their ``id`` if there is one."""
    pos = np.ascontiguousarray(state["pos"], dtype=np.float64)
    found = precision.examine(pos, eps, Tree(pos, state["mass"]).frame)
    if found is None or "id" not in state:
        return found
    low, high = sorted(int(state["id"][body]) for body in found.bodies)
    return replace(found, bodies=(low, high))


def direct(
    pos: ArrayLike, mass: ArrayLike, targets: ArrayLike | None = None, eps: float = 0.0, gravity: float = 1.0
) -> tuple[Floats, Floats]:
    """Accelerations and potentials by direct summation in double precision, of ``targets`` (default: the bodies).

    Bodies at no distance do not attract; with softening they count in the potential, but for a body in its own.
    """
    positions, masses = _arrays(pos, mass)
    at = positions if targets is None else arrays.vectors("targets", targets)
    own = masses if targets is None else masses[:0]
    constants = arrays.real("eps", eps), arrays.real("gravity", gravity)
    acceleration, potential = ext.direct(positions, masses, at, own, *constants, 0)
    return acceleration, potential


def let(records: NDArray[Any], target: NDArray[Any]) -> NDArray[Any]:
    """The locally essential tree of ``records`` for one TARGET, as RECORD."""
    tree, wanted = arrays.structured("records", records, RECORD), arrays.structured("target", target, TARGET, 1)
    nodes: NDArray[Any] = ext.let(tree, wanted).view(RECORD)
    return nodes

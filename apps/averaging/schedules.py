# SPDX-License-Identifier: Apache-2.0
"""Averaging a vector over all nodes, by the published schedules and ours, at data level with NumPy.

Every node starts with its own vector and ends with the average; all nodes end with the same bits. What crosses each
link in each step is counted, so the schedules' volumes can be compared with the closed forms.
Ranks count x first; parts of a group's vector are numbered like its members.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from polyloom.collectives.models import improved
from polyloom.collectives.models.topology import Topology

Vector = NDArray[np.float32]
Vectors = list[Vector]


@dataclass
class Traffic:
    """Elements by (dimension, source, destination) in each step. ``passes``: memory steps.

    A node's own part counts like a link's, in each dimension by itself: it goes from a memory channel of its own
    straight to the averaging circuit, so the parts of two dimensions do not share a loopback port. (If they did, two
    parts in opposite order would be slower on a GHC with unequal degrees: 4x2 3/2 beta L where the form says 1.)
    """

    steps: dict[int, dict[tuple[int, int, int], int]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(int))
    )
    passes: int = 0

    def add(self, step: int, dimension: int, source: int, destination: int, elements: int) -> None:
        """Count one stream."""
        self.steps[step][dimension, source, destination] += elements

    def volume(self, topology: Topology, elements: int) -> Fraction:
        """Sum over steps of what the busiest link carries, by the vector's length: the beta L term."""
        total = Fraction(0)
        for step in self.steps.values():
            total += max(Fraction(count, topology.dimensions[key[0]].links) for key, count in step.items())
        return total / elements


def reduce_scatter(topology: Topology, vectors: Vectors, dimension: int, step: int, traffic: Traffic) -> Vectors:
    """Member m of each group gets the average of part m: the all-to-all into the averaging circuit."""
    result: Vectors = [np.empty(0, dtype=np.float32)] * topology.nodes
    for group in topology.groups(dimension):
        parts = [np.array_split(vectors[node], len(group)) for node in group]
        for place, node in enumerate(group):
            total = np.zeros(len(parts[0][place]), dtype=np.float32)
            for source, theirs in zip(group, parts, strict=True):  # in member order on every node
                traffic.add(step, dimension, source, node, len(theirs[place]))
                total += theirs[place]
            result[node] = total / np.float32(len(group))
    return result


def all_gather(topology: Topology, vectors: Vectors, dimension: int, step: int, traffic: Traffic) -> Vectors:
    """Each member gets the parts of all members, in member order."""
    result: Vectors = [np.empty(0, dtype=np.float32)] * topology.nodes
    for group in topology.groups(dimension):
        whole = np.concatenate([vectors[node] for node in group])
        for node in group:
            result[node] = whole.copy()
            for source in group:
                traffic.add(step, dimension, source, node, len(vectors[source]))
    return result


def _whole(topology: Topology, vectors: Vectors, order: Sequence[int], step: int, traffic: Traffic) -> Vectors:
    """The whole vector averaged in each dimension of ``order``, one after the other."""
    for dimension in order:
        vectors = reduce_scatter(topology, vectors, dimension, step, traffic)
        vectors = all_gather(topology, vectors, dimension, step + 1, traffic)
        step += 2
    return vectors


def _hierarchical(topology: Topology, vectors: Vectors, order: Sequence[int], step: int, traffic: Traffic) -> Vectors:
    """Scatter down the dimensions of ``order``, gather back up."""
    for dimension in order:
        vectors = reduce_scatter(topology, vectors, dimension, step, traffic)
        step += 1
    for dimension in reversed(order):
        vectors = all_gather(topology, vectors, dimension, step, traffic)
        step += 1
    return vectors


Part = Callable[[Topology, Vectors, Sequence[int], int, Traffic], Vectors]


def _two_parts(part: Part, topology: Topology, vectors: Vectors, traffic: Traffic, share: Fraction) -> Vectors:
    """The first ``share`` of the vector x first, the rest y first, in the same steps."""
    order = range(len(topology.dimensions))
    cut = round(len(vectors[0]) * share)
    front = part(topology, [vector[:cut] for vector in vectors], order, 0, traffic)
    back = part(topology, [vector[cut:] for vector in vectors], order[::-1], 0, traffic)
    return [np.concatenate(pair) for pair in zip(front, back, strict=True)]


def aggressive(topology: Topology, vectors: Vectors, traffic: Traffic) -> Vectors:
    """The paper's, with the averaging circuit in the receive path; on a GHC rows, then columns (as in Table 4)."""
    traffic.passes += 2 * len(topology.dimensions)
    return _whole(topology, vectors, range(len(topology.dimensions)), 0, traffic)


def naive(topology: Topology, vectors: Vectors, traffic: Traffic) -> Vectors:
    """The paper's, with a pass memory to circuit to memory between; moves the same data."""
    traffic.passes += len(topology.dimensions)
    return aggressive(topology, vectors, traffic)


def halves_whole(topology: Topology, vectors: Vectors, traffic: Traffic) -> Vectors:
    """As the paper's prose: one half through rows while the other goes through columns, then the other way round."""
    traffic.passes += 2 * len(topology.dimensions)
    return _two_parts(_whole, topology, vectors, traffic, improved.HALF)


def hierarchical(topology: Topology, vectors: Vectors, traffic: Traffic) -> Vectors:
    """Columns see only what a row's member is left with."""
    traffic.passes += 2 * len(topology.dimensions)
    return _hierarchical(topology, vectors, range(len(topology.dimensions)), 0, traffic)


def halves(topology: Topology, vectors: Vectors, traffic: Traffic) -> Vectors:
    """Hierarchical, two halves in opposite order."""
    traffic.passes += 2 * len(topology.dimensions)
    return _two_parts(_hierarchical, topology, vectors, traffic, improved.HALF)


def best_share(topology: Topology, vectors: Vectors, traffic: Traffic) -> Vectors:
    """Hierarchical, two parts in opposite order, cut where both take equally long."""
    traffic.passes += 2 * len(topology.dimensions)
    return _two_parts(_hierarchical, topology, vectors, traffic, improved.best_share(topology))


Schedule = Callable[[Topology, Vectors, Traffic], Vectors]
SCHEDULES: dict[str, Schedule] = {
    "naive": naive,
    "aggressive": aggressive,
    "halves-whole": halves_whole,
    "hierarchical": hierarchical,
    "halves": halves,
    "best-share": best_share,
}


def average(topology: Topology, vectors: Sequence[Vector], schedule: str = "halves") -> Vectors:
    """Average of all nodes' vectors, on every node."""
    if len(vectors) != topology.nodes:
        raise ValueError(f"{topology.name} needs {topology.nodes} vectors, got {len(vectors)}")
    if len({vector.shape for vector in vectors}) != 1 or vectors[0].ndim != 1:
        raise ValueError(f"vectors must be flat and equally long, got shapes {[vector.shape for vector in vectors]}")
    if schedule not in SCHEDULES:
        raise ValueError(f"no schedule {schedule!r}; there are: {', '.join(SCHEDULES)}")
    flat = [np.asarray(vector, dtype=np.float32) for vector in vectors]
    return SCHEDULES[schedule](topology, flat, Traffic())

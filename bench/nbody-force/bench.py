# SPDX-License-Identifier: Apache-2.0
"""Forces of one evaluation (tree and walk) beside pytreegrav (PyPI, numba): time and errors, on the same bodies.

Both compute in two threads, taking turns, without softening, theta 0.5. Errors are against direct summation in NumPy.
Limits: what our interaction loop does alone (every body with every other, no tree), and what the processor's units for
products would allow (multiply-adds in registers, measured, by the 14 products an interaction).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bench.common.harness import Bench

THREADS = 2
THETA = 0.5
LOOP_BODIES = 8192


@dataclass
class Contestant:
    """A way to compute accelerations; ``seconds`` of each turn."""

    name: str
    call: Callable[[], Any]
    seconds: list[float] = field(default_factory=list)
    acceleration: Any = None

    def turn(self) -> None:
        """Compute once."""
        start = time.perf_counter()
        self.acceleration = self.call()
        self.seconds.append(time.perf_counter() - start)


def summed(pos: Any, mass: Any, at: Any) -> Any:
    """Accelerations of the bodies ``at`` by direct summation."""
    result = np.zeros((len(at), 3))
    for k, i in enumerate(at):
        d = pos - pos[i]
        r2 = (d * d).sum(axis=1)
        r2[i] = np.inf
        result[k] = (mass / (r2 * np.sqrt(r2))) @ d
    return result


def contestants(pos: Any, mass: Any) -> list[Contestant]:
    """Ours and theirs, monopole and quadrupole."""
    import numba
    import pytreegrav

    from polyloom import nbody

    numba.set_num_threads(THREADS)

    def ours(mac: str, quadrupole: bool) -> Callable[[], Any]:
        options = {"mac": mac, "theta": THETA, "eps": 0.0, "quadrupole": quadrupole}
        return lambda: nbody.accelerations(pos, mass, threads=THREADS, **options)

    def theirs(quadrupole: bool) -> Callable[[], Any]:
        options = {"theta": THETA, "parallel": True, "method": "tree", "quadrupole": quadrupole}
        return lambda: pytreegrav.Accel(pos, mass, np.zeros(len(mass)), **options)

    return [
        Contestant("ours, side/s, monopole", ours("side", False)),
        Contestant("ours, b/s, monopole", ours("angle", False)),
        Contestant("pytreegrav, monopole", theirs(False)),
        Contestant("ours, side/s, quadrupole", ours("side", True)),
        Contestant("ours, b/s, quadrupole", ours("angle", True)),
        Contestant("pytreegrav, quadrupole", theirs(True)),
    ]


def loop_rate(turns: int) -> float:
    """Interactions a second of the loop alone: nothing is accepted, so lists are all bodies."""
    from polyloom import nbody

    state = nbody.problem("plummer", LOOP_BODIES, 1)
    tree = nbody.Tree(state["pos"], state["mass"], threads=THREADS, theta=1e-6, eps=0.0, group=64)
    best = 0.0
    for _ in range(turns):
        start = time.perf_counter()
        tree.forces()
        best = max(best, LOOP_BODIES**2 / (time.perf_counter() - start))
    return best


def run(bench: Bench) -> None:
    """Race, then compare errors."""
    os.environ.setdefault("NUMBA_NUM_THREADS", str(THREADS))
    from polyloom import nbody
    from polyloom.nbody.loader import ext
    from polyloom.nbody.simulation import simd

    count, turns, samples = (16384, 3, 256) if bench.quick else (65536, 9, 2048)
    state = nbody.problem("plummer", count, 1)
    pos, mass = state["pos"], state["mass"]
    at = np.arange(count // samples // 2, count, count // samples)
    exact = summed(pos, mass, at)
    race = contestants(pos, mass)
    for contestant in race:
        contestant.call()  # compiling and first use of memory are no one's
    for _ in range(turns):
        for contestant in race:
            contestant.turn()
    limit = loop_rate(turns)
    peak = max(ext.interaction_limit(THREADS, 0.2) for _ in range(turns))
    bench.figures["loop_interactions_per_second"] = limit
    bench.figures["peak_interactions_per_second"] = peak
    bench.figures["simd"] = simd()
    high: dict[str, float] = {}
    for contestant in race:
        errors = np.linalg.norm(contestant.acceleration[at] - exact, axis=1) / np.linalg.norm(exact, axis=1)
        high[contestant.name] = float(np.quantile(errors, 0.99))
        best = min(contestant.seconds)
        text = f"{1e3 * best:.1f} ms, error median {np.median(errors):.2e}, 99 % {high[contestant.name]:.2e}"
        key = contestant.name.replace(", ", "_").replace("/", "")
        bench.figures[f"{key}_seconds"] = best
        bench.figures[f"{key}_error_p99"] = high[contestant.name]
        bench.row(contestant.name, text)
    _rate(bench, pos, mass, min(race[0].seconds), limit, peak)
    for order, first in (("monopole", 0), ("quadrupole", 3)):
        mine, rival = race[first], race[first + 2]
        ratio = min(rival.seconds) / min(mine.seconds)
        right = ratio > 1 and high[mine.name] <= high[rival.name]
        what = f"65536 bodies, {order}: how much faster than pytreegrav at the same theta"
        bench.target(what, "above 1, 99 % error no larger", ratio, None if bench.quick else right)
    bench.note(
        f"theta {THETA}, {THREADS} threads, best of {turns} turns; walk by {simd()}; ours: groups of 32, leaf limit 4"
    )


def _rate(bench: Bench, pos: Any, mass: Any, seconds: float, loop: float, peak: float) -> None:
    from polyloom import nbody

    tree = nbody.Tree(pos, mass, threads=THREADS, mac="side", theta=THETA, eps=0.0)
    tree.forces()
    interactions = sum(tree.interactions())
    rate = interactions / seconds
    bench.figures["side_interactions_per_body"] = interactions / len(mass)
    bench.figures["side_interactions_per_second"] = rate
    bench.row(
        "interactions of the first row, tree and walk",
        f"{rate / 1e9:.2f} G/s, {interactions / len(mass):.0f} a body",
        limit=f"{loop / 1e9:.2f} G/s (loop alone): {rate / loop:.2f} of it",
    )
    bench.row(
        "interactions of the loop alone",
        f"{loop / 1e9:.2f} G/s",
        limit=f"{peak / 1e9:.2f} G/s: {loop / peak:.2f} of it",
    )

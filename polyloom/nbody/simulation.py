# SPDX-License-Identifier: Apache-2.0
"""A simulation in this process. Input: bodies as arrays, ``Settings``; output: states, diagnostics, times by phase."""

from __future__ import annotations

import sys
from typing import Any

from polyloom.nbody import arrays, precision, trees
from polyloom.nbody.arrays import MOST_THREADS, State
from polyloom.nbody.loader import ext
from polyloom.nbody.settings import Settings


def problem(name: str, count: int, seed: int = 0) -> State:
    """Initial conditions: plummer, cold-sphere, hernquist, kepler (which has two bodies)."""
    arrays.of_type("name", name, str)
    state: State = ext.problem(name, arrays.natural("count", count), arrays.natural("seed", seed))
    return state


def simd() -> str:
    """Instruction set of the walk: results are the same bit by bit only where this is."""
    name: str = ext.simd()
    return name


class Simulation:
    """Leapfrog over ``nodes`` domains in threads of this process. ``state``: see arrays.ARRAYS.

    A state that has accelerations goes on bit by bit where it came from. ``let``: host, or full (whole trees instead
    of LETs, to compare: the trajectory is the same). PrecisionWarning as of ``accelerations``, of the first state.
    """

    #: Steps that one call of ``advance`` should take at most.
    MOST_STEPS = sys.maxsize

    def __init__(
        self, state: State, settings: Settings | None = None, nodes: int = 1, let: str = "host", threads: int = 0
    ) -> None:
        self.settings = Settings() if settings is None else settings
        arrays.of_type("settings", self.settings, Settings)
        arrays.of_type("let", let, str)
        bodies = list(arrays.of_state(state).values())
        nodes, threads = arrays.natural("nodes", nodes, 2**31), arrays.natural("threads", threads, MOST_THREADS)
        first = (self.settings.as_dict(), nodes, let, threads)
        if "acc" in state:
            clock = arrays.natural("step", state["step"]), arrays.real("time", state["time"])
            self._run = ext.resume_run(*first, *bodies, *clock)
        else:
            self._run = ext.make_run(*first, *bodies)
        precision.warn(trees.closeness(state, self.settings.eps))

    def start(self) -> None:
        """Compute the first forces."""
        self._run.start()

    def advance(self, steps: int) -> None:
        """Take so many steps."""
        self._run.advance(arrays.natural("steps", steps))

    def diagnostics(self, direct: bool = False) -> dict[str, Any]:
        """Energy, momentum, angular momentum. ``direct``: potential by direct summation, not from the tree."""
        values: dict[str, Any] = self._run.diagnostics(direct)
        return values

    def force_errors(self, samples: int = 2000) -> dict[str, Any]:
        """Relative errors of the present forces against direct summation, on about so many bodies."""
        values: dict[str, Any] = self._run.force_errors(arrays.natural("samples", samples))
        return values

    def state(self) -> State:
        """All arrays, domain after domain, with step and time. ``id`` says which body is where."""
        state: State = self._run.state()
        return state

    def reports(self) -> list[dict[str, Any]]:
        """Of each domain: seconds by phase since the start, nodes and interactions of the last evaluation."""
        reports: list[dict[str, Any]] = self._run.reports()
        return reports

    def finish(self) -> float | None:
        """Simulated seconds: none here."""
        return None

# SPDX-License-Identifier: Apache-2.0
"""A simulation in this process. Input: bodies as arrays, ``Settings``; output: states, diagnostics, times by phase."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from polyloom.nbody import precision
from polyloom.nbody.loader import ext
from polyloom.nbody.settings import Settings

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


def problem(name: str, count: int, seed: int = 0) -> State:
    """Initial conditions: plummer, cold-sphere, hernquist, kepler (which has two bodies)."""
    state: State = ext.problem(name, count, seed)
    return state


def simd() -> str:
    """Instruction set of the walk: results are the same bit by bit only where this is."""
    name: str = ext.simd()
    return name


class Simulation:
    """Leapfrog over ``nodes`` domains in threads of this process. ``state``: see ARRAYS.

    A state that has accelerations goes on bit by bit where it came from. ``let``: host, or full (whole trees instead
    of LETs, to compare: the trajectory is the same). PrecisionWarning as of ``accelerations``, of the first state.
    """

    #: Steps that one call of ``advance`` should take at most.
    MOST_STEPS = sys.maxsize

    def __init__(
        self, state: State, settings: Settings | None = None, nodes: int = 1, let: str = "host", threads: int = 0
    ) -> None:
        self.settings = settings or Settings()
        arrays = {name: array_of(state, name) for name in ARRAYS if name in state}
        first = (self.settings.as_dict(), nodes, let, threads)
        bodies = [arrays[name] for name in ("pos", "vel", "mass", "id")]
        if "acc" in arrays:
            rest = [arrays[name] for name in ("acc", "pot", "domain")]
            self._run = ext.resume_run(*first, *bodies, *rest, int(state["step"]), float(state["time"]))
        else:
            self._run = ext.make_run(*first, *bodies)
        precision.warn(precision.of_state(state, self.settings.eps))

    def start(self) -> None:
        """Compute the first forces."""
        self._run.start()

    def advance(self, steps: int) -> None:
        """Take so many steps."""
        self._run.advance(steps)

    def diagnostics(self, direct: bool = False) -> dict[str, Any]:
        """Energy, momentum, angular momentum. ``direct``: potential by direct summation, not from the tree."""
        values: dict[str, Any] = self._run.diagnostics(direct)
        return values

    def force_errors(self, samples: int = 2000) -> dict[str, Any]:
        """Relative errors of the present forces against direct summation, on about so many bodies."""
        values: dict[str, Any] = self._run.force_errors(samples)
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


def array_of(state: State, name: str) -> Any:
    """One of ARRAYS as the compiled module takes it."""
    kind, width = ARRAYS[name]
    values: Any = np.ascontiguousarray(state[name], dtype=kind)
    return values.reshape(-1, width) if width > 1 else values

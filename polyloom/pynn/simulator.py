# SPDX-License-Identifier: Apache-2.0
"""What ``pyNN.common`` asks of a simulator: its name, ids of cells, and the state of the one simulation.

Input: populations, projections and recorders as they are made; output: time that passes (``network.advance``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polyloom.graphs.run import Where
from polyloom.pynn import network
from polyloom.pynn.errors import PynnError, part

common = part("common")
name = "Polyloom"


class ID(int, common.IDMixin):  # type: ignore[misc, name-defined]
    """A cell: its vertex."""

    def __init__(self, n: int) -> None:
        int.__init__(n)
        common.IDMixin.__init__(self)


class State(common.control.BaseState):  # type: ignore[misc, name-defined]
    """Time, all that was made since ``setup``, and where it runs.

    ``currents``: of every cell, what has come for the next steps, in mV, shape (cells, network.SLOTS).
    """

    def __init__(self) -> None:
        super().__init__()
        self.mpi_rank, self.num_processes = 0, 1
        self.dt = 1.0
        self.min_delay: Any = "auto"
        self.max_delay: Any = "auto"
        self.where: Where = {}
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.recorders: set[Any] = set()
        self.write_on_end: list[Any] = []
        self.populations: list[Any] = []
        self.projections: list[Any] = []
        self.id_counter = 0
        self.segment_counter = -1
        self.facts: dict[str, Any] = {}
        self.reset()

    def reset(self) -> None:
        """Back to time 0: neurons as they were, nothing on its way. What was recorded is stored by then."""
        self.running = False
        self.steps = 0
        self.t_start = 0
        self.segment_counter += 1
        self.currents = np.zeros((self.id_counter, network.SLOTS))
        for population in self.populations:
            population.restore()
        for recorder in self.recorders:
            recorder.forget()

    @property
    def t(self) -> float:
        """Milliseconds."""
        return self.steps * self.dt

    def run_until(self, tstop: float) -> None:
        """Let time pass."""
        steps = round(tstop / self.dt) - self.steps
        if abs(tstop / self.dt - round(tstop / self.dt)) > 1e-6:
            raise PynnError(f"run until {tstop:g} ms: whole steps of {self.dt:g} ms are expected")
        self.running = True
        if steps > 0:
            network.advance(self, steps)


state = State()

# SPDX-License-Identifier: Apache-2.0
"""What ``pyNN.common`` asks of a simulator: its name, ids of cells, and the state of the one simulation.

Input: populations, projections and recorders as they are made; output: time that passes (``Network.advance``).
"""

from __future__ import annotations

from typing import Any

from polyloom.pynn.errors import PynnError, part
from polyloom.pynn.network import Network

common = part("common")
name = "Polyloom"


class ID(int, common.IDMixin):  # type: ignore[misc, name-defined]
    """A cell: its vertex."""

    def __init__(self, n: int) -> None:
        int.__init__(n)
        common.IDMixin.__init__(self)


class State(common.control.BaseState, Network):  # type: ignore[misc, name-defined]
    """The network and its time."""

    def __init__(self) -> None:
        common.control.BaseState.__init__(self)
        Network.__init__(self)
        self.mpi_rank, self.num_processes = 0, 1
        self.dt = 1.0
        self.min_delay: Any = "auto"
        self.max_delay: Any = "auto"
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.write_on_end: list[Any] = []
        self.segment_counter = -1
        self.forget()
        self.reset()

    def reset(self) -> None:
        """Back to time 0: neurons as they were, nothing on its way. What was recorded is stored by then."""
        self.running = False
        self.t_start = 0
        self.segment_counter += 1
        self.rewind()

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
            self.advance(steps)


state = State()

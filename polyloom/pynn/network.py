# SPDX-License-Identifier: Apache-2.0
"""A network of populations as a graph of spiking neurons. Input: what was made of it; output: its state later on.

Cells are vertices of the application ``neurons`` (docs/apps/neurons.md), synapses its edges.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloom.base import process
from polyloom.graphs.run import Where, result
from polyloom.jobs.memory_file import ArraysFile
from polyloom.pynn.errors import PynnError

Array = NDArray[Any]
#: Steps that a spike may take.
SLOTS = 10
#: What a cell may be given; NaN: nothing.
COLUMNS = ("a", "b", "c", "d", "v", "u", "offset", "noise", "rate", "from", "before", "trace")
#: As scripts know them, where they have another name.
PYNN_NAMES = {"offset": "i_offset", "from": "start", "before": "duration"}


class Network:
    """What was made since ``setup``, where it runs, and how far it is.

    ``currents``: of every cell, what has come for the next steps, in mV, shape (cells, SLOTS).
    """

    def __init__(self) -> None:
        self.where: Where = {}
        self.forget()

    def forget(self) -> None:
        """Nothing was made."""
        self.recorders: set[Any] = set()
        self.populations: list[Any] = []
        self.projections: list[Any] = []
        self.id_counter = 0
        self.facts: dict[str, Any] = {}
        self.rewind()

    def rewind(self) -> None:
        """Neurons are as they were at first, and nothing is on its way."""
        self.steps = 0
        self.currents = np.zeros((self.id_counter, SLOTS))
        for population in self.populations:
            population.restore()
        for recorder in self.recorders:
            recorder.forget()

    def advance(self, steps: int) -> None:
        """Let ``steps`` steps pass: neurons' states, currents and what is recorded change. Raises UserError."""
        cells = self.id_counter
        if cells == 0:
            raise PynnError("run: there is no population; sim.Population makes one")
        self.currents = np.pad(self.currents, ((0, cells - len(self.currents)), (0, 0)))
        graph, delays = _graph(self.projections, cells)
        spikes, traces = (
            [recorder for recorder in self.recorders if recorder.recorded_of(name)] for name in ("spikes", "v")
        )
        for recorder in traces:
            recorder.note_now()
        with process.scratch("pynn") as folder:
            options: dict[str, Any] = {"steps": steps, "first_step": self.steps}
            options["verify"] = self.where.get("verify", False)
            options["neurons"] = folder / "neurons.csv"
            self._write_neurons(options["neurons"])
            given = [spike for population in self.populations for spike in population.given(self.steps, steps)]
            if given:
                options["stimulus"] = folder / "stimulus.csv"
                _write_rows(options["stimulus"], ("step", "neuron"), given)
            if (delays != 1).any():
                options["delays"] = folder / "delays.txt"
                options["delays"].write_text("".join(f"{delay}\n" for delay in delays.tolist()))
            for name, wanted in (("raster", spikes), ("traces", traces)):
                if wanted:
                    options[name] = folder / f"{name}.csv"
            done = result("neurons", graph, cells, options, self.where)
            raster, samples = (_read(options[name]) if name in options else None for name in ("raster", "traces"))
        for population in self.populations:
            population.take({name: done.columns[name][population.cells] for name in ("v", "u")})
        slots = [name for name in done.columns if name.startswith("current")]
        self.currents = np.zeros((cells, SLOTS))
        for slot, name in enumerate(slots):
            self.currents[:, slot] = done.columns[name]
        self.facts = dict(done.facts)
        for recorder in spikes:
            recorder.take_spikes(raster)
        for recorder in traces:
            recorder.take_samples(samples, self.steps, steps)
        self.steps += steps

    def _write_neurons(self, file: Path) -> None:
        table = {name: np.full(self.id_counter, np.nan) for name in COLUMNS}
        table["noise"][:] = 0
        table["trace"][:] = 0
        for population in self.populations:
            columns: Mapping[str, Array] = population.columns()
            for name, values in columns.items():
                for at in np.flatnonzero(~np.isfinite(values)).tolist():
                    called = PYNN_NAMES.get(name, name)
                    raise PynnError(
                        f"{population.label}: {called} of cell {at} is {values[at]:g}; a number is expected"
                    )
                table[name][population.cells] = values
        for recorder in self.recorders:
            table["trace"][list(map(int, recorder.recorded_of("v")))] = 1
        for slot in np.flatnonzero(self.currents.any(axis=0)).tolist():
            table[f"current{slot}"] = self.currents[:, slot]
        columns_of_text = [
            ["" if value != value else repr(value) for value in values.tolist()] for values in table.values()
        ]
        _write_rows(file, ("vertex", *table), zip(range(self.id_counter), *columns_of_text, strict=True))


def _graph(projections: list[Any], cells: int) -> tuple[ArraysFile, Array]:
    """The synapses of all projections, and their delays in steps."""
    parts = [projection.synapses() for projection in projections]
    edges = np.concatenate([np.empty((0, 2), np.uint32), *(part[0] for part in parts)])
    weights, delays = (np.concatenate([np.empty(0), *(part[i] for part in parts)]) for i in (1, 2))
    file = ArraysFile(len(edges), True)
    file.edges[:] = edges
    if file.weights is not None:
        file.weights[:] = weights
    file.name(cells, False, None, None)
    return file, delays.astype(int)


def _write_rows(path: Path, names: tuple[str, ...], rows: Any) -> None:
    with path.open("w", newline="", encoding="ascii") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(rows)


def _read(file: Path) -> Array:
    """Rows step, cell and maybe v."""
    with file.open(encoding="ascii") as lines:
        width = len(next(lines).split(","))
        return np.fromstring(lines.read().replace("\n", ","), sep=",").reshape(-1, width)

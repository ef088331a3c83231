# SPDX-License-Identifier: Apache-2.0
"""A network of populations as a graph of spiking neurons. Input: the state of a simulation; output: a later one.

Cells are vertices of the application ``neurons`` (docs/apps/neurons.md), synapses its edges.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polyloom.base import process
from polyloom.graphs.run import answer
from polyloom.jobs.memory_file import ArraysFile
from polyloom.pynn.errors import PynnError

if TYPE_CHECKING:
    from polyloom.pynn.simulator import State

Array = NDArray[Any]
#: Steps that a spike may take.
SLOTS = 10
#: What a cell may be given; NaN: nothing.
COLUMNS = ("a", "b", "c", "d", "v", "u", "offset", "noise", "rate", "from", "before", "trace")
#: As scripts know them, where they have another name.
PYNN_NAMES = {"offset": "i_offset", "from": "start", "before": "duration"}


def advance(state: State, steps: int) -> None:
    """Let ``steps`` steps pass: neurons' states, currents and what is recorded change. Raises UserError."""
    cells = state.id_counter
    if cells == 0:
        raise PynnError("run: there is no population; sim.Population makes one")
    state.currents = np.pad(state.currents, ((0, cells - len(state.currents)), (0, 0)))
    graph, delays = _graph(state.projections, cells)
    spikes, traces = (
        [recorder for recorder in state.recorders if recorder.recorded_of(name)] for name in ("spikes", "v")
    )
    for recorder in traces:
        recorder.note_now()
    with process.scratch("pynn") as folder:
        options: dict[str, Any] = {"steps": steps, "first_step": state.steps}
        options["verify"] = state.where.get("verify", False)
        options["neurons"] = folder / "neurons.csv"
        _write_neurons(options["neurons"], state)
        given = _given(state, state.steps, steps)
        if given:
            options["stimulus"] = folder / "stimulus.csv"
            _write_rows(options["stimulus"], ("step", "neuron"), given)
        if (delays != 1).any():
            options["delays"] = folder / "delays.txt"
            options["delays"].write_text("".join(f"{delay}\n" for delay in delays.tolist()))
        for name, wanted in (("raster", spikes), ("traces", traces)):
            if wanted:
                options[name] = folder / f"{name}.csv"
        done = answer("neurons", graph, cells, options, state.where)
        raster, samples = (_read(options[name]) if name in options else None for name in ("raster", "traces"))
    for population in state.populations:
        population.take({name: done.columns[name][population.cells] for name in ("v", "u")})
    slots = [name for name in done.columns if name.startswith("current")]
    state.currents = np.zeros((cells, SLOTS))
    for slot, name in enumerate(slots):
        state.currents[:, slot] = done.columns[name]
    state.facts = dict(done.facts)
    for recorder in spikes:
        recorder.take_spikes(raster)
    for recorder in traces:
        recorder.take_samples(samples, state.steps, steps)
    state.steps += steps


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


def _write_neurons(file: Path, state: State) -> None:
    table = {name: np.full(state.id_counter, np.nan) for name in COLUMNS}
    table["noise"][:] = 0
    table["trace"][:] = 0
    for population in state.populations:
        columns: Mapping[str, Array] = population.columns()
        for name, values in columns.items():
            for at in np.flatnonzero(~np.isfinite(values)).tolist():
                called = PYNN_NAMES.get(name, name)
                raise PynnError(f"{population.label}: {called} of cell {at} is {values[at]:g}; a number is expected")
            table[name][population.cells] = values
    for recorder in state.recorders:
        table["trace"][list(map(int, recorder.recorded_of("v")))] = 1
    for slot in np.flatnonzero(state.currents.any(axis=0)).tolist():
        table[f"current{slot}"] = state.currents[:, slot]
    columns_of_text = [
        ["" if value != value else repr(value) for value in values.tolist()] for values in table.values()
    ]
    _write_rows(file, ("vertex", *table), zip(range(state.id_counter), *columns_of_text, strict=True))


def _given(state: State, first: int, steps: int) -> list[tuple[int, int]]:
    """Spikes (step, cell) that populations are told to make in these steps."""
    return [spike for population in state.populations for spike in population.given(first, steps)]


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

# SPDX-License-Identifier: Apache-2.0
"""Populations, views and assemblies of cells, and what is recorded of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloom.pynn import simulator
from polyloom.pynn.cells import Izhikevich, SpikeSourceArray, SpikeSourcePoisson
from polyloom.pynn.errors import PynnError, part

common = part("common")
parameters = part("parameters")
recording = part("recording")

Array = NDArray[Any]
CELL_TYPES = (Izhikevich, SpikeSourceArray, SpikeSourcePoisson)
#: A step that never comes.
NEVER = 0xFFFFFFFF


def numbers_of(cells: Any) -> Array:
    """Cells as plain numbers: NumPy would ask each ID for its attributes, which are parameters."""
    return np.fromiter(map(int, cells), int)


class Recorder(recording.Recorder):  # type: ignore[misc, name-defined]
    """Spikes as (time, cell), v as samples of all cells of a population, NaN where it is not recorded."""

    _simulator = simulator

    def __init__(self, population: Any, file: Any = None) -> None:
        super().__init__(population, file)
        self._since: dict[int, float] = {}
        self._spikes: list[Array] = []
        self._samples: Array = np.empty((0, self.population.size))

    def recorded_of(self, name: str) -> set[int]:
        """Cells of which that is recorded."""
        return next((ids for variable, ids in self.recorded.items() if variable.name == name), set())

    def take_spikes(self, raster: Array) -> None:
        """Rows (step, cell) of all cells, in order."""
        of = raster[:, 1].astype(int)
        ours = np.isin(of, numbers_of(self.recorded_of("spikes")))
        self._spikes.append(np.column_stack([raster[ours, 0] * simulator.state.dt, of[ours]]))

    def take_samples(self, rows: Array, first: int, steps: int) -> None:
        """Rows (step, cell, v) of all cells that are recorded, of ``steps`` steps after ``first``."""
        samples = np.full((steps, self.population.size), np.nan)
        cells = rows[:, 1].astype(int) - self.population.cells.start
        ours = (cells >= 0) & (cells < self.population.size)
        samples[rows[ours, 0].astype(int) - first - 1, cells[ours]] = np.float32(rows[ours, 2])
        missing = first - round(float(self._recording_start_time) / simulator.state.dt) + 1 - len(self._samples)
        self._samples = np.concatenate([self._samples, np.full((missing, self.population.size), np.nan), samples])

    def forget(self) -> None:
        """All that was recorded of the current segment."""
        self._spikes, self._samples = [], np.empty((0, self.population.size))
        self.note_now()

    def note_now(self) -> None:
        """The sample of v at this time."""
        of = numbers_of(self.recorded_of("v"))
        if not of.size:
            return
        now = simulator.state.steps - round(float(self._recording_start_time) / simulator.state.dt)
        missing = now + 1 - len(self._samples)
        if missing > 0:
            self._samples = np.concatenate([self._samples, np.full((missing, self.population.size), np.nan)])
        of -= self.population.cells.start
        self._samples[now, of] = self.population.values["v"][of]

    def _record(self, variable: Any, new_ids: set[Any], sampling_interval: float | None = None) -> None:
        dt = simulator.state.dt
        if sampling_interval is not None and variable.name != "spikes":
            if sampling_interval < dt or abs(sampling_interval / dt - round(sampling_interval / dt)) > 1e-9:
                raise PynnError(
                    f"sampling_interval = {sampling_interval}: a multiple of the timestep, {dt}, is expected"
                )
            self.sampling_interval = sampling_interval
        if variable.name == "spikes":
            self._since |= dict.fromkeys(map(int, new_ids), simulator.state.t)
        else:
            self.note_now()

    def _get_spiketimes(self, id: Any, clear: bool = False) -> tuple[Array, Array]:
        """Cells and times of spikes, in ms."""
        rows = np.concatenate([np.empty((0, 2)), *self._spikes])
        cells = rows[:, 1].astype(int)
        since = np.full(self.population.size, np.inf)
        for cell in map(int, id):
            since[cell - self.population.cells.start] = self._since[cell]
        chosen = rows[:, 0] > since[cells - self.population.cells.start]
        return cells[chosen], rows[chosen, 0]

    def _get_all_signals(self, variable: Any, ids: Any, clear: bool = False) -> tuple[Array, None]:
        every = round(self.sampling_interval / simulator.state.dt)
        return self._samples[::every, numbers_of(ids) - self.population.cells.start], None

    def _local_count(self, variable: Any, filter_ids: Any = None) -> dict[int, int]:
        recorded = sorted(map(int, self.filter_recorded(variable, filter_ids)))
        first = self.population.cells.start
        counts = np.bincount(self._get_spiketimes(recorded)[0] - first, minlength=self.population.size).tolist()
        return {cell: counts[cell - first] for cell in recorded}

    def _clear_simulator(self) -> None:
        self.forget()

    def _reset(self) -> None:
        self._since = {}
        self._spikes, self._samples = [], np.empty((0, self.population.size))


class Assembly(common.Assembly):  # type: ignore[misc, name-defined]
    """Several populations as one."""

    _simulator = simulator

    @property
    def receptor_types(self) -> list[str]:
        """What all populations have, in their order: PyNN takes the first one for weights that are not negative."""
        first, *others = (population.celltype.receptor_types for population in self.populations)
        return [kind for kind in first if all(kind in other for other in others)]


class _Parameters:
    """What populations and views share."""

    celltype: Any
    size: int

    def _get_parameters(self, *names: str) -> Any:
        native = self._get_native_parameters(*self.celltype.get_native_names(*names))
        return self.celltype.reverse_translate(native)

    def _get_native_parameters(self, *names: str) -> Any:
        values = {name: parameters.simplify(self._native(name)) for name in names}
        return parameters.ParameterSpace(values, shape=(self.size,))

    def _native(self, name: str) -> Array:
        raise NotImplementedError

    def _get_view(self, selector: Any, label: str | None = None) -> Any:
        return PopulationView(self, selector, label)


class PopulationView(_Parameters, common.PopulationView):  # type: ignore[misc, name-defined]
    """Some cells of a population."""

    _assembly_class = Assembly
    _simulator = simulator

    def _of_population(self) -> tuple[Any, Array]:
        """The population, and which of its cells these are."""
        whole = self.grandparent
        return whole, numbers_of(self.all_cells) - whole.cells.start

    @property
    def initial_values(self) -> dict[str, Array]:
        """Of state variables, after reset()."""
        whole, cells = self._of_population()
        return {name: values[cells] for name, values in whole.initial.items()}

    def _native(self, name: str) -> Array:
        whole, cells = self._of_population()
        chosen: Array = whole.parameters[name][cells]
        return chosen

    def _set_parameters(self, parameter_space: Any) -> None:
        whole, cells = self._of_population()
        parameter_space.evaluate(simplify=False)
        whole.change({name: (cells, values) for name, values in parameter_space.items()})

    def _set_initial_value_array(self, variable: str, initial_values: Any) -> None:
        whole, cells = self._of_population()
        whole.begin(variable, cells, initial_values.evaluate(simplify=False))


class Population(_Parameters, common.Population):  # type: ignore[misc, name-defined]
    """Cells of one type."""

    _simulator = simulator
    _recorder_class = Recorder
    _assembly_class = Assembly

    def _create_cells(self) -> None:
        if not isinstance(self.celltype, CELL_TYPES):
            there = ", ".join(kind.__name__ for kind in CELL_TYPES)
            raise PynnError(f"{type(self.celltype).__name__}: polyloom.pynn has the cell types {there}")
        first = simulator.state.id_counter
        self.all_cells = np.array([simulator.ID(cell) for cell in range(first, first + self.size)], dtype=simulator.ID)
        self._mask_local = np.ones(self.size, bool)
        for cell in self.all_cells:
            cell.parent = self
        self.cells = slice(first, first + self.size)
        #: State now, and what reset() goes back to.
        self.values: dict[str, Array] = {name: np.full(self.size, np.nan) for name in ("v", "u")}
        self.initial = {name: values.copy() for name, values in self.values.items()}
        native = self.celltype.native_parameters
        native.shape = (self.size,)
        native.evaluate(simplify=False)
        self.parameters: dict[str, Array] = {}
        everything = np.arange(self.size)
        self.change({name: (everything, values) for name, values in native.items()})
        simulator.state.id_counter += self.size
        simulator.state.populations.append(self)

    def change(self, given: dict[str, tuple[Array, Array]]) -> None:
        """Native parameters of some cells, as (cells, values); checked."""
        changed = {name: values.copy() for name, values in self.parameters.items()}
        for name, (cells, values) in given.items():
            array = np.empty(len(cells), object if name == "spike_times" else float)
            array[:] = values
            changed.setdefault(name, np.empty(self.size, array.dtype))[cells] = array
        if isinstance(self.celltype, SpikeSourcePoisson):
            _refuse("rate", changed["rate"], 0, 1000 / simulator.state.dt, "Hz; a cell spikes once a step at most")
            _refuse("duration", changed["duration"], 0, np.inf, "ms")
        self.parameters = changed
        if isinstance(self.celltype, SpikeSourceArray):
            self._steps = [_steps_of(times.value) for times in changed["spike_times"]]

    def begin(self, variable: str, cells: Array, values: Array) -> None:
        """State variables now, and after reset()."""
        if variable not in self.values:
            raise PynnError(f"initialize: there is no variable {variable}; there are {', '.join(self.values)}")
        self.values[variable][cells] = values
        self.initial[variable][cells] = values

    def restore(self) -> None:
        """As the cells began."""
        self.values = {name: values.copy() for name, values in self.initial.items()}

    def take(self, values: dict[str, Array]) -> None:
        """States after a run."""
        if isinstance(self.celltype, Izhikevich):
            self.values = {name: array.copy() for name, array in values.items()}

    def columns(self) -> dict[str, Array]:
        """What the application's ``--neurons`` says of these cells."""
        if isinstance(self.celltype, Izhikevich):
            return {**self.values, **self.parameters}
        if isinstance(self.celltype, SpikeSourceArray):
            return {"rate": np.zeros(self.size)}
        start, rate = (self.parameters[name] for name in ("start", "rate"))
        # A step is named by the time at which it ends.
        steps = [
            np.floor(time / simulator.state.dt + 1e-9) + 1 for time in (start, start + self.parameters["duration"])
        ]
        first, end = (np.clip(step, 0, NEVER) for step in steps)
        return {"rate": rate * simulator.state.dt, "from": first, "before": end}

    def given(self, first: int, steps: int) -> list[tuple[int, int]]:
        """Spikes (step, cell) that an array of times asks for in these steps."""
        if not isinstance(self.celltype, SpikeSourceArray):
            return []
        return [
            (step, int(cell))
            for cell, requested in zip(self.all_cells, self._steps, strict=True)
            for step in requested
            if first < step <= first + steps
        ]

    def _native(self, name: str) -> Array:
        return self.parameters[name]

    def _set_parameters(self, parameter_space: Any) -> None:
        parameter_space.evaluate(simplify=False)
        everything = np.arange(self.size)
        self.change({name: (everything, values) for name, values in parameter_space.items()})

    def _set_initial_value_array(self, variable: str, initial_values: Any) -> None:
        self.begin(variable, np.arange(self.size), initial_values.evaluate(simplify=False))


def _refuse(name: str, values: Array, least: float, most: float, unit: str) -> None:
    wrong = values[~((values >= least) & (values <= most))]
    if wrong.size:
        raise PynnError(f"{name} = {wrong[0]:g}: {least:g} to {most:g} {unit}")


def _steps_of(times: Any) -> list[int]:
    """Steps of spikes, each named by the time at which it ends."""
    steps: list[int] = np.rint(np.asarray(times, float) / simulator.state.dt).astype(int).tolist()
    if min(steps, default=1) < 1:
        raise PynnError(f"spike_times: {min(times):g} ms: the first step ends at {simulator.state.dt:g} ms")
    if len(set(steps)) < len(steps):
        twice = next(step for step in steps if steps.count(step) > 1)
        raise PynnError(
            f"spike_times: two spikes at {twice * simulator.state.dt:g} ms; a cell spikes once a step at most"
        )
    return steps

# SPDX-License-Identifier: Apache-2.0
"""Synapses between populations: every connector of PyNN's, weights that stay, delays of whole steps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloom.pynn import simulator
from polyloom.pynn.cells import StaticSynapse
from polyloom.pynn.errors import PynnError, part
from polyloom.pynn.network import SLOTS

common = part("common")
space = part("space")

Array = NDArray[Any]


class Connection(common.Connection):  # type: ignore[misc, name-defined]
    """One synapse: indices of its cells in the projection's populations, mV, ms."""

    def __init__(self, projection: Projection, at: int) -> None:
        self._projection, self._at = projection, at

    def __getattr__(self, name: str) -> Any:
        if name not in self._projection.columns:
            raise AttributeError(name)
        return self._projection.columns[name][self._at].item()

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        elif name in ("weight", "delay"):
            self._projection.columns[name][self._at] = value if name == "weight" else delay_in_ms(value)
        else:
            raise PynnError(f"{name}: a synapse has weight and delay")

    def as_tuple(self, *attribute_names: str) -> tuple[Any, ...]:
        """Values by name."""
        return tuple(getattr(self, name) for name in attribute_names)


class Projection(common.Projection):  # type: ignore[misc, name-defined]
    """Synapses from cells to cells."""

    _simulator = simulator
    _static_synapse_class = StaticSynapse

    def __init__(
        self,
        presynaptic_neurons: Any,
        postsynaptic_neurons: Any,
        connector: Any,
        synapse_type: Any = None,
        source: Any = None,
        receptor_type: Any = None,
        space: Any = space.Space(),  # noqa: B008
        label: str | None = None,
    ) -> None:
        if synapse_type is not None and not isinstance(synapse_type, StaticSynapse):
            raise PynnError(f"{type(synapse_type).__name__}: polyloom.pynn has the synapse type StaticSynapse")
        if not postsynaptic_neurons.receptor_types:
            raise PynnError(f"{postsynaptic_neurons.label}: spike sources take no synapses")
        super().__init__(
            presynaptic_neurons, postsynaptic_neurons, connector, synapse_type, source, receptor_type, space, label
        )
        self._parts: list[tuple[Array, ...]] = []
        connector.connect(self)
        parts = [np.concatenate([np.empty(0), *column]) for column in zip(*self._parts, strict=True)] or [
            np.empty(0)
        ] * 4
        #: By synapse.
        self.columns: dict[str, Array] = {
            "presynaptic_index": parts[0].astype(int),
            "postsynaptic_index": parts[1].astype(int),
            "weight": parts[2],
            "delay": parts[3],
        }
        simulator.state.projections.append(self)

    def _convergent_connect(
        self,
        presynaptic_indices: Any,
        postsynaptic_index: int,
        location_selector: Any = None,
        **connection_parameters: Any,
    ) -> None:
        if location_selector is not None:
            raise PynnError(f"location_selector = {location_selector!r}: cells have no compartments; leave it out")
        count = len(presynaptic_indices)
        weight, delay = (np.broadcast_to(connection_parameters[name], count) for name in ("weight", "delay"))
        self._parts.append(
            (np.asarray(presynaptic_indices), np.full(count, postsynaptic_index), weight, delay_in_ms(delay))
        )

    def synapses(self) -> tuple[Array, Array, Array]:
        """Edges between cells of shape (synapses, 2), weights, delays in steps."""
        pre, post = (np.fromiter(map(int, side.all_cells), int) for side in (self.pre, self.post))
        columns = self.columns
        edges = np.column_stack([pre[columns["presynaptic_index"]], post[columns["postsynaptic_index"]]])
        return edges.astype(np.uint32), columns["weight"], columns["delay"] / simulator.state.dt

    def __len__(self) -> int:
        return len(self.columns["weight"])

    def __getitem__(self, i: int) -> Connection:
        return self.connections[i]

    @property
    def connections(self) -> list[Connection]:
        """All synapses, one by one."""
        return [Connection(self, at) for at in range(len(self))]

    def _get_attributes_as_list(self, names: Any) -> list[tuple[Any, ...]]:
        return list(zip(*(self.columns[name].tolist() for name in names), strict=True))

    def _set_attributes(self, parameter_space: Any) -> None:
        parameter_space.evaluate(simplify=False)
        at = self.columns["presynaptic_index"], self.columns["postsynaptic_index"]
        for name, values in parameter_space.items():
            chosen = np.broadcast_to(values, self.shape)[at]
            self.columns[name] = chosen if name == "weight" else delay_in_ms(chosen)


def delay_in_ms(delays: Any) -> Array:
    """Whole steps, as all simulators of fixed steps take them. PynnError for what spikes cannot take."""
    dt = simulator.state.dt
    steps = np.rint(np.asarray(delays, float) / dt)
    wrong = np.asarray(delays)[~((steps >= 1) & (steps <= SLOTS))]
    if wrong.size:
        raise PynnError(f"delay = {wrong.flat[0]:g} ms: {dt:g} to {SLOTS * dt:g} ms is expected")
    return steps * dt

# SPDX-License-Identifier: Apache-2.0
"""Cell and synapse types, with the names that the application ``neurons`` has for their parameters."""

from __future__ import annotations

from typing import Any

from polyloom.pynn.errors import part
from polyloom.pynn.simulator import state

standard = part("standardmodels")
cells = part("standardmodels.cells")
synapses = part("standardmodels.synapses")


class Izhikevich(cells.Izhikevich):  # type: ignore[misc, name-defined]
    """Izhikevich's neuron: PyNN's parameters a, b, c, d and i_offset (nA)."""

    translations = standard.build_translations(
        ("a", "a"),
        ("b", "b"),
        ("c", "c"),
        ("d", "d"),
        ("i_offset", "offset", 1000.0),  # nA to the model's current, as PyNN has it elsewhere
    )
    recordable = ("spikes", "v")


class SpikeSourcePoisson(cells.SpikeSourcePoisson):  # type: ignore[misc, name-defined]
    """Spikes by chance: rate (Hz), start, duration (ms)."""

    translations = standard.build_translations(("rate", "rate"), ("start", "start"), ("duration", "duration"))


class SpikeSourceArray(cells.SpikeSourceArray):  # type: ignore[misc, name-defined]
    """Spikes at given times: spike_times (ms)."""

    translations = standard.build_translations(("spike_times", "spike_times"))


class StaticSynapse(synapses.StaticSynapse):  # type: ignore[misc, name-defined]
    """A synapse of weight (mV) and delay (ms), which stay."""

    translations = standard.build_translations(("weight", "weight"), ("delay", "delay"))

    def _get_minimum_delay(self) -> Any:
        return state.dt if state.min_delay == "auto" else state.min_delay

# SPDX-License-Identifier: Apache-2.0
"""A PyNN simulator: ``import polyloom.pynn as sim`` (docs/guides/pynn.md).

Input: populations of Izhikevich neurons and spike sources, projections; output: spikes and v as Neo blocks. They run as
the application ``neurons``, natively or on a cluster, as ``setup`` says.
"""

from __future__ import annotations

from typing import Any, Unpack

from polyloom.graphs.run import Where, fidelity
from polyloom.pynn import simulator
from polyloom.pynn.cells import Izhikevich, SpikeSourceArray, SpikeSourcePoisson, StaticSynapse
from polyloom.pynn.errors import NotThereError, PynnError, part
from polyloom.pynn.network import SLOTS
from polyloom.pynn.populations import Assembly, Population, PopulationView
from polyloom.pynn.projections import Projection

common, connectors, errors, models, random, recording, space = map(
    part, ("common", "connectors", "errors", "standardmodels", "random", "recording", "space")
)
Network = part("network").Network
NumpyRNG, GSLRNG, RandomDistribution = random.NumpyRNG, random.GSLRNG, random.RandomDistribution
Space = space.Space
globals().update(
    {name: found for name, found in vars(connectors).items() if isinstance(found, type) and name.endswith("Connector")}
)

__all__ = [
    "Assembly",
    "Izhikevich",
    "NotThereError",
    "Population",
    "PopulationView",
    "Projection",
    "PynnError",
    "SpikeSourceArray",
    "SpikeSourcePoisson",
    "StaticSynapse",
    "end",
    "facts",
    "list_standard_models",
    "run",
    "setup",
]

MODELS = (Izhikevich, SpikeSourceArray, SpikeSourcePoisson, StaticSynapse)


def setup(
    timestep: float = 1.0, min_delay: float | str = "auto", max_delay: float | str = "auto", **where: Unpack[Where]
) -> int:
    """Begin anew: forget all populations, and say where they run.

    ``timestep``: 1.0, in ms, as the delays. ``where``: ``on`` ("native", "sim", "rtl"), ``cluster``, ``pins``,
    ``engine``, ``max_cycles``, ``seed`` (of what Poisson sources draw, and of faults), ``verify`` (compare each run's
    spikes with an independent computation), as for ``polyloom.Graph``.
    """
    unknown = next(
        (name for name in where if name not in Where.__annotations__ or name in ("combine", "run_dir")), None
    )
    if unknown is not None:
        known = [name for name in Where.__annotations__ if name not in ("combine", "run_dir")]
        raise PynnError(f"{unknown} = {dict(where)[unknown]!r}: no such argument; there are {', '.join(known)}")
    if timestep != 1.0:
        raise PynnError(f"timestep = {timestep!r}: 1.0 is expected, in ms: steps of Izhikevich's model")
    for name, delay in (("min_delay", min_delay), ("max_delay", max_delay)):
        if not (delay == "auto" or (isinstance(delay, int | float) and 1 <= delay <= SLOTS)):
            raise PynnError(f"{name} = {delay!r}: 1 to {SLOTS} ms is expected")
    fidelity(where, "neurons")
    common.setup(timestep, min_delay, max_delay=max_delay)
    state = simulator.state
    state.clear()
    state.dt = timestep
    state.min_delay = timestep if min_delay == "auto" else min_delay
    state.max_delay = SLOTS * timestep if max_delay == "auto" else max_delay
    state.where = where
    return int(rank())


def end(compatible_output: bool = True) -> None:
    """Write what ``record(..., to_file=...)`` asked for."""
    for population, variables, filename in simulator.state.write_on_end:
        population.write_data(recording.get_io(filename), variables)
    simulator.state.write_on_end = []


run, run_until = common.build_run(simulator)
run_for = run
reset = common.build_reset(simulator)
initialize = common.initialize
get_current_time, get_time_step, get_min_delay, get_max_delay, num_processes, rank = common.build_state_queries(
    simulator
)
create = common.build_create(Population)
connect = common.build_connect(Projection, connectors.FixedProbabilityConnector, StaticSynapse)
record = common.build_record(simulator)


def record_v(source: Any, filename: Any) -> Any:
    """Record v into a file."""
    return record(["v"], source, filename)


def facts() -> dict[str, Any]:
    """Figures of the latest run as the application's JSON has them: ``compute_simulated_seconds`` and the like."""
    return dict(simulator.state.facts)


def list_standard_models() -> list[str]:
    """Names of cell and synapse types that are there."""
    return [model.__name__ for model in MODELS]


def __getattr__(name: str) -> Any:
    """Say what there is in place of models that PyNN has and we have not."""
    for kind in ("cells", "synapses", "electrodes"):
        model = getattr(part(f"standardmodels.{kind}"), name, None)
        if isinstance(model, type) and issubclass(model, models.StandardModelType):
            raise NotThereError(f"polyloom.pynn has no {name}; there are {', '.join(list_standard_models())}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

# SPDX-License-Identifier: Apache-2.0
# Covers: polyloom.pynn: a cortical network natively and on a cluster, every spike and v as NumPy computes them
#   (izhikevich.py) from what PyNN says of the network; connectors against PyNN's own mock simulator; runs in pieces,
#   the manual's script, reset, views, assemblies, files; what is refused, and PyNN not installed.
# Leaves out: the neurons themselves (test_neurons.py, test_neurons_brian2.py).
from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import izhikevich
import numpy as np
import pyNN.mock as mock
import pytest
from conftest import ROOT
from pyNN.random import NumpyRNG, RandomDistribution

import polyloom.pynn as sim
from polyloom.base.errors import UserError
from polyloom.pynn.errors import NotThereError, PynnError

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
WHERE: dict[str, dict[str, Any]] = {"native": {}, "sim": {"on": "sim", "cluster": "laptop", "pins": "distributed"}}
SEED, STEPS = 4, 120


def spikes_of(*populations: Any, segment: int = -1) -> list[tuple[int, int]]:
    """(step, cell) in order."""
    found = []
    for population in populations:
        for train in population.get_data("spikes").segments[segment].spiketrains:
            found += [(round(float(time)), train.annotations["channel_id"]) for time in train.times]
    return sorted(found)


def as_arrays(populations: list[Any], projections: list[Any]) -> izhikevich.Network:
    """What PyNN says of parameters, starts and synapses."""
    n = sum(population.size for population in populations)
    values = {name: np.zeros(n, np.float32) for name in ("a", "b", "c", "d", "v", "u", "offset", "noise")}
    given, chance = {}, {}
    for population in populations:
        cells = [int(cell) for cell in population.all_cells]
        if isinstance(population.celltype, sim.Izhikevich):
            for name in ("a", "b", "c", "d"):
                values[name][cells] = population.get(name)
            values["offset"][cells] = 1000 * np.asarray(population.get("i_offset"))
            for name in ("v", "u"):
                values[name][cells] = population.initial_values[name].evaluate(simplify=True)
        elif isinstance(population.celltype, sim.SpikeSourcePoisson):
            chance |= dict.fromkeys(cells, int(population.get("rate") / 1000 * 2**32))
        else:
            times = population.get("spike_times", simplify=False)
            given |= {cell: {round(time) for time in of.value} for cell, of in zip(cells, times, strict=True)}
    edges, weights, delays = [], [], []
    for projection in projections:
        pre, post = ([int(cell) for cell in side.all_cells] for side in (projection.pre, projection.post))
        for i, j, weight, delay in projection.get(["weight", "delay"], format="list"):
            edges.append((pre[int(i)], post[int(j)]))
            weights.append(weight)
            delays.append(round(delay))
    none = np.zeros(n, bool)
    arrays = np.array(edges), np.array(weights, np.float32), values, none, np.array(delays)
    return izhikevich.Network(n, *arrays, given, chance)


def cortex(delay: Any = 1.0) -> tuple[list[Any], list[Any]]:
    """80 excitatory and 20 inhibitory neurons, driven by Poisson sources and one array of spikes."""
    rng = NumpyRNG(seed=42)
    start = np.random.default_rng(1).uniform(-70, -60, 80)
    exc = sim.Population(80, sim.Izhikevich(d=8.0), initial_values={"v": start}, label="exc")
    inh = sim.Population(20, sim.Izhikevich(a=0.1, i_offset=0.003), label="inh")
    noise = sim.Population(30, sim.SpikeSourcePoisson(rate=70.0), label="noise")
    clock = sim.Population(2, sim.SpikeSourceArray(spike_times=[[5, 50, 51], [7.0]]), label="clock")
    some = sim.FixedProbabilityConnector(0.15, rng=rng)
    excites = sim.StaticSynapse(weight=RandomDistribution("uniform", (1, 5), rng=rng), delay=delay)
    calms = sim.StaticSynapse(weight=-4.0)
    projections = [
        sim.Projection(exc, exc + inh, some, excites, receptor_type="excitatory"),
        sim.Projection(inh, exc, some, calms, receptor_type="inhibitory"),
        sim.Projection(noise, exc, some, sim.StaticSynapse(weight=6.0, delay=delay)),
        sim.Projection(clock, inh[5:15], sim.AllToAllConnector(), sim.StaticSynapse(weight=20.0)),
    ]
    return [exc, inh, noise, clock], projections


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("delays", [False, True])
def test_a_cortical_network(where: str, delays: bool) -> None:
    sim.setup(timestep=1.0, seed=SEED, verify=True, **WHERE[where])
    rng = NumpyRNG(seed=3)
    populations, projections = cortex(RandomDistribution("uniform", (1, 10), rng=rng) if delays else 1.0)
    for population in populations:
        population.record("spikes")
    exc = populations[0]
    exc.record("v")
    expected, v = izhikevich.run(as_arrays(populations, projections), STEPS, SEED)
    assert sim.run(STEPS) == STEPS == sim.get_current_time()
    assert spikes_of(*populations) == expected
    assert len(expected) > 2 * STEPS and {cell for _, cell in expected if cell < 80}
    [signal] = exc.get_data("v").segments[0].analogsignals
    assert (str(signal.units.dimensionality), float(signal.sampling_period), float(signal.t_stop)) == (
        "mV",
        1,
        STEPS + 1,
    )
    np.testing.assert_array_equal(np.float32(signal.magnitude[1:]), v[:, :80])
    np.testing.assert_array_equal(signal.magnitude[0], exc.initial_values["v"].evaluate())
    counts = np.bincount([cell for _, cell in expected], minlength=132)
    assert exc.mean_spike_count() == counts[:80].mean()
    assert exc.get_spike_counts() == dict(enumerate(counts[:80].tolist()))
    assert (exc + populations[1]).mean_spike_count() == counts[:100].mean()
    assert sim.facts()["spikes"] == len(expected)


def test_pieces_and_reset() -> None:
    """Time goes on where it stood; what is recorded from later on; a new segment after reset, with the same spikes."""
    sim.setup(seed=SEED)
    populations, projections = cortex(RandomDistribution("uniform", (1, 10), rng=NumpyRNG(seed=3)))
    exc, inh, *_ = populations
    exc.record(["spikes", "v"])
    expected, v = izhikevich.run(as_arrays(populations, projections), STEPS, SEED)
    sim.run(31)
    inh.record("spikes")
    inh[2:4].record("v")
    sim.run_until(32)
    sim.run(STEPS - 32, callbacks=[lambda t: t + 20])
    assert spikes_of(exc) == [(step, cell) for step, cell in expected if cell < 80]
    assert spikes_of(inh) == [(step, cell) for step, cell in expected if 80 <= cell < 100 and step > 31]
    [signal] = inh.get_data("v").segments[0].analogsignals
    np.testing.assert_array_equal(np.float32(signal.magnitude[31:]), v[30:, 82:84])
    assert np.isnan(signal.magnitude[:31]).all()
    sim.reset()
    assert sim.get_current_time() == 0
    sim.run(STEPS)
    first, second = exc.get_data().segments
    np.testing.assert_array_equal(first.analogsignals[0].magnitude, second.analogsignals[0].magnitude)
    assert spikes_of(exc, segment=0) == spikes_of(exc, segment=1)
    exc.get_data(clear=True)
    sim.run(5)
    [rest] = exc.get_data("v").segments[-1].analogsignals
    assert rest.shape == (6, 80) and float(rest.t_start) == STEPS
    assert all(step > STEPS for step, _ in spikes_of(exc))


def test_changes_between_runs() -> None:
    """Parameters of populations and views, states, weights, times of spikes."""
    sim.setup(seed=SEED)
    cells = sim.Population(4, sim.Izhikevich())
    source = sim.Population(1, sim.SpikeSourceArray(spike_times=[10.0, 30.0]))
    wires = sim.Projection(source, cells, sim.AllToAllConnector(), sim.StaticSynapse(weight=2.0))
    cells.record("spikes")
    sim.run(40)
    assert spikes_of(cells) == []
    wires.set(weight=np.array([[2.0, 200.0, 2.0, 2.0]]))
    assert wires.get("weight", format="array").tolist() == [[2, 200, 2, 2]]
    source.set(spike_times=[50.0])
    sim.run(20)
    assert spikes_of(cells) == [(51, 1)]
    cells[2:].set(d=3.0, i_offset=[0.0, 0.02])
    assert cells.get("i_offset").tolist() == pytest.approx([0, 0, 0, 0.02])
    assert cells[2:].get("d") == 3 and cells[3].d == 3 and cells[0].d == 2
    cells[0:1].initialize(v=29.0)
    sim.run(40)
    assert (61, 0) in spikes_of(cells) and {cell for _, cell in spikes_of(cells)} == {0, 1, 3}
    wires[0].weight = 5.0
    assert [synapse.weight for synapse in wires] == [5, 200, 2, 2]
    assert wires.get("delay", format="list", with_address=False) == [1.0] * 4


def rate(i: Any, j: Any) -> Any:
    return (i + 1) / (j + 2)


CONNECTORS: dict[str, Callable[[Any], Any]] = {
    "all": lambda s: s.AllToAllConnector(),
    "all others": lambda s: s.AllToAllConnector(allow_self_connections=False),
    "one to one": lambda s: s.OneToOneConnector(),
    "probability": lambda s: s.FixedProbabilityConnector(0.3, rng=NumpyRNG(seed=1)),
    "distance": lambda s: s.DistanceDependentProbabilityConnector("exp(-d/3)", rng=NumpyRNG(seed=1)),
    "number of posts": lambda s: s.FixedNumberPostConnector(3, rng=NumpyRNG(seed=1)),
    "number of pres": lambda s: s.FixedNumberPreConnector(4, with_replacement=True, rng=NumpyRNG(seed=1)),
    "total": lambda s: s.FixedTotalNumberConnector(17, rng=NumpyRNG(seed=1)),
    "list": lambda s: s.FromListConnector([(0, 1, 0.5, 2.0), (3, 2, 1.5, 1.0), (0, 1, 0.25, 9.0)]),
    "array": lambda s: s.ArrayConnector(np.eye(10, 12, 1, dtype=bool)),
}


@pytest.mark.parametrize("name", CONNECTORS)
def test_connectors_are_pynns(name: str) -> None:
    """The same synapses as PyNN's mock simulator makes of them."""
    made = []
    for simulator in (sim, mock):
        simulator.setup(timestep=1.0, min_delay=1.0, max_delay=10.0)
        pre, post = (simulator.Population(size, simulator.Izhikevich()) for size in (10, 12))
        weight = RandomDistribution("uniform", (0, 2), rng=NumpyRNG(seed=2))
        synapse = simulator.StaticSynapse(weight=weight, delay=3.0)
        projection = simulator.Projection(pre, post, CONNECTORS[name](simulator), synapse)
        again = simulator.Projection(pre, post, simulator.CloneConnector(projection), synapse)
        made.append([sorted(p.get(["weight", "delay"], format="list")) for p in (projection, again)])
        assert len(projection) == projection.size() == len(made[-1][0]) > 0
    assert made[0] == made[1]


def test_files(tmp_path: Path) -> None:
    """What end() writes, as Neo reads it."""
    from neo.io import PickleIO

    sim.setup(seed=SEED)
    [exc, *_], _ = cortex()
    exc.record("spikes", to_file=str(tmp_path / "spikes.pkl"))
    sim.run(60)
    expected = spikes_of(exc)
    sim.end()
    block = PickleIO(str(tmp_path / "spikes.pkl")).read_block()
    found = [(round(float(t)), s.annotations["channel_id"]) for s in block.segments[0].spiketrains for t in s.times]
    assert sorted(found) == expected != []


def connected(**synapse: Any) -> Any:
    cells = sim.Population(3, sim.Izhikevich())
    return sim.Projection(cells, cells, sim.AllToAllConnector(), sim.StaticSynapse(**synapse))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: sim.setup(timestep=0.1), "timestep = 0.1: 1.0 is expected"),
        (lambda: sim.setup(max_delay=11.0), "max_delay = 11.0: 1 to 10 ms"),
        (lambda: sim.setup(threads=4), "threads = 4: no such argument; there are on, cluster"),
        (lambda: sim.setup(cluster="desktop"), "desktop"),
        (lambda: sim.setup(on="board"), "board"),
        (lambda: sim.IF_cond_exp(), "no IF_cond_exp; there are Izhikevich, SpikeSourceArray, SpikeSourcePoisson"),
        (lambda: sim.STDPMechanism(), r"no STDPMechanism; there are .*StaticSynapse"),
        (lambda: sim.DCSource(), "no DCSource"),
        (lambda: sim.Population(2, mock.IF_cond_exp()), "IF_cond_exp: polyloom.pynn has the cell types Izhikevich"),
        (lambda: connected(delay=11.0), "delay = 11 ms: 1 to 10 ms is expected"),
        (lambda: connected(delay=0.4), "delay = 0.4 ms"),
        (lambda: sim.Population(2, sim.SpikeSourcePoisson(rate=2000.0)), "rate = 2000: 0 to 1000 Hz"),
        (lambda: sim.Population(2, sim.SpikeSourceArray(spike_times=[0.0])), "spike_times: 0 ms"),
        (lambda: sim.Population(2, sim.SpikeSourceArray(spike_times=[3.0, 3.2])), "two spikes at 3 ms"),
        (lambda: sim.Population(2, sim.Izhikevich()).initialize(w=1.0), "no variable w; there are v, u"),
        (lambda: sim.Population(2, sim.Izhikevich()).record("v", sampling_interval=1.5), "sampling_interval = 1.5"),
        (lambda: sim.run(10), "there is no population"),
    ],
)
def test_what_cannot_be(wrong: Callable[[], Any], said: str) -> None:
    sim.setup()
    with pytest.raises(UserError, match=said):
        wrong()


def test_an_assembly_has_receptors_in_order() -> None:
    """Of which PyNN takes the first for positive weights; its own list comes from a set."""
    sim.setup()
    cells = sim.Population(2, sim.Izhikevich()) + sim.Population(2, sim.Izhikevich())
    assert cells.receptor_types == ["excitatory", "inhibitory"]
    for weight, kind in ((1.0, "excitatory"), (-1.0, "inhibitory")):
        projection = sim.Projection(cells, cells, sim.AllToAllConnector(), sim.StaticSynapse(weight=weight))
        assert projection.receptor_type == kind
    assert (cells + sim.Population(1, sim.SpikeSourcePoisson())).receptor_types == []


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (lambda: sim.Izhikevich(a=float("nan")), "cells: a of cell 0 is nan"),
        (lambda: sim.Izhikevich(i_offset=float("inf")), "cells: i_offset of cell 0 is inf"),
        (lambda: sim.SpikeSourcePoisson(start=float("nan")), "cells: start of cell 0 is nan"),
    ],
)
def test_no_number(cell: Callable[[], Any], said: str) -> None:
    sim.setup()
    sim.Population(2, cell(), label="cells")
    with pytest.raises(PynnError, match=said):
        sim.run(5)


def test_part_of_a_step() -> None:
    sim.setup()
    sim.Population(1, sim.Izhikevich())
    sim.run(1)
    with pytest.raises(PynnError, match=r"run until 1\.4 ms: whole steps of 1 ms"):
        sim.run(0.4)


def test_models_of_others() -> None:
    mock.setup()
    sim.setup()
    cells = sim.Population(2, sim.Izhikevich())
    synapse = mock.TsodyksMarkramSynapse(weight=1.0)
    with pytest.raises(PynnError, match=r"TsodyksMarkramSynapse: .* has the synapse type StaticSynapse"):
        sim.Projection(cells, cells, sim.AllToAllConnector(), synapse)
    sources = sim.Population(2, sim.SpikeSourcePoisson())
    with pytest.raises(PynnError, match="spike sources take no synapses"):
        sim.Projection(cells, sources, sim.AllToAllConnector())
    connected(weight=20000.0)
    with pytest.raises(UserError, match="more than 32767 in sum"):
        sim.run(1)
    assert not hasattr(sim, "IF_curr_exp") and issubclass(NotThereError, PynnError)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = sim.nothing
    assert sim.list_standard_models() == ["Izhikevich", "SpikeSourceArray", "SpikeSourcePoisson", "StaticSynapse"]


@pytest.mark.parametrize("where", ['on="sim", cluster="laptop", ', ""])
def test_the_script_of_the_manual(tmp_path: Path, where: str) -> None:
    """As it stands there, and natively: it prints what the manual says."""
    page = (ROOT / "docs" / "guides" / "pynn.md").read_text()
    [script], [printed] = (re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL) for kind in ("python", "text"))
    there = 'on="sim", cluster="laptop", '
    assert there in script
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", script.replace(there, where)]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=100)
    assert done.stdout == printed, done.stderr


def test_without_pynn(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['pyNN'] = None\n")
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-c", "import polyloom.pynn"], env=env, capture_output=True, text=True, timeout=60
    )
    assert "the Python package pynn is not installed; run `" in done.stderr.splitlines()[-1]
    assert "pip install pynn" in done.stderr.splitlines()[-1]

# SPDX-License-Identifier: Apache-2.0
# Covers: spiking neurons against Brian2, which integrates the same equations by its own Euler method in double
#   precision, with the same parameters, weights and noise: spike trains, their number, rates of both kinds, also of
#   networks whose spikes cause others; on a simulated cluster, too. POLYLOOM_TEST_FULL=1: more neurons, a whole second.
# Leaves out: rounding (test_neurons.py, bit by bit).
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import izhikevich
import numpy as np
import pytest
from brian import b2
from conftest import Done
from test_neurons import edges_of, raster

from polyloom.testing import FULL

Polyloom = Callable[..., Done]

N, STEPS = (1000, 1000) if FULL else (200, 200)
#: Brian2 steps by half a millisecond; a step of 1 ms ends in every second one. The rest is the model as it is written.
EQUATIONS = """
dv/dt = (0.04*v**2 + 5*v + 140 - u + current + offset + noise(t, i)) / ms : 1
u : 1
current : 1
a : 1 (constant)
b : 1 (constant)
c : 1 (constant)
d : 1 (constant)
offset : 1 (constant)
last = int(t / (0.5*ms) + 0.5) % 2 : integer
"""


def by_brian(network: izhikevich.Network, steps: int, seed: int) -> list[tuple[int, int]]:
    """Spikes (step, neuron) in order."""
    b2.start_scope()
    n, values = network.n, network.values
    thalamic = [izhikevich.noise(n, step, seed) / 256 * values["noise"].astype(float) for step in range(1, steps + 1)]
    noise = b2.TimedArray(np.array(thalamic), dt=1 * b2.ms)
    half = 0.5 * b2.ms
    neurons = b2.NeuronGroup(
        n,
        EQUATIONS,
        threshold="v >= 30 and last == 1",
        reset="v = c; u += d",
        method="euler",
        dt=half,
        namespace={"noise": noise},
    )
    for name in ("v", "u", "a", "b", "c", "d", "offset"):
        setattr(neurons, name, values[name].astype(float))
    neurons.run_regularly("u += last * a*(b*v - u); current *= 1 - last", dt=half, when="after_groups")
    synapses = b2.Synapses(neurons, neurons, "w : 1 (constant)", on_pre="current += w", dt=half)
    synapses.connect(i=network.edges[:, 0], j=network.edges[:, 1])
    synapses.w = network.weights.astype(float)
    spikes = b2.SpikeMonitor(neurons)
    b2.Network(neurons, synapses, spikes).run(steps * b2.ms)
    at = np.asarray(spikes.t / half).round().astype(int) // 2 + 1
    return sorted(zip(at.tolist(), np.asarray(spikes.i).tolist(), strict=True))


@pytest.mark.parametrize(
    "where", [("--on", "native"), ("--cluster", "laptop", "--mode", "gals")], ids=["native", "sim"]
)
@pytest.mark.parametrize(("excitation", "inhibition"), [(0.5, 1), (8, 8)], ids=["thalamic", "recurrent"])
def test_the_spikes_are_brians(
    polyloom: Polyloom, tmp_path: Path, where: tuple[str, ...], excitation: float, inhibition: float
) -> None:
    edges = edges_of(N, 20, 4)
    np.savetxt(tmp_path / "graph.txt", edges, fmt="%d")
    words = ("--excitation", excitation, "--inhibition", inhibition, "--steps", STEPS, "--seed", 6)
    files = ("--graph", "graph.txt", "--raster", "raster.csv", "--json", "--no-report")
    done = polyloom("run", "neurons", *where, *words, *files)
    assert done.status == 0, done.err
    network = izhikevich.drawn(N, edges, 6, excitation, inhibition)
    theirs, ours = by_brian(network, STEPS, 6), raster(tmp_path / "raster.csv")
    # Single precision is off by some 1e-6 mV, which the upstroke of a spike can make a step. That moves some spikes of
    # thalamic input alone; where spikes cause others, chaos makes other trains of it, of the same statistics.
    early = [[spike for spike in spikes if spike[0] <= 100] for spikes in (ours, theirs)]
    assert early[0] == early[1] and len(early[0]) > 0.2 * N
    if excitation < 1:
        assert len(set(ours) ^ set(theirs)) <= 0.01 * len(theirs)
    assert abs(len(ours) - len(theirs)) <= 0.005 * len(theirs)
    counts = np.bincount([neuron for _, neuron in theirs], minlength=N)
    for kind, chosen in (("excitatory", ~network.inhibitory), ("inhibitory", network.inhibitory)):
        rate = counts[chosen].mean() / STEPS * 1000
        assert done.json[f"{kind}_rate_hz"] == pytest.approx(rate, rel=0.02), kind

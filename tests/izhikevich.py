# SPDX-License-Identifier: Apache-2.0
"""Izhikevich's neurons with NumPy, for tests: in single precision as docs/apps/neurons.md says, so spikes are equal.

A network is arrays by neuron and by synapse; steps count from 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

Array = np.ndarray
F = np.float32
MASK = (1 << 64) - 1
INHIBITORY = 0.2


def _mix(z: int) -> int:
    """Steele, Lea and Flood's SplitMix64, without its counter."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def draw(seed: int, number: int) -> int:
    """Number ``number`` of the stream ``seed``, 64 bits."""
    golden = 0x9E3779B97F4A7C15
    return _mix(_mix((seed + golden) & MASK) ^ _mix((number + golden) & MASK))


def unit(seed: int, numbers: Array) -> Array:
    """The same from 0 to 1."""
    return np.array([(draw(seed, int(n)) >> 11) / 2**53 for n in numbers])


def words(neurons: Array, step: int, key: int) -> Array:
    """pcg3d of Jarzynski and Olano (2020): three words of 32 bits a neuron, shape (3, neurons)."""
    x, y, z = (
        (np.asarray(part, np.uint64) * 1664525 + 1013904223).astype(np.uint32)
        for part in (neurons, np.full(len(neurons), step), np.full(len(neurons), key))
    )
    for again in (True, False):
        x = x + y * z
        y = y + z * x
        z = z + x * y
        if again:
            x, y, z = x ^ (x >> 16), y ^ (y >> 16), z ^ (z >> 16)
    return np.stack([x, y, z])


def key(seed: int) -> int:
    """What a seed is to neurons."""
    return draw(seed, MASK) & 0xFFFFFFFF


def noise(n: int, step: int, seed: int) -> Array:
    """Thalamic input of all neurons in a step before it is scaled, as whole 256ths of a standard deviation."""
    return words(np.arange(n), step, key(seed)).copy(order="C").view(np.uint8).reshape(3, n, 4).sum((0, 2), int) - 1530


@dataclass
class Network:
    """Parameters by neuron in single precision; ``edges`` (synapses, 2), ``weights`` and ``delays`` by synapse."""

    n: int
    edges: Array
    weights: Array
    values: dict[str, Array]  # a, b, c, d, v, u, offset, noise
    inhibitory: Array
    delays: Array | None = None
    given: dict[int, set[int]] = field(default_factory=dict)  # steps of spikes of neurons that do what they are told
    chance: dict[int, int] = field(default_factory=dict)  # of 2^32, of those that spike by chance


def drawn(n: int, edges: Array, seed: int, excitation: float = 0.5, inhibition: float = 1.0) -> Network:
    """Kinds, parameters and weights as a run draws them."""
    neurons = np.arange(n)
    inhibitory = unit(seed, 4 * neurons) < INHIBITORY
    r = unit(seed, 4 * neurons + 1)
    values = {
        "a": np.where(inhibitory, 0.02 + 0.08 * r, 0.02).astype(F),
        "b": np.where(inhibitory, 0.25 - 0.05 * r, 0.2).astype(F),
        "c": np.where(inhibitory, -65, -65 + 15 * r * r).astype(F),
        "d": np.where(inhibitory, 2, 8 - 6 * r * r).astype(F),
        "v": np.full(n, -65, F),
        "offset": np.zeros(n, F),
        "noise": np.where(inhibitory, 2, 5).astype(F),
    }
    values["u"] = values["b"] * values["v"]
    most = np.where(inhibitory[edges[:, 0]], -inhibition, excitation)
    weights = (most * unit(seed, 4 * np.arange(len(edges)) + 2)).astype(F)
    return Network(n, edges, weights, values, inhibitory)


def run(network: Network, steps: int, seed: int) -> tuple[list[tuple[int, int]], Array]:
    """All spikes (step, neuron) in order, and v after each step, shape (steps, neurons)."""
    n, values = network.n, {name: array.copy() for name, array in network.values.items()}
    v, u = values["v"], values["u"]
    exact = network.weights.astype(float) * 65536
    fixed = np.trunc(exact + np.copysign(0.5, exact)).astype(np.int64)
    delays = np.ones(len(fixed), int) if network.delays is None else network.delays
    currents = np.zeros((steps + 12, n), np.int64)
    sources = np.zeros(n, bool)
    sources[[*network.given, *network.chance]] = True
    spikes: list[tuple[int, int]] = []
    traces = []
    for step in range(1, steps + 1):
        i = currents[step].astype(F) * F(1 / 65536) + values["offset"]
        i = i + noise(n, step, seed).astype(F) * (values["noise"] / F(256))
        before = v.copy(), u.copy()
        for _ in range(2):
            v = v + F(0.5) * (F(0.04) * v * v + F(5) * v + F(140) - u + i)
        u = u + values["a"] * (values["b"] * v - u)
        spiked = v >= 30
        v, u = np.where(spiked, values["c"], v), np.where(spiked, u + values["d"], u)
        v, u = np.where(sources, before[0], v), np.where(sources, before[1], u)
        spiked[sources] = False
        random = words(np.arange(n), step, key(seed))[0]
        for neuron in np.flatnonzero(sources):
            spiked[neuron] = step in network.given.get(neuron, ()) or random[neuron] < network.chance.get(neuron, 0)
        sends = spiked[network.edges[:, 0]]
        np.add.at(currents, (step + delays[sends], network.edges[sends, 1]), fixed[sends])
        spikes += [(step, int(neuron)) for neuron in np.flatnonzero(spiked)]
        traces.append(v.copy())
    return spikes, np.array(traces)

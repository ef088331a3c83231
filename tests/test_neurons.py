# SPDX-License-Identifier: Apache-2.0
# Covers: spiking neurons natively, on simulated clusters and in RTL, by supersteps and without: every spike and every v
#   as NumPy computes them (izhikevich.py); drawn and given parameters, weights, delays and spikes; runs in pieces that
#   go on from what --out wrote; what is refused.
# Leaves out: Brian2 (test_neurons_brian2.py).
from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import izhikevich
import numpy as np
import pytest
from conftest import Done, read_named

import polyloom

Polyloom = Callable[..., Done]
Spikes = list[tuple[int, int]]

N, SEED = 120, 5
WHERE = {
    "native": ("--on", "native"),
    "laptop": ("--cluster", "laptop", "--pins", "distributed"),
    "tiny-2": ("--cluster", "tiny-2", "--pins", "unicast"),
    "gals": ("--on", "native", "--mode", "gals"),
    "gals-tiny-6": ("--cluster", "tiny-6", "--mode", "gals"),
    "rtl": ("--on", "rtl", "--cluster", "tiny-1"),
}


def edges_of(n: int, degree: int, seed: int) -> np.ndarray:
    """Every vertex is in one, so that numbers in the file are numbers of neurons."""
    rng = np.random.default_rng(seed)
    ring = np.column_stack([np.arange(n), (np.arange(n) + 1) % n])
    return np.concatenate([ring, rng.integers(0, n, (n * degree, 2))])


def raster(path: Path) -> Spikes:
    with path.open(newline="") as file:
        return [(int(row["step"]), int(row["neuron"])) for row in csv.DictReader(file)]


def traces(path: Path, steps: int, n: int, first: int = 0) -> np.ndarray:
    v = np.full((steps, n), np.nan, np.float32)
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            v[int(row["step"]) - first - 1, int(row["neuron"])] = np.float32(row["v"])
    return v


@pytest.mark.parametrize("where", WHERE)
def test_drawn_networks(polyloom: Polyloom, tmp_path: Path, where: str) -> None:
    """Strong synapses, so that one spike that is missed makes others."""
    steps = 25 if where == "rtl" else 100
    edges = edges_of(N, 8, 1)
    np.savetxt(tmp_path / "graph.txt", edges, fmt="%d")
    strong = ("--excitation", 25, "--inhibition", 9, "--noise", 2, "--steps", steps)
    reported = (
        "--raster",
        "raster.csv",
        "--traces",
        "traces.csv",
        "--out",
        "out.csv",
        "--verify",
        "--json",
        "--no-report",
    )
    words = ("--graph", "graph.txt", *strong, "--seed", SEED, *reported)
    done = polyloom("run", "neurons", *WHERE[where], *words)
    assert done.status == 0, done.err
    assert done.json["verified"]
    network = izhikevich.drawn(N, edges, SEED, 25, 9)
    network.values["noise"] *= 2
    spikes, v = izhikevich.run(network, steps, SEED)
    assert raster(tmp_path / "raster.csv") == spikes
    np.testing.assert_array_equal(traces(tmp_path / "traces.csv", steps, N), v)
    assert done.json["spikes"] == len(spikes) > steps
    assert done.json["inhibitory"] == network.inhibitory.sum()
    rate = len(spikes) / N / steps * 1000
    assert done.json["rate_hz"] == pytest.approx(rate)
    counts = np.bincount([neuron for _, neuron in spikes], minlength=N)
    assert [int(value) for value in read_named(tmp_path / "out.csv").values()] == counts.tolist()
    of_excitatory = counts[~network.inhibitory].sum() / (~network.inhibitory).sum() / steps * 1000
    assert done.json["excitatory_rate_hz"] == pytest.approx(of_excitatory)


def test_machines_agree_on_a_made_graph(polyloom: Polyloom) -> None:
    words = ("run", "neurons", "--generate", "uniform:1000:25", "--steps", 100, "--seed", 3, "--json", "--no-report")
    native = polyloom(*words, "--on", "native")
    assert native.status == 0, native.err
    sim = polyloom(*words, "--on", "sim", "--cluster", "laptop")
    assert 0 < native.json["spikes"] == sim.json["spikes"]
    assert native.json["top"] == sim.json["top"]
    other = polyloom(*(4 if word == 3 else word for word in words), "--on", "native")
    assert other.json["top"] != native.json["top"]


def write_neurons(path: Path, columns: dict[str, np.ndarray], names: list[str]) -> None:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["vertex", *columns])
        rows.writerows(zip(names, *columns.values(), strict=True))


@pytest.mark.parametrize("where", ["native", "tiny-2"])
def test_given_networks(polyloom: Polyloom, tmp_path: Path, where: str) -> None:
    """Names, signed weights, delays, parameters, sources that are told and that spike by chance; in two pieces."""
    n, steps = 40, 1100 if where == "native" else 60
    rng = np.random.default_rng(7)
    edges = edges_of(n, 6, 2)
    weights = rng.uniform(-6, 9, len(edges)).astype(np.float32)
    delays = rng.integers(1, 11, len(edges))
    given = {0: set(range(3, steps, 7)), 1: {1, 2, steps}}
    f = np.float32
    values = {
        "a": rng.uniform(0.02, 0.1, n).astype(f),
        "b": rng.uniform(0.2, 0.25, n).astype(f),
        "c": rng.uniform(-65, -50, n).astype(f),
        "d": rng.uniform(2, 8, n).astype(f),
        "v": rng.uniform(-70, -60, n).astype(f),
        "u": rng.uniform(-15, -12, n).astype(f),
        "offset": rng.uniform(0, 4, n).astype(f),
        "noise": rng.uniform(0, 3, n).astype(f),
    }
    chance = int(0.05 * 2**32)
    rates = np.full(n, "", object)
    rates[2] = 50
    names = [f'n {v:02}, "x"' for v in range(n)]
    with (tmp_path / "graph.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["source", "target", "weight"])
        rows.writerows((names[u], names[v], w) for (u, v), w in zip(edges, weights, strict=True))
    write_neurons(tmp_path / "neurons.csv", {**values, "rate": rates}, names)
    np.savetxt(tmp_path / "delays.txt", delays, fmt="%d")
    with (tmp_path / "stimulus.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("step", "neuron"), *((s, names[v]) for v in given for s in given[v])])
    network = izhikevich.Network(n, edges, weights, values, np.zeros(n, bool), delays, given, {2: chance})
    spikes, v = izhikevich.run(network, steps, SEED)
    files = ("--graph", "graph.csv", "--delays", "delays.txt", "--stimulus", "stimulus.csv", "--seed", SEED)
    reported = ("--raster", "raster.csv", "--out", "out.csv", "--no-report")
    done = polyloom(
        "run", "neurons", *WHERE[where], *files, "--neurons", "neurons.csv", "--steps", steps, *reported, "--verify"
    )
    assert done.status == 0, done.err
    assert "verification: passed" in done.out

    def read() -> Spikes:
        with (tmp_path / "raster.csv").open(newline="") as file:
            return [(int(row["step"]), names.index(row["neuron"])) for row in csv.DictReader(file)]

    assert read() == spikes
    assert {neuron for _, neuron in spikes} >= {0, 1, 2}
    with (tmp_path / "out.csv").open(newline="") as file:
        states = list(csv.DictReader(file))
    driven = [neuron for neuron in range(n) if neuron > 2]
    assert [np.float32(states[neuron]["v"]) for neuron in driven] == v[-1, driven].tolist()

    # The same in two runs: the second goes on with what the first one wrote.
    half = steps // 3
    first = polyloom("run", "neurons", *WHERE[where], *files, "--neurons", "neurons.csv", "--steps", half, *reported)
    assert first.status == 0, first.err
    before = read()
    with (tmp_path / "out.csv").open(newline="") as file:
        states = list(csv.DictReader(file))
    going_on = {key: np.array([row[key] for row in states]) for key in states[0] if key not in {"vertex", "value"}}
    write_neurons(tmp_path / "again.csv", {**values, "rate": rates, **going_on}, names)
    rest = ("--neurons", "again.csv", "--first-step", half, "--steps", steps - half)
    second = polyloom("run", "neurons", *WHERE[where], *files, *rest, *reported)
    assert second.status == 0, second.err
    assert before + read() == spikes


@pytest.mark.parametrize("mode", ["sync", "gals"])
def test_going_on_without_delays(polyloom: Polyloom, tmp_path: Path, mode: str) -> None:
    """--out of one run is --neurons of the next, as it stands."""
    edges = edges_of(N, 8, 3)
    np.savetxt(tmp_path / "graph.txt", edges, fmt="%d")
    words = ("run", "neurons", "--on", "native", "--graph", "graph.txt", "--excitation", 9, "--mode", mode)
    words = (*words, "--seed", 1, "--raster", "raster.csv")
    spikes: Spikes = []
    for steps, more in ((31, ()), (40, ("--neurons", "31.csv", "--first-step", 31))):
        done = polyloom(*words, "--steps", steps, *more, "--out", f"{steps}.csv", "--verify")
        assert "verification: passed" in done.out, done.err
        spikes += raster(tmp_path / "raster.csv")
    assert spikes == izhikevich.run(izhikevich.drawn(N, edges, 1, 9), 71, 1)[0]


def test_from_python() -> None:
    """A graph in memory; a seed is of use natively, too, where a program draws."""
    edges = edges_of(N, 8, 3)
    graph = polyloom.Graph.from_edges(edges)
    run = graph.run("neurons", {"steps": 60, "excitation": 9}, seed=SEED)
    spikes, v = izhikevich.run(izhikevich.drawn(N, edges, SEED, 9), 60, SEED)
    assert run.values.tolist() == np.bincount([neuron for _, neuron in spikes], minlength=N).tolist()
    np.testing.assert_array_equal(np.float32(run.columns["v"]), v[-1])
    with pytest.raises(polyloom.GraphError, match="seed = 5: a native run has no cluster"):
        graph.components(seed=SEED)


def test_noise_is_normal() -> None:
    """Of the draws themselves: mean, deviation, tails; neurons and steps know nothing of each other."""
    drawn = np.array([izhikevich.noise(400, step, 9) for step in range(1, 301)]) / 256
    assert abs(drawn.mean()) < 4 / np.sqrt(drawn.size)
    assert abs(drawn.std() - 1) < 0.01
    assert abs((drawn > 2).mean() - 0.0228) < 0.002
    for shifted in (drawn[1:] * drawn[:-1], drawn[:, 1:] * drawn[:, :-1]):
        assert abs(shifted.mean()) < 4 / np.sqrt(shifted.size)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--steps", 0), "--steps"),
        (("--steps", "1000000001"), "--steps"),
        (("--noise", -1), "--noise"),
        (("--excitation", "nan"), "--excitation"),
        (("--inhibition", 1001), "--inhibition"),
        (("--first-step", 1000000000), "at most 1000000000 together"),
        (("--neurons", "nowhere.csv"), "nowhere.csv: cannot be read"),
        (("--neurons", "column.csv"), "no column 'x'; there are a, b, c, d"),
        (("--neurons", "vertex.csv"), "the graph has no vertex 99"),
        (("--neurons", "rate.csv"), "rate of 0 is -1; from 0 to 1000 is expected"),
        (("--neurons", "word.csv"), "line 2: a is 'much'; a number is expected"),
        (("--delays", "short.txt"), "has 2 numbers; the graph has 3 edges"),
        (("--delays", "eleven.txt"), "'11': whole numbers from 1 to 10 are expected"),
        (("--delays", "ones.txt", "--undirected"), "leave --undirected and --simple out"),
        (("--delays", "ones.txt", "--mode", "gals"), "--mode gals: delays"),
        (("--stimulus", "stimulus.csv"), "the graph has no vertex 7"),
        (("--stimulus", "ones.txt"), "line 1: '1' is no step,neuron"),
        (("--raster", "nowhere/raster.csv"), "--raster nowhere/raster.csv: there is no folder"),
        (("--traces", "traces.npy"), "what happens is written as CSV"),
        (("--graph", "weighted.txt", "--excitation", 2), "weighted.txt has weights of its own"),
        (("--graph", "heavy.txt"), "those of the edges to 1 are more than 32767 in sum"),
        (("--max-weight", 3), "--max-weight"),
    ],
)
def test_what_cannot_be(polyloom: Polyloom, tmp_path: Path, words: tuple[object, ...], said: str) -> None:
    files = {
        "graph.txt": "0 1\n1 2\n2 0\n",
        "weighted.txt": "0 1 -2.5\n1 0 3\n",
        "heavy.txt": "0 1 -20000\n2 1 20000\n",
        "column.csv": "vertex,x\n0,1\n",
        "vertex.csv": "vertex,a\n99,1\n",
        "rate.csv": "vertex,rate\n0,-1\n",
        "word.csv": "vertex,a\n0,much\n",
        "short.txt": "1\n2\n",
        "eleven.txt": "1\n11\n2\n",
        "ones.txt": "1\n1\n1\n",
        "stimulus.csv": "step,neuron\n3,7\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    graph = () if "--graph" in words else ("--graph", "graph.txt")
    done = polyloom("run", "neurons", "--on", "native", *graph, *words)
    assert done.status in {1, 2}
    [line] = done.err.strip().splitlines()[-1:]
    assert said in line


def test_steps_of_a_stimulus_count_from_one(polyloom: Polyloom, tmp_path: Path) -> None:
    words = ("run", "neurons", "--generate", "uniform:20:3", "--steps", 10, "--on", "native", "--json")
    given = tmp_path / "given.csv"
    given.write_text("step,neuron\n1,7\n10,7\n11,7\n12,3\n")
    done = polyloom(*words, "--stimulus", given, "--raster", tmp_path / "raster.csv")
    assert done.status == 0 and "2 spikes of --stimulus are of steps after the last one, 10" in done.json["notes"]
    rows = (tmp_path / "raster.csv").read_text().splitlines()
    assert [row for row in rows if row.endswith(",7")] == ["1,7", "10,7"]
    given.write_text("0,7\n")
    done = polyloom(*words, "--stimulus", given)
    assert done.status == 1 and "steps count from 1" in done.err

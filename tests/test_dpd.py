# SPDX-License-Identifier: Apache-2.0
# Covers: dissipative particle dynamics: the very same particles natively, on the fast model with every kind of pin,
#   with and without barriers, once in RTL; momentum and temperature; the files it writes against NumPy and SciPy; an
#   ideal gas; parameters that make no sense, cells that overflow, beads that are too fast.
# Leaves out: whether it is the fluid that LAMMPS has (test_dpd_lammps.py).
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import Done
from scipy.spatial import cKDTree

from polyloom.testing import FULL

Polyloom = Callable[..., Done]

PINS = ["unicast", "local", "distributed", "auto"]


def run(polyloom: Polyloom, *words: object) -> dict:
    done = polyloom("run", "dpd", "--json", "--no-report", *words)
    assert done.status == 0, done.err
    return done.json


def table(path: Path) -> np.ndarray:
    return np.genfromtxt(path, delimiter=",", names=True)


def squares(beads: np.ndarray) -> float:
    return float(sum((beads[axis] ** 2).sum() for axis in ("vx", "vy", "vz")))


@pytest.mark.parametrize("density", [3, 0.2])  # many cells are empty
def test_the_same_particles_wherever_they_are_computed(polyloom: Polyloom, tmp_path: Path, density: float) -> None:
    words = ("--side", 4, "--density", density, "--steps", 30 if FULL else 12, "--every", 5, "--seed", 7, "--verify")
    ways = {f"{mode} native": ("--mode", mode, "--on", "native") for mode in ("sync", "gals")}
    for mode in ("sync", "gals"):
        on = ("--on", "sim", "--cluster", "laptop", "--mode", mode)
        ways |= {f"{mode} {pins}": (*on, "--pins", pins) for pins in (PINS if FULL or mode == "sync" else ["auto"])}
    beads, cells = {}, {}
    for way, where in ways.items():
        result = run(polyloom, *words, *where, "--beads", "beads.csv", "--out", "cells.csv")
        assert result["verified"], (way, result)
        assert result["momentum"] == 0
        beads[way] = (tmp_path / "beads.csv").read_bytes()
        cells[way] = (tmp_path / "cells.csv").read_bytes()
    assert len(set(beads.values())) == 1, {way: len(text) for way, text in beads.items()}
    assert len(set(cells.values())) == 1
    seen = table(tmp_path / "beads.csv")
    assert sorted(set(seen["step"])) == ([5, 10, 15, 20, 25, 30] if FULL else [5, 10, 12])


@pytest.mark.parametrize("mode", ["sync", "gals"])
def test_in_rtl(polyloom: Polyloom, tmp_path: Path, mode: str) -> None:
    words = ("--side", 3, "--steps", 2, "--seed", 3, "--mode", mode, "--beads", "beads.csv", "--verify")
    run(polyloom, *words, "--on", "rtl", "--cluster", "tiny-1")
    in_rtl = (tmp_path / "beads.csv").read_bytes()
    run(polyloom, *words, "--on", "native")
    assert (tmp_path / "beads.csv").read_bytes() == in_rtl


def test_figures_are_those_of_the_beads(polyloom: Polyloom, tmp_path: Path) -> None:
    words = ("--side", 6, "--steps", 50, "--every", 10, "--seed", 7, "--on", "native")
    files = ("--beads", "beads.csv", "--thermo", "thermo.csv", "--rdf", "rdf.csv", "--out", "cells.csv")
    result = run(polyloom, *words, *files)
    beads, thermo = table(tmp_path / "beads.csv"), table(tmp_path / "thermo.csv")
    n = 3 * 6**3
    assert result["beads"] == n
    assert list(thermo["step"]) == [10, 20, 30, 40, 50] == sorted(set(beads["step"]))
    last = beads[beads["step"] == 50]
    assert list(last["bead"]) == list(range(n))
    for axis in "xyz":
        assert last[axis].min() >= 0
        assert last[axis].max() < 6
        assert abs(last[f"v{axis}"].sum()) <= 1e-9 * n
    temperatures = [squares(beads[beads["step"] == step]) / (3 * n - 3) for step in thermo["step"]]
    np.testing.assert_allclose(thermo["temperature"], temperatures, rtol=1e-8)
    assert result["temperature"] == pytest.approx(temperatures[-1])
    assert result["mean_temperature"] == pytest.approx(np.mean(temperatures))
    assert result["mean_pressure"] == pytest.approx(thermo["pressure"].mean())
    assert 0.8 < result["temperature"] < 1.2
    # Cells.
    where = np.floor(last["x"]) + 6 * (np.floor(last["y"]) + 6 * np.floor(last["z"]))
    counted = np.bincount(where.astype(int), minlength=6**3)
    np.testing.assert_array_equal(table(tmp_path / "cells.csv")["value"], counted)
    # Radial distribution, of ordered pairs.
    rdf = table(tmp_path / "rdf.csv")
    edges = np.arange(61) * 0.05  # a bead meets itself at the first one
    np.testing.assert_allclose(rdf["r"], edges[:-1] + 0.025)
    pairs = np.zeros(len(rdf))
    for step in thermo["step"]:
        at = beads[beads["step"] == step]
        tree = cKDTree(np.column_stack([at["x"], at["y"], at["z"]]), boxsize=6)
        pairs += np.diff(tree.count_neighbors(tree, edges))
    shells = 4 / 3 * np.pi * np.diff(edges**3)
    np.testing.assert_allclose(rdf["g"], pairs / 5 / (n * (n - 1) / 6**3) / shells, rtol=1e-6, atol=1e-9)


def test_without_forces_it_is_an_ideal_gas(polyloom: Polyloom, tmp_path: Path) -> None:
    """No one changes velocity, all go straight on; the pressure is that of their energy."""
    words = ("--side", 4, "--a", 0, "--gamma", 0, "--steps", 40, "--every", 20, "--on", "native")
    result = run(polyloom, *words, "--beads", "beads.csv")
    beads = table(tmp_path / "beads.csv")
    first, last = (beads[beads["step"] == step] for step in (20, 40))
    for axis in "xyz":
        np.testing.assert_array_equal(first[f"v{axis}"], last[f"v{axis}"])
        way = last[axis] - first[axis] - 20 * 0.04 * first[f"v{axis}"]
        np.testing.assert_allclose(way - 4 * np.round(way / 4), 0, atol=1e-7)
    assert result["pressure"] == pytest.approx(squares(last) / 3 / 4**3)
    assert result["temperature"] == pytest.approx(1, rel=1e-6)


def test_seeds_differ_and_one_repeats(polyloom: Polyloom) -> None:
    words = ("--side", 3, "--steps", 10, "--on", "native")
    one, again, other = (run(polyloom, *words, "--seed", seed)["temperature"] for seed in (1, 1, 2))
    assert one == again != other


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (("--side", 2), "--side: Value 2 not in range 3 to 256"),
        (("--density", 21), "--density: Value 21 not in range 0.01"),
        (("--side", 3, "--density", 0.03), "--density 0.03 --side 3: that is 1 beads; 2 at least"),
        (("--dt", 0), "--dt: Value 0 not in range 0.001"),
        (("--dt", "fast"), "--dt"),
        (("--gamma", -1), "--gamma: Value -1 not in range 0"),
        (
            ("--gamma", 60),
            "--dt 0.04 --gamma 60: friction would turn velocities round in one time step; give a smaller",
        ),
        (("--kT", 60), "--dt 0.04 --kT 60: beads would go more than an eighth of a cell in a time step"),
        (("--a", 900), "--dt 0.04 --a 900: two beads would push each other by more than a quarter of a cell"),
        (("--rdf", "none/there.csv"), "--rdf none/there.csv: there is no folder"),
        (("--beads", "beads.npy"), "--beads beads.npy: what happens is written as CSV"),
        (("--graph", "graph.txt"), "not expected: --graph"),
        (("--density", 18, "--a", 0, "--steps", 100), "a cell has no room for more; give a smaller --density"),
        (("--a", 300, "--gamma", 0, "--kT", 9), "--dt 0.04 is too long for these forces; give a smaller one"),
    ],
)
def test_what_cannot_be_computed_is_told(
    polyloom: Polyloom, tmp_path: Path, words: tuple[object, ...], reported: str
) -> None:
    for mode in ("sync", "gals"):
        done = polyloom("run", "dpd", "--on", "native", "--mode", mode, *words)
        assert done.status != 0
        assert reported in done.err
        assert len(done.err.splitlines()) == 1, done.err
        assert not list(tmp_path.glob("*.csv"))

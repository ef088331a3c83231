# SPDX-License-Identifier: Apache-2.0
# Covers: bodies that are too near for fp32 are told, with the error that direct summation finds; softening is none
# unless asked for; a run whose energy leaves its bound ends with status 1.
# Leaves out: clusters.
from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from polyloom import nbody
from polyloom.nbody import precision


def sphere_with_a_pair(separation: float) -> tuple[np.ndarray, np.ndarray]:
    """Bodies 7 and 100 of a Plummer sphere so far apart."""
    state = nbody.problem("plummer", 2000, 1)
    state["pos"][7] = state["pos"][100] + separation * np.array([0.6, 0.48, 0.64])
    return state["pos"], state["mass"]


@pytest.mark.parametrize("separation", [1e-5, 1e-6, 1e-7, 1e-8])
def test_a_near_pair_is_told_with_its_error(separation: float) -> None:
    pos, mass = sphere_with_a_pair(separation)
    closeness = precision.examine(pos, 0.0, nbody.Tree(pos, mass).frame)
    assert closeness is not None
    assert closeness.bodies == (7, 100)
    assert closeness.separation == pytest.approx(separation, rel=1e-6)
    exact = nbody.direct(pos, mass)[0][7]
    with pytest.warns(nbody.PrecisionWarning, match="bodies 7 and 100 are"):
        found = nbody.accelerations(pos, mass)[7]
    assert closeness.error == pytest.approx(np.linalg.norm(found - exact) / np.linalg.norm(exact), rel=0.1)
    # With the softening that it names nothing is told.
    assert precision.examine(pos, closeness.enough, nbody.Tree(pos, mass).frame) is None


@pytest.mark.parametrize("count", [2, 5, 60, 3000])
@pytest.mark.parametrize("x", [0.0, 0.25, 0.37, 0.5])
def test_every_near_pair_is_told(count: int, x: float) -> None:
    """Also those on two sides of a border of large cells, which the curve keeps far apart."""
    random = np.random.default_rng(count)
    for k in range(12):
        pos, mass = random.uniform(-1, 1, (count, 3)), random.uniform(0.5, 1, count) / count
        y, z = random.uniform(-0.9, 0.9, 2)
        pos[0], pos[1] = (x - 10 ** -(5.5 + k / 8), y, z), (x + 10 ** -(5.5 + k / 8), y, z)
        tree = nbody.Tree(pos, mass)
        closeness = precision.examine(pos, 0.0, tree.frame)
        frame = tree.frame
        held = ((pos[:2] - frame.origin) / frame.length).astype(np.float32).astype(np.float64) * frame.length
        moved = np.linalg.norm((held[1] - held[0]) - (pos[1] - pos[0])) / np.linalg.norm(pos[1] - pos[0])
        if moved > 2 * precision.TOLERANCE:
            assert closeness is not None
            assert closeness.bodies == (0, 1)
        elif moved < 0.1 * precision.TOLERANCE:
            assert closeness is None


@pytest.mark.parametrize("eps", [1e-300, 1e-20, 1e-14, 1e-6])
def test_a_softening_that_softens_nothing_hides_nothing(eps: float) -> None:
    """The error is that of the pair's force, unless the two are where softening lets it fall."""
    pos, mass = sphere_with_a_pair(4e-6)
    closeness = precision.examine(pos, eps, nbody.Tree(pos, mass, eps=eps).frame)
    assert closeness is not None
    exact = nbody.direct(pos, mass, eps=eps)[0][7]
    with pytest.warns(nbody.PrecisionWarning, match="bodies 7 and 100 are"):
        found = nbody.accelerations(pos, mass, eps=eps)[7]
    assert closeness.error == pytest.approx(np.linalg.norm(found - exact) / np.linalg.norm(exact), rel=0.2)


def test_all_pairs_are_counted() -> None:
    """Three bodies that are near one another, two others, two in one place: four pairs."""
    random = np.random.default_rng(5)
    pos = random.uniform(-1, 1, (500, 3))
    pos[7], pos[8] = pos[3] + 2e-7, pos[3] - 3e-7
    pos[100] = pos[200] + (0, 3e-7, 0)
    pos[300] = pos[301]
    closeness = precision.examine(pos, 0.0, nbody.Tree(pos, np.ones(500)).frame)
    assert closeness is not None
    assert closeness.pairs == 4


def test_a_runaway_that_leaves_no_place_to_the_others_is_told() -> None:
    pos = np.random.default_rng(6).standard_normal((200, 3))
    pos[7] = 1e27, 0, 0
    with pytest.warns(nbody.PrecisionWarning, match="such pairs in all"):
        nbody.accelerations(pos, np.ones(200))


def test_ordinary_bodies_and_bodies_in_one_place_are_not_told() -> None:
    state = nbody.problem("plummer", 2000, 1)
    places = (state["pos"], np.zeros((50, 3)), np.zeros((0, 3)), np.ones((1, 3)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for pos in places:
            nbody.accelerations(pos, np.ones(len(pos)))


def test_bodies_that_fall_together_in_fp32_are_told() -> None:
    """Positions over many decades: a binary of 1e-12 beside a body at 1."""
    pos = np.array([[0.5, 0.5, 0.5], [0.5 + 1e-12, 0.5, 0.5], [1.0, 0, 0], [0, 1.0, 0]])
    with pytest.warns(nbody.PrecisionWarning, match="off by 1e\\+02 %"):
        nbody.accelerations(pos, np.ones(4))


def test_nothing_is_softened_unless_asked_for() -> None:
    """Two unit masses at 0.01: 1 / r^2, where a softening of 0.01 would give a third of it."""
    pos, mass = np.array([[0.0, 0, 0], [0.01, 0, 0]]), np.ones(2)
    assert nbody.accelerations(pos, mass)[0, 0] == pytest.approx(1e4, rel=1e-5)
    assert nbody.direct(pos, mass)[0][0, 0] == pytest.approx(1e4, rel=1e-12)
    assert nbody.Settings().eps == 0


def command(tmp_path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "polyloom", "nbody", "--json", "--run-dir", str(tmp_path / "run"), *options]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_command_warns_and_softens_nothing(tmp_path: Path) -> None:
    pos, mass = sphere_with_a_pair(1e-6)
    np.savez(tmp_path / "bodies.npz", pos=pos, mass=mass)
    found = command(tmp_path, "--from", str(tmp_path / "bodies.npz"), "--steps", "0")
    assert found.returncode == 0, found.stderr
    assert "polyloom: warning: at the start, bodies 7 and 100 are 1e-06 apart" in found.stderr
    assert json.loads(found.stdout)["warnings"][0].startswith("at the start, bodies 7 and 100")
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["nbody"]["settings"]["eps"] == 0


def test_energy_out_of_its_bound_is_status_1(tmp_path: Path) -> None:
    """Two bodies at rest that fall through each other in steps that are far too long."""
    np.savez(tmp_path / "bodies.npz", pos=np.array([[-0.1, 0, 0], [0.1, 0, 0]]), mass=np.ones(2))
    run = ["--from", str(tmp_path / "bodies.npz"), "--steps", "20", "--dt", "0.05", "--out", str(tmp_path / "out.npz")]
    found = command(tmp_path, *run)
    assert found.returncode == 1
    assert "the energy drifted by" in found.stderr
    assert "above --max-drift 0.1" in found.stderr
    assert json.loads((tmp_path / "run" / "run.json").read_text())["exit_status"] == 1
    assert (tmp_path / "out.npz").exists()
    assert command(tmp_path, *run, "--max-drift", "inf").returncode == 0
    refused = command(tmp_path, *run, "--max-drift", "-1")
    assert refused.returncode == 1
    assert "--max-drift -1: must be above 0" in refused.stderr

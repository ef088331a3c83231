# SPDX-License-Identifier: Apache-2.0
# Covers: `polyloom run dpd` and LAMMPS (pair_style dpd, fix nve) of one fluid: temperature, pressure, radial
#   distribution, how far beads get in a time and how soon they forget their velocities agree within what block averages
#   leave uncertain. Their random numbers differ, in kind too (uniform here, normal there). POLYLOOM_TEST_FULL=1:
#   longer, a bigger cube, further fluids.
# Leaves out: single trajectories (`--verify`, test_dpd.py).
# LAMMPS has a Python environment of its own (scripts/setup.sh --tests): it brings an MPI, which would hide the site's.
from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, Done
from scipy.spatial import cKDTree

from polyloom.testing import FULL

Polyloom = Callable[..., Done]

LAMMPS = ROOT / ".venv" / "lammps"
SCRIPT = """
units lj
atom_style atomic
comm_modify vel yes
newton on
region box block 0 {side} 0 {side} 0 {side}
create_box 1 box
create_atoms 1 random {beads} 71 NULL
mass 1 1.0
velocity all create {kT} 83 loop geom
pair_style dpd {kT} 1.0 97
pair_coeff 1 1 {a} {gamma}
neighbor 0.4 bin
neigh_modify every 2 delay 0 check yes
timestep {dt}
fix move all nve
run {settle}
reset_timestep 0
compute heat all temp
compute push all pressure heat
fix thermo all ave/time {every} 1 {every} c_heat c_push file thermo.txt
dump beads all custom {every} beads.txt xu yu zu vx vy vz
dump_modify beads sort id
run {steps}
"""
#: Blocks must be longer than the fluid remembers, a few units of time.
BLOCKS = 10
RADII = np.arange(0, 2.01, 0.1)
#: Time over which beads' ways are compared, in looks.
LAG = 50
#: Standard errors that two means may differ by; and what finite samples say of errors themselves.
SIGMAS = 4


@dataclass(frozen=True)
class Fluid:
    """One state, and how long it is looked at."""

    side: int = 4
    density: float = 3
    a: float = 25
    gamma: float = 4.5
    kT: float = 1
    dt: float = 0.04
    settle: int = 500
    steps: int = 4000
    every: int = 2

    @property
    def beads(self) -> int:
        return round(self.density * self.side**3)


@dataclass
class Looks:
    """What was seen: temperature and pressure (looks), positions without jumps and velocities (looks, beads, 3)."""

    temperature: np.ndarray
    pressure: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray


def lammps(folder: Path, fluid: Fluid) -> Looks:
    if not LAMMPS.is_dir():
        pytest.skip("needs LAMMPS: scripts/setup.sh --tests")
    folder.mkdir()
    (folder / "in.dpd").write_text(SCRIPT.format(beads=fluid.beads, **fluid.__dict__))
    environment = {**os.environ, "LD_LIBRARY_PATH": str(LAMMPS / "lib"), "OMP_NUM_THREADS": "1"}
    words = [LAMMPS / "bin" / "lmp", "-in", "in.dpd", "-screen", "none"]
    subprocess.run(words, cwd=folder, env=environment, check=True, timeout=1000)
    looks = fluid.steps // fluid.every + 1
    thermo = np.loadtxt(folder / "thermo.txt")[1:]
    lines = (folder / "beads.txt").read_text().splitlines()
    numbers = [lines[9 + n * (fluid.beads + 9) : (n + 1) * (fluid.beads + 9)] for n in range(1, looks)]
    flat = np.array(" ".join(" ".join(part) for part in numbers).split(), dtype=float)
    beads = flat.reshape(looks - 1, fluid.beads, 6)
    return Looks(thermo[:, 1], thermo[:, 2], beads[:, :, :3], beads[:, :, 3:])


def ours(polyloom: Polyloom, folder: Path, fluid: Fluid) -> Looks:
    names = ("side", "density", "a", "gamma", "kT", "dt", "every")
    words = [word for name in names for word in (f"--{name}", getattr(fluid, name))]
    steps = fluid.settle + fluid.steps
    words += ["--steps", steps, "--beads", "ours.csv", "--thermo", "thermo.csv", "--verify"]
    done = polyloom("run", "dpd", "--on", "native", "--no-report", *words, timeout=1000)
    assert done.status == 0, done.err + done.out  # forces are those that the pressure is made of
    looks = fluid.steps // fluid.every
    thermo = np.loadtxt(folder / "thermo.csv", delimiter=",", skiprows=1)[-looks:]
    beads = np.loadtxt(folder / "ours.csv", delimiter=",", skiprows=1, usecols=range(2, 8))[-looks * fluid.beads :]
    at, velocities = np.split(beads.reshape(looks, fluid.beads, 6), 2, axis=2)
    ways = np.diff(at, axis=0)
    ways -= fluid.side * np.round(ways / fluid.side)
    at[1:] = at[0] + np.cumsum(ways, axis=0)
    return Looks(thermo[:, 1], thermo[:, 2], at, velocities)


def blocks(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean, and its standard error by block averages."""
    means = np.array([part.mean(axis=0) for part in np.array_split(values, BLOCKS)])
    return means.mean(axis=0), means.std(axis=0, ddof=1) / np.sqrt(BLOCKS)


def radial(looks: Looks, fluid: Fluid) -> np.ndarray:
    """g(r) of every 25th look, in shells between RADII, behind the first edge: there a bead meets itself."""
    n = fluid.beads
    shells = 4 / 3 * np.pi * np.diff(RADII**3) * n * (n - 1) / fluid.side**3
    rows = []
    for at in looks.positions[::25] % fluid.side:
        tree = cKDTree(at, boxsize=fluid.side)
        pairs = np.diff(tree.count_neighbors(tree, RADII))
        rows.append(pairs / shells)
    return np.array(rows)


def spread(looks: Looks) -> np.ndarray:
    """Mean square of the ways in LAG looks, the drift of all left out."""
    ways = looks.positions[LAG::LAG] - looks.positions[:-LAG:LAG]
    ways -= ways.mean(axis=1, keepdims=True)
    return (ways**2).sum(axis=2).mean(axis=1)


def memory(looks: Looks) -> np.ndarray:
    """Correlation of velocities from one look to the next: so soon, friction is most of what makes it small."""
    now, before = looks.velocities[1:], looks.velocities[:-1]
    return 2 * (now * before).sum(axis=(1, 2)) / (now**2 + before**2).sum(axis=(1, 2))


def agree(one: np.ndarray, other: np.ndarray, what: str) -> None:
    """Means differ by no more than their errors make likely."""
    (a, a_error), (b, b_error) = blocks(one), blocks(other)
    allowed = SIGMAS * np.hypot(a_error, b_error)
    assert np.all(np.abs(a - b) <= allowed), f"{what}: {a} +- {a_error}, LAMMPS: {b} +- {b_error}"


LONG = {"settle": 1000, "steps": 12000, "side": 5, "every": 4}
FLUIDS = [Fluid()]
if FULL:
    FLUIDS = [
        Fluid(**LONG),
        Fluid(dt=0.02, **LONG),
        Fluid(density=5, a=15, **LONG),
        Fluid(kT=0.5, gamma=2, **LONG),
    ]


@pytest.mark.parametrize("fluid", FLUIDS, ids=lambda f: f"rho={f.density},a={f.a},gamma={f.gamma},kT={f.kT},dt={f.dt}")
def test_it_is_the_same_fluid(polyloom: Polyloom, tmp_path: Path, fluid: Fluid) -> None:
    theirs, here = lammps(tmp_path / "lammps", fluid), ours(polyloom, tmp_path, fluid)
    for error, scale in (
        (blocks(here.temperature)[1], 0.006 * fluid.kT),
        (blocks(here.pressure)[1], 0.004 * here.pressure.mean()),
        (blocks(spread(here))[1], 0.04 * spread(here).mean()),
        (blocks(memory(here))[1], 0.002),
    ):
        assert error <= scale
    agree(here.temperature, theirs.temperature, "temperature")
    agree(here.pressure, theirs.pressure, "pressure")
    agree(radial(here, fluid), radial(theirs, fluid), "radial distribution")
    agree(spread(here), spread(theirs), "mean square of ways")
    agree(memory(here), memory(theirs), "correlation of velocities")

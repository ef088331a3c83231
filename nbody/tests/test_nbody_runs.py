# SPDX-License-Identifier: Apache-2.0
# Covers: problems, energies of long runs, snapshots whole and broken, runs that are killed and resumed, the command.
# Leaves out: trajectories bit by bit over threads and LETs (nbody/tests/run_test.cc).
import json
import os
import signal
import subprocess
import sys
import time
import zipfile

import numpy as np
import pytest

from polyloom import nbody
from polyloom.base import paths
from polyloom.base.errors import UserError
from polyloom.nbody import snapshot
from polyloom.nbody.energies import EnergyLog
from polyloom.testing import FULL


def command(*arguments, **options):
    env = {**os.environ, "PYTHONPATH": str(paths.home()), "POLYLOOM_HOME": str(paths.home())}
    words = [sys.executable, "-m", "polyloom", "nbody", *map(str, arguments)]
    return subprocess.run(words, env=env, capture_output=True, text=True, timeout=120, check=False, **options)


def test_problems_are_what_they_are_called():
    plummer = nbody.problem("plummer", 20000, 1)
    scale = 3 * np.pi / 16
    r = np.sort(np.linalg.norm(plummer["pos"], axis=1)) / scale
    inside = r**3 / (1 + r * r) ** 1.5 / (10**3 / 101**1.5)
    assert np.abs(inside - np.linspace(0, 1, len(r))).max() < 0.015
    kinetic = 0.5 * plummer["mass"] @ (plummer["vel"] ** 2).sum(axis=1)
    assert kinetic == pytest.approx(0.25, abs=0.01)
    hernquist = nbody.problem("hernquist", 20000, 1)
    r = np.sort(np.linalg.norm(hernquist["pos"], axis=1))
    inside = (r / (1 + r)) ** 2 / (30 / 31) ** 2
    assert np.abs(inside - np.linspace(0, 1, len(r))).max() < 0.015
    cold = nbody.problem("cold-sphere", 20000, 1)
    r = np.sort(np.linalg.norm(cold["pos"], axis=1)) / 3
    assert np.abs(r**3 - np.linspace(0, 1, len(r))).max() < 0.03
    assert not cold["vel"].any() or np.abs(cold["vel"]).max() < 1e-12
    for state in (plummer, hernquist, cold):
        assert state["mass"].sum() == pytest.approx(1)
        assert np.abs(state["mass"] @ state["pos"]).max() < 1e-13
        assert np.abs(state["mass"] @ state["vel"]).max() < 1e-13
    again, other = nbody.problem("plummer", 20000, 1), nbody.problem("plummer", 20000, 2)
    assert (again["pos"] == plummer["pos"]).all()
    assert (other["pos"] != plummer["pos"]).any()
    with pytest.raises(nbody.NBodyError, match="no problem 'disk'"):
        nbody.problem("disk", 10)


@pytest.mark.parametrize(("first", "second"), [(1 / 128, 1 / 256), (0.01, 0.003), (0.25, 0.25)])
def test_time_is_the_sum_of_the_steps(first, second):
    """Also after a change of dt; with the same dt it is bit by bit that of a run that was not interrupted."""
    run = nbody.Simulation(nbody.problem("plummer", 50), nbody.Settings(dt=first))
    run.advance(7)
    again = nbody.Simulation(run.state(), nbody.Settings(dt=second))
    again.advance(3)
    assert again.state()["time"] == pytest.approx(7 * first + 3 * second, rel=1e-15)
    same = nbody.Simulation(run.state(), nbody.Settings(dt=first))
    run.advance(4)
    same.advance(4)
    assert same.state()["time"] == run.state()["time"] == 11 * first


def drift(problem, eps, theta, time_end):
    """Largest relative energy error and momentum, energies by direct summation."""
    settings = nbody.Settings(mac="side", theta=theta, eps=eps, dt=1 / 128)
    simulation = nbody.Simulation(nbody.problem(problem, 4096, 1), settings)
    simulation.start()
    first = simulation.diagnostics(True)
    energy = momentum = 0.0
    for _ in range(int(time_end * 8)):
        simulation.advance(16)
        now = simulation.diagnostics(True)
        energy = max(energy, abs(now["energy"] / first["energy"] - 1))
        momentum = max(momentum, float(np.linalg.norm(now["momentum"])))
    return energy, momentum


# Energy and momentum bounds, from a straightforward prototype in double precision, to T = 10, with 10 % of room.
@pytest.mark.parametrize(
    ("problem", "eps", "theta", "energy", "momentum"),
    [
        ("plummer", 0.01, 1.0, 3.9e-4, 1.8e-3),
        *((("plummer", 0.01, 0.5, 9.4e-5, 1.4e-4), ("plummer", 0.01, 0.7, 2.5e-4, 5.4e-4)) if FULL else ()),
        *((("cold-sphere", 1 / 32, 0.5, 6.6e-3, 1), ("cold-sphere", 1 / 32, 0.7, 2.7e-2, 1)) if FULL else ()),
    ],
)
def test_table_of_energies(problem, eps, theta, energy, momentum):
    found = drift(problem, eps, theta, 10)
    assert found[0] < 1.1 * energy
    assert found[1] < 1.1 * momentum


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pos": lambda s: s["pos"].T}, r"pos has the shape \(3, 40\); it must have \(N, 3\)"),
        ({"vel": lambda s: s["vel"].T}, r"vel has the shape \(3, 40\); with 40 bodies it must have \(40, 3\)"),
        ({"mass": lambda s: s["mass"][:, None]}, r"mass has the shape \(40, 1\); with 40 bodies it must have \(40,\)"),
        ({"velocity": lambda s: s["vel"]}, "'velocity' is unknown; did you mean vel"),
        ({"id": lambda s: s["id"] + 0.5}, "id has the type float64; it must hold integers"),
        ({"id": lambda s: s["id"].astype(int) - 1}, "id has a value that is below 0"),
        ({"acc": lambda s: s["pos"]}, "the state lacks pot, domain, step, time; one with accelerations has pos"),
    ],
)
def test_states_that_are_wrong_are_named(change, message):
    state = nbody.problem("plummer", 40, 1)
    with pytest.raises(nbody.NBodyError, match=message):
        nbody.Simulation({**state, **{name: make(state) for name, make in change.items()}})


def test_what_a_simulation_is_told_is_checked():
    state = nbody.problem("plummer", 40, 1)
    with pytest.raises(nbody.NBodyError, match="the state lacks vel, id; one has pos, vel, mass, id"):
        nbody.Simulation({name: state[name] for name in ("pos", "mass")})
    simulation = nbody.Simulation(state)
    for call, message in (
        (lambda: simulation.advance(-3), "steps -3: must be 0 to"),
        (lambda: simulation.advance(1.5), "steps 1.5: must be an integer"),
        (lambda: simulation.force_errors("all"), "samples 'all': must be an integer"),
        (lambda: nbody.Simulation(state, nodes=-1), "nodes -1: must be 0 to"),
        (lambda: nbody.Simulation(state, {"dt": 1}), "settings is of the type dict; it must be Settings"),
        (lambda: nbody.problem("plummer", 2.5), "count 2.5: must be an integer"),
    ):
        with pytest.raises(nbody.NBodyError, match=message):
            call()


def test_snapshot_comes_back(tmp_path):
    simulation = nbody.Simulation(nbody.problem("plummer", 300, 1), nodes=3)
    simulation.advance(4)
    state = simulation.state()
    snapshot.write(tmp_path / "s.npz", state)
    back = snapshot.read(tmp_path / "s.npz")
    assert int(back["step"]) == 4
    for name in ("pos", "vel", "mass", "id", "acc", "pot", "domain"):
        assert back[name].tobytes() == state[name].tobytes()
    assert [path.name for path in tmp_path.iterdir()] == ["s.npz"]
    bodies = snapshot.read_bodies(tmp_path / "s.npz")
    assert "acc" not in bodies
    assert bodies["pos"].tobytes() == state["pos"].tobytes()


def test_broken_snapshots_are_refused(tmp_path):
    simulation = nbody.Simulation(nbody.problem("plummer", 300, 1))
    simulation.start()
    path = tmp_path / "s.npz"
    snapshot.write(path, simulation.state())
    whole = path.read_bytes()
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(UserError, match="cut short"):
            snapshot.read(path)
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 0xFF
    path.write_bytes(damaged)
    with pytest.raises(UserError, match="damaged"):
        snapshot.read(path)
    content = dict(np.load(_written(path, whole)))
    np.savez(path, **{**content, "version": np.array(2)})
    with pytest.raises(UserError, match="version 2; this program reads 1"):
        snapshot.read(path)
    np.savez(path, **{**content, "acc": content["acc"][:-1]})
    with pytest.raises(UserError, match="acc has the shape"):
        snapshot.read(path)
    del content["pot"]
    np.savez(path, **content)
    with pytest.raises(UserError, match="lacks pot"):
        snapshot.read(path)
    np.savez(path, pos=np.zeros((2, 3)), mass=np.ones(2))
    with pytest.raises(UserError, match="no format 'polyloom-nbody'"):
        snapshot.read(path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("pos.npy", b"nothing")
    with pytest.raises(UserError, match="damaged"):
        snapshot.read_bodies(path)
    with pytest.raises(UserError, match="does not exist"):
        snapshot.read(tmp_path / "none.npz")


def _written(path, content):
    path.write_bytes(content)
    return path


def test_last_whole_snapshot_counts(tmp_path):
    simulation = nbody.Simulation(nbody.problem("plummer", 50, 1))
    for step in (3, 6):
        simulation.advance(3)
        snapshot.write(tmp_path / snapshot.name_of(step), simulation.state())
    (tmp_path / snapshot.name_of(9)).write_bytes(b"PK")
    (tmp_path / (snapshot.name_of(12) + ".partial")).write_bytes(b"PK")
    path, state = snapshot.latest(tmp_path)
    assert path.name == snapshot.name_of(6)
    assert int(state["step"]) == 6


def test_energy_table_drops_what_came_after_the_snapshot(tmp_path):
    log = EnergyLog.fresh(tmp_path / "energy.csv")
    values = {"kinetic": 1.0, "potential": -2.0, "energy": -1.0, "momentum": [0, 0, 0], "angular_momentum": [0, 0, 1]}
    for step in (0, 5, 10):
        log.add(step, step / 8, values)
    with log.path.open("a") as file:
        file.write("15,1.8")
    again = EnergyLog.resumed(tmp_path / "energy.csv", 5)
    assert [row.step for row in again.rows] == [0, 5]
    assert len(log.path.read_text().splitlines()) == 3


def test_energies_of_a_resumed_run_begin_at_its_start(tmp_path):
    done = command("--n", 20, "--steps", 2, "--snapshot-every", 1, "--run-dir", tmp_path / "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (tmp_path / "run" / "energy.csv").unlink()
    done = command("--resume", tmp_path / "run", "--steps", 3, cwd=tmp_path)
    assert done.returncode == 1 and "energy.csv lacks the energies of step 0" in done.stderr, done.stderr


@pytest.mark.parametrize("size", [1e-13, 1e-20, 1e-300])
def test_softening_that_drowns_all_forces_is_refused(size, tmp_path):
    bodies = np.random.default_rng(1).normal(size=(50, 3))
    np.savez(tmp_path / "b.npz", pos=bodies * size, mass=np.full(50, 0.02))
    done = command("--from", "b.npz", "--eps", 1.0, "--steps", 1, cwd=tmp_path)
    assert done.returncode == 1 and "times as long as the system of bodies" in done.stderr, done.stderr


def test_momenta_that_have_no_square(tmp_path):
    bodies = np.random.default_rng(1).normal(size=(50, 3))
    np.savez(tmp_path / "b.npz", pos=bodies, vel=bodies * 1e140, mass=np.full(50, 1e20))
    done = command("--from", "b.npz", "--dt", 1e-150, "--steps", 1, cwd=tmp_path)
    assert "internal error" not in done.stderr and done.returncode in {0, 1}, done.stderr


def test_killed_run_goes_on_bit_by_bit(tmp_path):
    options = (
        "--n",
        3000,
        "--nodes",
        3,
        "--mac",
        "acceleration",
        "--steps",
        60,
        "--snapshot-every",
        7,
        "--energy",
        "tree",
    )
    done = command(*options, "--run-dir", tmp_path / "whole", "--out", tmp_path / "whole.npz")
    assert done.returncode == 0, done.stderr
    env = {**os.environ, "PYTHONPATH": str(paths.home()), "POLYLOOM_HOME": str(paths.home())}
    words = [sys.executable, "-m", "polyloom", "nbody", *map(str, options), "--run-dir", str(tmp_path / "killed")]
    with subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while not (tmp_path / "killed" / snapshot.name_of(14)).exists() and time.monotonic() < deadline:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
    last, _ = snapshot.latest(tmp_path / "killed")
    assert last.name >= snapshot.name_of(14)
    done = command("--resume", tmp_path / "killed", "--out", tmp_path / "resumed.npz", "--json")
    assert done.returncode == 0, done.stderr
    whole, resumed = snapshot.read(tmp_path / "whole.npz"), snapshot.read(tmp_path / "resumed.npz")
    for name in ("pos", "vel", "acc", "pot", "id", "domain", "step", "time"):
        assert whole[name].tobytes() == resumed[name].tobytes(), name
    energies = [(tmp_path / run / "energy.csv").read_text() for run in ("whole", "killed")]
    assert energies[0] == energies[1]


def test_command_prints_json(tmp_path):
    arguments = ("--n", 2000, "--steps", 3, "--nodes", 2, "--force-error", 200, "--json", "--run-dir", tmp_path / "run")
    done = command(*arguments)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["steps"] == 3
    assert result["bodies"] == 2000
    assert 1e-5 < result["force_errors"]["median"] < 2e-3
    assert abs(result["energy_last"] + 0.26) < 0.02
    assert result["let_nodes"] <= result["full_nodes"]
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["app"] == "nbody"
    assert record["exit_status"] == 0
    assert record["nbody"]["job"]["nodes"] == 2


def test_command_reads_bodies_from_a_file(tmp_path):
    random = np.random.default_rng(0)
    pos, mass = random.normal(size=(50, 3)), np.full(50, 0.02)
    np.savez(tmp_path / "b.npz", pos=pos, mass=mass)
    arguments = ("--from", tmp_path / "b.npz", "--steps", 0, "--run-dir", tmp_path / "run", "--out", tmp_path / "o.npz")
    done = command(*arguments)
    assert done.returncode == 0, done.stderr
    state = snapshot.read(tmp_path / "o.npz")
    order = np.argsort(state["id"])
    assert (state["pos"][order] == pos).all()
    pos[17, 2] = np.nan
    np.savez(tmp_path / "b.npz", pos=pos, mass=mass)
    done = command(*arguments)
    assert done.returncode == 1
    assert done.stderr == "polyloom: body 17: its position is not finite; every coordinate must be\n"


def test_files_of_bodies_that_are_wrong_are_named(tmp_path):
    path, pos, mass = tmp_path / "b.npz", np.eye(4)[:, :3], np.ones(4)

    def refusal(**content):
        np.savez(path, **content)
        with pytest.raises(UserError) as error:
            snapshot.read_bodies(path)
        return str(error.value)

    for name in ("velocity", "Vel", "velocities"):
        assert f"'{name}' is unknown; did you mean vel? (known are pos, vel, mass, id," in refusal(
            pos=pos, mass=mass, **{name: pos}
        )
    assert "'eps' is unknown (known are" in refusal(pos=pos, mass=mass, eps=np.array(0.1))
    assert "pos has the shape (3, 4); it must have (N, 3), a row a body; give pos.T" in refusal(pos=pos.T, mass=mass)
    assert "mass has the shape (3,); with 4 bodies it must have (4,)" in refusal(pos=pos, mass=mass[:3])
    assert "id has the type float64; it must hold integers" in refusal(pos=pos, mass=mass, id=mass)
    assert "it holds Python objects, not numbers" in refusal(pos=pos, mass=np.array([None]))
    path.write_text("hello, world")
    with pytest.raises(UserError, match="is no NPZ file: it begins with b'hello,'; needed is an NPZ file, of pos"):
        snapshot.read_bodies(path)
    with path.open("wb") as file:
        np.save(file, pos)
    with pytest.raises(UserError, match="is a single array; needed is an NPZ file"):
        snapshot.read_bodies(path)


def test_run_that_fails_says_so_in_its_record(tmp_path):
    np.savez(tmp_path / "b.npz", pos=np.eye(3), mass=np.ones(3), vel=np.eye(3) * 1e149)
    done = command("--from", tmp_path / "b.npz", "--dt", 20, "--steps", 2, "--run-dir", tmp_path / "run")
    assert done.returncode == 1
    assert "left all bounds in step 1" in done.stderr
    assert json.loads((tmp_path / "run" / "run.json").read_text())["exit_status"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--problem", "disk"), "no problem 'disk'"),
        (("--theta", 0), "theta 0"),
        (("--let", "magic"), "--let magic"),
        (("--order", "octupole"), "--order octupole"),
        (("--nodes", 0), "--nodes 0"),
        (("--from", "nowhere.npz"), "nowhere.npz does not exist"),
        (("--resume", "."), "is not a run record"),
        (("--out", "bodies.npy"), "--out bodies.npy: the file's name must end in .npz"),
        (("--out", "none/bodies.npz"), "there is no folder"),
    ],
)
def test_command_names_what_is_wrong(arguments, message, tmp_path):
    where = () if "--resume" in arguments else ("--run-dir", tmp_path / "run")
    done = command(*arguments, *where, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("polyloom: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("job", None, "'nbody.job' is not a JSON object"),
        ("job", {"foo": 1}, "'nbody.job.foo' is not known"),
        ("job.count", "x", "'nbody.job.count' is \"x\", not int"),
        ("job.steps", True, "'nbody.job.steps' is true, not int"),
        ("settings", None, "'nbody.settings' is not a JSON object"),
        ("settings.theta", None, "'nbody.settings.theta' is null, not float"),
    ],
)
def test_a_damaged_record_is_not_resumed(part, value, message, tmp_path):
    done = command("--n", 20, "--steps", 2, "--snapshot-every", 1, "--run-dir", tmp_path / "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    file = tmp_path / "run" / "run.json"
    content = json.loads(file.read_text())
    inside = content["nbody"]
    *outer, last = part.split(".")
    for name in outer:
        inside = inside[name]
    if isinstance(value, dict):
        inside[last] |= value
    else:
        inside[last] = value
    file.write_text(json.dumps(content))
    done = command("--resume", tmp_path / "run", "--steps", 3, cwd=tmp_path)
    assert done.returncode == 1 and message in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_interrupt_leaves_a_run_that_can_be_resumed(tmp_path):
    env = {**os.environ, "PYTHONPATH": str(paths.home()), "POLYLOOM_HOME": str(paths.home())}
    words = [sys.executable, "-m", "polyloom", "nbody", "--n", "2000", "--steps", "1000000", "--snapshot-every", "5"]
    words += ["--energy", "tree", "--run-dir", str(tmp_path / "run")]
    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 60
        while not (tmp_path / "run" / snapshot.name_of(5)).exists() and time.monotonic() < deadline:
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        assert process.returncode == 130
    assert json.loads((tmp_path / "run" / "run.json").read_text())["exit_status"] == 130
    snapshot.latest(tmp_path / "run")

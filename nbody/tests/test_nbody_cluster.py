# SPDX-License-Identifier: Apache-2.0
# Covers: simulations on clusters of hubs: trajectories equal to those of one process, however trees travel; resuming,
# repeating, bad requests, a rank that dies, Ctrl-C.
# Leaves out: the hub itself (roles/hub/tests), the LET operator (blocks/operators/tests).
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from polyloom import nbody
from polyloom.base import interrupts, paths
from polyloom.base.errors import UserError
from polyloom.nbody.cluster import ClusterSimulation, Place, default_cluster
from polyloom.nbody.loader import NBodyError

SETTINGS = nbody.Settings(mac="acceleration")
ARRAYS = ("pos", "vel", "acc", "pot", "id", "domain")


def on_cluster(state, nodes, settings=SETTINGS, steps=2, cluster=None, **place):
    with ClusterSimulation(state, settings, nodes, Place(cluster or default_cluster(nodes), **place)) as simulation:
        simulation.start()
        for _ in range(steps):
            simulation.advance(1)
        last, reports = simulation.state(), simulation.reports()
        return last, reports, simulation.finish()


def in_one_process(state, nodes, settings=SETTINGS, steps=2, let="full"):
    simulation = nbody.Simulation(state, settings, nodes, let)
    simulation.start()
    simulation.advance(steps)
    return simulation.state()


def same(a, b):
    return all(np.array_equal(a[name], b[name]) for name in ARRAYS)


@pytest.mark.parametrize("let", ["hub", "host", "full"])
def test_a_cluster_computes_what_one_process_computes(let):
    state = nbody.problem("hernquist", 3000, 5)
    last, reports, _ = on_cluster(state, 8, let=let)
    assert same(last, in_one_process(state, 8))
    kept = sum(r["let_nodes"] for r in reports) / sum(r["full_nodes"] for r in reports)
    assert kept == 1 if let == "full" else 0.05 < kept < 1
    assert all(r["simulated_phases"]["LET"] > 0 for r in reports)


def test_bodies_that_no_node_would_hold_are_refused():
    state = in_one_process(nbody.problem("plummer", 100, 1), 3)
    with pytest.raises(NBodyError, match="is in domain 2 of 2"):
        on_cluster(state, 2)
    with pytest.raises(NBodyError, match=r"vel has the shape \(3, 100\); with 100 bodies it must have \(100, 3\)"):
        on_cluster({**state, "vel": state["vel"].T}, 2)


def test_sixteen_nodes_of_two_rings():
    state = nbody.problem("plummer", 2000, 3)
    last, _, _ = on_cluster(state, 16, steps=1)
    assert same(last, in_one_process(state, 16, steps=1))


def small_hubs(folder):
    """A pair of hubs of the shape that hub_swap_test.cc builds too."""
    path = folder / "small.toml"
    text = (paths.home() / "clusters" / "peach2-2.toml").read_text()
    path.write_text(text + "max_payload = 256\nslots = 4\ntags = 4\nlanes = 2\nmemory_bits = 20\nopen_depth = 256\n")
    return str(path)


def test_hubs_in_rtl(tmp_path):
    state = nbody.problem("plummer", 300, 3)
    cluster = small_hubs(tmp_path)
    last, reports, seconds = on_cluster(state, 2, steps=1, cluster=cluster, on="rtl")
    model, of_model, same_seconds = on_cluster(state, 2, steps=1, cluster=cluster)
    assert same(last, model)
    # A meeting of the ranks ends with the window in which the last one came, and windows begin where nodes have
    # something to do, which RTL has more often: so each meeting may end a window (250 ns) earlier or later.
    assert seconds == pytest.approx(same_seconds, abs=2e-6)
    for ours, models in zip(reports, of_model, strict=True):
        assert ours["simulated_phases"] == pytest.approx(models["simulated_phases"], abs=2e-6)


@pytest.mark.parametrize("count", [1, 2, 9])
def test_empty_domains(count):
    state = nbody.problem("plummer", count, 1) if count != 2 else nbody.problem("kepler", 2)
    last, _, _ = on_cluster(state, 8)
    assert same(last, in_one_process(state, 8))


def test_a_run_repeats_in_simulated_time_and_goes_on():
    state = nbody.problem("plummer", 500, 1)
    first, _, seconds = on_cluster(state, 2)
    again, reports, same_seconds = on_cluster(state, 2, engine="serial")
    assert same(first, again)
    assert seconds == same_seconds
    assert sum(reports[0]["simulated_phases"].values()) < seconds
    longer, _, _ = on_cluster(first, 2, steps=1)
    assert same(longer, in_one_process(state, 2, steps=3))


def test_measured_time_counts_computing():
    state = nbody.problem("plummer", 20000, 1)
    _, free, _ = on_cluster(state, 2, steps=0)
    _, measured, _ = on_cluster(state, 2, steps=0, compute="measured")
    assert free[0]["simulated_phases"]["walk tree"] == 0
    assert measured[0]["simulated_phases"]["walk tree"] > 1e-4


def test_refusals():
    state = nbody.problem("plummer", 100, 1)
    with pytest.raises(UserError, match="--nodes 5: the shipped clusters of hubs have 2, 8, 16 nodes"):
        default_cluster(5)
    with pytest.raises((UserError, nbody.NBodyError), match="no FPGA of the role hub"):
        ClusterSimulation(state, SETTINGS, 2, Place("laptop"))
    with pytest.raises((UserError, nbody.NBodyError), match="2 ranks on a cluster of 8 hubs"):
        ClusterSimulation(state, SETTINGS, 2, Place("peach2-8"))
    with pytest.raises(nbody.NBodyError, match="second moments do not travel"):
        ClusterSimulation(state, nbody.Settings(quadrupole=True), 2, Place("peach2-2"))
    state["pos"][7, 1] = np.nan
    with pytest.raises(nbody.NBodyError, match="position"):
        ClusterSimulation(state, SETTINGS, 2, Place("peach2-2"))


def children_of(pid):
    with contextlib.suppress(subprocess.CalledProcessError):
        return subprocess.check_output(["pgrep", "-P", str(pid)], text=True).split()
    return []


def test_a_rank_that_dies_ends_the_run():
    state = nbody.problem("plummer", 500, 1)
    with (
        pytest.raises(nbody.NBodyError),
        ClusterSimulation(state, SETTINGS, 2, Place("peach2-2")) as simulation,
    ):
        simulation.start()
        simulation._ranks[1].kill()
        simulation.advance(1)
    assert simulation._simulator.poll() is not None
    assert not any(rank.is_alive() for rank in simulation._ranks)


def test_command_and_interrupt(tmp_path):
    env = {**os.environ, "PYTHONPATH": str(paths.home()), "POLYLOOM_HOME": str(paths.home())}
    words = [sys.executable, "-m", "polyloom", "nbody", "--n", "400", "--nodes", "2", "--let", "hub", "--json"]
    run = subprocess.run(
        [*words, "--steps", "2", "--run-dir", tmp_path / "a"], env=env, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    assert result["on"] == "sim"
    assert result["let"] == "hub"
    assert result["simulated_seconds"] > 0
    assert (tmp_path / "a" / "cluster" / "run.json").is_file()
    long = subprocess.Popen(
        [*words, "--steps", "100000", "--run-dir", tmp_path / "b"], env=env, stdout=subprocess.PIPE, text=True
    )
    log = tmp_path / "b" / "energy.csv"
    while long.poll() is None and not (log.exists() and log.read_text().count("\n") > 1):
        time.sleep(0.1)
    own = children_of(long.pid)
    assert own
    long.send_signal(signal.SIGINT)
    output, _ = long.communicate(timeout=60)
    assert long.returncode == 130
    assert json.loads(output)["steps"] >= 0
    limit = time.monotonic() + 10  # Python's own helper ends a little after the command
    while (left := [pid for pid in own if Path(f"/proc/{pid}").exists()]) and time.monotonic() < limit:
        time.sleep(0.1)
    assert not left


class Interrupting:
    """A pipe whose next request is followed by a Ctrl-C before any other rank has got it."""

    def __init__(self, pipe):
        self._pipe = pipe
        self._armed = True

    def __getattr__(self, name):
        return getattr(self._pipe, name)

    def fileno(self):
        return self._pipe.fileno()

    def send(self, request):
        self._pipe.send(request)
        if self._armed:
            self._armed = False
            signal.raise_signal(signal.SIGINT)


@pytest.mark.usefixtures("ctrl_c_raises")
def test_a_ctrl_c_amid_a_request_leaves_all_ranks_at_one_step():
    state = nbody.problem("plummer", 300, 2)
    with ClusterSimulation(state, SETTINGS, 2, Place(default_cluster(2))) as simulation, interrupts.noted() as came:
        simulation.start()
        simulation._pipes[0] = Interrupting(simulation._pipes[0])
        assert not came()
        simulation.advance(1)
        assert came()
        assert simulation.state()["step"] == 1
        simulation.finish()


@pytest.mark.usefixtures("ctrl_c_raises")
def test_a_request_after_an_interrupted_one_is_refused():
    state = nbody.problem("plummer", 300, 2)
    with ClusterSimulation(state, SETTINGS, 2, Place(default_cluster(2))) as simulation:
        simulation.start()
        simulation._pipes[0] = Interrupting(simulation._pipes[0])
        with pytest.raises(KeyboardInterrupt):
            simulation.advance(1)
        with pytest.raises(NBodyError, match="an earlier request was interrupted"):
            simulation.state()

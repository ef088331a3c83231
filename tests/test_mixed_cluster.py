# SPDX-License-Identifier: Apache-2.0
# Covers: one cluster file with overlay boards and collective nodes in one fabric, both at work in one run with a host
# program each; results checked, run digests equal on serial, threads and MPI engines. What a wrong file is told.
# Leaves out: links between boards and collective nodes (they speak different protocols).
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ROOT

BUILD = Path(os.environ.get("POLYLOOM_BUILD") or ROOT / "build")
CLUSTER = ROOT / "clusters" / "mixed-2-4.toml"
ENGINES = ["serial", "threads:2", "mpi:2"]

# Data depend on rank and element, so that a part in a wrong place shows; int32, so that any order sums alike.
COLLECTIVES = """
import json
import numpy as np
from polyloom.collectives import Communicator

comm = Communicator(on="sim")
arrays = [np.arange(5000, dtype=np.int32) * (rank + 1) for rank in range(comm.size)]
sums, reduced = comm.all_reduce(arrays)
good = all(np.array_equal(array, np.arange(5000) * 10) for array in sums)
blocks = [[np.full(777, 16 * i + j, np.uint8) for j in range(comm.size)] for i in range(comm.size)]
moved, exchanged = comm.all_to_all(blocks)
good = good and all((moved[j][i] == 16 * i + j).all() for i in range(comm.size) for j in range(comm.size))
print(json.dumps([comm.size, bool(good), reduced.simulated_seconds, exchanged.simulated_seconds]))
"""


def simulator(engine: str, socket: Path, folder: Path, cluster: Path) -> subprocess.Popen[bytes]:
    """Start the simulator, which waits for two host programs."""
    mpi = ["mpirun", "-n", "2", "--oversubscribe", "--quiet"] if engine.startswith("mpi") else []
    command = [*mpi, str(BUILD / "bin" / "polyloom-sim"), "--cluster", str(cluster), "--engine", engine,
               "--listen", str(socket), "--run-dir", str(folder)]  # fmt: skip
    env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return subprocess.Popen(command, env=env, stderr=subprocess.PIPE)


def run_both(engine: str, scratch: Path) -> tuple[str, list[object], dict[str, object]]:
    """PageRank on the boards and collectives on the other nodes at once: (digest, collectives' line, PageRank's)."""
    scratch.mkdir()
    socket, folder = scratch / "socket", scratch / "run"
    simulation = simulator(engine, socket, folder, CLUSTER)
    env = {**os.environ, "POLYLOOM_HOME": str(ROOT), "POLYLOOM_SOCKET": str(socket), "POLYLOOM_ON": "sim"}
    for _ in range(600):
        if socket.exists():
            break
        assert simulation.poll() is None, simulation.communicate()[1].decode()
        time.sleep(0.05)
    rank_command = [str(BUILD / "bin" / "app_pagerank"), "--generate", "kronecker:7:8", "--iterations", "4", "--verify",
                    "--json"]  # fmt: skip
    programs = [
        subprocess.Popen(command, env={**env, "POLYLOOM_CLIENT": str(client)}, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
        for client, command in enumerate([rank_command, [sys.executable, "-c", COLLECTIVES]])
    ]  # fmt: skip
    try:
        outputs = [program.communicate(timeout=240) for program in programs]
        _, errors = simulation.communicate(timeout=60)
    finally:
        for process in (*programs, simulation):
            process.kill()
    for program, (_, problem) in zip(programs, outputs, strict=True):
        assert program.returncode == 0, problem
    assert simulation.returncode == 0, errors.decode()
    record = json.loads((folder / "run.json").read_text())
    assert record["status"] == "finished"
    counters = (folder / "counters.csv").read_text()
    for node in ("board.0", "board.1", "optical.0", "optical.3"):
        assert f"\n{node}." in counters, f"{node} did not take part"
    pagerank, collectives = (json.loads(output.strip().splitlines()[-1]) for output, _ in outputs)
    for wall_clock in [key for key in pagerank if "seconds" in key and "simulated" not in key]:
        del pagerank[wall_clock]
    return record["digest"], collectives, pagerank


def test_both_roles_in_one_fabric(tmp_path: Path) -> None:
    engines = [engine for engine in ENGINES if not engine.startswith("mpi") or shutil.which("mpirun")]
    runs = [run_both(engine, tmp_path / engine.replace(":", "-")) for engine in engines]
    size, good, reduced, exchanged = runs[0][1]
    assert size == 4
    assert good is True
    assert 0 < float(str(exchanged)) < float(str(reduced)) * 4 < 1e-3
    assert len({digest for digest, _, _ in runs}) == 1, dict(zip(engines, runs, strict=True))
    assert all(collectives == runs[0][1] for _, collectives, _ in runs)
    assert all(pagerank == runs[0][2] for _, _, pagerank in runs)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mesh = [2, 1]", "mesh = [1, 1]", "board.1: a board needs a position"),
        ("mesh = [2, 1]", "", "mesh"),
        ("position = [1, 0]", "", "board.0: port 1 must lead to the board at [1, 0]; it leads to board.1"),
        ('b = "board.1:3"', 'b = "board.1:2"', "board.1: port 3 must lead to the board at [0, 0]; it leads to nothing"),
    ],
)
def test_wrong_mesh_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "wrong.toml"
    text = CLUSTER.read_text()
    assert old in text
    # Without its hosts, so that the simulator waits for no one.
    blocks = text.replace(old, new, 1).split("\n\n")
    path.write_text("\n\n".join(block for block in blocks if '"host.' not in block and ":4" not in block))
    command = [str(BUILD / "bin" / "polyloom-sim"), "--cluster", str(path), "--max-time", "1 ms"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode != 0
    assert message in done.stderr

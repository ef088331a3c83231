# SPDX-License-Identifier: Apache-2.0
# Covers: native runs of vertex programs by several processes under the site's MPI: all shipped applications give what
#   one process gives, to the byte; hosts of a command line, of a file and over a network; what is sent against the
#   bound; a process that is killed; what cannot be, named before the work, once.
# Leaves out: the engine's rounds in several processes (polite/native/processes_test.cc); signals to polyloom
#   (test_kills.py).
from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import POLYLOOM, ROOT, Done, read_named

Polyloom = Callable[..., Done]
NATIVE = ("--on", "native", "--no-report")
MADE = ("--generate", "kronecker:9:8")
APPS = {
    "asp": (*MADE, "--sources", "300"),  # three runs
    "bfs": MADE,
    "clocktree": ("--depth", "5"),
    "components": MADE,
    "components strong": (*MADE, "--mode", "strong"),
    "dpd": ("--side", "3", "--steps", "3"),
    "heat": ("--generate", "grid:20:20", "--start", "start.csv", "--steps", "9"),
    "kcore": MADE,
    "label-propagation": MADE,
    "neurons": ("--generate", "uniform:200:20", "--steps", "50", "--raster", "spikes.csv"),
    "pagerank": MADE,
    "pagerank gals": (*MADE, "--mode", "gals"),
    "pagerank weighted": (*MADE, "--weighted", "--max-weight", "9", "--tolerance", "1e-4"),
    "sssp": (*MADE, "--max-weight", "9"),
    "triangles": MADE,
}

pytestmark = pytest.mark.skipif(shutil.which("mpirun") is None, reason="no MPI")


def started(folder: Path, count: int, *words: str) -> subprocess.CompletedProcess[str]:
    """The program by mpirun itself, as one may start one's own."""
    folder.mkdir(exist_ok=True)
    (folder / "start.csv").write_text("0,100\n399,-7\n")
    program = [str(ROOT / "build" / "bin" / f"app_{words[0]}"), *words[1:], "--out", "out.csv", "--json"]
    mpirun = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(count)] if count > 1 else []
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    env = {**os.environ, **root, "POLYLOOM_ON": "native", "POLYLOOM_PROCESSES": str(count), "POLYLOOM_THREADS": "1"}
    return subprocess.run([*mpirun, *program], cwd=folder, env=env, capture_output=True, text=True, timeout=120)


def test_applications_give_what_one_process_gives(tmp_path: Path) -> None:
    def files(name: str, count: int) -> dict[str, bytes]:
        folder = tmp_path / f"{name}-{count}"
        done = started(folder, count, name.partition(" ")[0], *APPS[name])
        assert done.returncode == 0, f"{name}: {done.stderr}"
        facts = json.loads(done.stdout)
        assert facts.pop("processes", {"count": 1})["count"] == count
        told = json.dumps({key: value for key, value in facts.items() if "wall" not in key}).encode()
        return {"told": told, **{file.name: file.read_bytes() for file in folder.glob("*.csv")}}

    with ThreadPoolExecutor(2) as pool:
        one, four = (list(pool.map(lambda name, n=count: files(name, n), APPS)) for count in (1, 4))
    for name, expected, given in zip(APPS, one, four, strict=True):
        assert given == expected, name
        assert len(given["out.csv"]) > 100


def test_hosts_and_what_is_sent(polyloom: Polyloom, tmp_path: Path) -> None:
    """On a skewed graph, of what the partition asks for; as many processes as there are slots."""
    (tmp_path / "hosts").write_text("# ours\nlocalhost slots=4\n")
    words = ("run", "pagerank", "--generate", "kronecker:12:16", *NATIVE, "--json")
    for hosts in (("--host", "localhost:4"), ("--hostfile", "hosts"), ("--processes", "4")):
        done = polyloom(*words, *hosts, "--verify")
        assert done.status == 0, done.err
        facts = json.loads(done.out)
        assert facts["verified"] and facts["processes"]["count"] == 4 and facts["processes"]["hosts"] == 1
        assert facts["processes"]["supersteps"] == 20
        assert 0 < facts["processes"]["bytes_sent"] <= 1.1 * facts["processes"]["bytes_bound"]
    done = polyloom(*words, "--processes", "4", "--combine", "on", "--verify")
    facts = json.loads(done.out)
    assert facts["verified"] and facts["processes"]["bytes_sent"] < 0.9 * facts["processes"]["bytes_bound"]


def test_processes_on_other_hosts(other_hosts: list[str], polyloom: Polyloom, tmp_path: Path) -> None:
    words = ("run", "sssp", "--generate", "kronecker:9:8", "--max-weight", "9", *NATIVE)
    hosts = ",".join(["localhost", *other_hosts])
    done = polyloom(*words, "--json", "--out", "three.csv", "--host", hosts)
    assert done.status == 0, done.err
    # They share this machine's name and memory: MPI takes them for one host.
    assert json.loads(done.out)["processes"]["count"] == 3
    assert polyloom(*words, "--out", "one.csv").status == 0
    assert read_named(tmp_path / "three.csv") == read_named(tmp_path / "one.csv")


def ranks_below(process: subprocess.Popen[str]) -> dict[int, int]:
    """Processes of the application that were started by this one's, by rank."""
    mark = f"POLYLOOM_RUN_DIR={process.args[-1]}".encode()  # type: ignore[index]
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "environ").read_bytes().split(b"\0")
            program = (entry / "cmdline").read_bytes().split(b"\0")[0]
        except OSError:
            continue
        if mark in words and program.endswith(b"app_pagerank"):
            rank = next((word for word in words if word.startswith(b"OMPI_COMM_WORLD_RANK=")), b"=-1")
            found[int(rank.partition(b"=")[2])] = int(entry.name)
    return found


def test_a_process_that_is_killed_ends_the_run_with_its_name(tmp_path: Path) -> None:
    words = ["run", "pagerank", "--generate", "kronecker:12:16", "--iterations", "65535", *NATIVE, "--processes", "3"]
    command = [str(POLYLOOM), *words, "--run-dir", str(tmp_path / "record")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        deadline = time.monotonic() + 60
        while len(ranks := ranks_below(run)) < 3 or not all(joined(pid) for pid in ranks.values()):
            assert time.monotonic() < deadline and run.poll() is None
            time.sleep(0.05)
        time.sleep(0.5)
        os.kill(ranks[2], signal.SIGKILL)
        _, said = run.communicate(timeout=60)
    assert run.returncode == 128 + signal.SIGKILL
    assert said.splitlines()[-1] == f"polyloom: process 2 on host {os.uname().nodename} was killed by signal 9", said
    assert not ranks_below(run)


def joined(pid: int) -> bool:
    """Whether it is past its start: it computes."""
    try:
        return "libpolyloom_processes" in Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return False


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--generate", "grid:2:2", "--processes", "5"), "a graph of 4 vertices cannot be divided among 5 processes"),
        (("--generate", "grid:2:2", "--processes", "0"), "--processes"),
        (("--generate", "kronecker:30:16", "--processes", "2"), "edges in each of 2 processes needs"),
        (("--generate", "grid:2:2", "--processes", "3", "--bogus"), "not expected: --bogus"),
        (("--graph", "no.txt", "--processes", "3"), "no.txt: cannot be opened"),
        (("--graph", "-", "--processes", "2"), "gives its bytes once, and 2 processes read the graph"),
        (("--generate", "grid:2:2", "--processes", "3", "--host", "localhost:2"), "localhost:2 has room for 2"),
        (
            ("--generate", "grid:2:2", "--host", "localhost,nowhere.invalid"),
            "nothing can be started on nowhere.invalid",
        ),
        (("--generate", "grid:2:2", "--hostfile", "none"), "--hostfile none: no such file"),
    ],
    ids=lambda value: "-".join(value)[-24:] if isinstance(value, tuple) else "",
)
def test_what_cannot_be_is_named_once(polyloom: Polyloom, words: tuple[str, ...], said: str) -> None:
    done = polyloom("run", "pagerank", *words, *NATIVE)
    assert done.status != 0 and said in done.err
    assert len(done.err.splitlines()) == 1, done.err


def test_only_native_vertex_programs_are_divided(polyloom: Polyloom) -> None:
    done = polyloom("run", "pagerank", "--generate", "grid:2:2", "--on", "sim", "--processes", "2")
    assert done.status == 1 and "--processes 2: several processes are for native runs" in done.err
    done = polyloom("run", "sort", *NATIVE, "--processes", "2")
    assert done.status == 1 and "--processes 2 is for vertex programs; sort is none" in done.err


def test_without_an_mpi(polyloom: Polyloom, tmp_path: Path) -> None:
    done = polyloom(
        "run", "pagerank", "--generate", "grid:2:2", *NATIVE, "--processes", "2", env={"PATH": str(tmp_path)}
    )
    assert done.status == 1 and "there is no mpirun in PATH, which starts them" in done.err, done.err

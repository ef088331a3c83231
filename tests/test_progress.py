# SPDX-License-Identifier: Apache-2.0
# Covers: a run of more than two seconds says on a terminal how far it is, in one line that is rewritten, and in a log
# by lines now and then: simulations, graphs that are read, jobs of MPI, and all that is computed in Python; what
# remains; JSON on standard output stays JSON. Leaves out: the simulator's text (sim/progress_test.cc), that
# of reading (fabric/host/progress_line_test.cc).
from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import ROOT
from mpi_jobs import mpirun, source

from apps.averaging import __main__ as averaging
from apps.sort import __main__ as sort
from polyloom.base import progress
from polyloom.base.progress import Progress
from polyloom.collectives import Communicator
from polyloom.collectives import command as collective
from polyloom.nbody import command as nbody
from polyloom.nbody.settings import Settings

#: Simulated cycles of a cluster whose only link is dead: some seconds of nothing but retransmissions.
CYCLES = 1_800_000_000


def run(folder: Path, stderr: int) -> subprocess.CompletedProcess[str]:
    text = (ROOT / "clusters" / "laptop.toml").read_text()
    text = text.replace("[link]\n", "[link]\ndrop_rate = 1\n")
    text = text.replace("[overlay]\n", "[overlay]\nlink_down_after = 10_000_000\n")
    (folder / "dead.toml").write_text(text)
    command = [sys.executable, "-m", "polyloom", "run", "sssp", "--generate", "uniform:150:4", "--on", "sim", "--json",
               "--cluster", str(folder / "dead.toml"), "--no-report", "--max-cycles", str(CYCLES),
               "--run-dir", str(folder / "run")]  # fmt: skip
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, text=True, check=False, timeout=300, cwd=ROOT,
                          env={**os.environ, progress.SWITCH: "on"})  # fmt: skip


def test_a_terminal_shows_how_far_a_run_is(tmp_path: Path) -> None:
    theirs, ours = pty.openpty()
    done = run(tmp_path, ours)
    os.close(ours)
    shown = b""
    try:
        while part := os.read(theirs, 65536):
            shown += part
    except OSError:  # all is read, and no one writes any more
        pass
    os.close(theirs)
    lines = [line for line in shown.decode().split("\r") if line.startswith("simulated ")]
    assert lines, shown
    for line in lines:
        assert "supersteps" in line or "instructions" in line, line
        assert "cycles/s" in line and "% of the limit, at most" in line and line.rstrip().endswith("left\x1b[K"), line
    assert done.returncode == 1 and f"{CYCLES} cycles (--max-cycles)" in shown.decode()
    assert done.stdout == "" or json.loads(done.stdout)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines come at once and all the time."""
    monkeypatch.setenv(progress.SWITCH, "on")
    monkeypatch.setenv("POLYLOOM_ON", "native")
    for name in ("FIRST_SECONDS", "AGAIN_SECONDS", "LOG_SECONDS"):
        monkeypatch.setattr(progress, name, 0.001)
    monkeypatch.setattr(progress, "LOG_SHARE", 0)  # also late in a run, whose last part may be short


def nbody_of(folder: Path) -> None:
    job = nbody.Job(count=512, steps=400, log_every=100)
    nbody.run(job, Settings(eps=0.01), folder / "run")


def collective_of(_folder: Path) -> None:
    sizes = [1 << 20, 1 << 21]
    with Progress("all-reduce", collective.work(sizes, check=True)) as line, Communicator("", "native", 4) as comm:
        collective.run(comm, "all-reduce", sizes, "", True, line)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("run_it", "wanted"),
    [
        (lambda _: sort.main(["--keys", "30000", "--json"]), r"sort: sorting 240000 records, \d passes done, \d+ s"),
        (lambda _: sort.main(["--keys", "150000", "--json"]), r"sort: checking 1200000 records, \d+ s"),
        (
            lambda _: averaging.main(["--epochs", "20", "--json"]),
            r"averaging: epoch \d+ of 20 on 8 nodes, \d+ %, \d+ s, about \d+ s left",
        ),
        (collective_of, r"all-reduce: 2097152 bytes, comparing rank [0-3] of 4, \d+ %, \d+ s, about \d+ s left"),
        (nbody_of, r"nbody: step \d+ of 400, [\d.]+ steps/s, \d+ %, \d+ s, about \d+ s left"),
    ],
)
def test_what_is_computed_in_python_says_how_far_it_is(
    run_it: Callable[[Path], object], wanted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_it(tmp_path)
    said = capsys.readouterr()
    lines = said.err.splitlines()
    assert any(re.fullmatch(f"polyloom: {wanted}", line) for line in lines), said.err[-2000:]
    assert said.out == "" or json.loads(said.out)


def test_what_remains_is_what_the_rate_says(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    line = Progress("work", 40)
    assert line.text(103) == "work, 0 %, 3 s"
    line.begin_at(8)
    clock[0] = 110
    line.at(16, "part 2")  # 8 in 10 s: 24 more take 30 s
    assert line.text(110) == "work: part 2, 40 %, 10 s, about 30 s left"
    assert line.text(125) == "work: part 2, 40 %, 25 s, about 15 s left"
    assert line.text(145) == "work: part 2, 40 %, 45 s"  # no longer known
    long = Progress("work", 10_000)
    clock[0] = 120
    long.at(50)
    assert long.text(120).endswith(", 10 s, about 33 min left")
    assert Progress("unknown").text(132.4) == "unknown, 12 s"


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(("switch", "shown"), [("on", True), ("off", False)])
def test_one_line_at_a_time_and_none_when_it_is_off(
    switch: str, shown: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(progress.SWITCH, switch)
    with Progress("outer"), Progress("inner"):
        assert os.environ[progress.SWITCH] == "off"  # of what is started
        time.sleep(0.05)
    assert os.environ[progress.SWITCH] == switch
    said = capsys.readouterr().err
    assert ("outer, 0 s" in said) == shown and "inner" not in said


def test_of_two_that_were_made_before_either_began_one_has_the_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(progress.SWITCH, raising=False)
    first, second = Progress("one"), Progress("two")
    with first, second:
        assert os.environ[progress.SWITCH] == "off"
    assert progress.SWITCH not in os.environ


@pytest.mark.usefixtures("hasty")
def test_a_terminal_is_left_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    with contextlib.redirect_stderr(screen), Progress("steps", 4) as line:
        line.at(1, "step 1")
        time.sleep(0.05)
    shown = screen.getvalue()
    assert f"{progress.CLEAR}[#####               ] steps: step 1, 25 %, 0 s" in shown
    assert shown.endswith(progress.CLEAR) and "\n" not in shown


@contextlib.contextmanager
def slow_pipe(path: Path, first: bytes, rest: bytes) -> Iterator[None]:
    """A pipe whose writer pauses for longer than runs are silent."""
    os.mkfifo(path)

    def write() -> None:
        with path.open("wb", buffering=0) as pipe:
            pipe.write(first)
            time.sleep(2.7)
            pipe.write(rest)

    writer = threading.Thread(target=write)
    writer.start()
    yield
    writer.join()


def test_a_graph_that_comes_slowly_and_a_job_that_waits(tmp_path: Path) -> None:
    env = {**os.environ, progress.SWITCH: "on"}
    pipe = tmp_path / "edges"
    command = [sys.executable, "-m", "polyloom", "run", "components", "--graph", str(pipe), "--on", "native", "--json",
               "--no-report", "--run-dir", str(tmp_path / "graph")]  # fmt: skip
    waits = source(tmp_path, "#include <unistd.h>\nint main(int argc, char** argv) { MPI_Init(&argc, &argv); sleep(3);"
                             "  printf(\"slept\\n\"); MPI_Finalize(); return 0; }")  # fmt: skip
    with slow_pipe(pipe, b"0 1\n", b"1 2\n"), pytest.MonkeyPatch.context() as patch:
        graph = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, cwd=ROOT)
        patch.setenv(progress.SWITCH, "on")
        job = mpirun(tmp_path, "--on", "native", "-n", "2", waits)
        out, err = graph.communicate(timeout=60)
    assert graph.returncode == 0 and json.loads(out)["components"] == 1
    assert re.fullmatch(rf"polyloom: reading {re.escape(str(pipe))}, [23] s\n", err), err
    assert job.stdout == "slept\nslept\n" and job.returncode == 0
    assert re.search(r"^polyloom: mpirun: 2 ranks run by Open MPI, \d s$", job.stderr, re.MULTILINE), job.stderr

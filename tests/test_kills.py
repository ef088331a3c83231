# SPDX-License-Identifier: Apache-2.0
# Covers: kill -9 of launchers at random times, with real simulators, managers, ranks; Ctrl-C and its kin during a
# simulated run: whole records or none, nothing left beside them, one line on the terminal; two runs in one folder.
# Leaves out: processes of all shapes (polyloom/base/tests/test_process.py), Open MPI engines.
from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import POLYLOOM, ROOT, Done

from polyloom.base import folder, supervisor
from polyloom.testing import daily

#: In the environment of all that a test starts; never twice in a test session.
MARK = "POLYLOOM_TEST_KILLS"
#: Until all is gone: 5 s are promised; a busy machine needs more.
SECONDS = 20.0

LOOP = "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); for (;;) ; }\n"
PAGERANK = ["pagerank", "--generate", "grid:30:30", "--iterations", "60000", "--on", "sim", "--cluster", "tiny-2"]
VERBS = {
    "run": ["run", *PAGERANK, "--run-dir", "out"],
    "mpirun": ["mpirun", "--on", "native", "-n", "4", "--run-dir", "out", "loop.c"],
    "mpirun-wire": ["mpirun", "--on", "native", "--wire", "-n", "4", "--run-dir", "out", "loop.c"],
    "nbody": ["nbody", "--n", "400", "--nodes", "2", "--let", "hub", "--steps", "100000", "--run-dir", "out"],
}


class Job:
    """A polyloom command with a mark of its own, in a folder and with temporary files of its own."""

    def __init__(self, home: Path, words: list[str]) -> None:
        self.mark = f"{MARK}_{os.getpid()}_{time.monotonic_ns()}"
        (home / "loop.c").write_text(LOOP)
        (home / "tmp").mkdir(exist_ok=True)
        env = {**os.environ, "POLYLOOM_HOME": str(ROOT), "TMPDIR": str(home / "tmp"), self.mark: "1"}
        self.process = subprocess.Popen(
            [str(POLYLOOM), *words], cwd=home, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        self.home = home

    def names(self) -> list[str]:
        """What runs, without what has just ended."""
        found = []
        for pid in supervisor.marked(self.mark):
            try:
                found.append(Path(f"/proc/{pid}/comm").read_text().strip())
            except OSError:
                continue
        return found

    def wait_for(self, condition: Callable[[], bool], seconds: float = 60) -> None:
        limit = time.monotonic() + seconds
        while not condition():
            if time.monotonic() >= limit:
                ended = self.process.poll()
                said = "" if ended is None else f"; it ended with {ended}: {self.process.communicate()[1]}"
                raise AssertionError(f"in vain; running: {self.names()}{said}")
            time.sleep(0.02)

    def wait_for_all_to_end(self) -> None:
        self.wait_for(lambda: not supervisor.marked(self.mark), SECONDS)
        self.wait_for(lambda: not list((self.home / "tmp").glob("polyloom-*")), SECONDS)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[list[str]], Job]]:
    jobs: list[Job] = []

    def make(words: list[str]) -> Job:
        jobs.append(Job(tmp_path, words))
        return jobs[-1]

    yield make
    for job in jobs:
        job.process.kill()
        supervisor.end_all(job.mark)  # before its pipe is read to the end: what is left may hold it
        job.process.communicate()


#: Of a program's name Linux keeps 15 letters.
WORKERS = {"run": "polyloom-sim", "mpirun": "site-program", "mpirun-wire": "polyloom-mpi-ma", "nbody": "polyloom-sim"}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("verb", VERBS)
def test_a_launcher_that_is_killed_leaves_nothing(verb: str, seed: int, start: Callable[[list[str]], Job]) -> None:
    job = start(VERBS[verb])
    if seed == 0:  # in full work
        job.wait_for(lambda: WORKERS[verb] in job.names())
    time.sleep(random.Random(f"{verb}{seed}").uniform(0.1, 1.5))
    job.process.kill()
    job.process.wait()
    job.wait_for_all_to_end()


#: Verbs that build RTL, and what they build it with; and one whose simulator computes for long.
BUILDS = {
    "mpirun": (["mpirun", "--on", "rtl", "k.c"], "clang"),
    "collective": (["collective", "all-reduce", "--cluster", "optweb-small", "--on", "rtl"], "clang"),
    "nbody": (["nbody", "--n", "100", "--nodes", "2", "--on", "rtl", "--steps", "1"], "clang"),
    "run": (["run", "sort", "--keys", "10", "--on", "rtl", "--cluster", "optweb-small"], "clang"),
    "synth": (["synth", "hub"], "yosys"),
    "no build": (["collective", "all-reduce", "--cluster", "optweb-8", "--bytes", "256M"], "polyloom-sim"),
}
#: Two are promised, of which a busy machine makes more; a build takes ten times as long.
SECONDS_OF_BUILDS = 8.0


@pytest.mark.parametrize(
    ("verb", "signum"), daily([(verb, signum) for signum in (signal.SIGTERM, signal.SIGKILL) for verb in BUILDS], 6)
)
def test_what_is_asked_to_end_while_it_builds_ends(
    verb: str, signum: int, start: Callable[[list[str]], Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, tool = BUILDS[verb]
    monkeypatch.setenv("CCACHE_DISABLE", "1")
    for cache in ("RTL", "SYNTH"):
        monkeypatch.setenv(f"POLYLOOM_{cache}_CACHE", str(tmp_path / "cache"))
    (tmp_path / "k.c").write_text(LOOP)
    job = start(words)
    job.wait_for(lambda: any(tool in name for name in job.names()))
    time.sleep(0.3)
    requested = time.monotonic()
    job.process.send_signal(signum)
    _, errors = job.process.communicate(timeout=60)
    job.wait_for_all_to_end()
    assert time.monotonic() - requested < SECONDS_OF_BUILDS
    assert job.process.returncode == (128 + signum if signum == signal.SIGTERM else -signum)
    said = [line for line in errors.splitlines() if "interrupted by" in line]
    assert len(said) == (signum == signal.SIGTERM), errors
    job.wait_for(lambda: not [path for path in (tmp_path / "cache").glob("*") if path.suffix != ".lock"], SECONDS)


def is_whole(record: Path, seen: int) -> bool:
    """Whether a record of a run that was interrupted is all there."""
    facts = json.loads((record / "run.json").read_text())
    assert facts["status"] in {"interrupted", "client left"}, facts
    counters = dict(line.split(",") for line in (record / "counters.csv").read_text().splitlines()[1:])
    return int(facts["simulated_ps"]) > 0 and len(counters) > seen


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, None])
def test_an_interrupted_run_leaves_a_whole_record(signum: int | None, start: Callable[[list[str]], Job]) -> None:
    """None: the application alone is killed outright."""
    job = start(VERBS["run"])
    job.wait_for(lambda: "polyloom-sim" in job.names())
    time.sleep(1)
    if signum is None:
        (app,) = [p for p in supervisor.marked(job.mark) if "app_pagerank" in Path(f"/proc/{p}/comm").read_text()]
        os.kill(app, signal.SIGKILL)
    else:
        job.process.send_signal(signum)
    _, errors = job.process.communicate(timeout=30)
    assert job.process.returncode == 128 + (signum or signal.SIGKILL)
    job.wait_for_all_to_end()
    record = job.home / "out"
    assert is_whole(record, seen=20)
    folder.check(record)
    assert [p.name for p in job.home.iterdir() if "partial" in p.name] == [] and not (record / ".partial").exists()
    said = [line for line in errors.splitlines() if line.startswith("polyloom: interrupted")]
    assert len(said) == (signum is not None), errors
    assert "Traceback" not in errors


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("verb", ["mpirun", "mpirun-wire"])
def test_an_interrupted_job_leaves_its_logs_and_a_record(
    verb: str, signum: int, start: Callable[[list[str]], Job]
) -> None:
    job = start(VERBS[verb])
    job.wait_for(lambda: WORKERS[verb] in job.names())
    time.sleep(0.5)
    job.process.send_signal(signum)
    _, errors = job.process.communicate(timeout=30)
    assert job.process.returncode == 128 + signum
    job.wait_for_all_to_end()
    facts = json.loads((job.home / "out" / "run.json").read_text())
    assert (facts["status"], facts["exit_status"]) == ("interrupted", 128 + signum)
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    "words",
    [
        ["run", "pagerank", "--generate", "grid:30:30", "--iterations", "1500", "--cluster", "tiny-2"],
        ["mpirun", "--on", "native", "-n", "2", "--timeout", "4", "loop.c"],
        ["run", "sort", "--keys", "1000000", "--on", "native"],
    ],
    ids=["run", "mpirun", "sort"],
)
def test_what_a_run_was_started_to_ignore_it_ignores(words: list[str], tmp_path: Path) -> None:
    """As with nohup: the terminal goes, and the run ends as if nothing had been."""
    (tmp_path / "loop.c").write_text(LOOP)
    ignoring = ["bash", "-c", "trap '' HUP; exec \"$@\"", "bash", str(POLYLOOM), *words, "--run-dir", "out"]
    with (tmp_path / "said").open("w") as said:
        job = subprocess.Popen(ignoring, cwd=tmp_path, stdout=said, stderr=said)
        time.sleep(1.5)
        job.send_signal(signal.SIGHUP)
        status = job.wait(timeout=120)
    assert status == (124 if "--timeout" in words else 0), (tmp_path / "said").read_text()
    assert "interrupted" not in (tmp_path / "said").read_text()


def test_two_runs_in_one_folder_do_not_mix(start: Callable[[list[str]], Job]) -> None:
    first = start(VERBS["run"])
    first.wait_for(lambda: (first.home / "out" / folder.MANIFEST).exists())
    second = start(["run", "sssp", "--generate", "uniform:100:4", "--on", "native", "--run-dir", "out"])
    _, errors = second.process.communicate(timeout=60)
    assert second.process.returncode == 1
    assert errors == f'polyloom: run record "{first.home / "out"}": another run is using this folder; ' + (
        "wait for its end or give another folder\n"
    )
    assert first.process.poll() is None


def test_runs_that_choose_their_folder_get_two(tmp_path: Path, polyloom: Callable[..., Done]) -> None:
    words = ["run", "sssp", "--generate", "uniform:100:4", "--on", "native", "--json"]
    env = {**os.environ, "POLYLOOM_HOME": str(ROOT)}
    jobs = [
        subprocess.Popen([str(POLYLOOM), *words], cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    folders = {json.loads(job.communicate(timeout=60)[0])["run_dir"] for job in jobs}
    assert len(folders) == 3
    assert all((Path(name) / "run.json").is_file() for name in folders)


def test_a_run_removes_no_file_of_the_user(tmp_path: Path, polyloom: Callable[..., Done]) -> None:
    for on in ("sim", "native"):
        mine = tmp_path / on
        mine.mkdir()
        (mine / "run.json").write_text("{}")
        (mine / "thesis.txt").write_text("precious")
        run = ["run", "sssp", "--generate", "uniform:100:4", "--on", on, "--run-dir", mine]
        body = ["nbody", "--n", "100", "--steps", "1", "--run-dir", mine]
        for words in (
            run,
            body,
            ["mpirun", "--on", "native", "-n", "2", "--run-dir", mine, ROOT / "tests/mpi/messages.c"],
        ):
            done = polyloom(*words)
            assert done.status == 1 and "nothing was changed" in done.err and done.err.count("\n") == 1, done.err
            assert {p.name: p.read_text() for p in mine.iterdir()} == {"run.json": "{}", "thesis.txt": "precious"}


SLOW = {
    "sort": ["run", "sort", "--keys", "2000000", "--on", "sim", "--run-dir", "out"],
    "averaging": ["run", "averaging", "--epochs", "10000", "--on", "native", "--run-dir", "out"],
    "nbody": ["nbody", "--n", "4000", "--steps", "100000", "--run-dir", "out"],
    "nbody-hubs": VERBS["nbody"],
    "collective": ["collective", "all-reduce", "--sweep", "4K:1G", "--run-dir", "out"],
}


SIGNALS = [(verb, signum) for verb in SLOW for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]


@pytest.mark.parametrize(("verb", "signum"), daily(SIGNALS, 8))
def test_a_signal_at_any_time_ends_in_one_line(
    verb: str, signum: signal.Signals, start: Callable[[list[str]], Job]
) -> None:
    """While modules are loaded too: then without a word. No time is twice the same."""
    seconds = random.Random(f"{verb}{signum}{os.environ.get('POLYLOOM_TEST_FULL')}").choice([0.1, 0.4, 1, 2, 3])
    job = start(SLOW[verb])
    time.sleep(seconds)
    job.process.send_signal(signum)
    _, errors = job.process.communicate(timeout=60)
    job.wait_for_all_to_end()
    assert job.process.returncode in {128 + signum, -signum}, errors
    said = [line for line in errors.splitlines() if "warning" not in line]
    assert "Traceback" not in errors and all(line.startswith("polyloom: ") for line in said), errors
    if job.process.returncode > 0:
        assert any(f"interrupted by {signum.name}" in line for line in said), errors
    record = job.home / "out" / "run.json"
    if record.exists():
        assert json.loads(record.read_text())["status"] == "interrupted"

# SPDX-License-Identifier: Apache-2.0
# Covers: which of several problems a job names, whatever the order in which they are heard of.
# Leaves out: real jobs (tests/test_mpirun.py).
from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from polyloom.base.folder import RunFolder
from polyloom.mpirun import launch
from polyloom.mpirun.children import Children
from polyloom.mpirun.state import State

OTHER_LEFT = {"event": "error", "text": "another host program left before it finished", "consequence": True}
KILLED = "rank 0 was killed by signal 6"


class Played(launch.Launcher):
    """A job of one CPU rank; its processes are Python programs."""

    programs: dict[str, str]

    def _start(self, children: Children, folder: Path) -> None:
        self._begun = {0: folder / "begun"}
        for name, code in self.programs.items():
            self._add(children, name, [sys.executable, "-c", code, str(self._begun[0])], {}, subprocess.DEVNULL)


def play(folder: Path, kernels: tuple[str, ...] = (), **programs: str) -> State:
    request = cast(Any, SimpleNamespace(tag_output=False, timeout=None))
    with RunFolder(folder / "run") as run:
        job = Played(request, cast(Any, SimpleNamespace(size=1, cpu_ranks=[0], kernels=kernels)), run)
        job.programs = {name.replace("_", " "): code for name, code in programs.items()}
        return job.run()


def says(event: dict[str, Any]) -> str:
    return f"print({json.dumps(event)!r}); raise SystemExit(2)"


def test_a_killed_rank_is_named_though_what_follows_is_heard_first(tmp_path: Path) -> None:
    state = play(tmp_path, manager=says(OTHER_LEFT), rank_0="import os, time; time.sleep(1); os.abort()")
    assert state.problems[:2] == [KILLED, OTHER_LEFT["text"]]
    assert state.status() == 134


def test_a_killed_rank_is_named_though_its_end_is_not_heard_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that it started keeps its output open, so that it is never read to the end."""
    monkeypatch.setattr(launch, "SETTLE_SECONDS", 0.5)
    child = "import os, subprocess; subprocess.Popen(['sleep', '4']); os.abort()"
    state = play(tmp_path, manager=f"import time; time.sleep(1); {says(OTHER_LEFT)}", rank_0=child)
    assert state.problems[0] == KILLED


def test_what_the_manager_finds_itself_comes_before_what_follows(tmp_path: Path) -> None:
    found = {"event": "error", "text": "rank 1: its FPGA does not respond", "consequence": False}
    state = play(tmp_path, rank_0="raise SystemExit(1)", manager=f"import time; time.sleep(1); {says(found)}")
    assert state.problems == [found["text"], "rank 0 ended with status 1"]


@pytest.mark.parametrize("reported_late", [False, True])
def test_the_status_of_a_process_counts_though_finalize_told_0(tmp_path: Path, reported_late: bool) -> None:
    reported = {"event": "exit", "rank": 0, "code": 0}
    manager, rank = says(reported), "raise SystemExit(7)"
    wait = "import time; time.sleep(1); "
    state = play(
        tmp_path, rank_0=rank if reported_late else wait + rank, manager=wait + manager if reported_late else manager
    )
    assert state.status() == 7


@pytest.mark.parametrize("status", [1, 127, 128, 139, 255])
def test_a_status_that_looks_like_a_signal(tmp_path: Path, status: int) -> None:
    state = play(tmp_path, manager=WAIT, rank_0=f"raise SystemExit({status})")
    assert (state.status(), state.problems) == (status, [f"rank 0 ended with status {status}"])


BEGIN = "import sys; open(sys.argv[1], 'w').close()"
WAIT = "import time; time.sleep(60)"


def test_a_rank_that_ends_without_a_word_to_the_manager(tmp_path: Path) -> None:
    state = play(tmp_path, manager=WAIT, rank_0=BEGIN)
    assert state.problems == ["rank 0: its program ended without MPI_Finalize"] and state.status() == 1


def test_a_rank_whose_word_is_heard_after_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line lies in the manager's pipe, and we are slow."""
    event = launch.Launcher._event

    def slow(self: launch.Launcher, text: bytes) -> None:
        time.sleep(1.5)
        event(self, text)

    monkeypatch.setattr(launch.Launcher, "_event", slow)
    event_reported = json.dumps({"event": "exit", "rank": 0, "code": 0})
    reported = "sys.argv[1] + '.told'"
    # A rank ends only when the manager has spoken, however late that began to run.
    rank = f"{BEGIN}; import os, time\nwhile not os.path.exists({reported}): time.sleep(0.01)"
    manager = f"print({event_reported!r}, flush=True); import sys, time; open({reported}, 'w').close(); time.sleep(2)"
    state = play(tmp_path, manager=manager, rank_0=rank)
    assert state.problems == [] and state.exits == {0: 0}


def test_a_rank_that_ends_without_a_word_is_the_cause_of_what_follows(tmp_path: Path) -> None:
    manager = f"import time; time.sleep(1); {says(OTHER_LEFT)}"
    state = play(tmp_path, manager=manager, rank_0=f"{BEGIN}; import time; time.sleep(1)")
    assert state.problems[0] == "rank 0: its program ended without MPI_Finalize"


def test_a_job_without_mpi_goes_well(tmp_path: Path) -> None:
    assert play(tmp_path, manager=WAIT, rank_0="print('hello')").status() == 0


def test_a_rank_of_a_cluster_must_call_mpi(tmp_path: Path) -> None:
    state = play(tmp_path, ("kernel",), manager=WAIT, rank_0="print('hello')")
    assert state.problems == ["rank 0: its program ended without MPI_Init, which every rank of a job calls"]

# SPDX-License-Identifier: Apache-2.0
# Covers: how a job ends, on four CPU processes and on one CPU and three FPGAs in RTL: exit codes, MPI_Abort, killed
#         processes, a deadlock, lost frames, absent FPGAs, --timeout, ranks that leave without a word.
# Leaves out: the engine under loss (roles/mpi/tests), checks of one FPGA (test_mpirun_limits.py).
from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mpi_jobs import FAULTS, ON, ROOT, WIRE, mpirun, source

#: What goes wrong, on which rank: exit status (None: not 0), and what the message says. Rank 0 is a CPU, 2 an FPGA.
FAILURES: list[tuple[str, int, int | None, list[str]]] = [
    ("exit", 2, 7, []),
    ("exit", 0, 7, []),
    ("abort", 2, 9, ["rank 2", "MPI_Abort", "9"]),
    ("truncate", 2, None, ["rank 2", "MPI_Recv", "longer"]),
    ("type", 2, None, ["rank 2", "MPI_Recv", "type"]),
    ("type", 0, None, ["rank 0", "MPI_Recv", "type"]),
    ("stranger", 2, None, ["rank 2", "MPI_Send", "rank"]),
    ("leave", 2, None, ["rank 2", "MPI_Finalize"]),
]


@pytest.mark.parametrize("on", ON)
@pytest.mark.parametrize(("what", "who", "status", "words"), FAILURES, ids=lambda v: str(v))
def test_a_failure_of_a_rank_ends_the_job(
    what: str, who: int, status: int | None, words: list[str], on: str, tmp_path: Path
) -> None:
    done = mpirun(tmp_path, *ON[on], FAULTS, what, str(who))
    assert done.returncode == status if status else done.returncode != 0, done.stderr
    assert all(word in done.stderr for word in words), done.stderr
    reported = [line for line in done.stderr.splitlines() if line.startswith("polyloom: ")]
    assert len(reported) == len(set(reported)), "said twice"


@pytest.mark.parametrize("on", ON)
def test_a_deadlock_says_who_waits_for_whom(on: str, tmp_path: Path) -> None:
    done = mpirun(tmp_path, *ON[on], FAULTS, "deadlock")
    assert done.returncode != 0
    for rank in range(4):
        assert re.search(rf"rank {rank}.*rank {(rank + 1) % 4}.*tag {40 + rank}", done.stderr), done.stderr


WAITS = """int main(int argc, char **argv) {
  int rank, x;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) puts("up");
  if (rank == 3) return MPI_Finalize();
  if (rank == 1 && argc > 1) for (volatile int i = 0; i < 9; i = (i + 1) % 9) ;
  MPI_Recv(&x, 1, MPI_INT, (rank + 1) % 4, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return MPI_Finalize();
}"""
PLACE = {"sim": r", (?:called )?at \S*program\.c:11:\d+", "wire": ""}  # of an FPGA rank's call


@pytest.mark.parametrize("on", PLACE)
def test_a_deadlock_names_those_who_have_ended_and_where_the_others_wait(on: str, tmp_path: Path) -> None:
    done = mpirun(tmp_path, *ON[on], source(tmp_path, WAITS))
    assert done.returncode != 0
    assert re.search(r"rank 0 waits in MPI_Recv for a message from rank 1, .*ms$", done.stderr, re.MULTILINE), (
        done.stderr
    )
    assert re.search(rf"rank 2 waits in MPI_Recv for .* rank 3, .*ms{PLACE[on]}$", done.stderr, re.MULTILINE), (
        done.stderr
    )
    assert "ended before: rank 3" in done.stderr, done.stderr


@pytest.mark.parametrize("on", PLACE)
@pytest.mark.parametrize("how", ["--timeout", "SIGINT"])
def test_who_stops_a_job_learns_where_its_ranks_are(how: str, on: str, tmp_path: Path) -> None:
    """Rank 1 computes for ever, so it is no deadlock."""
    words = ["--timeout", "8"] if how == "--timeout" else []
    command = [sys.executable, "-m", "polyloom", "mpirun", "--run-dir", str(tmp_path / "run"), *words, *ON[on]]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    job = subprocess.Popen([*command, source(tmp_path, WAITS), "x"], cwd=ROOT, **pipes)
    if how == "SIGINT":
        assert job.stdout is not None and job.stdout.readline() == "up\n"
        time.sleep(2)  # until all that do not compute wait
        job.send_signal(signal.SIGINT)
    _, errors = job.communicate(timeout=400)
    assert job.returncode == (124 if how == "--timeout" else 128 + signal.SIGINT), errors
    assert re.search(r"rank 0 waits in MPI_Recv for a message from rank 1", errors), errors
    assert re.search(r"rank 1 computes$", errors, re.MULTILINE), errors
    assert re.search(rf"rank 2 waits in MPI_Recv for .* rank 3, .*ms{PLACE[on]}$", errors, re.MULTILINE), errors
    assert "rank 3" not in re.sub(r"from rank 3", "", errors), errors


LEFT = """int main(int argc, char **argv) {
  int rank, x[2], who = argc > 1;
  MPI_Request r[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == who) MPI_Irecv(&x[0], 1, MPI_INT, 3, 5, MPI_COMM_WORLD, &r[0]);
  if (rank == who + 1) {
    MPI_Irecv(&x[0], 1, MPI_INT, 3, 6, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&x[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r[1]);
  }
  if (rank == 3) MPI_Send(&rank, 1, MPI_INT, who ? 0 : 2, 7, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Finalize();
}"""
#: Lines that begin with the rank of a CPU, and of an FPGA of the fast model, where it does not know the tag.
ALWAYS = "rank {one}: 1 receive from rank 3, tag 5, was never completed"
TWO = "rank {two}: 2 requests were never completed, the first one a receive from rank 3, tag 6"
MESSAGE = {
    True: "rank 2: 1 message was never received that rank 3 had sent",
    False: "rank {to}: 1 message from rank 3, tag 7, was never received",
}


@pytest.mark.parametrize("on", PLACE)
@pytest.mark.parametrize("who", [0, 1])
def test_what_is_never_completed_or_received_is_said(who: int, on: str, tmp_path: Path) -> None:
    done = mpirun(tmp_path, *ON[on], source(tmp_path, LEFT), *["x"] * who)
    reported = {line for line in done.stderr.splitlines() if line.startswith("polyloom: rank")}
    lines = [ALWAYS, TWO, MESSAGE[on == "sim" and who == 0]]
    expected = {"polyloom: " + line.format(one=who, two=who + 1, to=0 if who else 2) for line in lines}
    assert (done.returncode, reported) == (0, expected), done.stderr


def nothing_is_left(folder: Path) -> None:
    """No process that a job with TMPDIR = ``folder`` started, so none of its sockets, and no file there."""
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            words = environment.read_bytes()
        except (FileNotFoundError, PermissionError, ProcessLookupError):
            continue
        assert f"TMPDIR={folder}\0".encode() not in words, f"process {environment.parent.name} is left"
    assert not list(folder.iterdir())


@pytest.fixture
def scratch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An own folder for temporary files; a short name, as sockets lie there."""
    with tempfile.TemporaryDirectory(prefix="pl-") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        yield Path(folder)


@pytest.mark.parametrize(("on", "who"), [("wire", 1), ("sim", 0)])
def test_a_killed_rank_ends_the_job_and_leaves_nothing(on: str, who: int, tmp_path: Path, scratch: Path) -> None:
    begin = time.monotonic()
    done = mpirun(tmp_path, *ON[on], FAULTS, "kill", str(who))
    assert done.returncode != 0 and f"rank {who}" in done.stderr and "signal 6" in done.stderr
    assert time.monotonic() - begin < 60
    nothing_is_left(scratch)


@pytest.mark.parametrize("victim", ["polyloom-mpi-manager", "polyloom mpirun"])
def test_a_killed_process_of_our_own_leaves_nothing(victim: str, tmp_path: Path, scratch: Path) -> None:
    """The manager is killed outright, mpirun is asked to end."""
    program = source(tmp_path, 'int main(int c, char **v) { MPI_Init(&c, &v); puts("up"); fflush(stdout); for (;;) ; }')
    command = [sys.executable, "-m", "polyloom", "mpirun", "--run-dir", str(tmp_path / "run"), *WIRE]
    job = subprocess.Popen([*command, "-n", "2", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert job.stdout is not None and job.stdout.readline() == "up\n"
    if victim == "polyloom mpirun":
        job.send_signal(signal.SIGTERM)
    else:
        pids = subprocess.run(["pgrep", "-P", str(job.pid), "-f", victim], capture_output=True, text=True, check=True)
        os.kill(int(pids.stdout), signal.SIGKILL)
    _, errors = job.communicate(timeout=30)
    if victim == "polyloom mpirun":
        assert job.returncode == 128 + signal.SIGTERM, errors
    else:
        assert job.returncode != 0 and "the manager" in errors
    nothing_is_left(scratch)


def lossy(folder: Path, rate: float) -> str:
    """The cluster of the RTL tests with links that lose frames."""
    text = (ROOT / "clusters" / "zrlmpi-4.toml").read_text()
    path = folder / "lossy.toml"
    path.write_text(text.replace("[link]\n", f"[link]\ndrop_rate = {rate}\n"))
    return str(path)


def test_lost_frames_change_nothing(tmp_path: Path) -> None:
    done = mpirun(tmp_path, "--json", "--cluster", lossy(tmp_path, 0.001), FAULTS, "ring", "200")
    assert done.returncode == 0, done.stderr
    *lines, last = done.stdout.splitlines()
    assert sorted(lines) == [f"rank {rank}: 200 rounds, 0 wrong" for rank in range(4)]
    counters = json.loads(last)["end"]["counters"].values()
    assert sum(c["not_in_order"] + c["sent_again"] + c["time_outs"] for c in counters) > 0
    payload = sum(4 * (1 + round * 37 % 600) for round in range(200))
    assert all(payload < c["bytes_in"] < 2 * payload and c["cycles"] > c["bytes_in"] / 8 for c in counters)


def test_an_fpga_that_does_not_result_is_named(tmp_path: Path, scratch: Path) -> None:
    done = mpirun(tmp_path, "--cluster", lossy(tmp_path, 1), FAULTS, "ring", "1")
    assert done.returncode != 0
    assert "rank 1: its FPGA does not respond to management" in done.stderr, done.stderr
    nothing_is_left(scratch)


def test_a_timeout_ends_the_job(tmp_path: Path) -> None:
    program = source(tmp_path, "int main(int c, char **v) { MPI_Init(&c, &v); for (;;) ; }")
    done = mpirun(tmp_path, *WIRE, "-n", "2", "--timeout", "2", program)
    assert done.returncode == 124 and "--timeout" in done.stderr


ENDS = {  # how rank 1 ends the job: status, what is said
    "MPI_Recv(&rank, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);": (3, "deadlock"),
    "for (;;) ;": (124, "--timeout"),
    "MPI_Abort(MPI_COMM_WORLD, 6);": (6, "MPI_Abort"),
    "*(volatile int*)8 = 1;": (139, "signal 11"),
}


@pytest.mark.parametrize("end", ENDS)
def test_what_was_printed_before_the_end_is_seen(end: str, tmp_path: Path) -> None:
    """Both ranks wait or die with a line that C has not been asked to write out."""
    wait = "MPI_Recv(&rank, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
    body = f'printf("rank %d is here\\n", rank); if (rank == 1) {{ {end} }} else {wait}'
    program = source(tmp_path, f"int main(int c, char **v) {{ int rank; MPI_Init(&c, &v); "
                     f"MPI_Comm_rank(MPI_COMM_WORLD, &rank); {body} MPI_Finalize(); }}")  # fmt: skip
    done = mpirun(tmp_path, *WIRE, "-np", "2", "--timeout", "2" if "for" in end else "60", program)
    assert sorted(done.stdout.splitlines()) == ["rank 0 is here", "rank 1 is here"]
    status, words = ENDS[end]
    first = done.stderr.splitlines()[0]
    assert words in done.stderr and "another host program" not in first, done.stderr
    assert done.returncode == status or words == "deadlock"


LEAVE = """#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank;
  if (argc > 2 && open(argv[2], O_CREAT | O_EXCL, 0666) >= 0) return 0; /* one of them, whichever it is */
  if (argc > 1 && argv[1][0] == 'n') return puts("no MPI") < 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1 && rank == 1) {
    if (argv[1][0] == '_') _exit(0);
    if (argv[1][0] == 'q') quick_exit(0);
    if (argv[1][0] == 'e') execlp("true", "true", NULL);
    if (argv[1][0] == 'd' && fork() == 0) {
      if (setsid() >= 0 && fork() == 0) pause();
      _exit(0);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 1) printf("no newline");
}"""


@pytest.mark.parametrize("how", ["_exit", "quick_exit", "exec"])
def test_a_rank_that_leaves_without_a_word_ends_the_job(how: str, tmp_path: Path) -> None:
    """As under Open MPI, with status 1."""
    done = mpirun(tmp_path, *WIRE, "-n", "3", source(tmp_path, LEAVE), how, timeout=60)
    assert done.returncode == 1
    assert done.stderr == "polyloom: rank 1: its program ended without MPI_Finalize\n"


def test_what_calls_no_mpi_goes_well_if_no_rank_does(tmp_path: Path) -> None:
    job = [*WIRE, "-n", "3", source(tmp_path, LEAVE)]
    done = mpirun(tmp_path, *job, "no", timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "no MPI\n" * 3, "")
    done = mpirun(tmp_path, *job, "some", str(tmp_path / "first"), timeout=60)
    assert done.returncode == 1
    assert re.match(r"polyloom: rank \d: its program ended without MPI_Init, which every", done.stderr), done.stderr


def test_a_rank_that_leaves_a_daemon(tmp_path: Path, scratch: Path) -> None:
    """The daemon has a session of its own and holds the rank's pipes."""
    words = ["--json", *WIRE, "-n", "2", source(tmp_path, LEAVE), "daemon"]
    done = mpirun(tmp_path, *words, timeout=60)
    assert done.returncode == 0, done.stderr
    first, last = done.stdout.splitlines()
    assert first == "no newline" and json.loads(last)["exit_status"] == 0
    assert (tmp_path / "run" / "report.html").is_file() and (tmp_path / "run" / "logs" / "rank-1.log").is_file()
    nothing_is_left(scratch)

# SPDX-License-Identifier: Apache-2.0
# Covers: every shipped MPI program on CPU processes (1 to 5 ranks) and on one CPU and three FPGAs in RTL: the same
#         output as under Open MPI; exit codes, MPI_Abort, killed processes, a deadlock, lost frames, absent FPGAs, bad
#         programs.
# Leaves out: speed (bench/mpi-jacobi), the engine under loss (roles/kernel/tests).
from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyloom.testing import FULL

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = sorted([*(ROOT / "apps" / "mpi").glob("*.c"), *(ROOT / "tests" / "mpi").glob("*.c")])
#: Each kernel takes half a minute of two processors to build, those with every operation minutes. Kernels of jacobi,
#: odd_even_sort and pi run under Open MPI's eyes in roles/kernel/runtime/tests/test_kernel.py.
QUICK = {"master_worker", "root_only"}
FPGA_PROGRAMS = [p for p in PROGRAMS if p.stem in QUICK or FULL]
REFUSED = sorted((ROOT / "tests" / "mpi" / "refused").glob("*.c"))
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def masked(text: str) -> list[str]:
    """Lines without times, in an order that does not depend on which rank came first."""
    return sorted(line for line in text.splitlines() if not line.lstrip().startswith("time"))


def open_mpi(program: Path, ranks: int, folder: Path) -> list[str]:
    binary = folder / f"{program.stem}-open-mpi"
    if not binary.exists():
        compiler = ["mpicc", "-O2", "-ffp-contract=off", str(program), "-o", str(binary), "-lm"]
        subprocess.run(compiler, check=True, capture_output=True)
    command = ["mpirun", "--oversubscribe", "-n", str(ranks), str(binary)]
    done = subprocess.run(
        command, env={**os.environ, **OPEN_MPI}, capture_output=True, text=True, timeout=120, check=True
    )
    return masked(done.stdout)


def polyloom(folder: Path, *words: str, timeout: float = 500) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "polyloom", "mpirun", "--run-dir", str(folder / "run"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False, cwd=ROOT)


@pytest.fixture(scope="module")
def binaries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert shutil.which("mpicc"), "Open MPI is the reference; run make setup"
    return tmp_path_factory.mktemp("open-mpi")


def source(folder: Path, body: str) -> str:
    path = folder / "program.c"
    path.write_text(f"#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n{body}\n")
    return str(path)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5] if FULL else [1, 2, 5])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_on_cpus_as_under_open_mpi(program: Path, ranks: int, binaries: Path, tmp_path: Path) -> None:
    done = polyloom(tmp_path, "--on", "native", "-n", str(ranks), str(program))
    assert done.returncode == 0, done.stderr
    assert masked(done.stdout) == open_mpi(program, ranks, binaries)


@pytest.mark.parametrize("program", FPGA_PROGRAMS, ids=lambda p: p.stem)
def test_on_fpgas_as_under_open_mpi(program: Path, binaries: Path, tmp_path: Path) -> None:
    done = polyloom(tmp_path, "--cluster", "zrlmpi-4", str(program))
    assert done.returncode == 0, done.stderr
    assert masked(done.stdout) == open_mpi(program, 4, binaries)


def test_what_the_simulator_is_told(tmp_path: Path) -> None:
    program = str(FPGA_PROGRAMS[0])
    done = polyloom(tmp_path, "--cluster", "zrlmpi-4", "--trace", "--engine", "serial", "--seed", "3", program)
    assert done.returncode == 0, done.stderr
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (run["engine"], run["seed"]) == ("serial", 3)
    assert json.loads((tmp_path / "run" / "trace.json").read_text())["traceEvents"]


FAULTS = str(ROOT / "tests" / "mpi" / "faults" / "faults.c")
ON = {"native": ["--on", "native", "-n", "4"], "rtl": ["--cluster", "zrlmpi-4"]}
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
    done = polyloom(tmp_path, *ON[on], FAULTS, what, str(who))
    assert done.returncode == status if status else done.returncode != 0, done.stderr
    assert all(word in done.stderr for word in words), done.stderr
    told = [line for line in done.stderr.splitlines() if line.startswith("polyloom: ")]
    assert len(told) == len(set(told)), "said twice"


@pytest.mark.parametrize("on", ON)
def test_a_deadlock_says_who_waits_for_whom(on: str, tmp_path: Path) -> None:
    done = polyloom(tmp_path, *ON[on], FAULTS, "deadlock")
    assert done.returncode != 0
    for rank in range(4):
        assert re.search(rf"rank {rank}.*rank {(rank + 1) % 4}.*tag {40 + rank}", done.stderr), done.stderr


LIMITS = str(ROOT / "tests" / "mpi" / "faults" / "limits.c")
#: Of tests/mpi/faults/limits.c in RTL: arguments, status, lines of rank 1, what is said. One kernel serves them all;
#: other checks are in polyloom/hls/tests/test_checks.py.
AT_LIMITS: list[tuple[list[str], int, list[str], str]] = [
    (["prints", "28"], 0, [f"line {i}" for i in range(8)], ""),
    (["requests", "40"], 1, [], "rank 1: MPI_Irecv: too many requests at once: a rank has at most 31 on an FPGA"),
    (["reversed", "30", "0", "1"], 0, ["30 reversed, 0 wrong"], ""),
    (["left"], 1, [], "rank 0: its program ended without MPI_Finalize"),
    (["unreceived", "1"], 1, [], "deadlock.*\n.*rank 0 waits in MPI_Finalize for rank 1 to receive, tag 5"),
    (["stop"], 1, [], "rank 1: its kernel has stopped without saying how it ended"),
    (["null", "0"], 1, [], r"rank 1: \S*limits\.c:\d+:\d+: store of 4 bytes at address 0x00000000"),
    (
        ["send", "100000"],
        1,
        [],
        r"rank 1: \S+:\d+:\d+: sends 400000 bytes from 0x\w+, tag 7: no array or block",
    ),
    (["receive", "100000"], 1, [], r"rank 1: \S+:\d+:\d+: receives 400000 bytes at 0x\w+, tag 8: no array"),
]


@pytest.mark.parametrize("to", [0, 1])
def test_a_message_that_no_rank_receives(to: int, tmp_path: Path) -> None:
    done = polyloom(tmp_path, "--on", "native", "-n", "2", LIMITS, "unreceived", str(to))
    assert done.returncode == 1
    assert f"rank 0 waits in MPI_Finalize for rank {to} to receive, tag 5, MPI_COMM_WORLD" in done.stderr


def one_fpga(folder: Path) -> str:
    cluster = folder / "one.toml"
    text = (ROOT / "clusters" / "zrlmpi-4.toml").read_text()
    cluster.write_text(text.replace("size = [3]", "size = [1]"))
    return str(cluster)


@pytest.mark.parametrize(("words", "status", "lines", "said"), AT_LIMITS, ids=lambda v: str(v))
def test_an_fpga_at_its_limits(words: list[str], status: int, lines: list[str], said: str, tmp_path: Path) -> None:
    done = polyloom(tmp_path, "--cluster", one_fpga(tmp_path), "--tag-output", LIMITS, *words)
    own = [line.removeprefix("[1] ") for line in done.stdout.splitlines() if line.startswith("[1] ")]
    if "address" in said or "bytes" in said or words == ["left"]:
        own = ["rank 1 begins"]  # the simulation stopped at once, with this line perhaps under way
    assert own == ["rank 1 begins", *lines], done.stdout + done.stderr
    assert re.match(f".*(?:{said})", done.stderr), done.stderr  # on its first line
    assert (done.returncode == 0) == (status == 0)


@pytest.mark.parametrize("on", ["native", "rtl"])
def test_bytes_that_are_no_text_stay_what_they_are(on: str, tmp_path: Path) -> None:
    """A constant, an argument and a character of rank 1, on standard output and in its log."""
    where = ["--on", "native", "-n", "2"] if on == "native" else ["--cluster", one_fpga(tmp_path)]
    command = [sys.executable, "-m", "polyloom", "mpirun", "--run-dir", str(tmp_path / "run"), *where, LIMITS, "bytes"]
    done = subprocess.run([*command, b"caf\xe9"], capture_output=True, timeout=500, check=True, cwd=ROOT)
    line = b"\xff\xfe caf\xe9 \xf0"
    assert sorted(done.stdout.splitlines()) == [b"rank 0 begins", b"rank 1 begins", line]
    assert (tmp_path / "run" / "logs" / "rank-1.log").read_bytes() == b"rank 1 begins\n" + line + b"\n"
    assert json.loads((tmp_path / "run" / "run.json").read_text())["seed"] == 0, "the default of --seed"


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


@pytest.mark.parametrize(("on", "who"), [("native", 1), ("rtl", 0)])
def test_a_killed_rank_ends_the_job_and_leaves_nothing(on: str, who: int, tmp_path: Path, scratch: Path) -> None:
    begin = time.monotonic()
    done = polyloom(tmp_path, *ON[on], FAULTS, "kill", str(who))
    assert done.returncode != 0 and f"rank {who}" in done.stderr and "signal 6" in done.stderr
    assert on == "rtl" or time.monotonic() - begin < 60
    nothing_is_left(scratch)


@pytest.mark.parametrize("victim", ["polyloom-mpi-manager", "polyloom mpirun"])
def test_a_killed_process_of_our_own_leaves_nothing(victim: str, tmp_path: Path, scratch: Path) -> None:
    """The manager is killed outright, mpirun is asked to end."""
    program = source(tmp_path, 'int main(int c, char **v) { MPI_Init(&c, &v); puts("up"); fflush(stdout); for (;;) ; }')
    command = [sys.executable, "-m", "polyloom", "mpirun", "--run-dir", str(tmp_path / "run"), "--on", "native"]
    job = subprocess.Popen([*command, "-n", "2", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert job.stdout is not None and job.stdout.readline() == "up\n"
    if victim == "polyloom mpirun":
        job.send_signal(signal.SIGTERM)
    else:
        pids = subprocess.run(["pgrep", "-P", str(job.pid), "-f", victim], capture_output=True, text=True, check=True)
        os.kill(int(pids.stdout), signal.SIGKILL)
    _, errors = job.communicate(timeout=30)
    if victim == "polyloom mpirun":
        assert job.returncode == 128 + signal.SIGTERM
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
    done = polyloom(tmp_path, "--json", "--cluster", lossy(tmp_path, 0.001), FAULTS, "ring", "200")
    assert done.returncode == 0, done.stderr
    *lines, last = done.stdout.splitlines()
    assert sorted(lines) == [f"rank {rank}: 200 rounds, 0 wrong" for rank in range(4)]
    counters = json.loads(last)["end"]["counters"].values()
    assert sum(c["not_in_order"] + c["sent_again"] + c["time_outs"] for c in counters) > 0
    payload = sum(4 * (1 + round * 37 % 600) for round in range(200))
    assert all(payload < c["bytes_in"] < 2 * payload and c["cycles"] > c["bytes_in"] / 8 for c in counters)


def test_an_fpga_that_does_not_answer_is_named(tmp_path: Path, scratch: Path) -> None:
    done = polyloom(tmp_path, "--cluster", lossy(tmp_path, 1), FAULTS, "ring", "1")
    assert done.returncode != 0
    assert "rank 1: its FPGA does not answer to management" in done.stderr, done.stderr
    nothing_is_left(scratch)


def test_a_timeout_ends_the_job(tmp_path: Path) -> None:
    program = source(tmp_path, "int main(int c, char **v) { MPI_Init(&c, &v); for (;;) ; }")
    done = polyloom(tmp_path, "--on", "native", "-n", "2", "--timeout", "2", program)
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
    done = polyloom(tmp_path, "--on", "native", "-np", "2", "--timeout", "8", program)
    assert sorted(done.stdout.splitlines()) == ["rank 0 is here", "rank 1 is here"]
    status, words = ENDS[end]
    first = done.stderr.splitlines()[0]
    assert words in done.stderr and "another host program" not in first, done.stderr
    assert done.returncode == status or words == "deadlock"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-n", "-3"], "-n -3: allowed are 1 to"),
        (["-n", "0"], "-n 0: allowed are 1 to"),
        (["--np", "40000"], "-n 40000: allowed are 1 to"),
        (["-np", "2", "--timeout", "nan"], "--timeout nan"),
        (["-np", "2", "--timeout", "-1"], "--timeout -1"),
        (["--on", "rtl", "--engine", "bogus"], "--engine bogus: allowed are serial"),
        (["--on", "rtl", "--seed", "-1"], "--seed -1"),
        (["--on", "rtl", "--seed", str(1 << 64)], f"--seed {1 << 64}: allowed are 0 to"),
    ],
)
def test_options_that_make_no_sense_are_refused_at_once(words: list[str], message: str, tmp_path: Path) -> None:
    done = polyloom(tmp_path, "--on", "native", *words, str(PROGRAMS[0]))
    assert done.returncode != 0 and message in done.stderr, done.stderr
    assert not (tmp_path / "run").exists()


def test_a_program_without_main_is_named(tmp_path: Path) -> None:
    done = polyloom(tmp_path, "--on", "native", "-np", "2", source(tmp_path, "int f(void) { return 1; }"))
    assert done.returncode != 0 and "the program has no main" in done.stderr


def test_a_native_job_leaves_its_record(tmp_path: Path) -> None:
    program = source(tmp_path, "int main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); return c == 2 ? 5 : 0; }")
    assert polyloom(tmp_path, "--on", "native", "-np", "3", program).returncode == 0
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (run["app"], run["on"], run["ranks"], run["exit_status"]) == ("program", "native", 3, 0)
    assert (tmp_path / "run" / "report.html").is_file()


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
    done = polyloom(tmp_path, "--on", "native", "-n", "3", source(tmp_path, LEAVE), how, timeout=60)
    assert done.returncode == 1
    assert done.stderr == "polyloom: rank 1: its program ended without MPI_Finalize\n"


def test_what_calls_no_mpi_goes_well_if_no_rank_does(tmp_path: Path) -> None:
    job = ["--on", "native", "-n", "3", source(tmp_path, LEAVE)]
    done = polyloom(tmp_path, *job, "no", timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "no MPI\n" * 3, "")
    done = polyloom(tmp_path, *job, "some", str(tmp_path / "first"), timeout=60)
    assert done.returncode == 1
    assert re.match(r"polyloom: rank \d: its program ended without MPI_Init, which every", done.stderr), done.stderr


def test_a_rank_that_leaves_a_daemon(tmp_path: Path, scratch: Path) -> None:
    """The daemon has a session of its own and holds the rank's pipes."""
    words = ["--json", "--on", "native", "-n", "2", source(tmp_path, LEAVE), "daemon"]
    done = polyloom(tmp_path, *words, timeout=60)
    assert done.returncode == 0, done.stderr
    first, last = done.stdout.splitlines()
    assert first == "no newline" and json.loads(last)["exit_status"] == 0
    assert (tmp_path / "run" / "report.html").is_file() and (tmp_path / "run" / "logs" / "rank-1.log").is_file()
    nothing_is_left(scratch)


@pytest.mark.parametrize("program", REFUSED, ids=lambda p: p.stem)
def test_what_hardware_cannot_do_is_refused_with_its_place(program: Path, tmp_path: Path) -> None:
    place, words = re.search(r"refused: (\S+:\d+): (.*) \*/", program.read_text()).groups()  # type: ignore[union-attr]
    done = polyloom(tmp_path, str(program))
    assert done.returncode != 0
    assert place in done.stderr and words in done.stderr, done.stderr
    assert not list(tmp_path.rglob("*.log")), "nothing was started"


def test_a_kernel_that_is_too_large_is_refused(tmp_path: Path) -> None:
    body = (
        "static double big[1 << 28]; int main(int c, char **v) { MPI_Init(&c, &v); MPI_Bcast(big, c << 18, MPI_DOUBLE, "
    )
    done = polyloom(tmp_path, source(tmp_path, body + "0, MPI_COMM_WORLD); return MPI_Finalize(); }"))
    assert done.returncode != 0 and "bytes of DRAM" in done.stderr and "big" in done.stderr, done.stderr
    assert not list(tmp_path.rglob("*.log")), "nothing was started"


def test_an_error_of_the_program_comes_as_the_compiler_writes_it(tmp_path: Path) -> None:
    done = polyloom(tmp_path, source(tmp_path, "int main(int c, char **v) { return 1 +; }"))
    assert done.returncode != 0 and "program.c:4:" in done.stderr

# SPDX-License-Identifier: Apache-2.0
# Covers: what one FPGA cannot do, told as the job ends: too many requests, too long a message, addresses of
#         nothing; messages that no rank receives; bytes that are no text.
# Leaves out: other checks of kernels (polyloom/hls/tests/test_checks.py).
from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mpi_jobs import LIMITS, ROOT, WIRE, mpirun

#: Of tests/mpi/faults/limits.c: arguments, status, lines of rank 1, what is said. One kernel serves them all;
#: other checks are in polyloom/hls/tests/test_checks.py.
AT_LIMITS: list[tuple[list[str], int, list[str], str]] = [
    (["prints", "28"], 0, [f"line {i}" for i in range(8)], ""),
    (
        ["requests", "260"],
        1,
        [],
        r"rank 1: MPI_Irecv: too many requests at once: a rank has at most 255 on an FPGA.*, at \S*limits\.c:\d+:\d+",
    ),
    (["reversed", "30", "0", "1"], 0, ["30 reversed, 0 wrong"], ""),
    (["left"], 1, [], "rank 0: its program ended without MPI_Finalize"),
    (["unreceived", "1"], 1, [], "deadlock.*\n.*rank 0 waits in MPI_Finalize for rank 1 to receive, tag 5"),
    (["stop"], 1, [], "rank 1: its kernel has stopped without saying how it ended"),
    (["null", "0"], 1, [], r"rank 1: \S*limits\.c:\d+:\d+: store of 4 bytes at address 0x00000000"),
    (
        ["send", "100000"],
        1,
        [],
        r"rank 1: \S*limits\.c:\d+:\d+: sends 400000 bytes from 0x\w+, tag 7: no array or block",
    ),
    (["receive", "100000"], 1, [], r"rank 1: \S*limits\.c:\d+:\d+: receives 400000 bytes at 0x\w+, tag 8: no array"),
]


@pytest.mark.parametrize("to", [0, 1])
def test_a_message_that_no_rank_receives(to: int, tmp_path: Path) -> None:
    done = mpirun(tmp_path, *WIRE, "-n", "2", LIMITS, "unreceived", str(to))
    assert done.returncode == 1
    assert f"rank 0 waits in MPI_Finalize for rank {to} to receive, tag 5, MPI_COMM_WORLD" in done.stderr


def one_fpga(folder: Path) -> str:
    cluster = folder / "one.toml"
    text = (ROOT / "clusters" / "zrlmpi-4.toml").read_text()
    cluster.write_text(text.replace("size = [3]", "size = [1]"))
    return str(cluster)


@pytest.mark.parametrize(("words", "status", "lines", "said"), AT_LIMITS, ids=lambda v: str(v))
def test_an_fpga_at_its_limits(words: list[str], status: int, lines: list[str], said: str, tmp_path: Path) -> None:
    done = mpirun(tmp_path, "--cluster", one_fpga(tmp_path), "--tag-output", LIMITS, *words)
    own = [line.removeprefix("[1] ") for line in done.stdout.splitlines() if line.startswith("[1] ")]
    if "address" in said or "bytes" in said or words == ["left"]:
        own = ["rank 1 begins"]  # the simulation stopped at once, with this line perhaps under way
    assert own == ["rank 1 begins", *lines], done.stdout + done.stderr
    assert re.match(f".*(?:{said})", done.stderr), done.stderr  # on its first line
    assert (done.returncode == 0) == (status == 0)


@pytest.mark.parametrize("on", ["native", "wire", "sim"])
def test_bytes_that_are_no_text_stay_what_they_are(on: str, tmp_path: Path) -> None:
    """A constant, an argument and a character of rank 1, on standard output and in its log."""
    processes = ["--on", "native", "-n", "2", *(["--wire"] if on == "wire" else [])]
    where = ["--cluster", one_fpga(tmp_path)] if on == "sim" else processes
    command = [sys.executable, "-m", "polyloom", "mpirun", "--run-dir", str(tmp_path / "run"), *where, LIMITS, "bytes"]
    done = subprocess.run([*command, b"caf\xe9"], capture_output=True, timeout=500, check=True, cwd=ROOT)
    line = b"\xff\xfe caf\xe9 \xf0"
    assert sorted(done.stdout.splitlines()) == [b"rank 0 begins", b"rank 1 begins", line]
    assert (tmp_path / "run" / "logs" / "rank-1.log").read_bytes() == b"rank 1 begins\n" + line + b"\n"
    assert json.loads((tmp_path / "run" / "run.json").read_text())["seed"] == 0, "the default of --seed"

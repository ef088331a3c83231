# SPDX-License-Identifier: Apache-2.0
# Covers: a run of more than two seconds says on a terminal how far it is, in one line that is rewritten; JSON on
# standard output stays JSON. Leaves out: the text (roles/simulator/progress_test.cc), the lines of a log.
from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

from conftest import ROOT

#: Simulated cycles of a cluster whose only link is dead: some seconds of nothing but retransmissions.
CYCLES = 600_000_000


def run(folder: Path, stderr: int) -> subprocess.CompletedProcess[str]:
    text = (ROOT / "clusters" / "laptop.toml").read_text()
    text = text.replace("[link]\n", "[link]\ndrop_rate = 1\n")
    text = text.replace("[overlay]\n", "[overlay]\nlink_down_after = 1_000_000\n")
    (folder / "dead.toml").write_text(text)
    command = [sys.executable, "-m", "polyloom", "run", "sssp", "--generate", "uniform:150:4", "--on", "sim", "--json",
               "--cluster", str(folder / "dead.toml"), "--no-report", "--max-cycles", str(CYCLES),
               "--run-dir", str(folder / "run")]  # fmt: skip
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, text=True, check=False, timeout=300, cwd=ROOT)


def test_a_terminal_shows_how_far_a_run_is(tmp_path: Path) -> None:
    theirs, ours = pty.openpty()
    done = run(tmp_path, ours)
    os.close(ours)
    shown = b""
    try:
        while part := os.read(theirs, 65536):
            shown += part
    except OSError:  # all is read, and nobody writes any more
        pass
    os.close(theirs)
    lines = [line for line in shown.decode().split("\r") if line.startswith("simulated ")]
    assert lines, shown
    for line in lines:
        assert "supersteps" in line or "instructions" in line, line
        assert "cycles/s" in line and "% of the limit, at most" in line and line.rstrip().endswith("left\x1b[K"), line
    assert done.returncode == 1 and f"{CYCLES} cycles (--max-cycles)" in shown.decode()
    assert done.stdout == "" or json.loads(done.stdout)

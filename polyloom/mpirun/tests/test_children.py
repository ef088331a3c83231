# SPDX-License-Identifier: Apache-2.0
# Covers: output, exit statuses, that nothing outlives the context (stubborn and grandchild processes).
# Leaves out: which programs a job starts (test_launch.py).
from __future__ import annotations

import os
import subprocess
import sys
import time

from polyloom.mpirun.children import Children


def alive(marker: str) -> bool:
    listing = subprocess.run(["ps", "-eww", "-o", "args"], capture_output=True, text=True, check=True).stdout
    return any(marker in line for line in listing.splitlines())


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_lines_come_with_their_child_and_stream() -> None:
    lines: list[tuple[str, str, str]] = []
    with Children(lambda *line: lines.append(line)) as children:
        children.start("a", python("print('one'); import sys; print('two', file=sys.stderr, end='')"), {}, None)
        ended = children.next_end(20)
        assert ended is not None and ended.name == "a" and ended.status == 0
    assert sorted(lines) == [("a", "stderr", "two"), ("a", "stdout", "one\n")]


def test_statuses_are_those_of_a_shell() -> None:
    with Children(lambda *_: None) as children:
        children.start("exits", python("raise SystemExit(7)"), {}, None)
        children.start("killed", python("import os; os.kill(os.getpid(), 9)"), {}, None)
        ends = {child.name: child.status for child in (children.next_end(20), children.next_end(20)) if child}
    assert ends == {"exits": 7, "killed": 137}


def test_no_end_within_the_time_is_none() -> None:
    with Children(lambda *_: None) as children:
        children.start("sleeps", python("import time; time.sleep(60)"), {}, None)
        assert children.next_end(0.2) is None


def test_the_environment_and_standard_input_reach_the_child() -> None:
    lines: list[str] = []
    code = "import os, sys; print(os.environ['POLYLOOM_TEST_WORD'], sys.stdin.read())"
    with Children(lambda _name, _stream, line: lines.append(line)) as children:
        child = children.start("reads", python(code), {"POLYLOOM_TEST_WORD": "word"}, subprocess.PIPE)
        assert child.process.stdin is not None
        child.process.stdin.write("given")
        child.process.stdin.close()
        assert children.next_end(20) is not None
    assert lines == ["word given\n"]


def test_nothing_is_left_even_of_what_ignores_signals() -> None:
    marker = f"polyloom-marker-{os.getpid()}-{time.monotonic_ns()}"
    grandchild = f"import time; time.sleep(300)  # {marker}-grandchild"
    code = (
        "import signal, subprocess, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        f"subprocess.Popen([sys.executable, '-c', {grandchild!r}]); "
        f"print('up', flush=True); time.sleep(300)  # {marker}"
    )
    up: list[str] = []
    with Children(lambda _name, _stream, line: up.append(line)) as children:
        children.start("stubborn", python(code), {}, None)
        deadline = time.monotonic() + 20
        while not up and time.monotonic() < deadline:
            time.sleep(0.05)
        assert alive(marker)
    assert not alive(marker)

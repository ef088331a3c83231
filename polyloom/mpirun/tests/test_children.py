# SPDX-License-Identifier: Apache-2.0
# Covers: output, exit statuses, that nothing outlives the context (stubborn and grandchild processes, daemons).
# Leaves out: which programs a job starts (test_launch.py).
from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

from polyloom.mpirun import children
from polyloom.mpirun.children import Children


def alive(marker: str) -> bool:
    listing = subprocess.run(["ps", "-eww", "-o", "args"], capture_output=True, text=True, check=True).stdout
    return any(marker in line for line in listing.splitlines())


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_lines_come_with_their_child_and_stream() -> None:
    lines: list[tuple[str, str, bytes]] = []
    with Children(lambda *line: lines.append(line)) as job:
        job.start("a", python("print('one'); import sys; print('two', file=sys.stderr, end='')"), {}, None)
        ended = job.next_end(20)
        assert ended is not None and ended.name == "a" and ended.status == 0
    assert sorted(lines) == [("a", "stderr", b"two"), ("a", "stdout", b"one\n")]


@pytest.mark.parametrize("size", [1, children.PIPE_BYTES - 1, children.PIPE_BYTES, 300_000])
def test_lines_are_the_bytes_that_were_written(size: int) -> None:
    """Also those that a text would not be: no UTF-8, a carriage return, a zero; and lines longer than a pipe."""
    lines: list[bytes] = []
    parts = [b"\xff" * size + b"\n", b"\n", b"a\r\n", b"b\rc\x0b\n", b"\0"]
    code = f"import sys; sys.stdout.buffer.write(b'\\xff' * {size} + {b''.join(parts)[size:]!r})"
    with Children(lambda _name, _stream, line: lines.append(line)) as job:
        job.start("a", python(code), {}, None)
        assert job.next_end(20) is not None
    assert lines == parts


def test_what_a_child_has_written_is_waited_for() -> None:
    """Caught up: not while a line is in the pipe, nor while the callback has it."""
    lines: list[bytes] = []
    go_on = threading.Event()

    def hear(_name: str, _stream: str, line: bytes) -> None:
        go_on.wait(20)
        lines.append(line)

    with Children(hear) as job:
        writer = job.start("writes", python("import sys; print(sys.stdin.read(), flush=True)"), {}, subprocess.PIPE)
        assert job.caught_up("writes")
        assert writer.process.stdin is not None
        writer.process.stdin.close()
        writer.process.wait(20)
        assert not job.caught_up("writes")
        go_on.set()
        assert job.next_end(20) is not None
        assert job.caught_up("writes") and lines == [b"\n"]


def test_statuses_are_those_of_a_shell() -> None:
    with Children(lambda *_: None) as job:
        job.start("exits", python("raise SystemExit(7)"), {}, None)
        job.start("killed", python("import os; os.kill(os.getpid(), 9)"), {}, None)
        ends = {child.name: child.status for child in (job.next_end(20), job.next_end(20)) if child}
    assert ends == {"exits": 7, "killed": 137}


def test_no_end_within_the_time_is_none() -> None:
    with Children(lambda *_: None) as job:
        job.start("sleeps", python("import time; time.sleep(60)"), {}, None)
        assert job.next_end(0.2) is None


def test_the_environment_and_standard_input_reach_the_child() -> None:
    lines: list[bytes] = []
    code = "import os, sys; print(os.environ['POLYLOOM_TEST_WORD'], sys.stdin.read())"
    with Children(lambda _name, _stream, line: lines.append(line)) as job:
        child = job.start("reads", python(code), {"POLYLOOM_TEST_WORD": "word"}, subprocess.PIPE)
        assert child.process.stdin is not None
        child.process.stdin.write(b"given")
        child.process.stdin.close()
        assert job.next_end(20) is not None
    assert lines == [b"word given\n"]


def test_nothing_is_left_even_of_what_ignores_signals() -> None:
    marker = f"polyloom-marker-{os.getpid()}-{time.monotonic_ns()}"
    grandchild = f"import time; time.sleep(300)  # {marker}-grandchild"
    code = (
        "import signal, subprocess, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        f"subprocess.Popen([sys.executable, '-c', {grandchild!r}]); "
        f"print('up', flush=True); time.sleep(300)  # {marker}"
    )
    up: list[bytes] = []
    with Children(lambda _name, _stream, line: up.append(line)) as job:
        job.start("stubborn", python(code), {}, None)
        deadline = time.monotonic() + 20
        while not up and time.monotonic() < deadline:
            time.sleep(0.05)
        assert alive(marker)
    assert not alive(marker)


@pytest.mark.parametrize("ends", [True, False])
def test_a_daemon_is_ended_too(ends: bool) -> None:
    """It has a session of its own, holds the streams, and its parent has ended."""
    marker = f"polyloom-marker-{os.getpid()}-{time.monotonic_ns()}"
    daemon = f"import time; print('up', flush=True); time.sleep(300)  # {marker}"
    rest = "" if ends else "; time.sleep(300)"
    code = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {daemon!r}], start_new_session=True)"
    up = threading.Event()
    with Children(lambda *_: up.set()) as job:
        job.start("starts", python(code + rest), {}, None)
        assert up.wait(20) and alive(marker)
    assert not alive(marker)

# SPDX-License-Identifier: Apache-2.0
"""Runs a child program so that nothing outlives us. Input: command, environment; output: its exit status."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path


def run_child(
    command: list[str],
    env: Mapping[str, str],
    cwd: Path,
    capture_stdout: bool = False,
    on_line: Callable[[str], None] | None = None,
) -> tuple[int, str]:
    """Run ``command`` in a process group of its own and wait for it.

    ``on_line`` is called with each line of its output (standard error included) as it comes.

    Ctrl-C and SIGTERM are passed on to the whole group; if it has not ended 5 s later it is killed.
    Returns (exit status as a shell shows it, captured standard output or "").
    """
    child: subprocess.Popen[str] | None = None
    early: list[int] = []

    def forward(signum: int, _frame: object) -> None:
        if child is None:
            early.append(signum)  # the child is being started, and may be there already
        else:
            _signal_group(child, signum)

    previous = {s: signal.signal(s, forward) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        child = subprocess.Popen(
            command,
            env={**os.environ, **env},
            cwd=cwd,
            stdout=subprocess.PIPE if capture_stdout or on_line else None,
            stderr=subprocess.STDOUT if on_line else None,
            text=True,
            start_new_session=True,
        )
        for signum in early:
            _signal_group(child, signum)
        if on_line and child.stdout:
            for line in child.stdout:
                on_line(line.rstrip("\n"))
        output, _ = child.communicate()
    finally:
        for signum, handler in previous.items():
            signal.signal(signum, handler)
        if child is not None:
            _end_group(child)
    status = child.returncode
    return (128 - status if status < 0 else status), output or ""


def _signal_group(child: subprocess.Popen[str], signum: int) -> None:
    try:
        os.killpg(child.pid, signum)
    except ProcessLookupError:
        return


def _end_group(child: subprocess.Popen[str]) -> None:
    """Make sure that no member of the child's group is left."""
    if child.poll() is None:
        _signal_group(child, signal.SIGTERM)
        try:
            child.wait(timeout=5)
        except subprocess.TimeoutExpired:
            _signal_group(child, signal.SIGKILL)
            child.wait()
    _signal_group(child, signal.SIGKILL)

# SPDX-License-Identifier: Apache-2.0
"""The processes of a job: started together, ended together. Nothing outlives ``Children``, nor us if we are killed.

Each has a session of its own, so that signals reach what it started too. Lines of output go to a callback from one
thread a stream; the callback gets (name, stream, line with its newline).
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import IO

from polyloom import interrupts, process

OnLine = Callable[[str, str, str], None]

#: How long a child that was asked to end may take before it is killed.
GRACE_SECONDS = 5.0


@dataclass
class Child:
    """A running process of the job."""

    name: str
    process: subprocess.Popen[str]
    readers: list[threading.Thread] = field(default_factory=list)

    @property
    def status(self) -> int | None:
        """Exit status as a shell shows it; None while it runs."""
        code = self.process.poll()
        return None if code is None else 128 - code if code < 0 else code


class Children:
    """A context: on leaving it every process is gone. Ctrl-C, SIGTERM and SIGHUP leave it by an exception.

    Each child inherits ``descriptors``.
    """

    def __init__(self, on_line: OnLine, descriptors: Sequence[int] = ()) -> None:
        self._on_line = on_line
        self._descriptors = descriptors
        self._leaving = False
        self._children: dict[str, Child] = {}
        self._ended: queue.Queue[str] = queue.Queue()

    def __enter__(self) -> Children:
        process.guard()
        self._handled = process.handled(self._leave)
        self._handled.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._leaving = True
        try:
            self.end()
        finally:
            self._handled.__exit__(None, None, None)

    def _leave(self, signum: int, _frame: FrameType | None) -> None:
        if self._leaving:
            return
        interrupts.end(signum)

    def start(self, name: str, command: Sequence[str], env: Mapping[str, str], stdin: IO[str] | int | None) -> Child:
        """Start a process; ``stdin`` as for Popen."""
        started = subprocess.Popen(
            command,
            env={**os.environ, **env},
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            bufsize=1,
            start_new_session=True,
            pass_fds=self._descriptors,
        )
        child = Child(name, started)
        self._children[name] = child
        for stream, pipe in (("stdout", started.stdout), ("stderr", started.stderr)):
            assert pipe is not None
            reader = threading.Thread(target=self._read, args=(name, stream, pipe), daemon=True)
            reader.start()
            child.readers.append(reader)
        threading.Thread(target=self._wait, args=(child,), daemon=True).start()
        return child

    def next_end(self, timeout: float | None) -> Child | None:
        """The next child that has ended, its output read to the end; None if the time is over first."""
        with contextlib.suppress(queue.Empty):
            return self._children[self._ended.get(timeout=timeout)]
        return None

    def dead(self, names: Collection[str]) -> list[Child]:
        """Those of the children that run no more; their output may not have been read to the end."""
        return [child for name, child in self._children.items() if name in names and child.status is not None]

    def end(self) -> None:
        """Ask every process that still runs to end, wait, kill."""
        running = [child for child in self._children.values() if child.process.poll() is None]
        for child in running:
            _signal(child, signal.SIGTERM)
        deadline = time.monotonic() + GRACE_SECONDS
        for child in running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.process.wait(timeout=max(0.0, deadline - time.monotonic()))
        for child in self._children.values():
            _signal(child, signal.SIGKILL)
            child.process.wait()
            for reader in child.readers:
                reader.join(timeout=1)

    def _read(self, name: str, stream: str, pipe: IO[str]) -> None:
        with pipe:
            for line in pipe:
                self._on_line(name, stream, line)

    def _wait(self, child: Child) -> None:
        child.process.wait()
        for reader in child.readers:
            reader.join(timeout=GRACE_SECONDS)
        self._ended.put(child.name)


def _signal(child: Child, signum: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.process.pid, signum)

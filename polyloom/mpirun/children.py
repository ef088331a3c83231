# SPDX-License-Identifier: Apache-2.0
"""The processes of a job: started together, ended together. Nothing outlives ``Children``.

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
from typing import IO

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
    """A context: on leaving it every process is gone. SIGTERM and SIGHUP leave it by SystemExit, as Ctrl-C does."""

    def __init__(self, on_line: OnLine) -> None:
        self._on_line = on_line
        self._children: dict[str, Child] = {}
        self._ended: queue.Queue[str] = queue.Queue()

    def __enter__(self) -> Children:
        self._handlers = {s: signal.signal(s, _leave) for s in (signal.SIGTERM, signal.SIGHUP)}
        return self

    def __exit__(self, *_: object) -> None:
        for signum in self._handlers:
            signal.signal(signum, signal.SIG_IGN)  # we are leaving
        try:
            self.end()
        finally:
            for signum, handler in self._handlers.items():
                signal.signal(signum, handler)

    def start(self, name: str, command: Sequence[str], env: Mapping[str, str], stdin: IO[str] | int | None) -> Child:
        """Start a process; ``stdin`` as for Popen."""
        process = subprocess.Popen(
            command,
            env={**os.environ, **env},
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            bufsize=1,
            start_new_session=True,
        )
        child = Child(name, process)
        self._children[name] = child
        for stream, pipe in (("stdout", process.stdout), ("stderr", process.stderr)):
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


def _leave(signum: int, _frame: object) -> None:
    raise SystemExit(128 + signum)


def _signal(child: Child, signum: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.process.pid, signum)

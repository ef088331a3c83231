# SPDX-License-Identifier: Apache-2.0
"""The processes of a job: started together, ended together. Nothing outlives ``Children``, nor us if we are killed.

Each has a session of its own, so that signals reach what it started too; what leaves that session (a daemon) is known
by a variable of its environment. Lines of output go to a callback from one thread a stream; the callback gets (name,
stream, line with its newline), the line as bytes, since programs print what they like.
"""

from __future__ import annotations

import contextlib
import functools
import os
import queue
import secrets
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import IO

from polyloom.base import interrupts, process, supervisor

OnLine = Callable[[str, str, bytes], None]

#: How long a child that was asked to end may take before it is killed.
GRACE_SECONDS = 5.0
PIPE_BYTES = 1 << 16  # what a pipe holds


class Reader(threading.Thread):
    """Hands a pipe's lines on, until the last of those that write into it is gone."""

    def __init__(self, pipe: IO[bytes], on_line: Callable[[bytes], None]) -> None:
        super().__init__(daemon=True)
        self._pipe = pipe
        self._on_line = on_line
        self._busy = threading.Lock()  # held from a read to the end of what it leads to

    def run(self) -> None:
        """What the thread does."""
        begun: list[bytes] = []  # of a line whose end is still to come
        while not self._pipe.closed:
            self._readable(None)
            with self._busy:
                data = os.read(self._pipe.fileno(), PIPE_BYTES)
                try:
                    begun = self._hand_on(begun, data)
                except BaseException:
                    data = b""  # so that who writes does not wait for ever
                    raise
                finally:
                    if not data:
                        self._pipe.close()

    def _hand_on(self, begun: list[bytes], data: bytes) -> list[bytes]:
        """``data`` is empty at the end of the pipe, where a line may lack its newline."""
        *whole, rest = data.split(b"\n")
        for line in whole:
            self._on_line(b"".join([*begun, line, b"\n"]))
            begun = []
        if not data and begun:
            self._on_line(b"".join(begun))
        return [*begun, rest] if rest else begun

    def _readable(self, seconds: int | None) -> bool:
        poll = select.poll()
        poll.register(self._pipe, select.POLLIN)
        return bool(poll.poll(seconds))

    def caught_up(self) -> bool:
        """Whether all that had been written when we asked has been handed on. Does not wait."""
        if not self._busy.acquire(blocking=False):
            return False
        try:
            return self._pipe.closed or not self._readable(0)
        finally:
            self._busy.release()


@dataclass
class Child:
    """A running process of the job."""

    name: str
    process: subprocess.Popen[bytes]
    readers: list[Reader] = field(default_factory=list)

    @property
    def status(self) -> int | None:
        """Exit status as a shell shows it; None while it runs."""
        code = self.process.poll()
        return None if code is None else 128 - code if code < 0 else code

    @property
    def signal(self) -> int | None:
        """The signal that ended it; a program may end itself with a status above 128 too."""
        code = self.process.poll()
        return -code if code is not None and code < 0 else None


class Children:
    """A context: on leaving it every process is gone. Ctrl-C, SIGTERM and SIGHUP leave it by an exception."""

    def __init__(self, on_line: OnLine) -> None:
        self._on_line = on_line
        self._mark = f"POLYLOOM_JOB_{secrets.token_hex(8)}"
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

    def start(
        self,
        name: str,
        command: Sequence[str],
        env: Mapping[str, str],
        stdin: IO[bytes] | int | None,
        descriptors: Sequence[int] = (),
    ) -> Child:
        """Start a process, which inherits ``descriptors``; ``stdin`` as for Popen."""
        started = subprocess.Popen(
            command,
            env={**os.environ, **env, self._mark: "1"},
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=descriptors,
        )
        child = Child(name, started)
        self._children[name] = child
        for stream, pipe in (("stdout", started.stdout), ("stderr", started.stderr)):
            assert pipe is not None
            child.readers.append(Reader(pipe, functools.partial(self._on_line, name, stream)))
            child.readers[-1].start()
        threading.Thread(target=self._wait, args=(child,), daemon=True).start()
        return child

    def next_end(self, timeout: float | None) -> Child | None:
        """The next child that has ended, its output read to the end; None if the time is over first."""
        with contextlib.suppress(queue.Empty):
            return self._children[self._ended.get(timeout=timeout)]
        return None

    def report(self, names: Collection[str], signum: int) -> None:
        """Send a signal to those of the children that run."""
        for name in names:
            if self._children[name].process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    self._children[name].process.send_signal(signum)

    def dead(self, names: Collection[str]) -> list[Child]:
        """Those of the children that run no more; their output may not have been read to the end."""
        return [child for name, child in self._children.items() if name in names and child.status is not None]

    def caught_up(self, name: str) -> bool:
        """Whether the callback has had all that this child had written when we asked. Does not wait."""
        return all(reader.caught_up() for reader in self._children[name].readers)

    def end(self) -> None:
        """Ask every process that still runs to end, wait, kill; then what they have started and left."""
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
        if supervisor.marked(self._mark):
            supervisor.end_all(self._mark)
        for child in self._children.values():
            _join(child, 1)

    def _wait(self, child: Child) -> None:
        child.process.wait()
        _join(child, GRACE_SECONDS)
        self._ended.put(child.name)


def _join(child: Child, seconds: float) -> None:
    """Wait for the end of its output, for so long: what it has started may hold its pipes."""
    deadline = time.monotonic() + seconds
    for reader in child.readers:
        reader.join(timeout=max(0.0, deadline - time.monotonic()))


def _signal(child: Child, signum: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.process.pid, signum)

# SPDX-License-Identifier: Apache-2.0
"""Runs commands of polyloom, each in a fork of one process that has loaded them all: what a test of hundreds of command
lines pays is their work, not their imports.

``Commands`` starts the server and talks to it. The server reads a line of JSON a command (words, folder, environment,
files of its two streams, seconds) and responds with a line: its exit status, -2 if it had to be interrupted by Ctrl-C
after those seconds, -9 if it had to be killed then.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

#: After a Ctrl-C a command may take so long to end in good order.
PATIENCE = 30.0
INTERRUPTED, KILLED = -2, -9


class Done:
    """A finished command: status, streams, with --json its result."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status = status
        self.out = out
        self.err = err

    @property
    def json(self) -> dict[str, Any]:
        """The last line of standard output."""
        result = json.loads(self.out.strip().splitlines()[-1])
        assert isinstance(result, dict)
        return result


class Commands:
    """The server, as a context; ``run`` runs a command of polyloom in a folder."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._environment = {**os.environ, **environment}

    def __enter__(self) -> Commands:
        command = [sys.executable, __file__]
        pipe = subprocess.PIPE
        self._server = subprocess.Popen(command, env=self._environment, stdin=pipe, stdout=pipe, text=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait()

    def run(self, folder: Path, *words: object, seconds: float = 60, **environment: str) -> Done:
        """``words`` may hold lone surrogates: bytes that are no UTF-8. After ``seconds`` it gets Ctrl-C."""
        assert self._server.stdin is not None and self._server.stdout is not None
        streams = [folder.parent / f".{folder.name}.{name}" for name in ("out", "err")]
        reported = {
            "words": [str(word) for word in words],
            "folder": str(folder),
            "environment": {**self._environment, **environment},
            "streams": [str(stream) for stream in streams],
            "seconds": seconds,
        }
        self._server.stdin.write(json.dumps(reported) + "\n")
        self._server.stdin.flush()
        status = int(self._server.stdout.readline())
        result = Done(status, *(stream.read_text(errors="replace") for stream in streams))
        for stream in streams:
            stream.unlink()
        return result


def serve() -> None:
    """Done until the end of standard input; in the fork of a command this ends as the command does."""
    from polyloom.cli import clean as _clean  # noqa: F401
    from polyloom.cli import doctor as _doctor  # noqa: F401
    from polyloom.cli import main as cli
    from polyloom.collectives import command as _collectives  # noqa: F401
    from polyloom.jobs.isatest import command as _isatest  # noqa: F401
    from polyloom.mpirun import build as _build  # noqa: F401
    from polyloom.nbody import command as _nbody  # noqa: F401
    from polyloom.synth import flow as _synth  # noqa: F401

    for line in sys.stdin:
        reported = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(reported)
            _run(cli.main)
        print(_status_of(child, reported["seconds"]), flush=True)


def _run(main: Callable[[], None]) -> NoReturn:
    """To the end of the process, but for taking all modules apart, which would be most of a short command's time."""
    status: object = 1
    try:
        main()
    except SystemExit as end:
        status = end.code
    except BaseException:
        traceback.print_exc()
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    os._exit(status if isinstance(status, int) else 0)


def _become(reported: dict[str, Any]) -> None:
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(reported["folder"])
    os.environ.clear()
    os.environ.update(reported["environment"])
    for descriptor, stream in enumerate(["/dev/null", *reported["streams"]]):
        flags = os.O_RDONLY if descriptor == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        os.dup2(os.open(stream, flags, 0o600), descriptor)
    sys.argv = ["polyloom", *reported["words"]]


def _status_of(child: int, seconds: float) -> int:
    if _ended(child, seconds):
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for signum, patience in ((signal.SIGINT, PATIENCE), (signal.SIGKILL, None)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signum)
        if _ended(child, patience):
            os.waitpid(child, 0)
            return INTERRUPTED if signum == signal.SIGINT else KILLED
    raise AssertionError("a process that was killed does not end")


def _ended(child: int, seconds: float | None) -> bool:
    """Whether it ends within the time; it is not reaped."""
    limit = None if seconds is None else time.monotonic() + seconds
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if limit is not None and time.monotonic() > limit:
            return False
        time.sleep(0.005)
    return True


if __name__ == "__main__":
    serve()

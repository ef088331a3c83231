# SPDX-License-Identifier: Apache-2.0
"""Ends what a launcher has started if the launcher itself dies, however it dies.

Usage: python -I -S supervisor.py MARK, started by ``process.guard`` with a pipe as standard input. MARK is the name of
an environment variable that all descendants of the launcher inherit, whatever sessions and groups they make. The pipe
ends when the launcher does. Then all that bears the mark is asked to end, killed after GRACE_SECONDS, and folders go
that the launcher had registered by lines "+PATH" on the pipe and not given back by "-PATH".
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

#: A simulator that is asked to end writes its record first.
GRACE_SECONDS = 3.0
_PAUSE = 0.05
#: A child between fork and exec does not bear the mark yet, so one look that finds nothing proves nothing.
_EMPTY_LOOKS = 3


def marked(mark: str) -> list[int]:
    """Processes that live and bear the mark."""
    return [int(e.name) for e in Path("/proc").iterdir() if e.name.isdigit() and _bears(int(e.name), mark)]


def _bears(pid: int, mark: str) -> bool:
    try:
        return f"{mark}=".encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:  # gone, or somebody else's
        return False


def end_all(mark: str) -> None:
    """End all that bears the mark; returns when nothing does any more."""
    begin = time.monotonic()
    requested: set[int] = set()
    looks = 0
    while looks < _EMPTY_LOOKS:
        found = marked(mark)
        looks = 0 if found else looks + 1
        late = time.monotonic() - begin > GRACE_SECONDS
        for pid in found:
            if late or pid not in requested:
                _send(pid, mark, signal.SIGKILL if late else signal.SIGTERM)
                requested.add(pid)
        time.sleep(_PAUSE)


def _send(pid: int, mark: str, signum: int) -> None:
    """By a descriptor, so that a process that got the number of one that has just ended is not hit."""
    with contextlib.suppress(OSError):
        descriptor = os.pidfd_open(pid)
        try:
            if _bears(pid, mark):
                signal.pidfd_send_signal(descriptor, signum)
        finally:
            os.close(descriptor)


def main(mark: str) -> None:
    """Wait for the end of the launcher, and end the rest."""
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.SIG_IGN)
    os.chdir("/")
    folders: dict[str, None] = {}
    for line in sys.stdin:
        if line.startswith("+"):
            folders[line[1:-1]] = None
        else:
            folders.pop(line[1:-1], None)
    end_all(mark)
    if folders:
        import shutil  # slow to load

        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1])

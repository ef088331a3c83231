# SPDX-License-Identifier: Apache-2.0
"""What a job says: ranks' lines to our own standard output and error, everything to a log file a rank."""

from __future__ import annotations

import sys
import threading
from typing import IO

from polyloom.folder import RunFolder


class Output:
    """Lines of all ranks, in order of arrival. Thread safe. ``tag`` puts ``[rank]`` before each line.

    Logs go to ``logs/`` in the run folder.
    """

    def __init__(self, folder: RunFolder, tag: bool, ranks: int) -> None:
        self._folder = folder
        self._tag = tag
        self._width = len(str(max(ranks - 1, 0)))
        self._logs: dict[str, IO[str]] = {}
        self._lock = threading.Lock()
        self.told = set[str]()  #: what our library said in a rank, so that nobody says it twice
        self.lost: OSError | None = None  #: why what programs print cannot be shown any more

    def line(self, rank: int, stream: str, text: str) -> None:
        """Output of a program; ``text`` may lack a newline at the end of a stream."""
        with self._lock:
            self._log(f"rank-{rank}").write(text)
            target = sys.stderr if stream == "stderr" else sys.stdout
            if text.startswith("polyloom: "):
                self.told.add(text.removeprefix("polyloom: ").rstrip("\n"))
            if self._tag:
                text = "".join(f"[{rank:{self._width}}] {part}" for part in text.splitlines(keepends=True))
            self._show(text, target)

    def _show(self, text: str, target: IO[str]) -> None:
        if self.lost is not None:
            return
        try:
            target.write(text)
            target.flush()
        except OSError as error:  # the job goes on, and its logs have everything
            self.lost = error

    def log(self, name: str, text: str) -> None:
        """What one of our own programs says: for the log only."""
        with self._lock:
            self._log(name).write(text)

    def tail(self, name: str) -> str:
        """The last line of a log that says something; empty if there is none."""
        with self._lock:
            path = self._folder.path / "logs" / f"{name}.log"
            lines = path.read_text().strip().splitlines() if path.is_file() else []
        return lines[-1].removeprefix("polyloom: ") if lines else ""

    def close(self) -> None:
        """Close the log files."""
        with self._lock:
            for file in self._logs.values():
                file.close()
            self._logs.clear()

    def _log(self, name: str) -> IO[str]:
        if name not in self._logs:
            self._logs[name] = self._folder.claim(f"logs/{name}.log").open("w", buffering=1)
        return self._logs[name]

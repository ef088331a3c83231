# SPDX-License-Identifier: Apache-2.0
"""What a job says: ranks' lines to our own standard output and error, everything to a log file a rank.

Bytes stay what they are, text or not.
"""

from __future__ import annotations

import sys
import threading
from typing import IO

from polyloom.base.folder import RunFolder
from polyloom.base.progress import Progress


class Output:
    """What all ranks print, by lines in order of arrival. Thread safe. ``tag`` puts ``[rank]`` before each line.

    Logs go to ``logs/`` in the run folder.
    """

    def __init__(self, folder: RunFolder, tag: bool, ranks: int, progress: Progress) -> None:
        self._folder = folder
        self._progress = progress
        self._tag = tag
        self._width = len(str(max(ranks - 1, 0)))
        self._logs: dict[str, IO[bytes]] = {}
        self._begun: dict[tuple[int, str], list[bytes]] = {}  # of lines of a rank's stream whose end is still to come
        self._lock = threading.Lock()
        self.inside_line = False  #: whether what was shown on standard output lacks a newline at its end
        self.reported = set[str]()  #: what our library said in a rank, so that no one says it twice
        self.lost: OSError | None = None  #: why what programs print cannot be shown any more

    def write(self, rank: int, stream: str, text: bytes) -> None:
        """Output of a program: an FPGA's prints may be parts of lines, which wait for the others."""
        with self._lock:
            self._log(f"rank-{rank}").write(text)
            whole, newline, rest = text.rpartition(b"\n")
            if newline:
                self._show(rank, stream, b"".join([*self._begun.pop((rank, stream), []), whole, newline]))
            if rest:
                self._begun.setdefault((rank, stream), []).append(rest)

    def show(self, stream: str, text: bytes) -> None:
        """Text whose rank is not known, as it is."""
        with self._lock:
            self._put(stream, text)

    def _show(self, rank: int, stream: str, text: bytes) -> None:
        if text.startswith(b"polyloom: "):
            self.reported.add(text.decode(errors="replace").removeprefix("polyloom: ").rstrip("\n"))
        if self._tag:
            begin = b"[%*d] " % (self._width, rank)
            text = b"".join(begin + line + b"\n" for line in text.removesuffix(b"\n").split(b"\n"))
        self._put(stream, text)

    def _put(self, stream: str, text: bytes) -> None:
        if self.lost is not None:
            return
        target = sys.stderr if stream == "stderr" else sys.stdout
        self._progress.clear()
        try:
            target.flush()  # text of our own that waits there
            target.buffer.write(text)
            target.buffer.flush()
        except OSError as error:  # the job goes on, and its logs have everything
            self.lost = error
        if stream == "stdout":
            self.inside_line = not text.endswith(b"\n")

    def log(self, name: str, text: bytes) -> None:
        """What one of our own programs says: for the log only."""
        with self._lock:
            self._log(name).write(text)

    def tail(self, name: str) -> str:
        """The last line of a log that says something; empty if there is none."""
        with self._lock:
            path = self._folder.path / "logs" / f"{name}.log"
            lines = path.read_text(errors="replace").strip().splitlines() if path.is_file() else []
        return lines[-1].removeprefix("polyloom: ") if lines else ""

    def close(self) -> None:
        """Show lines that will not be ended any more; close the log files."""
        with self._lock:
            for (rank, stream), parts in self._begun.items():
                self._show(rank, stream, b"".join(parts))
            self._begun.clear()
            for file in self._logs.values():
                file.close()
            self._logs.clear()

    def _log(self, name: str) -> IO[bytes]:
        if name not in self._logs:
            self._logs[name] = self._folder.claim(f"logs/{name}.log").open("wb", buffering=0)
        return self._logs[name]

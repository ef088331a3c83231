# SPDX-License-Identifier: Apache-2.0
"""How far a long run is, on standard error. Input: what is done now, and how much of how much; output: a line.

Nothing in the first seconds; then one line that is rewritten where a person looks at it, now and then a line of its
own where a log is written; nothing with POLYLOOM_PROGRESS=off. The C++ twin, with the same times and the same form,
is fabric/host/progress_line.h.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType

SWITCH = "POLYLOOM_PROGRESS"
FIRST_SECONDS = 2.0
AGAIN_SECONDS = 0.5  # on a terminal
#: In a log, of which no one wants a flood: a line every five seconds, then whenever a quarter more time has passed.
LOG_SECONDS, LOG_SHARE = 5.0, 0.25
BAR_COLUMNS = 20
#: Takes a line off a terminal.
CLEAR = "\r\x1b[K"


#: Several threads may begin and end a Progress at a time; one of them has the switch.
_SWITCHING = threading.Lock()


class Progress:
    """Of one run, while it is entered. ``total``: how much there is to do, in any unit; 0: unknown.

    A thread shows the line, so that a long call is no silence. What this process starts meanwhile shows none of its
    own: a terminal has room for one.
    """

    def __init__(self, what: str, total: float = 0) -> None:
        self._what = what
        self._total = total
        self._done = self._first = 0.0  # of the total; the rate is that since the first
        self._step: str | Callable[[], str] = ""
        self._begin = self._since = self._known = time.monotonic()
        self._switch: str | None = "off"
        self._terminal = bool(sys.stderr) and getattr(sys.stderr, "isatty", bool)()
        self._drawn = False
        self._lock = threading.Lock()  # of what is on the terminal
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True)

    def __enter__(self) -> Progress:
        self._begin = self._since = self._known = time.monotonic()
        with _SWITCHING:
            # Without a standard error there is nothing to show it on.
            self._switch = os.environ.get(SWITCH) if sys.stderr else "off"
            if self._switch != "off":
                os.environ[SWITCH] = "off"
        if self._switch != "off":
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._switch == "off":
            return
        self._ended.set()
        self._thread.join()
        with _SWITCHING:
            if self._switch is None:
                os.environ.pop(SWITCH, None)
            else:
                os.environ[SWITCH] = self._switch
        self.clear()

    def clear(self) -> None:
        """Take the line off a terminal, so that something else can be said."""
        with self._lock:
            if self._drawn:
                print(CLEAR, end="", file=sys.stderr, flush=True)
            self._drawn = False

    def begin_at(self, done: float) -> None:
        """Time counts from here, with so much done before, by an earlier run."""
        self._done = self._first = done
        self._since = self._known = time.monotonic()

    def at(self, done: float, step: str | Callable[[], str] = "") -> None:
        """So much is done, and this is what goes on now; a function is asked whenever a line is shown."""
        self._done, self._known = done, time.monotonic()
        self._step = step or self._step

    def text(self, now: float) -> str:
        """The line at a time of ``time.monotonic``."""
        step = self._step if isinstance(self._step, str) else self._step()
        parts = [f"{self._what}: {step}" if step else self._what, f"{now - self._begin:.0f} s"]
        if self._total:
            parts.insert(1, f"{100 * self._done / self._total:.0f} %")
            if self._done > self._first:
                each = (self._known - self._since) / (self._done - self._first)
                left = each * (self._total - self._done) - (now - self._known)
                if left > 0:  # else what goes on now takes longer than what is known says
                    parts.append(f"about {_duration(left)} left")
        return ", ".join(parts)

    def _show(self) -> None:
        wait = FIRST_SECONDS
        while not self._ended.wait(wait):
            now = time.monotonic()
            with self._lock:
                if self._terminal:
                    print(f"{CLEAR}{self._bar()}{self.text(now)}", end="", file=sys.stderr, flush=True)
                else:
                    print(f"polyloom: {self.text(now)}", file=sys.stderr, flush=True)
                self._drawn = self._terminal
            wait = AGAIN_SECONDS if self._terminal else max(LOG_SECONDS, LOG_SHARE * (now - self._begin))

    def _bar(self) -> str:
        if not self._total:
            return ""
        return f"[{'#' * int(BAR_COLUMNS * min(1.0, self._done / self._total)):<{BAR_COLUMNS}}] "


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"

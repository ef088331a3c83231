# SPDX-License-Identifier: Apache-2.0
"""Being asked to end. Input: SIGINT, SIGTERM, SIGHUP; output: one exception for all of them, or a note of the first."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

#: What asks a program to end.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


#: Ends what threads wait for that have no signals of their own, so that the main one need not wait for them.
on_end: list[Callable[[], None]] = []
#: The signal that has asked this program to end, once one has.
requested = 0


class Ended(BaseException):
    """A signal has asked this program to end. No Exception, so that nothing takes it for a failure of its own."""

    def __init__(self, signum: int) -> None:
        super().__init__(f"interrupted by {signal.Signals(signum).name}")
        self.status = 128 + signum


def end(signum: int, _frame: FrameType | None = None) -> NoReturn:
    """A handler of these signals."""
    global requested
    requested = requested or signum
    for call in on_end:
        call()
    raise Ended(signum)


def loaded(module: str) -> Any:
    """Import a module. What comes meanwhile ends the process without a word: nothing has begun yet."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by what started us
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        return importlib.import_module(module)
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def noted() -> Iterator[Callable[[], int]]:
    """Inside, the first signal is noted and raises nothing; what is yielded tells which it was, 0: none yet.

    The next one is raised. For loops that end in good order between two steps: an exception between the two halves of
    an exchange with other processes would leave them waiting for each other. Signals that are ignored, or somebody
    else's business, and all outside the main thread, are left alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: 0
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    ours = {number: was for number, was in before.items() if was in {signal.default_int_handler, end}}
    came = 0

    def put_back() -> None:
        for number, was in ours.items():
            signal.signal(number, was)

    def note(number: int, _frame: object) -> None:
        nonlocal came
        came = number
        put_back()

    for number in ours:
        signal.signal(number, note)
    try:
        yield lambda: came
    finally:
        put_back()

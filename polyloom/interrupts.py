# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C where work must not be torn. Input: interrupts; output: whether one has come."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def noted() -> Iterator[Callable[[], bool]]:
    """Inside, the first Ctrl-C is noted and raises nothing; what is yielded tells whether it came. The next is raised.

    For loops that end in good order between two steps: an exception between the two halves of an exchange with other
    processes would leave them waiting for each other. Outside the main thread nothing is changed and none comes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:  # ignored, or somebody else's business
        yield lambda: False
        return
    came = False

    def note(_signal: int, _frame: object) -> None:
        nonlocal came
        came = True
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: came
    finally:
        signal.signal(signal.SIGINT, before)

# SPDX-License-Identifier: Apache-2.0
"""The process of one rank on a cluster of hubs. Input: requests by a pipe; output: their results, or an error's text.

A request is (name of a method of the compiled module's HubRank, arguments); a result (None, value) or (error, None).
"""

from __future__ import annotations

import contextlib
import os
import signal
from multiprocessing.connection import Connection
from typing import Any

from polyloom.base import interrupts
from polyloom.nbody.loader import ext


def serve(pipe: Connection, settings: dict[str, Any], place: dict[str, Any], state: dict[str, Any]) -> None:
    """Serve until the other end of the pipe is gone. Interrupts are the other end's business."""
    for signum in interrupts.SIGNALS:
        signal.signal(signum, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, interrupts.SIGNALS)  # they have been blocked until now
    os.environ["POLYLOOM_SECRET"] = place["secret"]  # the client library looks there
    try:
        rank = ext.make_rank(settings, place, state)
        pipe.send((None, None))
        while True:
            name, arguments = pipe.recv()
            pipe.send((None, getattr(rank, name)(*arguments)))
    except (EOFError, BrokenPipeError):
        return
    except Exception as error:  # whatever it is, the other end has to tell it
        with contextlib.suppress(BrokenPipeError):
            pipe.send((f"rank {place['rank']}: {error}", None))

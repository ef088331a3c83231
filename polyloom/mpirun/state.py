# SPDX-License-Identifier: Apache-2.0
"""What is known of a running job: how its ranks ended, and what went wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

ABORTED, TIMED_OUT = 1, 124


@dataclass
class State:
    """What is known of a running job."""

    exits: dict[int, int] = field(default_factory=dict)  # by rank
    causes: list[str] = field(default_factory=list)  # of a failure, first one first
    # What fails because something else did, and may be heard of before its cause.
    consequences: list[str] = field(default_factory=list)
    abort: int | None = None
    end: dict[str, Any] = field(default_factory=dict)
    timed_out: bool = False
    reported: set[str] = field(default_factory=set)  # what a rank has said of it on its own standard error
    left: list[str] = field(default_factory=list)  # what a job that went well has not completed or received
    inside_line: bool = False  # what was printed on standard output lacks a newline at its end

    @property
    def problems(self) -> list[str]:
        """All that went wrong; the first one says why the job failed."""
        return self.causes + self.consequences

    def status(self) -> int:
        """Exit status of the job: that of MPI_Abort, of the first rank that failed, or 1."""
        if self.timed_out:
            return TIMED_OUT
        if self.abort is not None:
            return self.abort & 0xFF or ABORTED
        failed = [code for _, code in sorted(self.exits.items()) if code != 0]
        if failed:
            return failed[0] & 0xFF or 1
        return 1 if self.problems else 0

    def stop(self, seconds: float) -> None:
        """The time that the user gave the job is over."""
        self.causes.append(f"the job was stopped after {seconds:g} s (--timeout)")
        self.timed_out = True

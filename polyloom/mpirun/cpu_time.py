# SPDX-License-Identifier: Apache-2.0
"""What computing on CPU ranks takes in simulated time. Input: ``--cpu-time``; output: words for people, job file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from polyloom.base.errors import UserError

#: Of a core of a server; the instructions of a cycle are one.
DEFAULT = "model:2.5"
LEAST_GHZ, MOST_GHZ = 0.001, 1000.0


@dataclass(frozen=True)
class CpuTime:
    """One way to charge it: by counted instructions, by the host's own clock, or not at all."""

    instructions_a_second: int = 0  # of the model
    measured: bool = False

    @staticmethod
    def of(text: str) -> CpuTime:
        """Read the option's value. UserError if it is none."""
        if text in {"free", "measured"}:
            return CpuTime(measured=text == "measured")
        found = re.fullmatch(r"model:(\d{1,9}(?:\.\d{1,9})?)", text, re.ASCII)
        if found is None or not LEAST_GHZ <= float(found[1]) <= MOST_GHZ:
            ghz = f"GHZ from {LEAST_GHZ:g} to {MOST_GHZ:g}"
            raise UserError(f"--cpu-time {text}: allowed are model:GHZ ({ghz}, e.g. {DEFAULT}), measured, free")
        return CpuTime(round(float(found[1]) * 1e9))

    def __str__(self) -> str:
        if self.measured:
            return "CPU ranks: their time on this machine, not reproducible"
        if self.instructions_a_second:
            return f"CPU ranks: counted instructions at {self.instructions_a_second / 1e9:g} GHz"
        return "CPU ranks: computing is free"

    def job(self) -> dict[str, Any]:
        """For the job file (roles/mpi/runtime/cpu/job.h)."""
        return {"instructions_a_second": self.instructions_a_second, "measured": self.measured}

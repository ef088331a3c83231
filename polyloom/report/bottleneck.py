# SPDX-License-Identifier: Apache-2.0
"""What a run waited for: its busiest core, and the vertex that keeps it busy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import median_low

from polyloom.record import RunRecord, as_number
from polyloom.report.format import quantity

Board = tuple[int, int]
Core = tuple[Board, int, int]  # board, tile, core

#: Shares of a core's cycles in which it issues: from here on its instructions are what takes the time.
BUSY = 0.7
#: As often as the median core's work: from here on one core holds the others up.
APART = 3


@dataclass(frozen=True)
class Bottleneck:
    """The core that executed most, beside the others.

    ``busy`` is the share of cycles in which it issued, of those in which threads ran.
    """

    core: Core
    instructions: int
    median: int
    busy: float
    vertex: str  # that has most to do there; empty if the record does not tell
    vertex_share: float  # of what the core has to do, foretold

    @property
    def where(self) -> str:
        """The core in words."""
        (x, y), tile, core = self.core
        return f"board {x},{y} tile {tile} core {core}"


def core_work(counters: dict[str, int]) -> dict[Core, int]:
    """Instructions by core."""
    work = {}
    regex = re.compile(r"fpga\.(\d+)\.(\d+)\.tile\.(\d+)\.core\.(\d+)\.instret")
    for name, value in counters.items():
        match = regex.fullmatch(name)
        if match:
            x, y, tile, core = map(int, match.groups())
            work[(x, y), tile, core] = value
    return work


def find(run: RunRecord) -> Bottleneck | None:
    """The bottleneck of a run; None if no cores are among its counters."""
    work = core_work(run.counters)
    if not work:
        return None
    core, most = max(work.items(), key=lambda item: item[1])
    (x, y), tile, number = core
    name = f"fpga.{x}.{y}.tile.{tile}.core.{number}"
    # Of all cycles since reset; nothing is issued before threads start.
    cycles = most + run.counters.get(f"{name}.idle_cycles", 0)
    whole = run.number("run.json", "simulated_seconds") or 0.0
    share = run.working_seconds / whole if whole else 1.0
    mapped = run.mapping(name)
    total, heaviest = (
        as_number(mapped.get(key, 0), run.folder / "mapping.json", f"cores.{name}.{key}")
        for key in ("instructions", "heaviest_vertex_instructions")
    )
    return Bottleneck(
        core=core,
        instructions=most,
        median=median_low(work.values()),
        busy=min(1.0, most / (cycles * share)) if cycles and share else 0.0,
        vertex=str(mapped.get("heaviest_vertex", "")),
        vertex_share=heaviest / total if total else 0.0,
    )


def sentences(run: RunRecord) -> str:
    """What held the run up, in a sentence or two; empty if no cores are among its counters."""
    found = find(run)
    if found is None:
        return ""
    text = (
        f"The busiest core ({found.where}) executed {found.instructions:,} instructions, the median core "
        f"{found.median:,}; it issued in {found.busy:.0%} of its cycles."
    )
    vertex = f"the vertex {found.vertex}" if found.vertex else "one vertex"
    if found.busy >= BUSY:
        return f"{text} Bottleneck: the instructions of {'that core' if _apart(found) else 'all cores alike'}."
    if _apart(found) and found.vertex_share >= 1 / 2:
        return f"{text} Bottleneck: {vertex}, whose messages one thread serves one after the other."
    if _apart(found):
        return f"{text} Bottleneck: the threads of that core, which have more to do than others."
    heaviest = f" (the heaviest there is {vertex})" if found.vertex else ""
    return f"{text} Bottleneck: no vertex{heaviest}, but the ways of messages and the barriers between supersteps."


def _apart(found: Bottleneck) -> bool:
    return found.instructions >= APART * max(found.median, 1)


def measured(run: RunRecord) -> str:
    """What ``--explain`` foretold, as it was: messages and the busiest core over the whole run."""
    found = find(run)
    if found is None:
        return ""
    messages = sum(value for name, value in run.counters.items() if name.endswith(".mailbox.sent"))
    steps = 1 + max((row["step"] for row in run.table("supersteps", ("step",))), default=0)
    return (
        f"measured: {messages:,} messages in {steps:,} supersteps ({quantity(messages / steps, '')} each)\n"
        f"{sentences(run)}"
    )

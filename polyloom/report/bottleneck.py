# SPDX-License-Identifier: Apache-2.0
"""What a run waited for: its busiest core, and the vertex that keeps it busy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import median_low

from polyloom.base.record import RunRecord, as_number

Board = tuple[int, int]
Core = tuple[Board, int, int]  # board, tile, core

#: Share of its cycles from which on a core's instructions, or a thread's, are what takes the time.
BUSY = 0.6
#: Cycles from one instruction of a thread to its next, at least: the depth of a core's pipeline.
THREAD_CYCLES = 8
#: As much work as so many times the median core's: one core, not all alike.
APART = 2


@dataclass(frozen=True)
class Bottleneck:
    """The core that executed most, beside the others, and the busiest thread of all.

    ``busy`` is the share of cycles in which the core issued, of those in which threads ran; ``thread_busy`` that in
    which the thread had an instruction on its way, if it had its foretold share of its core's (0: not foretold).
    """

    core: Core
    instructions: int
    median: int
    busy: float
    vertex: str  # that has most to do on the thread; empty if the record does not tell
    vertex_share: float  # of what the thread has to do, foretold
    thread_busy: float

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
    whole = run.number("run.json", "simulated_seconds") or 0.0
    share = run.working_seconds / whole if whole else 1.0

    def busy(of: Core) -> float:
        # Of all cycles since reset; nothing is issued before threads start.
        cycles = work[of] + run.counters.get(f"{core_name(of)}.idle_cycles", 0)
        return min(1.0, work[of] / (cycles * share)) if cycles and share else 0.0

    # The busiest thread may be another core's, whose other threads have little to do.
    mapping, path = run.mapping(), run.folder / "mapping.json"
    thread_busy, vertex, vertex_share = 0.0, "", 0.0
    for of in work:
        name = core_name(of)
        mapped = mapping.get(name, {})
        total, thread, heaviest = (
            as_number(mapped.get(key, 0), path, f"cores.{name}.{key}")
            for key in ("instructions", "busiest_thread_instructions", "heaviest_vertex_instructions")
        )
        load = min(1.0, THREAD_CYCLES * busy(of) * thread / total) if total else 0.0
        if load > thread_busy:
            thread_busy, vertex = load, str(mapped.get("heaviest_vertex", ""))
            vertex_share = heaviest / thread if thread else 0.0
    return Bottleneck(
        core=core,
        instructions=most,
        median=median_low(work.values()),
        busy=busy(core),
        vertex=vertex,
        vertex_share=vertex_share,
        thread_busy=thread_busy,
    )


def core_name(core: Core) -> str:
    """As counters and mappings spell it."""
    (x, y), tile, number = core
    return f"fpga.{x}.{y}.tile.{tile}.core.{number}"


def sentences(run: RunRecord) -> str:
    """What held the run up, in a sentence or two; empty if no cores are among its counters."""
    found = find(run)
    if found is None:
        return ""
    text = (
        f"The busiest core ({found.where}) executed {found.instructions:,} instructions, the median core "
        f"{found.median:,}; it issued in {found.busy:.0%} of its cycles."
    )
    apart = found.instructions >= APART * max(found.median, 1)
    if found.busy >= BUSY:
        return f"{text} Bottleneck: the instructions of {'that core' if apart else 'all cores alike'}."
    if found.thread_busy >= BUSY:
        what = f"the vertex {found.vertex} on" if found.vertex_share >= 1 / 2 else "what stands on"
        return f"{text} Bottleneck: {what} one thread, which issues an instruction in {THREAD_CYCLES} cycles at most."
    if found.busy == 0:
        return text
    return (
        f"{text} Bottleneck: neither a core nor a thread, but the ways of messages and the barriers between supersteps."
    )


def measured(run: RunRecord) -> str:
    """What ``--explain`` foretold, as it was: messages and the busiest core over the whole run."""
    found = find(run)
    if found is None:
        return ""
    sent, to_host = (
        sum(value for name, value in run.counters.items() if name.endswith(end))
        for end in (".mailbox.sent", ".host.messages_out")
    )
    steps = 1 + max((row["step"] for row in run.table("supersteps", ("step",))), default=0)
    text = f"measured: {sent - to_host:,} messages in {steps:,} supersteps"
    if steps > 1:  # as a rule, nothing is sent in the last one
        text += f", {(sent - to_host) / (steps - 1):,.0f} in each but the last"
    return f"{text}; {to_host:,} to the host\n{sentences(run)}"

# SPDX-License-Identifier: Apache-2.0
"""Counters as tables: those of the Tinsel paper's figure 12, and all of them with equal parts summed."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from html import escape

from polyloom.base.record import RunRecord
from polyloom.report import cluster
from polyloom.report.format import quantity

FLIT_BYTES = 16
WORD_BYTES = 8  # of a link between boards


@dataclass(frozen=True)
class Figure12:
    """The six metrics of figure 12. Rates and utilisation are totals of the run over the time in which threads ran.

    That is the whole simulated time where the record names no phases.
    """

    phased: bool
    seconds: float  # of the compute phase
    hit_rate: float
    memory_rate: float | None  # None: the record does not tell the length of a cache line
    cpu_utilisation: float
    noc_rate: float
    link_rate: float

    @property
    def rows(self) -> list[tuple[str, str]]:
        """Name and value, as the paper names them."""
        return [
            ("Compute time (simulated)" if self.phased else "Time (simulated)", quantity(self.seconds, "s")),
            ("Data cache hit rate", f"{self.hit_rate:.1%}"),
            ("Off-chip memory", "unknown" if self.memory_rate is None else quantity(self.memory_rate, "B/s")),
            ("CPU utilisation", f"{self.cpu_utilisation:.1%}"),
            ("NoC messages", quantity(self.noc_rate, "B/s")),
            ("Inter-board messages", quantity(self.link_rate, "B/s")),
        ]


def total(counters: dict[str, int], pattern: str) -> int:
    """Sum of the counters whose whole name matches the regular expression."""
    regex = re.compile(pattern)
    return sum(value for name, value in counters.items() if regex.fullmatch(name))


def measure(run: RunRecord) -> Figure12 | None:
    """Compute the metrics; None if the run had no overlay boards."""
    counters = run.counters
    instructions = total(counters, r"fpga\..*\.core\.\d+\.instret")
    seconds = run.working_seconds
    whole = run.number("run.json", "simulated_seconds")
    if not instructions or not seconds or not whole:
        return None
    # Of all cores, since reset: a core issues or is idle. Nothing is issued before threads start.
    cycles = instructions + total(counters, r"fpga\..*\.core\.\d+\.idle_cycles")
    hits = total(counters, r"fpga\..*\.cache\.hits")
    misses = total(counters, r"fpga\..*\.cache\.misses")
    memory = _memory_bytes(run)
    flits = total(counters, r"fpga\..*\.mailbox\.sent_flits")
    words = total(counters, r"fpga\..*\.link\.\w+\.items_sent")
    return Figure12(
        phased=bool(run.phases),
        seconds=run.phases.get("compute", seconds),
        hit_rate=hits / (hits + misses) if hits + misses else 0.0,
        memory_rate=None if memory is None else memory / seconds,
        cpu_utilisation=instructions / (cycles * seconds / whole),
        noc_rate=flits * FLIT_BYTES / seconds,
        link_rate=words * WORD_BYTES / seconds,
    )


def _memory_bytes(run: RunRecord) -> float | None:
    """What caches and memories exchanged: a line each time, as long as its board's are."""
    line_bytes = cluster.read(run).line_bytes
    moved = 0.0
    for name, lines in run.counters.items():
        match = re.fullmatch(r"(fpga\..*)\.(dram|sram)\.\d+\.(reads|writes)", name)
        if match and match[1] not in line_bytes:
            return None
        moved += lines * line_bytes[match[1]] if match else 0
    return moved


def figure12(run: RunRecord) -> str:
    """The metrics as an HTML table."""
    metrics = measure(run)
    if metrics is None:
        return ""
    rows = "".join(f"<tr><td>{escape(n)}</td><td class=n>{escape(v)}</td></tr>" for n, v in metrics.rows)
    span = "its simulated time, loading included"
    if metrics.phased:
        span = "the simulated time in which threads ran (compute and collect, not load and start)"
    return (
        f"<table>{rows}</table><p class=note>The metrics of the Tinsel paper's figure 12. Rates and utilisation "
        f"are totals of the run over {span}.</p>"
    )


def sums(run: RunRecord) -> dict[str, int]:
    """All counters, indices replaced by * and summed."""
    found: dict[str, int] = defaultdict(int)
    for name, value in run.counters.items():
        found[re.sub(r"\.\d+", ".*", name)] += value
    return dict(sorted(found.items()))


def table(run: RunRecord) -> str:
    """The sums; a sentence if there are none."""
    found = sums(run)
    if not found:
        return f"<p>{_why_none(run)}</p>"
    rows = "".join(f"<tr><td>{escape(n)}</td><td class=n>{v:,}</td></tr>" for n, v in found.items() if v)
    return f"<details><summary>{len(run.counters):,} counters, summed over boards and tiles</summary><table>{rows}</table></details>"


def _why_none(run: RunRecord) -> str:
    if run.run.get("on") == "native" or run.result.get("on") == "native":
        return "None: the run was native. It used this CPU and no cluster, so there is no simulated time either."
    return "None: the record has no counters.csv, so no simulator finished this run."

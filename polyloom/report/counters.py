# SPDX-License-Identifier: Apache-2.0
"""Counters as tables: those of the Tinsel paper's figure 12, and all of them with equal parts summed."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from html import escape

from polyloom.record import RunRecord
from polyloom.report.format import quantity

FLIT_BYTES = 16


@dataclass(frozen=True)
class Figure12:
    """The six metrics of figure 12, over the time from the first barrier to the last (or the whole run)."""

    seconds: float
    hit_rate: float
    memory_rate: float
    cpu_utilisation: float
    noc_rate: float
    link_rate: float

    @property
    def rows(self) -> list[tuple[str, str]]:
        """Name and value, as the paper names them."""
        return [
            ("Time (simulated)", quantity(self.seconds, "s")),
            ("Data cache hit rate", f"{self.hit_rate:.1%}"),
            ("Off-chip memory", quantity(self.memory_rate, "B/s")),
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
    seconds = run.result.get("compute_simulated_seconds") or run.run.get("simulated_seconds")
    if not instructions or not seconds:
        return None
    idle = total(counters, r"fpga\..*\.core\.\d+\.idle_cycles")
    hits = total(counters, r"fpga\..*\.cache\.hits")
    misses = total(counters, r"fpga\..*\.cache\.misses")
    line_bytes = int(run.run.get("line_bytes", 32))
    lines = total(counters, r"fpga\..*\.(dram|sram)\.\d+\.(reads|writes)")
    flits = total(counters, r"fpga\..*\.mailbox\.sent_flits")
    links = total(counters, r"fpga\..*\.link\.\w+\.items_sent")
    return Figure12(
        seconds=float(seconds),
        hit_rate=hits / (hits + misses) if hits + misses else 0.0,
        memory_rate=lines * line_bytes / float(seconds),
        cpu_utilisation=instructions / (instructions + idle),
        noc_rate=flits * FLIT_BYTES / float(seconds),
        link_rate=links * 8 / float(seconds),
    )


def figure12(run: RunRecord) -> str:
    """The metrics as an HTML table."""
    metrics = measure(run)
    if metrics is None:
        return ""
    rows = "".join(f"<tr><td>{escape(n)}</td><td class=n>{escape(v)}</td></tr>" for n, v in metrics.rows)
    return (
        f"<table>{rows}</table><p class=note>The metrics of the Tinsel paper's figure 12. Rates are totals of the run "
        "over the simulated time of the computation; utilisation counts all cycles since reset, loading included."
        "</p>"
    )


def table(run: RunRecord) -> str:
    """All counters, indices replaced by * and summed."""
    sums: dict[str, int] = defaultdict(int)
    for name, value in run.counters.items():
        sums[re.sub(r"\.\d+", ".*", name)] += value
    if not sums:
        return ""
    rows = "".join(f"<tr><td>{escape(n)}</td><td class=n>{v:,}</td></tr>" for n, v in sorted(sums.items()) if v)
    return f"<details><summary>{len(run.counters):,} counters, summed over boards and tiles</summary><table>{rows}</table></details>"

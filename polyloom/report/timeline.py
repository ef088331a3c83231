# SPDX-License-Identifier: Apache-2.0
"""Time line of supersteps from the record's ``supersteps`` table. Output: inline SVG bars and a table.

A row of the table is a board's superstep: number, end, and what the board did in this step alone. Step 0 ends at the
first barrier: loading and initialisation lie in it, so it is not drawn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from polyloom.base.record import RunRecord
from polyloom.report.format import heat, quantity

WIDTH = 900
BAR = 26
SHOWN = 60


@dataclass
class Step:
    """One superstep of all boards together."""

    end_ps: int = 0
    instructions: int = 0
    message_hops: int = 0


def steps(run: RunRecord) -> dict[int, Step]:
    """By number: a step ends when its last board ends it; work is summed over the boards."""
    found: dict[int, Step] = {}
    columns = ("step", "end_ps", "instructions_in_step", "message_hops_in_step")
    for row in run.table("supersteps", columns):
        step = found.setdefault(row["step"], Step())
        step.end_ps = max(step.end_ps, row["end_ps"])
        step.instructions += row["instructions_in_step"]
        step.message_hops += row["message_hops_in_step"]
    return dict(sorted(found.items()))


def render(run: RunRecord) -> str:
    """One bar: supersteps by length, coloured by instructions a microsecond; empty without barriers."""
    found = steps(run)
    if not found:
        return ""
    numbers = list(found)
    start, stop = found[numbers[0]].end_ps, found[numbers[-1]].end_ps
    spans = [(number, found[before].end_ps) for before, number in pairwise(numbers)]
    total = stop - start or 1
    rates = {number: found[number].instructions / max(found[number].end_ps - begin, 1) for number, begin in spans}
    most = max(rates.values(), default=1) or 1
    bars, lines = [], []
    for number, begin in spans:
        step = found[number]
        x, width = WIDTH * (begin - start) / total, WIDTH * (step.end_ps - begin) / total
        length = quantity((step.end_ps - begin) / 1e12, "s")
        title = f"superstep {number}: {length}, {step.instructions:,} instructions, {step.message_hops:,} message hops"
        bars.append(
            f'<rect x="{x:.2f}" y="0" width="{max(width - 0.5, 0.5):.2f}" height="{BAR}" '
            f'fill="{heat(rates[number] / most)}"><title>{escape(title)}</title></rect>'
        )
        lines.append(
            f"<tr><td class=n>{number}</td><td class=n>{length}</td>"
            f"<td class=n>{step.instructions:,}</td><td class=n>{step.message_hops:,}</td></tr>"
        )
    drawing = (
        f'<svg viewBox="0 0 {WIDTH} {BAR}" width="{WIDTH}" role="img" aria-label="supersteps">{"".join(bars)}</svg>'
    )
    boards = len({row.get("board") for row in run.table("supersteps")})
    barriers = max((n for name, n in run.counters.items() if re.fullmatch(r"fpga\..*\.barriers", name)), default=0)
    cut = f"The first {len(found):,} of {barriers:,}" if barriers > len(found) else f"{len(found):,}"
    note = (
        f"{cut} barriers; simulated time; the bar spans {quantity((stop - start) / 1e12, 's')} from the first to "
        f"the last. Instructions and message hops are those of each step, over {boards} board{'s' * (boards != 1)}; "
        f"deeper colour: more instructions a microsecond, up to {most * 1e6:,.0f}."
    )
    more = f"Supersteps, the first {SHOWN} of {len(spans)}" if len(spans) > SHOWN else "Supersteps"
    return (
        f"{drawing}<p class=note>{note}</p><details><summary>{more}</summary><table><tr><th class=n>step</th>"
        f"<th class=n>length</th><th class=n>instructions</th><th class=n>message hops</th></tr>"
        f"{''.join(lines[:SHOWN])}</table></details>"
    )

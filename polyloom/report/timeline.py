# SPDX-License-Identifier: Apache-2.0
"""Time line of supersteps from the record's ``supersteps`` table. Output: inline SVG bars and a table."""

from __future__ import annotations

from collections import defaultdict
from html import escape

from polyloom.record import RunRecord
from polyloom.report.format import heat, quantity

WIDTH = 900
BAR = 26
SHOWN = 60


def render(run: RunRecord) -> str:
    """One bar: supersteps by length, coloured by instructions a microsecond; empty without barriers."""
    ends: dict[int, int] = {}
    work: dict[int, int] = defaultdict(int)
    hops: dict[int, int] = defaultdict(int)
    for row in run.table("supersteps"):
        step = int(row["step"])
        ends[step] = max(ends.get(step, 0), int(row["end_ps"]))
        work[step] += int(row["instructions"])
        hops[step] += int(row["message_hops"])
    if not ends:
        return ""
    steps = sorted(ends)
    start = ends[steps[0]]  # before the first barrier lie loading and initialisation
    spans = [(step, ends.get(step - 1, start), ends[step]) for step in steps[1:]]
    total = max(ends.values()) - start or 1
    rates = {step: work[step] / max(end - begin, 1) for step, begin, end in spans}
    most = max(rates.values(), default=1) or 1
    bars = []
    for step, begin, end in spans:
        x, width = WIDTH * (begin - start) / total, WIDTH * (end - begin) / total
        title = f"superstep {step}: {quantity((end - begin) / 1e12, 's')}, {work[step]:,} instructions, {hops[step]:,} message hops"
        bars.append(
            f'<rect x="{x:.2f}" y="0" width="{max(width - 0.5, 0.5):.2f}" height="{BAR}" '
            f'fill="{heat(rates[step] / most)}"><title>{escape(title)}</title></rect>'
        )
    drawing = (
        f'<svg viewBox="0 0 {WIDTH} {BAR}" width="{WIDTH}" role="img" aria-label="supersteps">{"".join(bars)}</svg>'
    )
    lines = "".join(
        f"<tr><td class=n>{step}</td><td class=n>{quantity((end - begin) / 1e12, 's')}</td>"
        f"<td class=n>{work[step]:,}</td><td class=n>{hops[step]:,}</td></tr>"
        for step, begin, end in spans[:SHOWN]
    )
    note = f"{len(steps)} barriers; simulated time; the bar spans {quantity(total / 1e12, 's')} from the first to the last."
    return (
        f"{drawing}<p class=note>{note}</p><details><summary>Supersteps</summary><table><tr><th class=n>step</th>"
        f"<th class=n>length</th><th class=n>instructions</th><th class=n>message hops</th></tr>{lines}</table></details>"
    )

# SPDX-License-Identifier: Apache-2.0
"""The report page. Input: a RunRecord; output: ``report.html`` in its folder, with no outside references."""

from __future__ import annotations

from html import escape
from pathlib import Path

from polyloom import record
from polyloom.report import clusterview, counters, profile, timeline
from polyloom.report.format import quantity

STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1d2330;background:#fff}
h1{font-size:1.6rem;margin-bottom:.2rem}h2{font-size:1.15rem;margin-top:2rem;border-bottom:1px solid #d8dde6}
table{border-collapse:collapse;margin:.6rem 0}td,th{padding:.2rem .8rem;text-align:left;border-bottom:1px solid #eceff4}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}.note{color:#5a6375;font-size:.9rem}
svg{max-width:100%;height:auto}details{margin:.6rem 0}code{background:#f3f5f9;padding:0 .25rem}
@media(prefers-color-scheme:dark){body{background:#12151c;color:#dfe4ee}td,th{border-color:#2a3040}code{background:#1d2330}}
"""


def write(run: record.RunRecord) -> Path:
    """Render the page into the run's folder and return its path."""
    path = run.folder / "report.html"
    record.write_atomically(path, render(run))
    return path


def render(run: record.RunRecord) -> str:
    """The whole page as text."""
    app = str(run.run.get("app") or run.result.get("app") or "run")
    title = f"{app} on {run.run.get('on') or run.run.get('fidelity', 'sim')}"
    sections = [
        ("Result", _summary(run)),
        ("Paper's counters", counters.figure12(run)),
        ("Cluster", clusterview.render(run)),
        ("Time line", timeline.render(run)),
        ("Profile by handler", profile.render(run)),
        ("All counters", counters.table(run)),
    ]
    body = "\n".join(f"<section><h2>{escape(head)}</h2>\n{text}</section>" for head, text in sections if text)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        f"<style>{STYLE}</style></head>\n<body><h1>{escape(title)}</h1>\n{body}\n</body></html>\n"
    )


def _summary(run: record.RunRecord) -> str:
    facts: list[tuple[str, str]] = []
    for key, label, unit in (
        ("cluster", "Cluster", ""),
        ("simulated_seconds", "Simulated time", "s"),
        ("wall_seconds", "Wall-clock time of the run", "s"),
        ("engine", "Engine", ""),
        ("seed", "Seed", ""),
        ("digest", "Digest", ""),
    ):
        value = run.run.get(key)
        if isinstance(value, dict):  # the cluster: name, topology, link latencies
            value = ", ".join(str(value[part]) for part in ("name", "topology", "link_latencies") if part in value)
        if value is not None:
            facts.append((label, quantity(value, unit) if unit else str(value)))
    for key, value in run.result.items():
        if isinstance(value, (int, float, str, bool)):
            facts.append((key.replace("_", " "), quantity(value, "") if isinstance(value, float) else str(value)))
    rows = "".join(f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in facts)
    return f"<table>{rows}</table>{_top(run)}"


def _top(run: record.RunRecord) -> str:
    top = run.result.get("top")
    if not isinstance(top, list) or not top:
        return ""
    rows = "".join(
        f"<tr><td class=n>{rank}</td><td>{escape(str(row.get('name', row.get('vertex'))))}</td>"
        f"<td class=n>{escape(quantity(row.get('value') or 0, ''))}</td></tr>"
        for rank, row in enumerate(top, 1)
    )
    return f"<table><tr><th class=n>#</th><th>vertex</th><th class=n>value</th></tr>{rows}</table>"

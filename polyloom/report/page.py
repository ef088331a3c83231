# SPDX-License-Identifier: Apache-2.0
"""The report page. Input: a RunRecord; output: ``report.html`` in its folder, with no outside references."""

from __future__ import annotations

import math
from html import escape
from pathlib import Path
from typing import Any

from polyloom.base import folder, record
from polyloom.report import clusterview, counters, job_page, profile, timeline
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
    return folder.add(run.folder, "report.html", render(run))


def render(run: record.RunRecord) -> str:
    """The whole page as text."""
    app = str(run.run.get("app") or run.result.get("app") or "run")
    title = f"{app} on {run.run.get('on') or run.run.get('fidelity', 'sim')}"
    sections = [
        ("Result", _summary(run)),
        *job_page.sections(run),
        ("Paper's counters", counters.figure12(run)),
        ("Cluster", clusterview.render(run)),
        ("Links", clusterview.links(run)),
        ("Time line", timeline.render(run)),
        ("Profile by handler", profile.render(run)),
        ("Counters", counters.table(run)),
    ]
    body = "\n".join(f"<section><h2>{escape(head)}</h2>\n{text}</section>" for head, text in sections if text)
    return document(title, body)


def document(title: str, body: str) -> str:
    """A page that needs nothing else; ``body`` is HTML."""
    text = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        f"<style>{STYLE}</style></head>\n<body><h1>{escape(title)}</h1>\n{body}\n</body></html>\n"
    )
    return text.encode("utf-8", "replace").decode("utf-8")  # JSON may hold halves of characters


#: Of run.json: key, label, unit.
FACTS = (
    ("status", "Status", ""),
    ("message", "Message", ""),
    ("exit_status", "Exit status", ""),
    ("cluster", "Cluster", ""),
    ("simulated_seconds", "Simulated time of the run", "s"),
    ("cpu_time", "What computing takes", ""),
    ("wall_seconds", "Wall-clock time of the run", "s"),
    ("engine", "Engine", ""),
    ("seed", "Seed", ""),
    ("digest", "Digest", ""),
)


def _summary(run: record.RunRecord) -> str:
    facts: list[tuple[str, str]] = []
    for key, label, unit in FACTS:
        value: Any = run.number("run.json", key) if unit else run.run.get(key)
        if isinstance(value, dict):  # the cluster: name, topology, link latencies
            value = ", ".join(str(value[part]) for part in ("name", "topology", "link_latencies") if part in value)
        if value not in (None, ""):
            facts.append((label, quantity(value, unit) if unit else str(value)))
        if key == "simulated_seconds":
            facts += [(f"of that, {phase}", quantity(length, "s")) for phase, length in run.phases.items()]
    facts += [_fact(run, key) for key, value in run.result.items() if isinstance(value, (int, float, str))]
    rows = "".join(f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in facts)
    return f"<table>{rows}</table>{_top(run)}"


def _fact(run: record.RunRecord, key: str) -> tuple[str, str]:
    """A key of result.json and its value as people write them: ``load_wall_seconds`` is a time."""
    value = run.result[key]
    if isinstance(value, (bool, str)):
        return key.replace("_", " "), str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return key.replace("_", " "), str(value)
    number = record.as_number(value, run.folder / "result.json", key)
    if key.endswith("_seconds"):
        return key.removesuffix("_seconds").replace("_", " ") + " time", quantity(number, "s")
    return key.replace("_", " "), quantity(value, "") if isinstance(value, float) else str(value)


def _value(value: object, where: Path) -> str:
    """Of a vertex: a number, or the name of another vertex."""
    return value if isinstance(value, str) else quantity(record.as_number(value, where, "value"), "")


def _top(run: record.RunRecord) -> str:
    top = run.result.get("top")
    if not isinstance(top, list) or not all(isinstance(row, dict) for row in top) or not top:
        return ""
    where = run.folder / "result.json"
    rows = "".join(
        f"<tr><td class=n>{rank}</td><td>{escape(str(row.get('name')))}</td>"
        f"<td class=n>{escape(_value(row.get('value') or 0, where))}</td></tr>"
        for rank, row in enumerate(top, 1)
    )
    return f"<table><tr><th class=n>#</th><th>vertex</th><th class=n>value</th></tr>{rows}</table>"

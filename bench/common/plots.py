# SPDX-License-Identifier: Apache-2.0
"""Draws the plots of benchmarks as one self-contained page each.

Usage: ``python -m bench.common.plots NAME... [--to FOLDER] [--page FILE.md]`` draws bench/results/NAME.json; --page
also writes their targets as tables into FILE.md, between its marks. ``scripts/bench.py`` draws every run into
build/bench. Input: figures["plots"] and targets; output: NAME.html.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from bench.common.harness import BUILD, ROOT


def page(name: str, result: dict[str, Any]) -> str:
    """HTML of all plots of a result, with Plotly's script in it."""
    import plotly.graph_objects as go  # only where something is drawn

    parts = []
    for i, plot in enumerate(result["figures"]["plots"].values()):
        figure = go.Figure()
        for curve, points in plot["curves"].items():
            figure.add_scatter(x=[p[0] for p in points], y=[p[1] for p in points], name=curve, mode="lines+markers")
        figure.update_layout(title=plot["title"], template="simple_white", hovermode="x unified")
        figure.update_xaxes(type="log", title=plot["x"])
        figure.update_yaxes(type="log", title=plot["y"])
        parts.append(figure.to_html(full_html=False, include_plotlyjs="inline" if i == 0 else False))
    origin = ", ".join(str(result[key]) for key in ("commit", "date", "machine") if key in result)
    notes = "".join(f"<p>{note}</p>" for note in result.get("notes", []))
    head = f"<!doctype html><meta charset='utf-8'><title>{name}</title><h1>{name}</h1><p>{origin}</p>{notes}"
    return head + "".join(parts)


def draw(name: str, result: dict[str, Any], folder: Path) -> Path:
    """Write NAME.html into ``folder``; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.html"
    path.write_text(page(name, result))
    return path


def table(name: str, result: dict[str, Any]) -> str:
    """Targets of a result as a Markdown table."""
    lines = [f"### {name}: commit {result['commit']}, {result['date']}, {result['machine']}", ""]
    lines += ["| what | paper | target | ours | holds |", "| --- | --- | --- | --- | --- |"]
    for entry in result["targets"]:
        paper = "" if entry["paper"] is None else entry["paper"]
        holds = {True: "yes", False: "**no**", None: "not measured"}[entry["holds"]]
        ours = "" if entry["ours"] is None else f"{entry['ours']:.4g}"
        lines.append(f"| {entry['what']} | {paper} | {entry['target']} | {ours} | {holds} |")
    return "\n".join(lines)


def write_page(path: Path, tables: list[str]) -> None:
    """Replace what stands between the page's marks."""
    begin, end = "<!-- tables: begin -->", "<!-- tables: end -->"
    text = path.read_text()
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    path.write_text(before + begin + "\n\n" + "\n\n".join(tables) + "\n\n" + end + after)


def main() -> None:
    """Draw committed results."""
    parser = argparse.ArgumentParser(description="draw committed benchmark results")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--to", type=Path, default=BUILD / "bench")
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    tables = []
    for name in arguments.names:
        result = json.loads((ROOT / "bench" / "results" / f"{name}.json").read_text())
        print(draw(name, result, arguments.to))
        tables.append(table(name, result))
    if arguments.page:
        write_page(arguments.page, tables)


if __name__ == "__main__":
    main()

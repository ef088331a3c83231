# SPDX-License-Identifier: Apache-2.0
"""Writes what committed results say into pages of the documentation: their targets, their own tables, their plots.

Usage: ``python -m bench.common.pages NAME... [--to FOLDER] [--page FILE.md]`` draws bench/results/NAME.json; --page
also writes tables and pictures into FILE.md, between its marks (pictures: figures/ beside it). ``scripts/bench.py``
draws every run into build/bench. Input: figures["plots"], figures["tables"] and targets.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from bench.common import plots
from bench.common.harness import BUILD, ROOT
from polyloom import files


def gallery(name: str, result: dict[str, Any], folder: Path) -> str:
    """Draw all plots of a result into ``folder``; returns Markdown that shows them, for a page beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for key, plot in result["figures"].get("plots", {}).items():
        path = folder / f"{name}-{key.replace(' ', '-')}.svg"
        plots.picture(plot, path)
        lines.append(f"![{plot['title']}]({folder.name}/{path.name})")
    return "\n\n".join(lines)


def table(name: str, result: dict[str, Any]) -> str:
    """Targets of a result, and its own tables, in Markdown."""
    lines = [f"### {name}: commit {result['commit']}, {result['date']}, {result['machine']}", ""]
    lines += ["| what | paper | target | ours | holds |", "| --- | --- | --- | --- | --- |"]
    for entry in result["targets"]:
        paper = "" if entry["paper"] is None else entry["paper"]
        holds = {True: "yes", False: "**no**", None: "not measured"}[entry["holds"]]
        ours = "" if entry["ours"] is None else f"{entry['ours']:.4g}"
        lines.append(f"| {entry['what']} | {paper} | {entry['target']} | {ours} | {holds} |")
    for own in result["figures"].get("tables", []):
        lines += ["", f"#### {own['title']}", ""]
        lines += ["| " + " | ".join(cells) + " |" for cells in (own["head"], ["---"] * len(own["head"]), *own["rows"])]
    return "\n".join(lines)


def write_page(path: Path, tables: list[str]) -> None:
    """Replace what stands between the page's marks."""
    begin, end = "<!-- tables: begin -->", "<!-- tables: end -->"
    text = path.read_text()
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    files.write(path, before + begin + "\n\n" + "\n\n".join(tables) + "\n\n" + end + after)


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
        print(plots.draw(name, result, arguments.to))
        tables.append(table(name, result))
        if arguments.page:
            tables.append(gallery(name, result, arguments.page.parent / "figures"))
    if arguments.page:
        write_page(arguments.page, tables)


if __name__ == "__main__":
    main()

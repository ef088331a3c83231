# SPDX-License-Identifier: Apache-2.0
"""Writes what committed results say into pages of the documentation: their targets, their own tables, their plots.

Usage: ``python -m bench.common.pages NAME... [--to FOLDER] [--page FILE.md]`` draws bench/results/NAME.json; --page
also writes tables and pictures into FILE.md, between its marks (pictures: docs/figures, in a folder of the page's
name). ``scripts/bench.py`` draws every run into build/bench. Input: figures["plots"], figures["tables"] and targets.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

from bench.common import plots
from bench.common.harness import BUILD, ROOT
from bench.common.tables import table
from polyloom.base import files

#: Pictures in a folder.
MOST = 15


def gallery(name: str, result: dict[str, Any], page: Path) -> str:
    """Draw all plots of a result for a page; returns Markdown of them. Many have a folder for each first word."""
    drawn = result["figures"].get("plots", {})
    lines = []
    for key, plot in drawn.items():
        words = key.replace(" ", "-")
        folder = page.resolve().parent.parent / "figures" / page.stem
        if len(drawn) > MOST:
            folder /= words.split("-")[0]
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}-{words}.svg"
        plots.picture(plot, path)
        lines.append(f"![{plot['title']}]({os.path.relpath(path, page.resolve().parent)})")
    return "\n\n".join(lines)


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
    parts = []
    for name in arguments.names:
        result = json.loads((ROOT / "bench" / "results" / f"{name}.json").read_text())
        print(plots.draw(name, result, arguments.to))
        parts.append(table(name, result))
        if arguments.page:
            parts.append(gallery(name, result, arguments.page))
    if arguments.page:
        write_page(arguments.page, parts)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Results of benches as Markdown, for pages of the manual. Needs no package: the manual is built without any."""

from __future__ import annotations

from typing import Any


def targets(result: dict[str, Any]) -> list[str]:
    """Where and when it was measured, and the targets, in lines."""
    lines = [f"*Commit {result['commit']}, {result['date']}, {result['machine']}.*", ""]
    lines += ["| what | paper | target | ours | holds |", "| --- | --- | --- | --- | --- |"]
    for entry in result["targets"]:
        paper = "" if entry["paper"] is None else entry["paper"]
        holds = {True: "yes", False: "**no**", None: "not measured"}[entry["holds"]]
        ours = "" if entry["ours"] is None else f"{entry['ours']:.4g}"
        lines.append(f"| {entry['what']} | {paper} | {entry['target']} | {ours} | {holds} |")
    return lines


def table(name: str, result: dict[str, Any]) -> str:
    """Targets of a result, and its own tables."""
    lines = [f"### {name}", "", *targets(result)]
    for own in result["figures"].get("tables", []):
        lines += ["", f"#### {own['title']}", ""]
        lines += ["| " + " | ".join(cells) + " |" for cells in (own["head"], ["---"] * len(own["head"]), *own["rows"])]
    return "\n".join(lines)

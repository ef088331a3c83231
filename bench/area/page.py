# SPDX-License-Identifier: Apache-2.0
"""Area: the figures as tables and as a chart for the documentation; bench.common.plots draws them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.area.cases import ALM, AVERAGING, CASES, SORT, TARGETS, Case, share
from polyloom.synth.parts import PARTS

KEYS = ("logic", "ff", "bram", "dsp")
GROUPS = ("engine", "shell", "operators")
_PAPERS = "intel-alm"  # the family of the paper's device: every design is synthesized for it
PAPER_REST = "the paper's, all but its sorter"


def tables(figures: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Beside the paper; groups of all designs; the modules of each design."""
    columns = [f"{part} {name}" for part in TARGETS for name in (PARTS[part].logic, "FF", PARTS[part].bram, "DSP")]
    by_group = [
        [
            f"{case.design}: {group}",
            *_cells({part: found["groups"][group] for part, found in figures["designs"][case.design].items()}),
        ]
        for case in CASES
        for group, found in figures["designs"][case.design][_PAPERS]["groups"].items()
        if found["logic"]
    ]
    return [
        {"title": "Beside the paper", "head": ["what", "ours", "paper", "ours/paper"], "rows": figures["beside"]},
        {"title": "By design", "head": ["design", *columns], "rows": by_group},
        *(_modules(figures, case, columns) for case in CASES),
    ]


def _modules(figures: Mapping[str, Any], case: Case, columns: list[str]) -> dict[str, Any]:
    parts = figures["designs"][case.design]
    by_name = {part: {entry["module"]: entry for entry in found["modules"]} for part, found in parts.items()}
    rows = [
        [f"{entry['instances']} x {name}", *_cells({part: entries[name] for part, entries in by_name.items()})]
        for name, entry in by_name[_PAPERS].items()
    ]
    values = " ".join(f"{key}={value}" for key, value in parts[_PAPERS]["parameters"].items())
    return {"title": f"{case.design} ({values}): {case.what}", "head": ["modules", *columns], "rows": rows}


def _cells(by_part: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Numbers of every family, empty where the design was not synthesized for it."""
    return [
        f"{by_part[part][key]:,.1f}".removesuffix(".0") if part in by_part else "" for part in TARGETS for key in KEYS
    ]


def chart(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Shares of the paper's device as stacked bars: ours by the estimate of ALMs, the paper's by its text."""
    bars: dict[str, list[tuple[str, float]]] = {piece: [] for piece in (*GROUPS, PAPER_REST)}
    for case in CASES:
        groups = figures["designs"][case.design][_PAPERS]["groups"]
        for group in GROUPS:
            if group in groups:
                bars[group].append((case.what, 100 * groups[group]["logic"] / ALM))
    for paper in (SORT, AVERAGING):
        name = "paper's " + paper.where.replace(" section", "")
        bars[PAPER_REST].append((name, 100 * share(paper)))
        bars["operators"].append((name, 100 * (paper.application_alm or 0.0)))
    return {"title": "ALMs of a Stratix 10 MX2100, ours estimated", "x": "", "y": f"% of {ALM:,}", "bars": bars}

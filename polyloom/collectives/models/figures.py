# SPDX-License-Identifier: Apache-2.0
"""Figures 12 and 19 of the OPTWEB paper as one HTML page that needs no network; the curves of ours beside them.

Usage: ``python -m polyloom.collectives.models.figures FILE.html`` (needs the PyPI package plotly).
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyloom.base import files
from polyloom.collectives.models import improved, operations
from polyloom.collectives.models.topology import Cost, Topology, balanced_hypercube, fully_connected

MOST_DEGREES = 64  # section 4.D.2 quotes degree 64


@dataclass(frozen=True)
class Figure:
    """Curves over the degree; y is the normalised system throughput (units of an FPGA's bandwidth)."""

    title: str
    degrees: list[int]
    curves: dict[str, list[float]]


def _curve(
    degrees: Sequence[int], topology: Callable[[int], Topology], form: Callable[[Topology], Cost]
) -> list[float]:
    return [float(form(topology(d)).system_throughput(topology(d))) for d in degrees]


def _of_degree(degree: int) -> Topology:
    return fully_connected(degree + 1)


def figure_12(most: int = MOST_DEGREES) -> Figure:
    """All-to-all."""
    degrees = list(range(2, most + 1))
    return Figure(
        "Figure 12: normalised system throughput, all-to-all",
        degrees,
        {
            "FC": _curve(degrees, _of_degree, operations.all_to_all),
            "GHC(r=2)": _curve(degrees, balanced_hypercube, operations.all_to_all),
            "GHC(r=2), large-d form d\u00b2/16": [d * d / 16 for d in degrees],
            "GHC(r=2), two halves (ours)": _curve(degrees, balanced_hypercube, improved.all_to_all),
        },
    )


def figure_19(most: int = MOST_DEGREES) -> Figure:
    """Averaging."""
    degrees = list(range(2, most + 1))
    return Figure(
        "Figure 19: normalised system throughput, averaging",
        degrees,
        {
            "FC": _curve(degrees, _of_degree, operations.average),
            "GHC(r=2), as printed": _curve(degrees, balanced_hypercube, operations.average),
            "GHC(r=2), as the prose says": _curve(degrees, balanced_hypercube, improved.average_prose),
            "GHC(r=2), hierarchical (ours)": _curve(degrees, balanced_hypercube, improved.average_hierarchical),
            "GHC(r=2), hierarchical in two halves (ours)": _curve(degrees, balanced_hypercube, improved.average),
        },
    )


def write(path: Path) -> None:
    """Draw both figures into ``path``."""
    go: Any = importlib.import_module("plotly.graph_objects")  # only the drawing needs it

    parts = []
    for number, figure in enumerate((figure_12(), figure_19())):
        drawing: Any = go.Figure()
        for name, values in figure.curves.items():
            drawing.add_scatter(x=figure.degrees, y=values, mode="lines", name=name)
        drawing.update_layout(
            title=figure.title,
            xaxis_title="degree (links per FPGA)",
            yaxis_title="system throughput / bandwidth of one FPGA",
            template="plotly_white",
            height=560,
        )
        # The library goes in once, with the first drawing.
        parts.append(drawing.to_html(full_html=False, include_plotlyjs=number == 0))
    files.write(
        path,
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Collective models</title></head>\n<body>\n'
        + "\n".join(parts)
        + "\n</body></html>\n",
    )


def main(arguments: list[str]) -> None:
    """Write the page that the command line names."""
    if len(arguments) != 1:
        sys.exit("usage: python -m polyloom.collectives.models.figures FILE.html")
    write(Path(arguments[0]))
    print(arguments[0])


if __name__ == "__main__":
    main(sys.argv[1:])

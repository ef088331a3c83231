# SPDX-License-Identifier: Apache-2.0
"""``polyloom run --verify-with FILE.py``: a result against a function of the user's.

Input: the file, with ``reference(graph)``, where graph is a ``networkx.DiGraph`` of the edges that the program took
(the least weight of parallel ones as ``weight``) and the result maps vertices to numbers; the edges and the result as
CSV. Whole numbers must be equal, others within ``TOLERANCE`` of the file (1e-4) times the largest.
"""

from __future__ import annotations

import contextlib
import csv
import math
import runpy
import sys
import traceback
from pathlib import Path
from typing import Any

from polyloom.base import extras
from polyloom.base.errors import UserError

TOLERANCE = 1e-4


def compare(file: Path, folder: Path) -> tuple[bool, str]:
    """Whether they agree, and in words. UserError for a file that cannot be used."""
    ours = {row["vertex"]: row["value"] for row in _rows(folder / "values.csv")}
    module = _load(file)
    function = module.get("reference")
    if not callable(function):
        raise UserError(f"{file}: has no function reference(graph)")
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what is printed is no part of our own output
            theirs = function(_graph(folder / "edges.csv", list(ours)))
        expected = {str(vertex): float(value) for vertex, value in dict(theirs).items()}
        share = float(module.get("TOLERANCE", TOLERANCE))
    except (Exception, SystemExit) as error:
        raise UserError(f"{_place(file, error)}: {type(error).__name__}: {error}") from error
    lacking = [name for name in ours if name not in expected]
    if lacking:
        raise UserError(f"{file}: reference(graph) gives no value for vertex {lacking[0]}")
    numbers = {name: _number(text, expected) for name, text in ours.items()}
    whole = all(value.is_integer() for value in expected.values() if math.isfinite(value))
    finite = [abs(value) for value in expected.values() if math.isfinite(value)]
    allowed = 0.0 if whole else share * max(finite, default=0.0)
    wrong = [name for name, value in numbers.items() if not _agree(value, expected[name], allowed)]
    if not wrong:
        return True, f"passed (all {len(ours)} vertices as {file.name} says)"
    first = wrong[0]
    return False, (
        f"FAILED ({len(wrong)} of {len(ours)} vertices differ from {file.name}; "
        f"vertex {first}: {ours[first]}, not {expected[first]:.9g})"
    )


def _agree(a: float, b: float, allowed: float) -> bool:
    return a == b or abs(a - b) <= allowed


def _number(text: str, expected: dict[str, float]) -> float:
    """A value; where values are vertices with names, what the reference has for that vertex."""
    try:
        return float(text)
    except ValueError:
        return expected.get(text, math.nan)


def _load(file: Path) -> dict[str, Any]:
    if not file.is_file():
        raise UserError(f"--verify-with {file}: there is no such file")
    try:
        return runpy.run_path(str(file))
    except SyntaxError as error:
        raise UserError(f"{file}:{error.lineno}: {error.msg}") from error
    except Exception as error:
        raise UserError(f"{_place(file, error)}: {type(error).__name__}: {error}") from error


def _place(file: Path, error: BaseException) -> str:
    """The last line of the file that the error came through."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    return f"{file}:{lines[-1]}" if lines else str(file)


def _graph(edges: Path, vertices: list[str]) -> Any:
    networkx = extras.need("networkx", "networkx", "pip install networkx")
    whole = all(name.isdecimal() for name in vertices)
    graph = networkx.DiGraph()
    graph.add_nodes_from(map(int, vertices) if whole else vertices)
    for row in _rows(edges):
        source, target = row["source"], row["target"]
        a, b = (int(source), int(target)) if whole else (source, target)
        weight = float(row.get("weight", 1))
        graph.add_edge(a, b, weight=min(weight, graph.edges[a, b]["weight"]) if graph.has_edge(a, b) else weight)
    return graph


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8", errors="surrogateescape") as opened:
        return list(csv.DictReader(opened))

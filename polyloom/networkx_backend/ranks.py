# SPDX-License-Identifier: Apache-2.0
"""PageRank for NetworkX. Input: a graph, NetworkX's arguments; output: values by node that sum to 1."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from polyloom.base import process
from polyloom.networkx_backend.calls import Where, algorithm, call, weight_is_a_name
from polyloom.networkx_backend.graph import PolyloomGraph, nx

Values = NDArray[np.float64]
#: Changes of values up to 1 that single precision does not tell from its own rounding.
RESOLUTION = 1e-7
#: Of the updates that are allowed the program makes so many: it may wait in vain for values to stand still that turn
#: about the last bit of single precision.
SHARE = 0.75
#: What the program takes.
MOST_UPDATES = 65535


def _dangling_as_anew(arguments: Mapping[str, Any]) -> str:
    given, anew = arguments["dangling"], arguments["personalization"]
    return "" if given is None or given == anew else "dangling differs from personalization"


@algorithm(weight_is_a_name, _dangling_as_anew)
def pagerank(
    G: PolyloomGraph,
    alpha: float = 0.85,
    personalization: Mapping[Any, float] | None = None,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: Mapping[Any, float] | None = None,
    weight: str | None = "weight",
    dangling: Mapping[Any, float] | None = None,
    **where: Unpack[Where],
) -> dict[Any, float]:
    """As networkx.pagerank, whatever ``nstart``: the limit does not depend on it.

    The program makes all updates but the last ones, in single precision; those are made here in double precision, until
    NetworkX's criterion holds.
    """
    if not len(G):
        return {}
    weighted = G.has_weights(weight)
    if nstart is not None and not _shares(G, nstart).sum():
        raise nx.PowerIterationFailedConvergence(max_iter)
    anew = None if personalization is None else _shares(G, personalization)
    if anew is not None and not anew.sum():
        raise ZeroDivisionError
    options: dict[str, Any] = {
        "damping": alpha,
        "iterations": min(int(SHARE * max_iter), MOST_UPDATES),
        "tolerance": min(max(tol, RESOLUTION), 1),
        "dangling": "uniform",
        "weighted": weighted,
    }
    with process.scratch("personalize") if anew is not None else contextlib.nullcontext() as folder:
        if folder is not None and anew is not None:
            rows = np.flatnonzero(anew)
            lines = (f"{row},{value!r}\n" for row, value in zip(rows.tolist(), anew[rows].tolist(), strict=True))
            options["personalize"] = folder / "values.csv"
            options["personalize"].write_text("".join(lines))
        found = call("pagerank", G, options, where)
    share = np.full(len(G), 1 / len(G)) if anew is None else anew / anew.sum()
    return _settled(G, found.values, alpha, share, G.weights if weighted else None, tol, max_iter)


def _shares(graph: PolyloomGraph, values: Mapping[Any, float]) -> Values:
    return np.array([values.get(node, 0) for node in graph], dtype=np.float64)


def _settled(
    graph: PolyloomGraph,
    values: Values,
    alpha: float,
    anew: Values,
    weights: Values | None,
    tol: float,
    max_iter: int,
) -> dict[Any, float]:
    """Update until the changes of all values sum to less than ``tol`` a node, ``max_iter`` times at most."""
    degrees, targets, n = np.diff(graph.starts), graph.targets, len(graph)
    given = degrees if weights is None else np.bincount(graph.sources, weights, n)
    dangles = given == 0
    part = np.where(dangles, 0, 1 / np.where(dangles, 1, given))
    for _ in range(max_iter):
        shares = np.repeat(values * part, degrees)
        passed = np.bincount(targets, shares if weights is None else shares * weights, n)
        new = alpha * (passed + values[dangles].sum() * anew) + (1 - alpha) * anew
        change = np.abs(new - values).sum()
        values = new
        if change < n * tol:
            return dict(zip(graph, values.tolist(), strict=True))
    raise nx.PowerIterationFailedConvergence(max_iter)

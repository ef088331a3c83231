# SPDX-License-Identifier: Apache-2.0
"""What all algorithms of the backend share: which arguments are refused, and where a program runs.

Input: a function's arguments; output: a reason against them, or the result of a vertex program.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypedDict, TypeVar

from polyloom.graphs.errors import GraphError
from polyloom.graphs.run import Result, fidelity, result
from polyloom.graphs.run import Where as RunWhere
from polyloom.jobs.memory_file import ArraysFile
from polyloom.networkx_backend.graph import PolyloomGraph, nx

Function = TypeVar("Function", bound=Callable[..., Any])
#: Says from a call's arguments, by name, why we cannot run it; "" if we can.
Check = Callable[[Mapping[str, Any]], str]

#: All functions of NetworkX that we have, and what is checked of their arguments.
algorithms: dict[str, Callable[..., Any]] = {}
checks: dict[str, tuple[Check, ...]] = {}


class Where(TypedDict, total=False):
    """Beside NetworkX's own arguments: ``on`` and ``cluster``, by default those of nx.config.backends.polyloom."""

    on: str
    cluster: str


def algorithm(*refused: Check) -> Callable[[Function], Function]:
    """Offer a function to NetworkX, but for calls of which a check gives a reason against them."""

    def take(function: Function) -> Function:
        name = function.__name__
        algorithms[name], checks[name] = function, refused
        return function

    return take


def refusal(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """Why we cannot run a call; "" if we can. TypeError for arguments that neither NetworkX nor we have."""
    bound = inspect.signature(algorithms[name]).bind(*args, **kwargs)
    bound.apply_defaults()
    for argument in bound.arguments["where"]:
        if argument not in Where.__annotations__:
            there = ", ".join(Where.__annotations__)
            raise TypeError(f"{name}() has no argument {argument!r}; beside NetworkX's own there are {there}")
    return next((reason for check in checks[name] if (reason := check(bound.arguments))), "")


def weight_is_a_name(arguments: Mapping[str, Any]) -> str:
    """Refuse functions that compute weights, and attributes that are no strings."""
    weight = arguments["weight"]
    return "" if weight is None or isinstance(weight, str) else "weight is not the name of an attribute"


def unweighted(arguments: Mapping[str, Any]) -> str:
    """Refuse weights."""
    return "" if arguments["weight"] is None else "weights are not taken into account"


def undirected(arguments: Mapping[str, Any]) -> str:
    """Refuse directed graphs."""
    return "the graph is directed" if arguments["G"].is_directed() else ""


def forwards(arguments: Mapping[str, Any]) -> str:
    """Refuse searches whose order depends on that of a directed graph's predecessors, which is not kept."""
    return "reverse: of a directed graph the order of predecessors is not kept" if arguments["reverse"] else ""


def as_adjacent(arguments: Mapping[str, Any]) -> str:
    """Refuse neighbours in an order of the caller's."""
    return "" if arguments["sort_neighbors"] is None else "sort_neighbors: nodes are visited as they are adjacent"


def call(
    program: str,
    graph: PolyloomGraph,
    options: Mapping[str, Any],
    where: Where,
    edges: ArraysFile | None = None,
) -> Result:
    """The result of a vertex program on the graph's edges, or on others between the same nodes.

    NotImplementedError where there is none: then NetworkX does it, if it may choose.
    """
    at = place(where)
    fidelity(at)  # what is wrong there is the caller's
    try:
        return result(program, edges or graph.file, len(graph), options, at)
    except GraphError as error:
        raise NotImplementedError(f"polyloom: {error}") from error


def place(where: Where) -> RunWhere:
    """Where a call runs: as it says, else as NetworkX's configuration."""
    config = nx.config.backends.polyloom
    native = where.get("on") == "native"  # which says that it has no cluster
    cluster = where.get("cluster") or ("" if native else config.cluster)
    return {"on": where.get("on") or config.on, "cluster": cluster}

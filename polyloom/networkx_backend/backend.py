# SPDX-License-Identifier: Apache-2.0
"""What NetworkX's dispatcher calls. Input: its calls; output: its results, by the functions of this package."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from polyloom.graphs.run import fidelity
from polyloom.networkx_backend.calls import algorithms, place, refusal
from polyloom.networkx_backend.graph import cached, convert_from_nx, convert_to_nx, forget_if_changed
from polyloom.networkx_backend.info import EXPECTED_TO_FAIL, LEAST_NODES, LINEAR, SLOWER

#: Where the algorithms are. Not as names of this module: NetworkX has functions that are called so, too.
for _part in ("components", "density", "distances", "ranks", "search"):
    import_module(f"polyloom.networkx_backend.{_part}")

__all__ = ["can_run", "convert_from_nx", "convert_to_nx", "on_start_tests", "should_run"]


def __getattr__(name: str) -> Any:
    """The algorithms, by NetworkX's names for them."""
    try:
        return algorithms[name]
    except KeyError:
        raise AttributeError(f"the NetworkX backend polyloom has no {name}") from None


def can_run(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool | str:
    """Whether we can run a call; else why not. NetworkX asks before it looks into its cache."""
    graph = args[0] if args else kwargs.get("G")
    forget_if_changed(graph)
    return refusal(name, args, kwargs) or True


def should_run(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool | str:
    """Whether it pays to convert the graph where NetworkX may choose; else why not."""
    graph = args[0] if args else kwargs["G"]
    if fidelity(place({})) != "native":
        return True
    if len(graph) < LEAST_NODES:
        return f"of {len(graph)} nodes NetworkX is quicker; from {LEAST_NODES} on it may not be"
    if name in SLOWER:
        return "NetworkX is quicker"
    return name not in LINEAR or bool(cached(graph)) or "NetworkX is as quick as a conversion of the graph"


def on_start_tests(items: list[Any]) -> None:
    """Mark those of NetworkX's tests that ask for what we do not give."""
    pytest = import_module("pytest")
    for item in items:
        reason = EXPECTED_TO_FAIL.get(item.nodeid.partition("algorithms/")[2].partition("[")[0])
        if reason:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))

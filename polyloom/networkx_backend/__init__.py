# SPDX-License-Identifier: Apache-2.0
"""NetworkX's backend "polyloom": ``networkx.pagerank(graph, backend="polyloom")`` (docs/guides/graphs.md).

Input: NetworkX graphs, converted once and kept in its cache; output: what NetworkX's own functions return.
NetworkX finds ``backend`` and ``info.get_info`` as entry points (pyproject.toml).
"""

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    """Load the backend when it is first used: NetworkX imports this package whenever it is imported itself."""
    if name != "backend":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.backend")

# SPDX-License-Identifier: Apache-2.0
"""Polyloom: program clusters of FPGAs from one source."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polyloom import mpi
    from polyloom.graphs import Graph, GraphError, Program
    from polyloom.sweeps import sweep

__version__ = "0.1.0"
__all__ = ["Graph", "GraphError", "Program", "__version__", "mpi", "sweep"]

#: Where the names above are; loading them takes longer than most commands run.
_HOMES = {"Graph": "graphs", "GraphError": "graphs", "Program": "graphs", "sweep": "sweeps"}


def __getattr__(name: str) -> Any:
    """Load a name when it is first asked for."""
    if name == "mpi":
        return importlib.import_module(f"{__name__}.mpi")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)

# SPDX-License-Identifier: Apache-2.0
"""Polyloom: program clusters of FPGAs from one source."""

from typing import TYPE_CHECKING

from polyloom.base import lazy

if TYPE_CHECKING:
    from polyloom import mpi
    from polyloom.graphs import Graph, GraphError, Program
    from polyloom.sweeps import sweep

__version__ = "0.1.0"
__all__ = ["Graph", "GraphError", "Program", "__version__", "mpi", "sweep"]

#: Where the names above are; loading them takes longer than most commands run.
_HOMES = {"Graph": "graphs", "GraphError": "graphs", "Program": "graphs", "mpi": "", "sweep": "sweeps"}
__getattr__ = lazy.names(__name__, _HOMES)

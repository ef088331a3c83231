# SPDX-License-Identifier: Apache-2.0
"""Barnes-Hut N-body: trees, forces, LETs, simulations over NumPy arrays. Needs the compiled module (``make build``)."""

from typing import TYPE_CHECKING

from polyloom.base import lazy

if TYPE_CHECKING:
    from polyloom.nbody.loader import NBodyError
    from polyloom.nbody.precision import PrecisionWarning
    from polyloom.nbody.settings import Settings
    from polyloom.nbody.simulation import Simulation, problem
    from polyloom.nbody.trees import RECORD, TARGET, Tree, accelerations, direct, let

__all__ = [
    "RECORD",
    "TARGET",
    "NBodyError",
    "PrecisionWarning",
    "Settings",
    "Simulation",
    "Tree",
    "accelerations",
    "direct",
    "let",
    "problem",
]

#: Where the names above are. All but settings need the compiled part.
_HOMES = {
    "NBodyError": "loader",
    "PrecisionWarning": "precision",
    "Settings": "settings",
    **dict.fromkeys(("Simulation", "problem"), "simulation"),
    **dict.fromkeys(("RECORD", "TARGET", "Tree", "accelerations", "direct", "let"), "trees"),
}
__getattr__ = lazy.names(__name__, _HOMES)

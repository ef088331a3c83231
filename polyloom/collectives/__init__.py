# SPDX-License-Identifier: Apache-2.0
"""Collective operations between FPGAs on NumPy arrays.

Input: a cluster name and one array a rank; output: arrays and a ``Result`` with simulated seconds.

    comm = Communicator("optweb-8")
    sums, result = comm.all_reduce([np.ones(1024, np.float32)] * comm.size)
    print(result.simulated_seconds, result.bus_gbps)
"""

from typing import TYPE_CHECKING

from polyloom.base import lazy

if TYPE_CHECKING:
    from polyloom.collectives.communicator import Communicator, Result
    from polyloom.collectives.loader import CollectiveError

__all__ = ["CollectiveError", "Communicator", "Result"]

#: Where the names above are. These modules need the compiled part, models and programs do not.
_HOMES = {"Communicator": "communicator", "Result": "communicator", "CollectiveError": "loader"}
__getattr__ = lazy.names(__name__, _HOMES)

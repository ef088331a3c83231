# SPDX-License-Identifier: Apache-2.0
"""An average for the training loop that a cluster of collective nodes computes, with its time.

Input: one vector a rank; output: the average for each rank, as ``polyloom.collectives`` gives it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from apps.averaging.training import Array


class ClusterAverage:
    """Call it as an ``Average``. ``seconds``: simulated time of all calls (0 natively); ``algorithm``: the last's."""

    def __init__(self, communicator: Any, algorithm: str = "") -> None:
        self.communicator = communicator
        self.algorithm = algorithm
        self._requested = algorithm
        self.seconds = 0.0
        self.calls = 0

    def __call__(self, vectors: Sequence[Array]) -> Sequence[Array]:
        """Average one vector a rank."""
        given = [np.ascontiguousarray(vector, dtype=np.float32) for vector in vectors]
        averages, result = self.communicator.all_reduce(given, "average", self._requested)
        self.algorithm = result.algorithm
        self.seconds += result.simulated_seconds or 0.0
        self.calls += 1
        return list(averages)

# SPDX-License-Identifier: Apache-2.0
"""What lanes must carry in the passes of a sort, whatever else the nodes do.

Input: the keys that the host has loaded, and how each pass deals them; output: ``busiest``, bytes over the busiest lane
of each pass, summed. Passes follow one another, so these bytes over a lane's rate are a time that no run undercuts.
The nodes count what leaves a pass, not by which lane; so the keys are followed here. Where outputs take turns at a key
it is not known which lane a record takes: such records are left out, and the bound is lower, not wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from apps.sort.cluster import Column
from apps.sort.steps import Setup

RECORD_BYTES = 8  # a key and its value


class Traffic:
    """Keys by node as passes move them, and ``busiest``."""

    def __init__(self, keys: Sequence[Column]) -> None:
        self._keys = list(keys)
        self.busiest = 0

    def exchanged(self, records: Sequence[Sequence[int]]) -> None:
        """A pass in which node n sent records[n][peer] records to each of its peers; itself: no lane."""
        most = max((count for n, row in enumerate(records) for m, count in enumerate(row) if m != n), default=0)
        self.busiest += most * RECORD_BYTES

    def dealt(self, groups: Sequence[Sequence[int]], setups: Sequence[Setup], last: bool) -> None:
        """A pass in which each node dealt what it had to the members of its group; ``last``: of all passes."""
        nodes = len(self._keys)
        records = np.zeros((nodes, nodes), dtype=np.int64)
        came: list[list[Column]] = [[] for _ in range(nodes)]
        for group in groups:
            for rank in group:
                keys = self._keys[rank]
                outputs = setups[rank].outputs_of(keys)
                for place, peer in enumerate(group):
                    there = outputs == place
                    records[rank, peer] = np.count_nonzero(there)
                    if not last:
                        came[peer].append(keys[there])
        self._keys = [np.concatenate([np.zeros(0, np.uint32), *parts]) for parts in came]
        self.exchanged(records.tolist())

# SPDX-License-Identifier: Apache-2.0
"""Keys of cluster files, a table a module. What the file as a whole means: docs/guides/clusters.md."""

from __future__ import annotations

from spec.keys.collective import COLLECTIVE
from spec.keys.fabric import BEFORE_ROLES, FOR_SOME
from spec.keys.hub import HUB
from spec.keys.mpi import MPI
from spec.keys.overlay import OVERLAY, TIMING
from spec.rows import KeyTable, unique

TABLES: list[KeyTable] = [*BEFORE_ROLES, OVERLAY, TIMING, COLLECTIVE, HUB, MPI, *FOR_SOME]
unique("keys", [table.name for table in TABLES])

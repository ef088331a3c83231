# SPDX-License-Identifier: Apache-2.0
"""What the cost model makes of collectives: the table that ``--explain`` prints. Input: ranks; output: text.

The model and its constants are roles/kernel/runtime/mpi/cost.py, from which the table is made that the C library
looks into; so what is printed here is what programs do.
"""

from __future__ import annotations

import importlib.util
from types import ModuleType

from polyloom.base import paths

SIZES = (8, 256, 4096, 65536, 1 << 20)


def cost_model() -> ModuleType:
    """The model as a module."""
    file = paths.home() / "roles" / "kernel" / "runtime" / "mpi" / "cost.py"
    spec = importlib.util.spec_from_file_location("polyloom_cost", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def collectives(ranks: int, choice: str) -> str:
    """A row for each operation, a column for each length: the algorithm taken and its predicted simulated time."""
    if ranks < 2:
        return "collectives: one rank sends nothing"
    model = cost_model()
    head = f"collectives of {ranks} ranks ({choice}); predicted, simulated us; bytes: a rank's buffer or block"
    lines = [head, f"  {'':10}" + "".join(f"{_size(size):>16}" for size in SIZES)]
    for name, costs in model.MODELS.items():
        cells = []
        for size in SIZES:
            times = {algorithm: cost(ranks, size) for algorithm, cost in costs.items()}
            taken = model.chosen(name, ranks, size)
            if choice != "auto":
                taken = "LINEAR" if choice == "linear" else next((a for a in ("TREE", "RING") if a in times), "LINEAR")
                taken = taken if times[taken] != float("inf") else "LINEAR"
            cells.append(f"{taken.lower()} {times[taken] * 1e6:.4g}".rjust(16))
        lines.append(f"  {name.lower():10}" + "".join(cells))
    return "\n".join(lines)


def _size(size: int) -> str:
    return f"{size} B" if size < 1024 else f"{size >> 10} KiB" if size < 1 << 20 else f"{size >> 20} MiB"

# SPDX-License-Identifier: Apache-2.0
"""What the cost model makes of collectives: the table that ``--explain`` prints. Input: ranks; output: text.

The model and its constants are cost.py, from which the table is made that the C library looks into; so what is printed
here is what programs do.
"""

from __future__ import annotations

from polyloom.mpirun import cost

SIZES = (8, 256, 4096, 65536, 1 << 20)


def collectives(ranks: int, choice: str) -> str:
    """A row for each operation, a column for each length: the algorithm taken and its predicted simulated time."""
    if ranks < 2:
        return "collectives: one rank sends nothing"
    head = f"collectives of {ranks} ranks ({choice}); predicted, simulated us; bytes: a rank's buffer or block"
    lines = [head, f"  {'':10}" + "".join(f"{_size(size):>16}" for size in SIZES)]
    for name, costs in cost.MODELS.items():
        cells = []
        for size in SIZES:
            times = {algorithm: time(ranks, size) for algorithm, time in costs.items()}
            taken = cost.chosen(name, ranks, size)
            if choice != "auto":
                taken = "LINEAR" if choice == "linear" else next((a for a in ("TREE", "RING") if a in times), "LINEAR")
                taken = taken if times[taken] != float("inf") else "LINEAR"
            cells.append(f"{taken.lower()} {times[taken] * 1e6:.4g}".rjust(16))
        lines.append(f"  {name.lower():10}" + "".join(cells))
    return "\n".join(lines)


def _size(size: int) -> str:
    return f"{size} B" if size < 1024 else f"{size >> 10} KiB" if size < 1 << 20 else f"{size >> 20} MiB"

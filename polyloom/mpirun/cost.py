# SPDX-License-Identifier: Apache-2.0
"""Prints the C library's choose_table.h: which algorithm a collective takes, by operation, ranks and bytes.

Input: the constants below. Output: the C table on stdout. Usage, in roles/mpi/runtime/mpi:
python -m polyloom.mpirun.cost > choose_table.h

A message costs its sender `SEND` s and its receiver `RECEIVE` s of their time, and arrives `ALPHA` s after it has
left; one that its receiver has to ask for takes `HANDSHAKE` s more. A byte takes `BETA` s of a link, one way, and
`COMBINE` s where it is added to another; one that a node forwards costs nothing more. A job may mix CPU ranks and FPGAs
and all must choose alike, so the model takes means of both.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, log2

from polyloom.mpirun.job import eager_bytes

BETA = 8 / 10e9  # 10 Gb/s
COMBINE = 6.4e-9 / 4  # an FPGA combines an element of four bytes a cycle
ALPHA = 2.0e-6  # a switch, two cables, header and check of a frame
SEND = 0.5e-6  # mean of a CPU's call (1 us) and an FPGA's command (some cycles)
RECEIVE = 0.5e-6
HANDSHAKE = 14e-6  # three more latencies, and what engines and CPUs do for RTS, CTS and DONE (bench/mpi-scaling)
PIECE = 5760  # bytes, of reductions: reduce.c
SCRATCH = 8192  # bytes that a node has for the blocks of its subtree
SIZES = tuple(1 << i for i in range(1, 11))
STEPS = 6  # algorithms in turn, from short to long
LONGEST = 1 << 26

Cost = Callable[[int, int], float]


def wait(n: int, m: float) -> float:
    """How long a message is on its way in a job of n ranks, without its bytes."""
    return ALPHA + (HANDSHAKE if m > eager_bytes(min(n, SIZES[-1])) else 0)


def hop(n: int, m: float) -> float:
    """One message from node to node."""
    return wait(n, m) + SEND + RECEIVE + m * BETA


def depth(n: int) -> int:
    """Levels of a binomial tree."""
    return ceil(log2(n))


def fan(n: int, m: float) -> float:
    """One node's messages to or from all others, all posted at once: its link or its calls are the limit."""
    return wait(n, m) + RECEIVE + (n - 1) * max(SEND, m * BETA)


def halving(n: int, m: float) -> float:
    """Binomial scatter or gather: half of what is left at each level."""
    return depth(n) * (wait(n, m) + SEND + RECEIVE) + (n - 1) * m * BETA


def ring(n: int, block: float) -> float:
    """A block passed on by each of n nodes."""
    return (n - 1) * hop(n, block)


def gather_sum(n: int, m: float) -> float:
    """A reduction by one node of what all others send it."""
    return wait(n, m) + RECEIVE + (n - 1) * max(SEND, m * BETA, m * COMBINE)


def climb(n: int, m: float) -> float:
    """A reduction along a binomial tree: its root takes the whole from each of its children."""
    return depth(n) * (hop(n, min(m, PIECE)) + max(m - PIECE, 0) * BETA + m * COMBINE)


def forbid_long(cost: Cost) -> Cost:
    """Not where the blocks of a subtree do not fit in a node."""
    return lambda n, m: cost(n, m) if n * m <= SCRATCH else float("inf")


# Bytes are those of one rank's buffer: the whole for bcast and reduce, a block for scatter, gather, allgather.
# A tree combines and forwards in pieces, so in a reduction its levels work at the same time.
MODELS: dict[str, dict[str, Cost]] = {
    "BARRIER": {"LINEAR": lambda n, m: 2 * fan(n, 0), "TREE": lambda n, m: depth(n) * hop(n, 0)},
    "BCAST": {
        "LINEAR": fan,
        "TREE": lambda n, m: depth(n) * hop(n, m),
        "RING": lambda n, m: fan(n, m / n) + ring(n, m / n),
    },
    "SCATTER": {"LINEAR": fan, "TREE": forbid_long(halving)},
    "GATHER": {"LINEAR": fan, "TREE": forbid_long(halving)},
    "ALLGATHER": {"LINEAR": fan, "RING": lambda n, m: ring(n, m) * 1.01},
    "REDUCE": {
        "LINEAR": gather_sum,
        "TREE": climb,
    },
    "ALLREDUCE": {
        "LINEAR": lambda n, m: gather_sum(n, m) + fan(n, m),
        "TREE": lambda n, m: climb(n, m) + depth(n) * hop(n, m),
        "RING": lambda n, m: 2 * ring(n, m / n) + m * COMBINE,
    },
}


def row(models: dict[str, Cost], n: int) -> list[tuple[int, str]]:
    """[(from this many bytes on, algorithm)], STEPS entries."""
    entries: list[tuple[int, str]] = []
    m = 1
    while m <= LONGEST:
        best = min(models, key=lambda name: models[name](n, m))
        if not entries or entries[-1][1] != best:
            entries.append((0 if not entries else m, best))
        m *= 2
    if len(entries) > STEPS:
        raise ValueError(f"{n} ranks: the algorithm changes more than {STEPS - 1} times: {entries}")
    return entries + [(0xFFFFFFFF, entries[-1][1])] * (STEPS - len(entries))


def chosen(operation: str, n: int, m: int) -> str:
    """The algorithm that programs take: choose.h."""
    models = MODELS[operation]
    steps = row(models, next((size for size in SIZES if size >= n), SIZES[-1]))
    found = [name for start, name in steps if start <= m][-1]
    return found if models[found](n, m) < float("inf") else "LINEAR"


def main() -> None:
    """Print the table."""
    print("/* SPDX-License-Identifier: Apache-2.0 */")
    print("/* Made by polyloom/mpirun/cost.py; a test compares. Rows: at most 2, 4, 8, ... 512, and more ranks. */")
    print("/* clang-format off */")
    print(f"#define POLYLOOM_TABLE_ROWS {len(SIZES)}")
    print(f"#define POLYLOOM_TABLE_STEPS {STEPS}")
    for name, models in MODELS.items():
        print(f"#define POLYLOOM_TABLE_{name} \\")
        lines = []
        for n in SIZES:
            cells = ", ".join(f"{{{start}u, POLYLOOM_{algorithm}}}" for start, algorithm in row(models, n))
            lines.append(f"  {{{cells}}}")
        print(", \\\n".join(lines))


if __name__ == "__main__":
    main()

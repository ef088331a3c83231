# SPDX-License-Identifier: Apache-2.0
"""``polyloom collective``: runs an operation at one or several sizes. Input: options; output: a table or JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np

from polyloom.collectives.communicator import Array, Communicator, Result
from polyloom.errors import UserError

UNITS = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def parse_size(text: str) -> int:
    """Bytes of "4096", "64K", "1M", "2G" (powers of 1024)."""
    digits = text.rstrip("BKMG")
    unit = text[len(digits) :]
    if not digits.isdigit() or unit not in UNITS:
        raise UserError(f"'{text}' is no size; write 4096, 64K, 1M or 2G")
    return int(digits) * UNITS[unit]


def sizes_of(text: str, sweep: str) -> list[int]:
    """One size, or "FIRST:LAST" in powers of two."""
    if not sweep:
        return [parse_size(text)]
    first, _, last = sweep.partition(":")
    size, end = parse_size(first), parse_size(last)
    if not 0 < size <= end:
        raise UserError(f"--sweep {sweep}: write FIRST:LAST with FIRST not above LAST, e.g. 1K:1G")
    sizes = []
    while size <= end:
        sizes.append(size)
        size *= 2
    return sizes


def _bytes(rng: np.random.Generator, count: int) -> Array:
    return rng.integers(0, 256, count, np.uint8)


def _moves_right(comm: Communicator, name: str, size: int, algorithm: str, rng: np.random.Generator) -> bool:
    """Random bytes moved by one of the operations that only move; True if all arrive."""
    n, last = comm.size, comm.size - 1
    share = max(1, size // n)
    if name == "unicast":
        data = _bytes(rng, size)
        return np.array_equal(comm.unicast(data, 0, last, algorithm)[0], data)
    if name == "broadcast":
        data = _bytes(rng, size)
        return all(np.array_equal(a, data) for a in comm.broadcast(data, 0, algorithm)[0])
    if name == "all_to_all":
        rows = [[_bytes(rng, share) for _ in range(n)] for _ in range(n)]
        moved = comm.all_to_all(rows, algorithm)[0]
        return all(np.array_equal(moved[j][i], rows[i][j]) for i in range(n) for j in range(n))
    blocks = [_bytes(rng, share) for _ in range(n)]
    if name == "scatter":
        return all(np.array_equal(a, b) for a, b in zip(comm.scatter(blocks, 0, algorithm)[0], blocks, strict=True))
    whole = np.concatenate(blocks)
    if name == "gather":
        return np.array_equal(comm.gather(blocks, 0, algorithm)[0], whole)
    return all(np.array_equal(a, whole) for a in comm.all_gather(blocks, algorithm)[0])


def _reduces_right(comm: Communicator, name: str, size: int, algorithm: str, rng: np.random.Generator) -> bool:
    """Random integers combined, so that the sum is exact in any order; True if it is NumPy's."""
    n = comm.size
    count = max(1, size // 4 // n) * n
    arrays = [rng.integers(-1000, 1000, count).astype(np.int32) for _ in range(n)]
    total = np.sum(arrays, axis=0)
    if name == "reduce":
        return np.array_equal(comm.reduce(arrays, 0, "sum", algorithm)[0], total)
    if name == "reduce_scatter":
        return np.array_equal(np.concatenate(comm.reduce_scatter(arrays, None, "sum", algorithm)[0]), total)
    return all(np.array_equal(a, total) for a in comm.all_reduce(arrays, "sum", algorithm)[0])


def verify(comm: Communicator, operation: str, size: int, algorithm: str) -> None:
    """Move random data and compare with NumPy; UserError if a byte differs. A barrier has no data."""
    rng = np.random.default_rng(size)
    name = operation.replace("-", "_")
    if name == "barrier":
        return
    right = _reduces_right if "reduce" in name else _moves_right
    if not right(comm, name, size, algorithm, rng):
        raise UserError(f"{operation} of {size} bytes: the result differs from NumPy's")


def run(comm: Communicator, operation: str, sizes: list[int], algorithm: str, check: bool) -> list[Result]:
    """Run the operation once a size."""
    results = []
    comm.uniform(operation, sizes[0])  # an unknown operation is named before anything runs
    for size in sizes:
        if check:
            verify(comm, operation, size, algorithm)
        prepared = comm.prepare(comm.uniform(operation, size), algorithm)
        results.append(comm.run(prepared))
    return results


def table(comm: Communicator, results: list[Result]) -> str:
    """Lines for people: bytes, algorithm, simulated and predicted us, algorithm and bus bandwidth, limit."""
    limit = comm.lane_gbps * comm.lanes if comm.lane_gbps else None
    head = f"{'bytes':>12} {'algorithm':<20} {'us':>12} {'predicted':>12} "
    head += f"{'Gb/s an FPGA':>13} {'bus Gb/s':>10} {'limit':>8}"

    def number(value: float | None, scale: float = 1.0) -> str:
        return "-" if value is None else f"{value * scale:.3f}"

    lines = [
        f"{comm.topology}; bus = Gb/s x {results[0].bus_factor:.4f} (nccl-tests); limit: all lanes",
        head,
    ]
    lines += [
        f"{r.bytes:>12} {r.algorithm:<20} {number(r.simulated_seconds, 1e6):>12} "
        f"{number(r.predicted_seconds, 1e6):>12} "
        f"{number(r.algorithm_gbps):>13} {number(r.bus_gbps):>10} {number(limit):>8}"
        for r in results
    ]
    return "\n".join(lines)


def as_json(comm: Communicator, results: list[Result]) -> str:
    """The same facts for machines."""
    limit = comm.lane_gbps * comm.lanes if comm.lane_gbps else None
    return json.dumps({"topology": comm.topology, "limit_gbps": limit, "results": [asdict(r) for r in results]})

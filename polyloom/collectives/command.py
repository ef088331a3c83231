# SPDX-License-Identifier: Apache-2.0
"""``polyloom collective``: runs an operation at one or several sizes. Input: options; output: a table or JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

from polyloom.collectives.communicator import Communicator, Result
from polyloom.collectives.verify import verify
from polyloom.errors import UserError

UNITS = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


#: From so many bytes a rank on, --verify fills and reads the nodes' memory in place, not over the host link.
VISIBLE_BYTES = 16 << 20


def parse_size(text: str) -> int:
    """Bytes of "4096", "64K", "1M", "2G" (powers of 1024)."""
    digits = text.rstrip("BKMG")
    unit = text[len(digits) :]
    if not (digits.isascii() and digits.isdigit()) or unit not in UNITS:
        raise UserError(f"'{text}' is no size; write 4096, 64K, 1M or 2G")
    size = int(digits) * UNITS[unit]
    if not 0 < size < 1 << 63:
        raise UserError(f"{text}: an operation moves at least 1 byte and less than 2^63")
    return size


def sizes_of(text: str, sweep: str) -> list[int]:
    """One size, or "FIRST:LAST" in powers of two."""
    if not sweep:
        return [parse_size(text)]
    ends = sweep.split(":")
    size, end = (parse_size(text) for text in ends) if len(ends) == 2 else (0, 0)
    if not 0 < size <= end:
        raise UserError(f"--sweep {sweep}: write FIRST:LAST with FIRST not above LAST, e.g. 1K:1G")
    sizes = []
    while size <= end:
        sizes.append(size)
        size *= 2
    return sizes


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

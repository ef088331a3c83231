# SPDX-License-Identifier: Apache-2.0
"""``polyloom collective``: runs an operation at one or several sizes. Input: options; output: a table or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from polyloom.base import memory, record
from polyloom.base.errors import UserError
from polyloom.base.folder import RunFolder
from polyloom.base.progress import Progress
from polyloom.collectives.communicator import Communicator, Result
from polyloom.collectives.verify import verify

UNITS = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


#: What simulated_seconds of a result contains.
SPAN = "one operation, from the end of the barrier before it to the last rank's end; its data are in place"

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


def work(sizes: list[int], check: bool) -> int:
    """What ``run`` counts for its progress: bytes, of each move; made and compared they take time, too."""
    return sum(sizes) * (4 if check else 1)


def run(
    comm: Communicator, operation: str, sizes: list[int], algorithm: str, check: bool, progress: Progress
) -> list[Result]:
    """Run the operation once a size."""
    results = []
    done = 0
    comm.uniform(operation, sizes[0])  # an unknown operation is named before anything runs
    if check and operation == "barrier":
        raise UserError("--verify: a barrier moves no data that could be compared; leave it out")
    if comm.native or check:  # a simulated node's memory takes room only where something is written
        _require_memory(comm, operation, max(sizes), algorithm)
    progress.begin_at(0)
    for size in sizes:
        if check:
            verify(comm, operation, size, algorithm, _part(progress, size, done, 3 * size))
            done += 3 * size
        progress.at(done, f"{size} bytes, measuring")
        prepared = comm.prepare(comm.uniform(operation, size), algorithm)
        results.append(comm.run(prepared))
        done += size
    return results


def _part(progress: Progress, size: int, done: int, work: int) -> Callable[[float, str], None]:
    """What hears how far the next ``work`` is."""
    return lambda share, step: progress.at(done + share * work, f"{size} bytes, {step}")


def _require_memory(comm: Communicator, operation: str, size: int, algorithm: str) -> None:
    prepared = comm.prepare(comm.uniform(operation, size), algorithm)
    needed = sum(prepared.send_bytes(rank) + prepared.recv_bytes(rank) for rank in range(comm.size))
    memory.require(needed, f"{operation} of {size} bytes on {comm.size} ranks")


def table(comm: Communicator, results: list[Result], checked: bool) -> str:
    """Lines for people: bytes, algorithm, simulated and predicted us, algorithm and bus bandwidth, limit."""
    limit = comm.lane_gbps * comm.lanes if comm.lane_gbps else None
    head = f"{'bytes':>12} {'algorithm':<20} {'us':>12} {'predicted':>12} "
    head += f"{'Gb/s an FPGA':>13} {'bus Gb/s':>10} {'limit':>8}"

    def number(value: float | None, scale: float = 1.0) -> str:
        return "-" if value is None else f"{value * scale:.3f}"

    lines = [
        f"{comm.topology}; bus = Gb/s x {results[0].bus_factor:.4f} (nccl-tests); limit: all lanes",
        "no time is simulated natively" if comm.native else f"us: simulated time of {SPAN}",
        head,
    ]
    lines += [
        f"{r.bytes:>12} {r.algorithm:<20} {number(r.simulated_seconds, 1e6):>12} "
        f"{number(r.predicted_seconds, 1e6):>12} "
        f"{number(r.algorithm_gbps):>13} {number(r.bus_gbps):>10} {number(limit):>8}"
        for r in results
    ]
    if not comm.native and any(r.predicted_seconds is None for r in results):
        lines.append(
            "predicted -: a program is longer than a node holds (program_size of [collective]); the host loads it in "
            "parts, which has no model"
        )
    if checked:
        lines.append("verified: every byte that a rank received is the one that NumPy computes")
    return "\n".join(lines)


def facts(comm: Communicator, results: list[Result], checked: bool) -> dict[str, Any]:
    """The same for machines; ``checked``: every byte was looked at before."""
    limit = comm.lane_gbps * comm.lanes if comm.lane_gbps else None
    return {
        "topology": comm.topology,
        "limit_gbps": limit,
        "simulated_span": SPAN,
        "verified": True if checked else None,
        "results": [asdict(r) for r in results],
    }


def write_record(folder: RunFolder, facts: dict[str, Any], words: list[str], wall: float) -> None:
    """What the run answered, beside what a simulator wrote of it; without one (natively) also what ran."""
    results = facts["results"]
    native = all(result["simulated_seconds"] is None for result in results)
    content = {"app": results[0]["operation"], "on": "native" if native else "cluster", **facts}
    if len(results) == 1:  # a row of the page each
        content |= {key: value for key, value in results[0].items() if key != "operation"}
    folder.write("result.json", json.dumps(content, indent=2) + "\n")
    record.complete(folder, content["app"], content["on"], words, 0, 0, wall)

# SPDX-License-Identifier: Apache-2.0
"""The job file: what every process of a job is told (roles/kernel/runtime/README.md). Input: plan; output: JSON."""

from __future__ import annotations

import json
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyloom.errors import UserError
from polyloom.mpirun.cluster import MPI_PORT, Cluster
from polyloom.transpile.kernels import BuiltKernel

#: Bytes of the pool that an FPGA keeps for envelopes that no receive has asked for yet (all sources together).
POOL_BYTES = 8192
#: Credits of a pair of ranks, and bounds of the bytes of an eager message.
CREDITS, LEAST_EAGER, MOST_EAGER = 4, 16, 1024


@dataclass(frozen=True)
class Address:
    """Where a rank is reached."""

    mac: str
    ip: int
    port: int


def eager_bytes(size: int) -> int:
    """Longest message that goes without asking: what a pool of POOL_BYTES allows for ``size`` ranks and the manager."""
    room = POOL_BYTES // (CREDITS * (size + 1)) // 8 * 8
    if room < LEAST_EAGER:
        raise UserError(f"{size} ranks are more than the engine's pool of {POOL_BYTES} bytes serves")
    return min(room, MOST_EAGER)


def fabric_addresses(cluster: Cluster) -> list[Address]:
    """Of all ranks and the manager, in the simulated network."""
    return [Address(node.mac, node.ip, MPI_PORT) for node in (*cluster.ranks, cluster.manager)]


def loopback_addresses(size: int) -> list[Address]:
    """Of ``size`` ranks and the manager: free UDP ports of this machine, held only while they are looked for."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(size + 1)]
    try:
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [Address("00:00:00:00:00:00", 127 << 24 | 1, s.getsockname()[1]) for s in sockets]
    finally:
        for s in sockets:
            s.close()


def content(
    addresses: Sequence[Address],
    transport: str,
    cluster: Cluster | None,
    kernels: Sequence[BuiltKernel],
    args: list[str],
    collectives: str,
) -> dict[str, Any]:
    """What all processes share; each adds its own rank."""
    size = len(addresses) - 1
    by_rank = {rank: kernel for kernel in kernels for rank in kernel.ranks}
    fpgas = []
    for rank, kernel in sorted(by_rank.items()):
        assert cluster is not None, "kernels without a cluster"
        report = str(kernel.folder / "report.json")
        fpgas.append({"rank": rank, "clock_hz": cluster.ranks[rank].clock_hz, "report": report})
    return {
        "version": 1,
        "job": secrets.randbelow(2**32 - 1) + 1 if transport == "udp" else 1,
        "size": size,
        "transport": transport,
        "eager_bytes": eager_bytes(size),
        "credits": CREDITS,
        "table": [{"mac": a.mac, "ip": a.ip, "port": a.port} for a in addresses],
        "fpgas": fpgas,
        "args": args,
        "collectives": collectives,
    }


def write(folder: Path, shared: dict[str, Any], rank: int) -> Path:
    """The file of one process; ``rank`` = size is the manager's."""
    path = folder / f"job-{rank}.json"
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps({**shared, "rank": rank}, indent=1) + "\n")
    fresh.replace(path)
    return path

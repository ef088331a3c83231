# SPDX-License-Identifier: Apache-2.0
"""The job file: what every process of a job is told (roles/mpi/runtime/README.md). Input: plan; output: JSON."""

from __future__ import annotations

import json
import os
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from polyloom.base import json_text
from polyloom.base.errors import UserError
from polyloom.mpirun.cluster import MPI_PORT, Cluster
from polyloom.mpirun.cpu_time import CpuTime
from polyloom.transpile.kernels import BuiltKernel

#: Bytes of the pool that an FPGA keeps for envelopes that no receive has asked for yet (all sources together).
POOL_BYTES = 49152
#: Envelopes that it keeps, with payload or without, and how many of one rank at most.
ENVELOPES, MOST_ENVELOPES = 2712, 128
#: Bounds of the bytes of an eager message.
LEAST_EAGER, MOST_EAGER = 16, 1024
PIECE = 1440  # bytes of a packet of a long message
MOST_PIECES = 45  # that a receiver asks for at a time
US, MS = 10**6, 10**9  # in ps
NEVER = 0xFFFF  # of retries


@dataclass(frozen=True)
class Address:
    """Where a rank is reached."""

    mac: str
    ip: str
    port: int


def credits(size: int) -> int:
    """Envelopes with their payload that each of ``size`` ranks may have under way to each other, unconsumed."""
    return 4 if size <= 256 else 2


def eager_bytes(size: int) -> int:
    """Longest message that goes without asking: what a pool of POOL_BYTES allows for ``size`` ranks and the manager."""
    room = POOL_BYTES // (credits(size) * (size + 1)) // 8 * 8
    if room < LEAST_EAGER:
        raise UserError(f"{size} ranks are more than the engine's pool of {POOL_BYTES} bytes serves")
    return min(room, MOST_EAGER)


def most_envelopes(size: int) -> int:
    """Messages of one rank that an FPGA keeps while no receive has taken them, a share of all that it can."""
    return max(credits(size), min(MOST_ENVELOPES, ENVELOPES // (size + 1)))


def window_bytes(size: int, queue_bytes: int) -> int:
    """How much of a long message a receiver asks for: if all others send to it, three quarters of its queue fill."""
    pieces = queue_bytes * 3 // 4 // PIECE // max(size - 1, 1)
    return PIECE * max(2, min(MOST_PIECES, pieces))


def fabric_addresses(cluster: Cluster) -> list[Address]:
    """Of all ranks and the manager, in the simulated network."""
    return [Address(node.mac, str(IPv4Address(node.ip)), MPI_PORT) for node in (*cluster.ranks, cluster.manager)]


def loopback_addresses(size: int) -> list[Address]:
    """Of ``size`` ranks and the manager: free UDP ports of this machine, held only while they are looked for."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(size + 1)]
    try:
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [Address("00:00:00:00:00:00", "127.0.0.1", s.getsockname()[1]) for s in sockets]
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
    cpu_time: CpuTime | None,
) -> dict[str, Any]:
    """What all processes share; each adds its own rank."""
    size = len(addresses) - 1
    on_fpga = {rank: kernel for kernel in kernels for rank in kernel.ranks}
    table = [
        {"mac": a.mac, "ip": a.ip, "port": a.port, "kind": "fpga" if rank in on_fpga else "cpu"}
        for rank, a in enumerate(addresses)
    ]
    shared: dict[str, Any] = {
        "job": secrets.randbelow(2**32 - 1) + 1 if transport == "udp" else 1,
        "size": size,
        "transport": transport,
        "table": table,
        "arguments": [json_text.of_bytes(os.fsencode(word)) for word in args],
        "collectives": collectives,
    }
    if cluster is None:
        # Real time: a rank that computes is not absent, and the launcher knows who is alive.
        return shared | {"retries": NEVER, "times": {"retransmission_ps": 20 * MS, "ack_delay_ps": MS}}
    files = {
        str(rank): {"clock_hz": cluster.ranks[rank].clock_hz, "report": _report(kernel)}
        for rank, kernel in sorted(on_fpga.items())
    }
    return shared | {
        "eager_bytes": eager_bytes(size),
        "credits": credits(size),
        "most_envelopes": most_envelopes(size),
        "window": window_bytes(size, cluster.queue_bytes),
        "rate_bps": cluster.rate_bps,
        # A round trip is some us, a full queue of a switch delays by hundreds.
        "times": {"retransmission_ps": 100 * US, "ack_delay_ps": 10 * US},
        "kernels": files,
        "cpu": cpu_time.job() if cpu_time else {},
    }


def _report(kernel: BuiltKernel) -> str | list[int]:
    return json_text.of_bytes(os.fsencode(kernel.folder / "report.json"))


def begun(folder: Path, rank: int) -> Path:
    """A file that rank's process makes when it calls MPI_Init (roles/mpi/runtime/cpu/job.h)."""
    return folder / f"{_path(folder, rank).name}.begun"


def _path(folder: Path, rank: int) -> Path:
    return folder / f"job-{rank}.json"


def write(folder: Path, shared: dict[str, Any], rank: int) -> Path:
    """The file of one process; ``rank`` = size is the manager's."""
    path = _path(folder, rank)
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps({**shared, "rank": rank}, indent=1) + "\n")
    fresh.replace(path)
    return path

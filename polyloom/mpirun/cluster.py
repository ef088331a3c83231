# SPDX-License-Identifier: Apache-2.0
"""Ranks and the nodes that they are. Input: a cluster's name or file; output: ``Cluster``.

Ranks come from the description where it gives them (the JSON form of ZRLMPI); otherwise the hosts but the last are
ranks 0, 1, ... and the FPGAs of role ``kernel`` follow. The last host is the manager, rank ``size``.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyloom.base import paths
from polyloom.base.errors import UserError
from polyloom.hls.options import MOST_DRAM
from polyloom.transpile.program import Target

FIRST_IP = 10 << 24 | 80 << 16 | 1  # node 0: 10.80.0.1
MPI_PORT = 2718


@dataclass(frozen=True)
class Node:
    """A node of the cluster that takes part in a job."""

    index: int
    name: str
    fpga: bool
    clock_hz: int = 0  # of an FPGA
    client: int = -1  # number of a host program's connection

    @property
    def ip(self) -> int:
        """Its IPv4 address (roles/mpi/PROTOCOL.md, Addresses)."""
        return FIRST_IP + self.index

    @property
    def mac(self) -> str:
        """Its Ethernet address."""
        return f"02:50:{':'.join(f'{byte:02x}' for byte in self.ip.to_bytes(4, 'big'))}"


@dataclass(frozen=True)
class Cluster:
    """A cluster as a job sees it: ``ranks[r]`` is the node of rank r."""

    file: Path
    name: str
    ranks: tuple[Node, ...]
    manager: Node
    latencies: str
    target: Target
    queue_bytes: int  # of an output of the switch
    rate_bps: int  # of the slowest link

    @property
    def cpu_ranks(self) -> list[int]:
        """Ranks that are host programs."""
        return [rank for rank, node in enumerate(self.ranks) if not node.fpga]

    @property
    def fpga_ranks(self) -> list[int]:
        """Ranks that are FPGAs."""
        return [rank for rank, node in enumerate(self.ranks) if node.fpga]


def read(name: str) -> Cluster:
    """Read a cluster by the simulator's own reader. UserError if it cannot run an MPI job."""
    file = paths.cluster_file(name)
    command = [str(paths.program("polyloom-sim")), "--cluster", str(file), "--show", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise UserError(done.stderr.strip().removeprefix("polyloom: "))
    return of_description(json.loads(done.stdout), file)


def of_description(content: dict[str, Any], file: Path) -> Cluster:
    """The job's view of a description that ``polyloom-sim --show --json`` printed."""
    hosts: list[tuple[int, Node]] = []
    fpgas: list[tuple[int, Node]] = []
    for index, node in enumerate(content["nodes"]):
        if node["kind"] == "host":
            hosts.append((node.get("rank", -1), Node(index, node["name"], False, client=len(hosts))))
        elif node["kind"] == "fpga" and node["role"] == "mpi":
            fpgas.append((node.get("rank", -1), Node(index, node["name"], True, node["clocks_hz"]["core"])))
        elif node["kind"] == "fpga":
            raise UserError(
                f"{file}: node {node['name']} has the role {node['role']}; MPI ranks are FPGAs of the role mpi"
            )
    if len(hosts) < 2:
        raise UserError(
            f"{file}: {len(hosts)} host; a job needs one for each CPU rank and one more, the last, for its manager"
        )
    manager = hosts.pop()[1]
    ranks = [node for _, node in sorted(hosts + fpgas, key=lambda pair: pair[0])]
    target = _target(content, ranks, file)
    queue = content.get("switch", {}).get("queue_bytes", 1 << 20)
    rate = min(link["rate_bps"] for link in content["links"])
    return Cluster(file, content["name"], tuple(ranks), manager, _latencies(content), target, queue, rate)


def _target(content: dict[str, Any], ranks: list[Node], file: Path) -> Target:
    """What kernels are compiled for: one clock and one size of DRAM, so that equal ranks share a program."""
    clocks = {node.clock_hz for node in ranks if node.fpga}
    tables = content.get("roles", {}).get("mpi", [])
    heaps = {table["dram_bytes"] for table in tables}
    if len(clocks) > 1:
        raise UserError(f"{file}: FPGAs have clocks of {sorted(clocks)} Hz; MPI_Wtime of kernels needs the same on all")
    return Target(len(ranks), clocks.pop(), min(*heaps, MOST_DRAM)) if clocks and heaps else Target(len(ranks))


def _latencies(content: dict[str, Any]) -> str:
    """One line on the links, for results that depend on them."""
    sorts = {(link["rate_bps"], link["latency_ps"]) for link in content["links"]}
    return "; ".join(f"{rate / 1e9:g} Gb/s, {latency / 1000:g} ns a link" for rate, latency in sorted(sorts))

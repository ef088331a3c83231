# SPDX-License-Identifier: Apache-2.0
# Covers: ranks of descriptions with and without ranks of their own, the address rule, what cannot run MPI.
# Leaves out: the reader of cluster files (fabric/cluster/*_test.cc).
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from polyloom.base.errors import UserError
from polyloom.mpirun import cluster
from polyloom.transpile.program import Target


def host(name: str, rank: int | None = None) -> dict[str, Any]:
    return {"name": name, "kind": "host"} | ({} if rank is None else {"rank": rank})


def fpga(name: str, rank: int | None = None, role: str = "mpi") -> dict[str, Any]:
    node: dict[str, Any] = {"name": name, "kind": "fpga", "role": role, "clocks_hz": {"core": 156_250_000}}
    return node | ({} if rank is None else {"rank": rank})


def read(*nodes: dict[str, Any]) -> cluster.Cluster:
    links = [{"rate_bps": 10_000_000_000, "latency_ps": 500_000}]
    return cluster.of_description(
        {"name": "c", "nodes": list(nodes), "links": links, "roles": {"mpi": [{"dram_bytes": 1 << 20}]}},
        Path("c.toml"),
    )


def test_hosts_come_first_and_the_last_is_the_manager() -> None:
    c = read(fpga("fpga.0"), fpga("fpga.1"), {"name": "switch", "kind": "switch"}, host("host.0"), host("host.1"))
    assert [node.name for node in c.ranks] == ["host.0", "fpga.0", "fpga.1"]
    assert c.manager.name == "host.1" and c.manager.client == 1
    assert c.cpu_ranks == [0] and c.fpga_ranks == [1, 2]
    assert c.target == Target(3, 156_250_000, 1 << 20)
    assert c.latencies == "10 Gb/s, 500 ns a link"


def test_ranks_of_the_description_win() -> None:
    c = read(fpga("fpga.0", 0), fpga("fpga.3", 3), host("host.1", 1), host("host.2", 2), host("manager"))
    assert [node.name for node in c.ranks] == ["fpga.0", "host.1", "host.2", "fpga.3"]
    assert [node.client for node in c.ranks] == [-1, 0, 1, -1]


def test_addresses_follow_the_node_number() -> None:
    node = cluster.Node(index=300, name="fpga.300", fpga=True)
    assert node.ip == 0x0A50012D  # 10.80.1.45
    assert node.mac == "02:50:0a:50:01:2d"


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([fpga("fpga.0"), host("host")], ["1 host", "manager"]),
        ([fpga("a"), fpga("b") | {"clocks_hz": {"core": 1}}, host("c"), host("d")], ["156250000", "MPI_Wtime"]),
        ([fpga("fpga.0", role="overlay"), host("a"), host("b")], ["fpga.0", "overlay", "mpi"]),
    ],
)
def test_what_cannot_run_a_job_is_refused(nodes: list[dict[str, Any]], words: list[str]) -> None:
    with pytest.raises(UserError) as error:
        read(*nodes)
    assert all(word in str(error.value) for word in words)

# SPDX-License-Identifier: Apache-2.0
"""Every ordered pair of operations back to back in one program, ranks started in any order, 2 to 16 ranks, sizes from
1 byte, both protocols; a wrong wiring, a rank that never comes. Expected: NumPy. Leaves out: RTL nodes, link errors.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyloom.collectives import CollectiveError, Communicator
from polyloom.collectives import program as p

CLUSTER = """version = 1
description = "test"
[topology]
kind = "{kind}"
size = {size}
[link]
protocol = "serial"
latency = "{latency} ns"
rate = "45 Gb/s"
[fpga]
role = "collective"
clocks = {{ core = "200 MHz" }}
[memory.hbm]
kind = "hbm2"
channels = {channels}
size = "1 MiB"
[host]
latency = "1 us"
rate = "64 Gb/s"
call_time = "1 us"
[collective]
read_latency = 24
write_latency = 8
eager_bytes = "{eager} B"
operators = ["reduce"]  # partition wants a power of two of ports
"""
SHAPES = [("fully_connected", [n]) for n in (2, 3, 5, 8, 16)] + [("hypercube", [3, 2]), ("hypercube", [3, 4])]
MOVES = ["barrier", "unicast", "scatter", "gather", "broadcast", "all_to_all", "all_gather"]
OPERATIONS = [*MOVES, "reduce", "reduce_scatter", "all_reduce"]


def cluster(folder: Path, kind: str, size: list[int], eager: int, latency: int = 170, channels: int = 0) -> str:
    path = folder / "test.toml"
    fields = {"kind": kind, "size": size, "eager": eager, "latency": latency}
    path.write_text(CLUSTER.format(**fields, channels=channels or max(2, int(np.prod(size)))), encoding="utf-8")
    return str(path)


class Case:
    """One operation with random sizes, prepared and filled; ``check`` compares with NumPy."""

    def __init__(self, comm: Communicator, op: str, rng: np.random.Generator) -> None:
        n = comm.size
        self.comm, self.op = comm, op
        self.root = int(rng.integers(n))
        self.target = int(rng.integers(n))
        largest = int(rng.choice([1, 33, 1000, 9000]))
        count = {"barrier": 0, "all_to_all": n * n, "unicast": 1, "broadcast": 1, "reduce": 1, "all_reduce": 1}.get(
            op, n
        )
        item = 4 if "reduce" in op else 1
        self.sizes = [item * int(rng.integers(0, largest + 1)) for _ in range(count)]
        if count == 1:
            self.sizes = [item * largest]
        dtype = np.int32 if item == 4 else np.uint8
        request = comm.request(op, self.sizes, dtype, root=self.root, destination=self.target)
        names = comm.algorithms(request)
        self.prepared = comm.prepare(request, names[int(rng.integers(len(names)))])
        self.send: list[Any] = []
        for rank in range(n):
            total = self.prepared.send_bytes(rank) // item
            data = (
                rng.integers(-1000, 1000, total).astype(np.int32)
                if item == 4
                else rng.integers(0, 256, total, np.uint8)
            )
            self.send.append(data)
            comm.write_send(self.prepared, rank, data)

    def expected(self) -> list[Any]:
        n, op, none = self.comm.size, self.op, np.zeros(0, np.uint8)
        if op == "barrier":
            return [none] * n
        if op == "all_to_all":
            table = np.array(self.sizes).reshape(n, n)
            cut = [np.split(self.send[i], np.cumsum(table[i])[:-1]) for i in range(n)]
            return [np.concatenate([cut[i][j] for i in range(n)]) for j in range(n)]
        if "reduce" in op:
            total = np.sum(self.send, axis=0, dtype=np.int32)
            if op == "reduce_scatter":
                return list(np.split(total, np.cumsum(self.sizes)[:-1] // 4))
            return [total if op == "all_reduce" or rank == self.root else none for rank in range(n)]
        if op == "scatter":
            return list(np.split(self.send[self.root], np.cumsum(self.sizes)[:-1]))
        whole = np.concatenate(self.send)
        gets = {"unicast": [self.target], "gather": [self.root], "all_gather": range(n)}
        to = gets.get(op, [rank for rank in range(n) if rank != self.root])
        return [whole if rank in to else none for rank in range(n)]

    def check(self) -> None:
        for rank, want in enumerate(self.expected()):
            got = self.comm.read_recv(self.prepared, rank, want.dtype)
            assert np.array_equal(got, want), (self.op, self.prepared.algorithm, self.sizes, rank)


@pytest.mark.parametrize("eager", [0, 4096])
@pytest.mark.parametrize(("kind", "size"), SHAPES)
def test_every_ordered_pair(tmp_path: Path, kind: str, size: list[int], eager: int) -> None:
    rng = np.random.default_rng(sum(size) + eager)
    comm = Communicator(cluster(tmp_path, kind, size, eager), on="sim")
    for first in OPERATIONS:
        for second in OPERATIONS:
            cases = [Case(comm, first, rng), Case(comm, second, rng)]
            order = [int(r) for r in rng.permutation(comm.size)]
            comm.run_all([c.prepared for c in cases], barrier=False, start_order=order)
            for case in cases:
                case.check()


@pytest.mark.parametrize("latency", [50, 1000])
def test_reductions_on_short_and_long_links(tmp_path: Path, latency: int) -> None:
    comm = Communicator(cluster(tmp_path, "hypercube", [3, 3], 4096, latency, 18), on="sim")
    rng = np.random.default_rng(latency)
    arrays = [rng.integers(-1000, 1000, 20000).astype(np.int32) for _ in range(comm.size)]
    total = np.sum(arrays, axis=0)
    for name in comm.algorithms(comm.request("all_reduce", [80000], np.int32)):
        for got in comm.all_reduce(arrays, algorithm=name)[0]:
            assert np.array_equal(got, total), name


def test_a_rank_that_never_comes(tmp_path: Path) -> None:
    comm = Communicator(cluster(tmp_path, "fully_connected", [4], 0), on="sim", watchdog_seconds=20e-6)
    programs = []
    for rank in range(4):  # all send a pulse to and take one from all, but rank 2 has left
        steps = [p.send(lane, pulse_only=True) for lane in range(3)] + [
            p.take(lane, pulse_only=True) for lane in range(3)
        ]
        programs.append([p.end()] if rank == 2 else [*steps, p.go(), p.end()])
    with pytest.raises(CollectiveError) as error:
        comm.run_programs(programs)
    text = str(error.value)
    assert "waits for permission of rank 2" in text
    assert "rank 2 waits" not in text
    assert comm.barrier().simulated_seconds is not None

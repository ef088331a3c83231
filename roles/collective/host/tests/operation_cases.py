# SPDX-License-Identifier: Apache-2.0
"""One operation with random sizes, roots, algorithms and data, and what NumPy makes of it. Used by the stress tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from polyloom.collectives import Communicator
from polyloom.collectives.operations import OPERATIONS as TABLE

OPERATIONS = list(TABLE)
MOVES = [name for name, row in TABLE.items() if not row.reduces]


class Case:
    """One operation with random sizes, prepared and filled; ``check`` compares with NumPy."""

    def __init__(self, comm: Communicator, op: str, rng: np.random.Generator, most: int = 9000) -> None:
        n = comm.size
        self.comm, self.op = comm, op
        self.root = int(rng.integers(n))
        self.target = int(rng.integers(n))
        largest = min(most, int(rng.choice([1, 33, 1000, 9000])))
        count = {"none": 0, "vector": 1, "blocks": n, "pairs": n * n}[TABLE[op].sizes]
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
        """What each rank receives."""
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
        """Read every rank's receive buffer."""
        for rank, want in enumerate(self.expected()):
            got = self.comm.read_recv(self.prepared, rank, want.dtype)
            assert np.array_equal(got, want), (self.op, self.prepared.algorithm, self.sizes, rank)


def one_pair(comm: Communicator, first: str, second: str, rng: np.random.Generator, most: int = 9000) -> None:
    """The second right behind the first in one program; ranks started in any order."""
    cases = [Case(comm, first, rng, most), Case(comm, second, rng, most)]
    order = [int(r) for r in rng.permutation(comm.size)]
    comm.run_all([c.prepared for c in cases], barrier=False, start_order=order)
    for case in cases:
        case.check()


def every_ordered_pair(comm: Communicator, rng: np.random.Generator, most: int = 9000) -> None:
    """Each operation right behind each other one."""
    for first in OPERATIONS:
        for second in OPERATIONS:
            one_pair(comm, first, second, rng, most)

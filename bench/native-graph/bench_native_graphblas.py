# SPDX-License-Identifier: Apache-2.0
"""SuiteSparse:GraphBLAS by python-graphblas: the algorithms of LAGraph, of which no package of today exists."""

from __future__ import annotations

from typing import Any

import graphblas as gb
import numpy as np
from bench_native_rivals import DAMPING, ITERATIONS, THREADS, UNREACHED, Call, Graph
from graphblas import Matrix, Vector, binary, semiring


def graphblas_calls(graph: Graph) -> dict[str, list[Call]]:
    """All tasks; results are NumPy's arrays."""
    gb.ss.config["nthreads"] = THREADS
    n, source = graph.vertices, graph.source
    shape = {"nrows": n, "ncols": n}
    ones = np.ones(len(graph.start), dtype=np.float32)
    incoming = Matrix.from_coo(graph.end, graph.start, ones, dup_op=binary.plus, **shape)
    lightest = Matrix.from_coo(graph.start, graph.end, graph.weight, dup_op=binary.min, **shape)
    ends = np.concatenate((graph.start, graph.end)), np.concatenate((graph.end, graph.start))
    undirected = Matrix.from_coo(*ends, True, **shape)
    out_degree = np.bincount(graph.start, minlength=n)
    senders = np.flatnonzero(out_degree)
    factor = Vector.from_coo(senders, (DAMPING / out_degree[senders]).astype(np.float32), size=n)

    def pagerank() -> Any:
        rank = Vector.from_dense(np.full(n, 1 / n, dtype=np.float32))
        share = Vector(np.float32, n)
        for _ in range(ITERATIONS):
            share << binary.times(rank & factor)
            rank[:] = np.float32((1 - DAMPING) / n)
            rank(binary.plus) << semiring.plus_times(incoming @ share)
        return rank.to_dense()

    def components() -> Any:
        # FastSV (Zhang, Azad, Hu, 2020).
        parent = np.arange(n, dtype=np.uint32)
        grand = parent
        while True:
            least = Vector.from_dense(grand)
            least(binary.min) << semiring.min_second(undirected @ Vector.from_dense(grand))
            heard = least.to_dense()
            hooked = np.minimum(parent, heard)
            np.minimum.at(hooked, parent, heard)
            parent = np.minimum(hooked, grand)
            before, grand = grand, parent[parent]
            if np.array_equal(before, grand):
                return grand

    def sssp() -> Any:
        distance = Vector.from_dense(np.full(n, UNREACHED, dtype=np.uint32))
        front = Vector.from_coo([source], np.array([0], dtype=np.uint32), size=n)
        distance[source] = 0
        while front.nvals:
            reached = semiring.min_plus(front @ lightest).new()
            shorter = binary.lt(reached & distance).new()
            front(shorter.V, replace=True) << reached
            distance(front.S) << front
        return distance.to_dense()

    def bfs() -> Any:
        distance = Vector(np.uint32, n)
        front = Vector.from_coo([source], True, size=n)
        hops = 0
        while front.nvals:
            distance(front.S) << hops
            hops += 1
            if front.nvals < n / THREADS / 8:
                front(~distance.S, replace=True) << semiring.any_pair(front @ lightest)
            else:
                front(~distance.S, replace=True) << semiring.any_pair(incoming @ front)
        return distance.to_dense(UNREACHED)

    return {"pagerank": [pagerank], "components": [components], "sssp": [sssp], "bfs": [bfs]}

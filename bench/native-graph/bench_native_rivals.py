# SPDX-License-Identifier: Apache-2.0
"""The public libraries on the graph that ``bench_native_graph`` wrote. Building their graphs is not timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import igraph
import networkit as nk
import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

DAMPING = 0.85
ITERATIONS = 20
THREADS = 2
UNREACHED = 0xFFFFFFFF


@dataclass
class Graph:
    """Edges as arrays; ``source`` is where shortest paths start."""

    vertices: int
    source: int
    start: Any
    end: Any
    weight: Any

    @classmethod
    def load(cls, folder: Path, vertices: int, source: int) -> Graph:
        """Read what the C++ program wrote."""
        start, end, weight = (np.fromfile(folder / name, dtype=np.uint32) for name in ("from", "to", "weight"))
        return cls(vertices, source, start, end, weight)


Call = Callable[[], Any]


def timed(call: Call) -> tuple[float, Any]:
    """Seconds of one call, and its result."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def networkit_calls(graph: Graph) -> dict[str, list[Call]]:
    """PageRank, components (both algorithms it has), SSSP and BFS on two threads."""
    nk.setNumberOfThreads(THREADS)
    ends = (graph.weight.astype(np.float64), (graph.start.astype(np.uint64), graph.end.astype(np.uint64)))
    directed = nk.GraphFromCoo(ends, n=graph.vertices, directed=True, weighted=False)
    undirected = nk.GraphFromCoo(ends, n=graph.vertices, directed=False, weighted=False)
    weighted = nk.GraphFromCoo(ends, n=graph.vertices, directed=True, weighted=True)

    def pagerank() -> Any:
        algorithm = nk.centrality.PageRank(directed, damp=DAMPING, tol=0.0)
        algorithm.maxIterations = ITERATIONS
        return algorithm.run()

    return {
        "pagerank": [pagerank],
        "components": [
            lambda: nk.components.ConnectedComponents(undirected).run(),
            lambda: nk.components.ParallelConnectedComponents(undirected).run(),
        ],
        "sssp": [lambda: nk.distance.Dijkstra(weighted, graph.source, storePaths=False).run()],
        "bfs": [lambda: nk.distance.BFS(directed, graph.source, storePaths=False).run()],
    }


def igraph_calls(graph: Graph) -> dict[str, list[Call]]:
    """Components, SSSP and BFS; its PageRank cannot be stopped after a number of iterations."""
    made = igraph.Graph(n=graph.vertices, edges=np.column_stack((graph.start, graph.end)), directed=True)
    made.es["weight"] = graph.weight.tolist()
    return {
        "components": [lambda: made.connected_components(mode="weak").membership],
        "sssp": [lambda: made.distances(source=graph.source, weights="weight")[0]],
        "bfs": [lambda: made.distances(source=graph.source)[0]],
    }


def scipy_calls(graph: Graph) -> dict[str, list[Call]]:
    """PageRank as sparse products in single precision; components, SSSP and BFS (a tree) of csgraph."""
    n = graph.vertices
    out_degree = np.bincount(graph.start, minlength=n)
    factor = np.divide(DAMPING, out_degree, out=np.zeros(n), where=out_degree > 0).astype(np.float32)
    ones = np.ones(len(graph.start), dtype=np.float32)
    incoming = sp.csr_array((ones, (graph.end, graph.start)), shape=(n, n))

    # Of parallel edges only the lightest matters; a sparse matrix would add them up.
    order = np.lexsort((graph.weight, graph.end, graph.start))
    start, end = graph.start[order], graph.end[order]
    first = np.concatenate(([True], (start[1:] != start[:-1]) | (end[1:] != end[:-1])))
    lightest = sp.csr_array((graph.weight[order][first].astype(np.float64), (start[first], end[first])), shape=(n, n))

    def pagerank() -> Any:
        rank = np.full(n, 1 / n, dtype=np.float32)
        for _ in range(ITERATIONS):
            rank = incoming @ (rank * factor) + np.float32((1 - DAMPING) / n)
        return rank

    return {
        "pagerank": [pagerank],
        "components": [lambda: csgraph.connected_components(lightest, directed=False)[1]],
        "sssp": [lambda: csgraph.dijkstra(lightest, indices=graph.source)],
        "bfs": [lambda: csgraph.breadth_first_order(lightest, graph.source)[1]],
    }


def values(library: str, task: str, result: Any, source: int) -> Any:
    """A contestant's result as an array by vertex; of integers, as ours has them."""
    if library == "networkit":
        if task == "pagerank":
            result = result.scores()
        elif task == "components":
            result = result.getPartition().getVector()
        else:
            result = result.getDistances()
    array = np.asarray(result)
    if task == "components":
        return canonical_components(array)
    if task == "bfs" and library == "SciPy":
        return depths(array, source)
    if task in {"sssp", "bfs"}:
        return np.where(array < UNREACHED, array, UNREACHED).astype(np.uint32)
    return array


def canonical_components(label: Any) -> Any:
    """Smallest vertex of each vertex's component, whatever the labels are."""
    _, first, which = np.unique(label, return_index=True, return_inverse=True)
    return first[which]


def depths(parent: Any, source: int) -> Any:
    """Hops to the root of a tree of parents (below 0: none): ways double in length until all end there."""
    reached = parent >= 0
    reached[source] = True
    above = np.where(parent >= 0, parent, np.arange(len(parent)))
    hops = (parent >= 0).astype(np.uint32)
    while (hops[above] > 0).any():
        hops += hops[above]
        above = above[above]
    return np.where(reached, hops, np.uint32(UNREACHED))


def exact_pagerank(graph: Graph) -> Any:
    """In double precision."""
    n = graph.vertices
    out_degree = np.bincount(graph.start, minlength=n)
    factor = np.divide(DAMPING, out_degree, out=np.zeros(n), where=out_degree > 0)
    incoming = sp.csr_array((np.ones(len(graph.start)), (graph.end, graph.start)), shape=(n, n))
    rank = np.full(n, 1 / n)
    for _ in range(ITERATIONS):
        rank = incoming @ (rank * factor) + (1 - DAMPING) / n
    return rank

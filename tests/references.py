# SPDX-License-Identifier: Apache-2.0
"""Independent results with NumPy, SciPy and NetworkX. Graphs are (vertex count, edge array of shape (m, 2))."""

from __future__ import annotations

from collections import Counter

import networkx as nx
import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

Edges = np.ndarray


def pagerank(n: int, edges: Edges, iterations: int, damping: float) -> np.ndarray:
    """x = (1-d)/n + d * sum x/outdeg, from the uniform start; dangling mass is dropped."""
    degree = np.bincount(edges[:, 0], minlength=n).astype(float)
    weight = 1.0 / degree[edges[:, 0]]
    matrix = sp.coo_matrix((weight, (edges[:, 1], edges[:, 0])), shape=(n, n)).tocsr()
    x = np.full(n, 1.0 / n)
    for _ in range(iterations):
        x = (1 - damping) / n + damping * (matrix @ x)
    return x


def heat(n: int, edges: Edges, start: np.ndarray, held: list[int], rate: float, steps: int) -> np.ndarray:
    """Explicit Euler steps with the graph's Laplacian; each pair of neighbours counts once, loops not."""
    pairs = np.unique(np.sort(edges[edges[:, 0] != edges[:, 1]], axis=1), axis=0)
    matrix = sp.coo_matrix((np.ones(len(pairs)), pairs.T), shape=(n, n))
    step = (sp.eye(n) - rate * csgraph.laplacian(matrix + matrix.T)).tolil()
    for v in held:
        step[v] = 0
        step[v, v] = 1
    step, u = step.tocsr(), start.astype(float)
    for _ in range(steps):
        u = step @ u
    return u


def sssp(n: int, edges: Edges, weights: np.ndarray, source: int) -> np.ndarray:
    """Dijkstra by NetworkX (parallel edges: the lightest counts); inf for unreachable vertices."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(n))
    graph.add_weighted_edges_from((u, v, w) for (u, v), w in zip(edges.tolist(), weights.tolist(), strict=True))
    found = nx.single_source_dijkstra_path_length(graph, source)
    return np.array([found.get(v, np.inf) for v in range(n)])


def hops(n: int, edges: Edges, source: int) -> np.ndarray:
    """Breadth-first search by NetworkX; inf for unreachable vertices."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(edges.tolist())
    found = nx.single_source_shortest_path_length(graph, source)
    return np.array([found.get(v, np.inf) for v in range(n)])


def strong_components(n: int, edges: Edges) -> np.ndarray:
    """Smallest vertex number of each vertex's strongly connected component."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(edges.tolist())
    labels = np.zeros(n, dtype=int)
    for component in nx.strongly_connected_components(graph):
        labels[list(component)] = min(component)
    return labels


def labels(n: int, edges: Edges, iterations: int) -> np.ndarray:
    """Community detection by label propagation, as LDBC Graphalytics defines it (section 2.3.4)."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(edges.tolist())
    found = list(range(n))
    for _ in range(iterations):
        votes = [
            Counter([found[u] for u, _ in graph.in_edges(v)] + [found[w] for _, w in graph.out_edges(v)])
            for v in range(n)
        ]
        found = [min(count, key=lambda w: (-count[w], w)) if count else found[v] for v, count in enumerate(votes)]
    return np.array(found)


def google(n: int, edges: Edges, weights: np.ndarray | None, where: dict[int, float] | None) -> np.ndarray:
    """PageRank by NetworkX; parallel edges count each."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(n))
    weighted = np.ones(len(edges)) if weights is None else weights
    graph.add_weighted_edges_from((u, v, w) for (u, v), w in zip(edges.tolist(), weighted.tolist(), strict=True))
    found = nx.pagerank(graph, personalization=where, tol=1e-12, max_iter=1000)
    return np.array([found[v] for v in range(n)])


def simple(n: int, edges: Edges) -> nx.Graph:
    """Which vertices are neighbours, whichever way their edges go; without loops."""
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from((u, v) for u, v in edges.tolist() if u != v)
    return graph


def core_numbers(n: int, edges: Edges) -> np.ndarray:
    """By NetworkX."""
    found = nx.core_number(simple(n, edges))
    return np.array([found[v] for v in range(n)])


def triangles(n: int, edges: Edges) -> np.ndarray:
    """By NetworkX, those that each vertex is a corner of."""
    found = nx.triangles(simple(n, edges))
    return np.array([found[v] for v in range(n)])


def components(n: int, edges: Edges) -> np.ndarray:
    """Smallest vertex number of each vertex's weakly connected component."""
    matrix = sp.coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    count, label = csgraph.connected_components(matrix, directed=True, connection="weak")
    smallest = np.full(count, n)
    np.minimum.at(smallest, label, np.arange(n))
    return smallest[label]


def distance_sums(n: int, edges: Edges, sources: int) -> np.ndarray:
    """For each vertex, the sum of its breadth-first distances from others of 0 .. sources-1; inf if none has any."""
    matrix = sp.coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n)).tocsr()
    distance = csgraph.dijkstra(matrix, directed=True, indices=range(min(sources, n)), unweighted=True)
    own = np.arange(len(distance))
    if len(distance) > 1:
        distance[own, own] = np.inf
    sums = np.where(np.isfinite(distance), distance, 0).sum(axis=0)
    return np.where(np.isfinite(distance).any(axis=0), sums, np.inf)

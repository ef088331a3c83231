# SPDX-License-Identifier: Apache-2.0
"""The least time that a task can take on this machine, by what it must move and what the machine was measured to do."""

from __future__ import annotations

from dataclasses import dataclass

from bench_native_rivals import ITERATIONS


@dataclass
class Rates:
    """Of this machine on two threads, each a second."""

    read_bytes: float  #: of memory, in a row
    gathers: float  #: of 4 bytes each, anywhere in an array of a message a vertex
    own_gathers: float  #: the same by the senders of the graph's edges, those with most of them in front


#: Bytes that are read or written in a row for each vertex and for each edge, gathers for each, and how often.
TRAFFIC = {
    "pagerank": (
        (16, 4, 0, 1, ITERATIONS),
        "in each update 4 bytes an edge (its sender) and 16 a vertex (begin of its row, message read and written) in a "
        "row, and a message gathered an edge",
    ),
    "components": (
        (20, 0, 1, 0, 1),
        "for each vertex 20 bytes in a row (begin of its row, one neighbour, label read and written) and one label "
        "gathered",
    ),
    "sssp": (
        (12, 8, 0, 1, 1),
        "12 bytes a vertex (begin of its row, distance) and 8 an edge (neighbour, weight) in a row, and a distance "
        "gathered an edge",
    ),
    "bfs": (
        (16, 0, 1, 0, 1),
        "for each vertex 16 bytes in a row (begin of its row, one neighbour, distance written) and a bit of the front "
        "gathered",
    ),
}
BUILD_BYTES = 12


def bound(task: str, vertices: int, edges: int, rates: Rates, build: bool) -> tuple[float, str]:
    """Seconds, and what they count: of what is read in a row and what is gathered, the longer."""
    (by_vertex, by_edge, gathers_by_vertex, gathers_by_edge, times), why = TRAFFIC[task]
    row = (by_vertex * vertices + by_edge * edges) / rates.read_bytes
    # Of the two orders of gathers the quicker: a bound must not be above what some order of edges reaches.
    gathers = (gathers_by_vertex * vertices + gathers_by_edge * edges) / max(rates.gathers, rates.own_gathers)
    seconds = times * max(row, gathers)
    if build:
        seconds += BUILD_BYTES * edges / rates.read_bytes
        why += f"; building reads an edge once and writes its neighbour once, {BUILD_BYTES} bytes"
    return seconds, f"{why}; the longer of the two, at the measured rates"

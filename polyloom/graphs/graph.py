# SPDX-License-Identifier: Apache-2.0
"""Graphs in memory, and the algorithms that run on them. Input: edges as people have them; output: ``Run``."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Unpack

from polyloom.base import paths, process
from polyloom.base.errors import UserError
from polyloom.graphs import convert
from polyloom.graphs.errors import GraphError
from polyloom.graphs.program import Program
from polyloom.graphs.run import Run, Where, error_of, flag, python_words, raise_if_interrupted, run, words
from polyloom.graphs.vertices import Vertices
from polyloom.jobs import applications, graph_files
from polyloom.jobs.memory_file import MemoryFile, ReadArrays

#: Of a program's command line, but given otherwise here: where it runs, the graph, what comes of the result.
NOT_OPTIONS = {*Where.__annotations__, "generate", "graph", "format", "columns", "graph_seed", "undirected", "simple"}
NOT_OPTIONS |= {"out", "rows", "json", "top", "explain"}


class Graph:
    """A directed graph that does not change; one that is undirected has both directions of every edge.

    Vertices are called as the user calls them: whole numbers of up to 64 bits with gaps, strings, tuples, any hashable
    objects. ``len(graph)`` is their number, ``graph.names`` a sequence of their names, ``graph.edge_count`` the number
    of edges. Parallel edges and loops are kept.
    """

    def __init__(self, edges: convert.Edges, description: str = "the graph") -> None:
        self._edges = edges
        self.names = edges.vertices
        self.description = description

    @classmethod
    def from_edges(
        cls,
        edges: Any,
        *,
        weights: Any = None,
        vertices: Iterable[Any] | None = None,
        directed: bool | None = None,
    ) -> Graph:
        """Make a graph.

        ``edges``: an array of shape (edges, 2); a pair of columns; a pandas or polars frame, whose first two columns
        are the ends; a SciPy sparse matrix, whose entry (i, j) is an edge from i to j, and whose vertices are all its
        rows; a NetworkX graph; or pairs of names. ``weights``: one number from 0 an edge, the name of a frame's column
        or of a NetworkX edge attribute; by default a matrix's entries unless all are 1, and what is called "weight".
        ``vertices``: names that come first, in this order, those without edges too; by default there are the names that
        occur, whole numbers in ascending order and others as they come. ``directed=False``: edges lead both ways (by
        default only those of an undirected NetworkX graph).

        Raises GraphError naming the argument that is wrong.
        """
        try:
            known = None if directed is None else flag(directed, "directed")
            return cls(convert.edges_of(edges, weights, vertices, known))
        except GraphError:
            raise
        except UserError as error:
            raise GraphError(f"edges: {error}") from None

    @classmethod
    def read(
        cls, file: str | Path, *, format: str = "", columns: str = "", undirected: bool = False, simple: bool = False
    ) -> Graph:
        """Read a file of any format of docs/guides/graph-files.md; arguments: options of the same names there."""
        options = {"format": format or None, "columns": columns or None, "undirected": undirected, "simple": simple}
        arrays = MemoryFile("graph")
        said: list[str] = []
        with graph_files.readable(["--graph", str(file), *words(options)]) as given:
            command = [str(paths.program("polyloom-graph")), *given, "--arrays", arrays.path]
            status, _ = process.run_child(
                command,
                paths.environment(),
                Path.cwd(),
                capture_stdout=True,
                descriptors=[arrays.descriptor],
                on_message=said.append,
            )
        raise_if_interrupted(status)
        if status != 0:
            raise GraphError(python_words(error_of(said)))
        held = ReadArrays(arrays)
        names: Any = range(held.vertices)
        if held.numbers is not None:
            names = held.numbers
        elif held.words is not None:
            names = [word.decode("utf-8", "surrogateescape") for word in held.words]
        return cls(convert.Edges(arrays, Vertices(names), held.mirrored, held.edges, held.weighted), str(file))

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.names.to_list())

    @property
    def edge_count(self) -> int:
        """How many edges there are; both directions of an undirected one count."""
        return self._edges.count

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return self._edges.weighted

    @property
    def undirected(self) -> bool:
        """Whether both directions of every edge are there because the graph was given as undirected."""
        return self._edges.mirrored

    def __repr__(self) -> str:
        kind = "undirected" if self.undirected else "directed"
        edges = f"{self.edge_count} {'weighted ' * self.weighted}edges"
        return f"<{kind} graph of {len(self)} vertices and {edges}>"

    def pagerank(
        self,
        *,
        iterations: int | None = None,
        damping: float = 0.85,
        tolerance: float | None = None,
        dangling: str = "drop",
        personalize: Mapping[Any, float] | None = None,
        weighted: bool = False,
        mode: str = "sync",
        **where: Unpack[Where],
    ) -> Run:
        """PageRank (docs/apps/pagerank.md). Values: shares of 1.

        ``iterations``: updates from the uniform start (20; to the limit with ``tolerance`` or ``dangling="uniform"``).
        ``tolerance``: end when every value changes by less in an update. ``dangling``: what vertices without out-edges
        hold is lost ("drop") or handed on to all ("uniform", as NetworkX does). ``personalize``: where the walk begins
        anew, in proportion to these values by name. ``weighted``: hand on in proportion to weights.
        """
        options: dict[str, Any] = {
            "iterations": _whole(iterations, "iterations", 0, 65535),
            "damping": _number(damping, "damping", 0, 1),
            "tolerance": _number(tolerance, "tolerance", 0, 1),
            "dangling": dangling,
            "weighted": flag(weighted, "weighted"),
            "mode": mode,
        }
        with process.scratch("personalize") as folder:
            if personalize is not None:
                options["personalize"] = folder / "values.csv"
                self._write_values(options["personalize"], personalize)
            done = self.run("pagerank", options, **where)
        if weighted and not self.weighted:
            done.notes.append("weighted: the graph has no weights, so all edges count alike")
        return done

    def _write_values(self, path: Path, personalize: Any) -> None:
        values = personalize.to_dict() if hasattr(personalize, "to_dict") else personalize  # of pandas
        if not isinstance(values, Mapping):
            raise GraphError(f"personalize = {personalize!r}: a mapping of values by name is expected")
        if not any(values.values()):
            raise GraphError(f"personalize = {personalize!r}: some value must be greater than 0")
        with path.open("w", newline="", encoding="utf-8", errors="surrogatepass") as file:
            rows = csv.writer(file)
            for name, value in values.items():
                self.names.row(name, "personalize")
                rows.writerow([name, repr(_number(value, f"personalize[{name!r}]", 0, math.inf))])

    def bfs(self, source: Any, **where: Unpack[Where]) -> Run:
        """Breadth-first search (docs/apps/bfs.md). Values: hops from ``source``; inf: not reached."""
        return self.run("bfs", {"source": self._called(source, "source")}, **where)

    def sssp(self, source: Any, *, predecessors: bool = False, mode: str = "async", **where: Unpack[Where]) -> Run:
        """Shortest paths from ``source`` by weights (docs/apps/sssp.md); all weigh 1 where edges have none.

        Values: lengths; inf: not reached. ``predecessors``: the vertex before each on a path, in
        ``run.columns["predecessor"]`` as rows of ``names``, -1: none.
        """
        before = flag(predecessors, "predecessors")
        options = {"source": self._called(source, "source"), "predecessors": before, "mode": mode}
        return self.run("sssp", options, **where)

    def components(self, *, mode: str = "weak", **where: Unpack[Where]) -> Run:
        """Connected components, "weak" or "strong" (docs/apps/components.md). Values: a vertex of the component."""
        return self.run("components", {"mode": mode}, **where)

    def core_numbers(self, **where: Unpack[Where]) -> Run:
        """Core numbers of the undirected graph: directions, parallel edges, loops do not count (docs/apps/kcore.md)."""
        return self.run("kcore", {}, **where)

    def triangles(self, **where: Unpack[Where]) -> Run:
        """Triangles at every vertex of the undirected graph, as for core numbers (docs/apps/triangles.md)."""
        return self.run("triangles", {}, **where)

    def label_propagation(self, *, iterations: int = 10, **where: Unpack[Where]) -> Run:
        """Communities (docs/apps/label-propagation.md; LDBC's CDLP). Values: a vertex whose name the community has."""
        return self.run("label-propagation", {"iterations": _whole(iterations, "iterations", 0, 65535)}, **where)

    def average_shortest_path(self, *, sources: int | None = None, **where: Unpack[Where]) -> Run:
        """Searches from the first ``sources`` vertices at once, 64 or all of fewer by default (docs/apps/asp.md).

        Values: sums of the distances from all sources that reach a vertex; ``facts["average_shortest_path"]``.
        """
        return self.run("asp", {"sources": _whole(sources, "sources", 1, len(self))}, **where)

    def run(self, program: str | Program, options: Mapping[str, Any] | None = None, **where: Unpack[Where]) -> Run:
        """Run any vertex program: a name as ``polyloom apps`` lists them, or a ``Program`` of one's own.

        ``options``: those of its command line by name, ``max_weight=9`` for ``--max-weight 9``.
        """
        if not len(self):
            raise GraphError("edges: the graph has no vertex")
        given = {} if options is None else options
        if not isinstance(given, Mapping):
            raise GraphError(f"options = {options!r}: a mapping of values by name is expected")
        if isinstance(program, Program):
            try:
                return run(str(program.path), self._edges.file, self.names, given, where, self.description)
            except GraphError as error:
                raise GraphError(program.shown(str(error))) from None
        if not isinstance(program, str) or "/" in program or "." in program:
            raise GraphError(f"program = {program!r}: the name of an application or a polyloom.Program is expected")
        try:
            if applications.find(program).makes_graph:
                raise GraphError(f"program = {program!r}: takes no graph")
        except UserError as error:
            raise GraphError(python_words(str(error))) from None
        for name in sorted(NOT_OPTIONS & given.keys()):
            place = "is an argument of run() itself" if name in Where.__annotations__ else "means nothing here"
            raise GraphError(f"options = {given!r}: {name} {place}; leave it out")
        return run(program, self._edges.file, self.names, given, where, self.description)

    def _called(self, name: Any, argument: str) -> str:
        return str(self.names[self.names.row(name, argument)])


def _whole(value: Any, argument: str, least: int, most: int) -> int | None:
    if value is None:
        return None
    if not convert.is_whole(value) or not least <= value <= most:
        raise GraphError(f"{argument} = {value!r}: a whole number from {least} to {most} is expected")
    return int(value)


def _number(value: Any, argument: str, least: float, most: float) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not least <= number <= most or math.isinf(number):
        expected = f"a number from {least:g} to {most:g}" if math.isfinite(most) else f"a finite number from {least:g}"
        raise GraphError(f"{argument} = {value!r}: {expected} is expected")
    return number

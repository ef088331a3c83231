# SPDX-License-Identifier: Apache-2.0
# Covers: the NetworkX backend against NetworkX itself: its own tests, random graphs of every kind, errors, refusals and
# what follows them, the cache, runs on a simulated cluster; docs/guides/graphs.md against the tables it shows.
# Leaves out: the programs (apps/verify), arrays from Python (polyloom/graphs), speed (bench/networkx).
from __future__ import annotations

import copy
import itertools
import json
import math
import os
import pickle
import random
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from conftest import ROOT
from networkx.algorithms.approximation.kcomponents import _AntiGraph

from polyloom.base.errors import UserError
from polyloom.networkx_backend import backend, info, ranks
from polyloom.networkx_backend.calls import algorithms, call
from polyloom.testing import FULL, daily

#: NetworkX's test files of what we have; the rest of its suite calls it in passing.
FILES = (
    *("link_analysis.tests.test_pagerank", "tests.test_core", "tests.test_cluster", "traversal.tests.test_bfs"),
    *(f"components.tests.test_{name}" for name in ("connected", "weakly_connected", "strongly_connected")),
    *(f"shortest_paths.tests.test_{name}" for name in ("unweighted", "weighted", "generic")),
)
#: Of the whole suite these ask ours about thousands of graphs of a few nodes each, a process every time.
TOO_MANY_CALLS = ("test_tree_isomorphism", "test_traveling_salesman", "test_use_bounds_on_off_consistency")
KINDS = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)


@pytest.fixture(autouse=True)
def quiet_cache() -> Iterator[None]:
    with nx.config(warnings_to_ignore={"cache"}):
        yield


@pytest.mark.timeout(7200)
def test_networkx_own_tests_pass(tmp_path: Path) -> None:
    # With what NetworkX does for others left to it: a test of ours may ask for that, too.
    env = {**os.environ, "NETWORKX_TEST_BACKEND": "polyloom", "NETWORKX_FALLBACK_TO_NX": "1"}
    files = ["networkx"] if FULL else [f"networkx.algorithms.{name}" for name in FILES]
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, f"--rootdir={Path(nx.__file__).parent}"]
    command += ["-p", "no:cacheprovider", "-p", "networkx_calls", "--pyargs", *files]
    command += ["-k", " and ".join(f"not {name}" for name in TOO_MANY_CALLS)]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=7000)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    calls = json.loads((tmp_path / "calls.json").read_text())
    assert {name for name in info.FUNCTIONS if not calls.get(name)} == set(), "not one call of these was ours"


def test_docs_show_the_tables() -> None:
    text = (ROOT / "docs" / "guides" / "graphs.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.M))
    assert rows == {name: limits.replace("``", "`") for name, limits in info.FUNCTIONS.items()}
    tests = dict(re.findall(r"^\| `(\S+::\S+)` \| (.*) \|$", text, re.M))
    assert tests == info.EXPECTED_TO_FAIL
    assert info.FUNCTIONS.keys() == algorithms.keys()


def test_networkx_finds_the_backend() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    for group, names in declared.items():
        [point] = metadata.entry_points(group=group, name="polyloom")
        assert point.value == names["polyloom"]
        point.load()
    assert nx.pagerank.backends >= {"polyloom"} and "on : str" in nx.pagerank.__doc__


def test_what_networkx_imports_is_light() -> None:
    code = "import sys, polyloom.networkx_backend.info as i; i.get_info(); print('numpy' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True) == "False\n"


def names_of(kind: str, n: int, rng: random.Random) -> list[Any]:
    """n nodes: numbers in order, numbers in none, text, pairs, or all of that and more."""
    if kind == "rows":
        return list(range(n))
    if kind == "gaps":
        return [(i - 3) * 1_000_003**4 for i in range(n)]
    if kind == "text":
        return [f"node {i}, of {n}" for i in range(n)]
    if kind == "pairs":
        return [(i % 7, f"{i}") for i in range(n)]
    return [(i, str(i), (i,), frozenset([i]), i + 0.5)[i % 5] for i in range(n)]


def random_graph(seed: int, weights: str = "") -> Any:
    """Of every kind, with nodes alone, some with loops, and weights of some edges: "whole" or "fractions"."""
    rng = random.Random(seed)
    graph = KINDS[seed % 4]()
    n = rng.choice([2, 5, 20, 60])
    nodes = names_of(("rows", "gaps", "text", "pairs", "mixed")[seed % 5], n, rng)
    graph.add_nodes_from(nodes)
    for _ in range(rng.choice([n // 2, n, 5 * n])):
        graph.add_edge(*rng.sample(nodes, 2))
    if seed % 3 == 0:
        graph.add_edges_from((node, node) for node in nodes[:: rng.choice([1, 3])])
    for i, (_, _, data) in enumerate(graph.edges(data=True)):
        if weights and i % 5:
            data["cost"] = rng.randint(0, 9) if weights == "whole" else rng.choice([0.1, 0.7, 1.3, 2e-3, 5.0])
    return graph


SEEDS = daily(range(40), 20)


def plain(result: Any) -> Any:
    """What a call gives, once and for all, types of values included."""
    if isinstance(result, nx.Graph):
        return sorted(map(repr, result)), sorted(map(repr, result.edges))
    if isinstance(result, dict):
        return {key: (type(value), value) for key, value in result.items()}
    if isinstance(result, (str, int, float, set, tuple)):
        return type(result), result
    return list(result)


def both(name: str, graph: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """A call's outcome here and there: a result, or the exception's type and text."""

    def outcome(**more: Any) -> Any:
        try:
            return plain(getattr(nx, name)(graph, *args, **kwargs, **more))
        except Exception as error:
            return type(error), str(error)

    return outcome(backend="polyloom"), outcome()


def calls_of(graph: Any, source: Any, target: Any) -> Iterator[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    """Calls whose outcome is NetworkX's to the last item of a list."""
    for name in ("connected_components", "weakly_connected_components"):
        yield name, (), {}
    for name in ("connected", "weakly_connected", "strongly_connected"):
        yield f"is_{name}", (), {}
        yield f"number_{name}_components", (), {}
    for node in (source, target):
        yield "node_connected_component", (node,), {}
    yield "average_shortest_path_length", (), {}
    for limits in ({}, {"cutoff": 1.5}, {"cutoff": -1}):
        yield "single_source_shortest_path_length", (source,), limits
        yield "single_target_shortest_path_length", (source,), limits
        yield "single_source_dijkstra_path_length", (source,), {**limits, "weight": None}
    for name in ("has_path", "dijkstra_path_length"):
        yield name, (source, target), {}
    for ends in ({"source": source}, {"target": source}, {"source": source, "target": target}):
        yield "shortest_path_length", (), ends
    for limit in (None, 0, 1, 2.5):
        for name in ("bfs_edges", "bfs_tree", "bfs_predecessors", "bfs_successors"):
            yield name, (source,), {"depth_limit": limit}
    yield "bfs_layers", (source,), {}
    yield "bfs_layers", ([source],), {}
    for distance in (0, 1, 3):
        yield "descendants_at_distance", (source, distance), {}
    for nodes in (None, source, [source, target, "no such node"]):
        yield "triangles", (nodes,), {}
    if not graph.is_directed():
        yield "core_number", (), {}
        yield "transitivity", (), {}
        yield "average_clustering", (), {"count_zeros": graph.number_of_edges() % 2 == 0}
        yield "clustering", ([source, target],), {}
        yield "clustering", (), {}


@pytest.mark.parametrize("seed", SEEDS)
def test_results_are_networkx_own(seed: int) -> None:
    graph = random_graph(seed)
    nodes = list(graph)
    for name, args, kwargs in calls_of(graph, nodes[0], nodes[-1]):
        ours, theirs = both(name, graph, *args, **kwargs)
        assert ours == theirs, (name, args, kwargs)
    if graph.is_directed():
        ours, theirs = both("strongly_connected_components", graph)
        assert sorted(map(sorted, map(lambda part: map(repr, part), ours))) == sorted(
            map(sorted, map(lambda part: map(repr, part), theirs))
        )


@pytest.mark.parametrize("weights", ["whole", "fractions"])
@pytest.mark.parametrize("seed", SEEDS)
def test_shortest_paths_by_weights(seed: int, weights: str) -> None:
    graph = random_graph(seed, weights)
    nodes = list(graph)
    source, target = nodes[0], nodes[-1]
    for limits in ({}, {"cutoff": 1.25}, {"cutoff": -1}):
        ours, theirs = both("single_source_dijkstra_path_length", graph, source, weight="cost", **limits)
        assert {node: value for node, (_, value) in ours.items()} == pytest.approx(
            {node: value for node, (_, value) in theirs.items()}, rel=1e-12
        )
        assert ours[source] == theirs[source]
        assert ours == theirs or weights == "fractions"
    for ends in ({"target": source}, {"source": source, "target": target}):
        ours, theirs = both("shortest_path_length", graph, weight="cost", **ends)
        assert ours == theirs or weights == "fractions"
    lengths, paths = nx.single_source_dijkstra(graph, source, weight="cost", backend="polyloom")
    assert paths.keys() == lengths.keys() and paths[source] == [source]
    for node, path in paths.items():
        assert (path[0], path[-1]) == (source, node)
        least = [min(d.get("cost", 1) for d in edges_of(graph, u, v)) for u, v in itertools.pairwise(path)]
        assert sum(least) == pytest.approx(lengths[node], rel=1e-12)
    if target in paths:
        assert nx.dijkstra_path(graph, source, target, weight="cost", backend="polyloom") == paths[target]


def edges_of(graph: Any, u: Any, v: Any) -> list[dict[str, Any]]:
    return list(graph[u][v].values()) if graph.is_multigraph() else [graph[u][v]]


@pytest.mark.parametrize("seed", SEEDS)
def test_pagerank(seed: int) -> None:
    graph = random_graph(seed, "fractions" if seed % 2 else "whole")
    nodes = list(graph)
    anew = {nodes[0]: 2, nodes[-1]: 0.5, "no such node": 7}
    exact = {"tol": 1e-14, "max_iter": 2000, "weight": "cost"}
    for arguments in ({}, {"alpha": 0.5}, {"personalization": anew, "dangling": anew}, {"nstart": {nodes[0]: 1}}):
        expected = nx.pagerank(graph, **{**exact, **arguments})
        ours = nx.pagerank(graph, **{**exact, **arguments}, backend="polyloom")
        assert ours == pytest.approx(expected, rel=1e-9, abs=1e-11)
        # Of a criterion that holds, the error is at most alpha / (1 - alpha) times the last change.
        loose = nx.pagerank(graph, **arguments, weight="cost", backend="polyloom")
        bound = len(graph) * 1e-6 * arguments.get("alpha", 0.85) / (1 - arguments.get("alpha", 0.85))
        assert sum(abs(loose[node] - expected[node]) for node in nodes) <= bound
        assert list(loose) == nodes and {type(value) for value in loose.values()} == {float}


def test_the_program_makes_the_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = nx.gnm_random_graph(200, 500, seed=2, directed=True)
    expected = nx.pagerank(graph, tol=1e-12, max_iter=1000)
    results = []
    monkeypatch.setattr(ranks, "call", lambda *args: results.append(call(*args)) or results[-1])
    nx.pagerank(graph, backend="polyloom")
    assert results[0].values.tolist() == pytest.approx(list(expected.values()), abs=1e-5)


def star(kind: type = nx.Graph) -> Any:
    return kind([("a", "b"), ("a", "c")])


@pytest.mark.parametrize(
    ("name", "graph", "args", "kwargs"),
    [
        *((name, star(nx.DiGraph), (), {}) for name in ("connected_components", "is_connected", "triangles")),
        *((name, star(), (), {}) for name in ("is_weakly_connected", "number_strongly_connected_components")),
        *((f"is_{kind}connected", nx.Graph() if not kind else nx.DiGraph(), (), {}) for kind in ("", "weakly_")),
        ("is_strongly_connected", nx.DiGraph(), (), {}),
        ("average_shortest_path_length", nx.Graph(), (), {}),
        ("average_shortest_path_length", star(), (), {"method": "guess"}),
        ("average_shortest_path_length", nx.DiGraph([(0, 1)]), (), {}),
        ("average_shortest_path_length", nx.empty_graph(2), (), {}),
        ("average_clustering", nx.Graph(), (), {}),
        ("node_connected_component", star(), ("z",), {}),
        *((name, star(nx.MultiGraph), (), {}) for name in ("core_number", "clustering", "transitivity")),
        ("triangles", star(nx.MultiGraph), ("a",), {}),
        ("triangles", star(), (7,), {}),
        ("triangles", star(), ([["a"]],), {}),
        ("core_number", nx.Graph([(0, 0)]), (), {}),
        *((f"single_{end}_shortest_path_length", star(), ("z",), {}) for end in ("source", "target")),
        *((name, star(), ("z",), {}) for name in ("single_source_dijkstra_path_length", "single_source_dijkstra")),
        *((name, star(), ("a", "z"), {}) for name in ("dijkstra_path_length", "dijkstra_path", "has_path")),
        *((name, star(nx.DiGraph), ("c", "a"), {}) for name in ("dijkstra_path_length", "dijkstra_path")),
        ("shortest_path_length", star(), ("a", "z"), {}),
        ("shortest_path_length", star(), ("z",), {}),
        ("shortest_path_length", star(), (None, "z"), {}),
        ("shortest_path_length", star(), ("z",), {"weight": "weight"}),
        ("shortest_path_length", star(nx.DiGraph), ("c", "a"), {}),
        ("shortest_path_length", star(), ("a",), {"method": "guess"}),
        *((name, star(), ("z",), {}) for name in ("bfs_edges", "bfs_tree", "bfs_predecessors", "bfs_successors")),
        ("bfs_edges", star(nx.DiGraph), ("z",), {}),
        ("bfs_layers", star(), (["z"],), {}),
        ("descendants_at_distance", star(), ("z", 1), {}),
        ("pagerank", star(), (), {"max_iter": 0}),
        ("pagerank", star(), (), {"max_iter": 1, "tol": 1e-9}),
        ("pagerank", star(), (), {"personalization": {}}),
        *((name, nx.Graph(), (), {}) for name in ("pagerank", "triangles", "clustering", "transitivity")),
        *((name, nx.Graph(), (), {}) for name in ("core_number", "connected_components")),
    ],
)
def test_errors_and_empty_graphs_are_networkx_own(name: str, graph: Any, args: Any, kwargs: Any) -> None:
    ours, theirs = both(name, graph, *args, **kwargs)
    assert ours == theirs


REFUSED: dict[str, Callable[[Any], Any]] = {
    "weight is not the name": lambda how: nx.pagerank(star(), weight=3, **how),
    "weight is not the name of": lambda how: nx.dijkstra_path_length(star(), "a", "b", lambda u, v, d: 2, **how),
    "dangling differs": lambda how: nx.pagerank(star(nx.DiGraph), dangling={"a": 1}, **how),
    "weights are not taken into account": lambda how: nx.average_shortest_path_length(star(), "weight", **how),
    "the graph is directed": lambda how: nx.clustering(star(nx.DiGraph), **how),
    "reverse": lambda how: list(nx.bfs_edges(star(nx.DiGraph), "b", reverse=True, **how)),
    "sort_neighbors": lambda how: list(nx.bfs_edges(star(), "a", sort_neighbors=sorted, **how)),
    "sources: there are several": lambda how: list(nx.bfs_layers(star(), ["b", "c"], **how)),
    "all pairs": lambda how: dict(nx.shortest_path_length(star(), **how)),
    "method is bellman-ford": lambda how: nx.shortest_path_length(
        star(), "a", weight="x", method="bellman-ford", **how
    ),
    "from 0 are expected": lambda how: nx.pagerank(nx.Graph([(0, 1, {"weight": -1})]), **how),
    "is no number": lambda how: nx.single_source_dijkstra_path_length(
        nx.Graph([(0, 1, {"weight": None}), (1, 2)]), 1, **how
    ),
    "whole numbers up to 4294967295": lambda how: nx.dijkstra_path_length(
        nx.Graph([(0, 1, {"weight": 1 << 32})]), 0, 1, **how
    ),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_is_refused_is_left_to_networkx(
    reason: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = REFUSED[reason]
    with pytest.raises(NotImplementedError, match="polyloom"), caplog.at_level("DEBUG", "networkx"):
        request({"backend": "polyloom"})
    assert reason in caplog.text
    monkeypatch.setattr(backend, "LEAST_NODES", 0)
    monkeypatch.setattr(backend, "LINEAR", ())
    with nx.config(backend_priority=["polyloom"]):
        assert request({}) == request({"backend": "networkx"})


def test_where_networkx_chooses(caplog: pytest.LogCaptureFixture) -> None:
    used = "Using backend 'polyloom' for call to"
    graph = nx.path_graph(info.LEAST_NODES)
    with nx.config(backend_priority=["polyloom"]), caplog.at_level("DEBUG", "networkx"):
        assert nx.core_number(nx.path_graph(info.LEAST_NODES - 1))
        assert nx.is_connected(graph)
        assert used not in caplog.text
        assert nx.core_number(graph)
        assert f"{used} 'core_number'" in caplog.text and f"{used} 'is_connected'" not in caplog.text
        assert nx.is_connected(graph)  # it is converted now
        assert f"{used} 'is_connected'" in caplog.text
        assert nx.triangles(graph)
        assert f"{used} 'triangles'" not in caplog.text
    assert set(info.FUNCTIONS) > info.LINEAR | info.SLOWER


def test_graphs_are_converted_once_and_again_after_changes() -> None:
    graph = nx.path_graph(4)

    def kept() -> Any:
        [one] = graph.__networkx_cache__["backends"]["polyloom"].values()
        return one

    assert nx.pagerank(graph, backend="polyloom") and nx.is_connected(graph, backend="polyloom")
    first = kept()
    nx.core_number(graph, backend="polyloom")
    assert kept() is first
    graph.add_edge(3, 4)
    assert nx.single_source_shortest_path_length(graph, 0, backend="polyloom")[4] == 4
    second = kept()
    graph._adj[0].pop(1), graph._adj[1].pop(0)  # behind NetworkX's back
    assert nx.number_connected_components(graph, backend="polyloom") == 2
    assert kept() is not second


def test_graphs_of_the_backend_itself() -> None:
    graph = nx.MultiGraph([("a", "b", {"cost": 2}), ("a", "b", {"cost": 3}), ("b", "b", {"cost": 4}), ("b", "c")], x=1)
    graph.add_node("d")
    ours = backend.convert_from_nx(graph, edge_attrs={"cost": 1})
    assert (len(ours), ours.number_of_edges(), "d" in ours, ["a"] in ours) == (4, 4, True, False)
    assert nx.single_source_dijkstra_path_length(ours, "a", weight="cost") == {"a": 0, "b": 2, "c": 3}
    assert nx.is_connected(ours) is False
    with pytest.raises(NotImplementedError, match="weights 'cost', not 'weight'"):
        backend.pagerank(ours)
    back = backend.convert_to_nx(ours)
    for _, _, data in graph.edges(data=True):
        data.setdefault("cost", 1)
    assert nx.utils.graphs_equal(back, graph) and back.graph == {"x": 1}
    directed = nx.DiGraph([(2, 1), (1, 2), (1, 1)])
    assert nx.utils.graphs_equal(backend.convert_to_nx(backend.convert_from_nx(directed)), directed)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda graph: pickle.loads(pickle.dumps(graph))])
@pytest.mark.parametrize("kind", KINDS)
def test_graphs_are_copied_with_their_cache(copied: Callable[[Any], Any], kind: type) -> None:
    graph = kind([(0, 1, {"weight": 2}), (1, 2, {"weight": 3.5})])
    expected = nx.single_source_dijkstra_path_length(graph, 0, backend="polyloom")
    other = copied(graph)
    del graph
    [kept] = other.__networkx_cache__["backends"]["polyloom"].values()
    assert nx.single_source_dijkstra_path_length(kept, 0) == expected == {0: 0, 1: 2, 2: 5.5}
    assert nx.shortest_path_length(kept, target=2)[0] == 2 or not kept.is_directed()


def test_views_are_converted_too() -> None:
    graph = nx.path_graph(10).subgraph([1, 2, 5, 6, 7])
    ours, theirs = both("connected_components", graph)
    assert ours == theirs
    ours, theirs = both("core_number", _AntiGraph(nx.path_graph(7)))  # whose edges are those that it does not hold
    assert ours == theirs
    graph = nx.DiGraph([(1, 2), (2, 3)]).reverse(copy=False)
    assert nx.single_source_shortest_path_length(graph, 3, backend="polyloom") == {3: 0, 2: 1, 1: 2}


def test_runs_on_a_cluster(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    graph = nx.gnm_random_graph(60, 150, seed=3)
    expected = nx.single_source_shortest_path_length(graph, 0)
    ran = []
    monkeypatch.setattr("polyloom.graphs.run.run", spy := counted(ran))
    assert spy and nx.single_source_shortest_path_length(graph, 0, backend="polyloom", on="sim", cluster="tiny-1") == (
        expected
    )
    config = nx.config.backends.polyloom
    with config(on="sim", cluster="tiny-1"):
        assert nx.single_source_shortest_path_length(graph, 0, backend="polyloom") == expected
        assert nx.single_source_shortest_path_length(graph, 0, backend="polyloom", on="native") == expected
    assert nx.single_source_shortest_path_length(graph, 0, backend="polyloom", cluster="tiny-1") == expected
    assert ran == [("sim", "tiny-1")] * 2 + [("", "tiny-1")]
    with pytest.raises(UserError, match="cluster = 'tiny-1': a native run has no cluster"):
        nx.is_connected(graph, backend="polyloom", on="native", cluster="tiny-1")
    with pytest.raises(UserError, match="no cluster 'tiny-0'; shipped: "):
        nx.is_connected(graph, backend="polyloom", on="sim", cluster="tiny-0")
    with pytest.raises(UserError, match="on = gpu: allowed are native, sim, rtl"):
        nx.is_connected(graph, backend="polyloom", on="gpu")
    with pytest.raises(TypeError, match=r"is_connected\(\) has no argument 'clutser'; .* there are on, cluster"):
        nx.is_connected(graph, backend="polyloom", clutser="tiny-1")
    assert list(tmp_path.iterdir()) == []


def counted(ran: list[tuple[str, str]]) -> Callable[..., Any]:
    """The function that runs programs on clusters, which tells where."""
    from polyloom.graphs import run

    original = run.run

    def call(*args: Any, **kwargs: Any) -> Any:
        where = args[4]
        ran.append((where["on"], where["cluster"]))
        return original(*args, **kwargs)

    return call


def test_a_program_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = nx.Graph([(0, 1, {"weight": 4_000_000_000}), (1, 2, {"weight": 4_000_000_000})])
    with pytest.raises(NotImplementedError) as reported:
        nx.single_source_dijkstra_path_length(graph, 0, backend="polyloom")
    assert "weights are too large: the shortest path to 2 is longer than 4294967294" in str(reported.value.__cause__)
    with nx.config(backend_priority=["polyloom"]):  # then NetworkX does it
        assert nx.single_source_dijkstra_path_length(graph, 0) == {0: 0, 1: 4_000_000_000, 2: 8_000_000_000}
    with pytest.raises(NotImplementedError) as reported:
        nx.pagerank(graph, alpha=2, weight=None, backend="polyloom")
    assert "damping: Value 2 not in range" in str(reported.value.__cause__)
    monkeypatch.setenv("POLYLOOM_BUILD", "/nowhere")
    with pytest.raises(UserError, match="/nowhere/bin/app_kcore is not built"):
        nx.core_number(nx.path_graph(3), backend="polyloom")


def test_lengths_of_many_steps_are_summed_in_double_precision() -> None:
    graph = nx.path_graph(3000)
    nx.set_edge_attributes(graph, 0.1, "weight")
    lengths = nx.single_source_dijkstra_path_length(graph, 0, backend="polyloom")
    assert max(abs(lengths[i] - math.fsum([0.1] * i)) for i in graph) < 1e-10


def test_the_limit_is_found_where_networkx_finds_it() -> None:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(4))
    graph.add_edges_from([(0, 2), (2, 3), (3, 2)])
    expected = nx.pagerank(graph, tol=1e-8)
    found = nx.pagerank(graph, tol=1e-8, backend="polyloom")
    assert max(abs(found[node] - value) for node, value in expected.items()) < 1e-7
    assert dict(nx.single_source_shortest_path_length(graph, 0, cutoff=math.inf, backend="polyloom")) == {
        0: 0,
        2: 1,
        3: 2,
    }

# SPDX-License-Identifier: Apache-2.0
# Covers: polyloom.Graph's algorithms against NetworkX, natively and on a simulated cluster, under names of all kinds;
# what a run holds; files, own programs, what is wrong, Ctrl-C, threads. Leaves out: conversion (polyloom/graphs/tests),
# the NetworkX backend (test_networkx.py).
from __future__ import annotations

import gc
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from conftest import ROOT

import polyloom
from polyloom.base import record, supervisor

Name = Callable[[int], Any]
NAMES: dict[str, Name] = {
    "rows": lambda v: v,
    "gaps": lambda v: 7 * v + 3,
    "64 bits": lambda v: (1 << 63) + v * v,
    "text": lambda v: f'vertex {v}, "{v}"\n',
    "tuples": lambda v: (v // 10, v % 10),
}
WHERE = [("native", ""), ("sim", "tiny-2")]


def graph_of(name: Name = NAMES["rows"], directed: bool = True, weighted: bool = False) -> Any:
    made = nx.gnp_random_graph(60, 0.05, seed=8, directed=directed)
    made = nx.relabel_nodes(made, {v: name(v) for v in made})
    if weighted:
        for i, (u, v) in enumerate(made.edges):
            made[u][v]["weight"] = i % 7 + 1
    return made


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("on", "cluster"), WHERE)
def test_algorithms_under_the_users_names(on: str, cluster: str, name: str) -> None:
    directed, undirected = graph_of(NAMES[name], weighted=True), graph_of(NAMES[name], directed=False)
    where: Any = {"on": on, "cluster": cluster}
    graph, both = polyloom.Graph.from_edges(directed), polyloom.Graph.from_edges(undirected)
    source = NAMES[name](4)

    ranks = graph.pagerank(dangling="uniform", **where)
    want = nx.pagerank(directed, weight=None, tol=1e-10)
    assert set(ranks.to_dict()) == set(want)
    assert max(abs(value - want[v]) for v, value in ranks.to_dict().items()) < 1e-5
    assert (ranks.simulated_seconds is None) == (on == "native")
    assert ranks.wall_seconds > 0

    anew = {NAMES[name](2): 3, NAMES[name](5): 1}
    personal = graph.pagerank(dangling="uniform", personalize=anew, weighted=True, **where).to_dict()
    want = nx.pagerank(directed, personalization=anew, tol=1e-10)
    assert max(abs(value - want[v]) for v, value in personal.items()) < 1e-5

    hops = dict(nx.single_source_shortest_path_length(directed, source))
    assert {v: d for v, d in graph.bfs(source, **where).to_dict().items() if d != math.inf} == hops
    paths = graph.sssp(source, predecessors=True, **where)
    lengths = nx.single_source_dijkstra_path_length(directed, source)
    assert {v: d for v, d in paths.to_dict().items() if d != math.inf} == lengths
    frame = paths.to_frame()
    for v, length, before in zip(frame["vertex"], frame["value"], frame["predecessor"], strict=True):
        if before is not None:
            assert lengths[before] + directed[before][v]["weight"] == length
        else:
            assert v == source or length == math.inf

    for mode, of in (("weak", nx.weakly_connected_components), ("strong", nx.strongly_connected_components)):
        reported = graph.components(mode=mode, **where).to_dict()
        groups: dict[Any, set[Any]] = {}
        for v, root in reported.items():
            groups.setdefault(root, set()).add(v)
        assert sorted(map(sorted, groups.values())) == sorted(map(sorted, of(directed)))
        assert all(root in group for root, group in groups.items())

    assert both.core_numbers(**where).to_dict() == nx.core_number(undirected)
    assert both.triangles(**where).to_dict() == nx.triangles(undirected)
    whole = undirected.subgraph(max(nx.connected_components(undirected), key=len))
    mean = polyloom.Graph.from_edges(whole).average_shortest_path(sources=len(whole), **where)
    assert mean.facts["average_shortest_path"] == pytest.approx(nx.average_shortest_path_length(whole))


def test_label_propagation_ends_as_its_definition_says() -> None:
    made = graph_of(NAMES["text"], directed=False)
    graph = polyloom.Graph.from_edges(made)
    rows = {v: row for row, v in enumerate(graph.names.to_list())}
    labels = {v: rows[v] for v in made}
    for _ in range(4):  # LDBC Graphalytics: the most frequent label of the neighbours, of equals the smallest
        labels = {
            v: min(labels[u] for u in made[v] if [labels[w] for w in made[v]].count(labels[u]) == most)
            if (most := max(([labels[w] for w in made[v]].count(labels[u]) for u in made[v]), default=0))
            else labels[v]
            for v in made
        }
    found = graph.label_propagation(iterations=4)
    assert found.values.tolist() == [labels[v] for v in graph.names.to_list()]
    assert found.to_dict() == {v: graph.names[label] for v, label in labels.items()}


def test_what_a_run_holds(tmp_path: Path) -> None:
    graph = polyloom.Graph.from_edges(np.array([[5, 9], [9, 7], [9, 5], [2, 2]]))
    run = graph.pagerank(on="sim", cluster="tiny-1", iterations=3)
    assert run.values.shape == (4,) and run.values.dtype == np.float64
    assert run.facts["iterations"] == 3
    assert "not handed on" in " ".join(run.notes)
    assert run.phases["compute_seconds"] == run.simulated_seconds
    counters = run.counters
    kept = record.read(run.folder)
    assert dict(zip(counters["counter"], counters["value"], strict=True)) == kept.counters
    report = run.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == report.html and report.html.startswith("<!")
    assert "srcdoc" in report._repr_html_() and "<table>" in run._repr_html_()
    frame = run.to_frame()
    assert frame["vertex"].tolist() == [2, 5, 7, 9] and frame["value"].tolist() == run.values.tolist()
    assert run.top(1) == [(7, pytest.approx(run.values.max()))] or run.values.argmax() != 2
    folder = run.folder
    assert folder.is_dir()
    del run, kept
    gc.collect()
    assert not folder.exists()
    kept_there = graph.bfs(5, on="sim", cluster="tiny-1", run_dir=tmp_path / "kept")
    assert kept_there.folder == tmp_path / "kept" and (tmp_path / "kept" / "run.json").is_file()
    assert graph.bfs(5, verify=True).facts["verified"] is True


def test_files_are_read_as_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "calls.csv").write_text('caller,callee,minutes\nann,"b, ob",2.5\n"b, ob",cy,1\n')
    graph = polyloom.Graph.read(tmp_path / "calls.csv", columns="caller,callee,minutes")
    assert (graph.names.to_list(), graph.weighted) == (["ann", "b, ob", "cy"], True)
    assert graph.sssp("ann").to_dict() == {"ann": 0, "b, ob": 2.5, "cy": 3.5}
    nx.write_graphml(graph_of(NAMES["text"], directed=False), tmp_path / "g.graphml")
    read = polyloom.Graph.read(tmp_path / "g.graphml")
    assert read.undirected
    assert read.core_numbers().to_dict() == {
        str(v): core for v, core in nx.core_number(nx.read_graphml(tmp_path / "g.graphml")).items()
    }
    (tmp_path / "e.txt").write_text("1 2\n2 1\n2 2\n9 1\n")
    simple = polyloom.Graph.read(tmp_path / "e.txt", undirected=True, simple=True)
    assert (simple.names.to_list(), simple.edge_count) == ([1, 2, 9], 4)
    with pytest.raises(polyloom.GraphError, match=r"none\.txt"):
        polyloom.Graph.read(tmp_path / "none.txt")
    (tmp_path / "bad.txt").write_text("1 2\n3\n")
    with pytest.raises(polyloom.GraphError, match=r"bad\.txt:2"):
        polyloom.Graph.read(tmp_path / "bad.txt")


def test_programs_of_the_users_own() -> None:
    text = (ROOT / "apps" / "bfs" / "bfs.cc").read_text()
    made = graph_of(NAMES["gaps"])
    graph = polyloom.Graph.from_edges(made)
    program = polyloom.Program(text, name="d")
    for on, cluster in WHERE:
        run = graph.run(program, {"source": 3}, on=on, cluster=cluster)
        reached = {v: d for v, d in run.to_dict().items() if d != math.inf}
        assert (run.app, reached) == ("d", dict(nx.single_source_shortest_path_length(made, 3)))
    line = 1 + text[: text.index("s->distance = s->heard;")].count("\n")
    broken = polyloom.Program(text.replace("s->distance = s->heard;", "s->distanse = s->heard;"), name="d")
    with pytest.raises(polyloom.GraphError, match=rf"^d\.cc:{line}:.*'distanse'"):
        graph.run(broken)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: g.bfs("no one"), "source = 'no one': the graph has no such vertex; it has 3 vertices: 1, 2, 5"),
        (lambda g: g.bfs([1]), r"source = \[1\]: the graph has no such vertex"),
        (lambda g: g.bfs(1.5), "source = 1.5: the graph has no such vertex"),
        (lambda g: g.pagerank(iterations=2.5), "iterations = 2.5: a whole number"),
        (lambda g: g.pagerank(damping=2), "damping = 2: a number from 0 to 1"),
        (lambda g: g.pagerank(damping="x"), "damping = 'x': a number"),
        (lambda g: g.pagerank(dangling="x"), "dangling: x not in"),
        (lambda g: g.pagerank(personalize={4: 1}), "personalize = 4: the graph has no such vertex"),
        (lambda g: g.pagerank(personalize={5: -1}), r"personalize\[5\] = -1: a finite number from 0"),
        (lambda g: g.pagerank(personalize=[1]), r"personalize = \[1\]: a mapping"),
        (lambda g: g.pagerank(personalize={5: 0}), r"personalize = \{5: 0\}: some value must be greater than 0"),
        (lambda g: g.pagerank(weighted="no"), "weighted = 'no': True or False is expected"),
        (lambda g: g.bfs(1, verify="yes"), "verify = 'yes': True or False is expected"),
        (lambda g: g.bfs(1, on="sim", seed="x"), "seed = 'x': a whole number from 0"),
        (lambda g: g.run("sort"), "program = 'sort': takes no graph"),
        (lambda g: g.run("dpd", {"steps": 2}), "program = 'dpd': takes no graph"),
        (lambda g: g.run("heat", {"verify": True}), "options = {'verify': True}: verify is an argument of run"),
        (lambda g: g.run("heat", {"json": True}), "options = {'json': True}: json means nothing here"),
        (lambda g: g.run("bfs", ["source"]), r"options = \['source'\]: a mapping"),
        (lambda g: polyloom.Graph.from_edges([("a\0b", 1)]).bfs("a\0b"), "bfs cannot be started: embedded null"),
        (lambda g: g.pagerank(on="moon"), "on = moon: allowed are native, sim, rtl"),
        (lambda g: g.pagerank(cluster="moon"), "no cluster 'moon'"),
        (lambda g: g.pagerank(on="native", cluster="tiny-1"), "cluster = 'tiny-1': a native run has no cluster"),
        (lambda g: g.pagerank(on="sim", cluster="tiny-1", max_cycles=9), r"stopped after 9 cycles \(max_cycles\)"),
        (lambda g: g.pagerank(claster="tiny-1"), "claster = 'tiny-1': no such argument; there are on, cluster"),
        (lambda g: g.average_shortest_path(sources=9), "sources = 9: a whole number from 1 to 3"),
        (lambda g: g.run("nothing"), "no application 'nothing'"),
        (lambda g: g.run(7), "program = 7: the name of an application"),
        (lambda g: g.run("bfs", {"sourse": 1}), "not expected: sourse 1; did you mean source"),
    ],
)
def test_what_is_wrong_names_the_argument(call: Callable[[polyloom.Graph], Any], message: str) -> None:
    with pytest.raises(polyloom.GraphError, match=message):
        call(polyloom.Graph.from_edges([(1, 2), (2, 5)]))


def test_weights_that_are_not_there_are_told() -> None:
    graph = polyloom.Graph.from_edges([(1, 2), (2, 5)])
    for more in ({}, {"personalize": {5: 1}}):
        weighed, alike = (graph.pagerank(weighted=weighted, **more) for weighted in (True, False))
        assert "weighted: the graph has no weights, so all edges count alike" in weighed.notes
        assert weighed.to_dict() == alike.to_dict()


def test_graphs_without_vertices_and_edges() -> None:
    with pytest.raises(polyloom.GraphError, match="edges: the graph has no vertex"):
        polyloom.Graph.from_edges(np.empty((0, 2), int)).pagerank()
    one = polyloom.Graph.from_edges([], vertices=["alone"])
    assert one.pagerank(dangling="uniform").to_dict() == {"alone": 1}
    assert one.components().to_dict() == {"alone": "alone"}


def test_a_copy_of_the_process_takes_nothing_with_it() -> None:
    run = polyloom.Graph.from_edges([(1, 2)]).bfs(1, on="sim", cluster="tiny-1")
    child = os.fork()
    if child == 0:
        code = "import sys; sys.exit(0)"
        try:
            exec(code)
        finally:
            del run
            gc.collect()
            os._exit(0)
    os.waitpid(child, 0)
    assert len(run.counters) > 20


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_without_a_standard_stream(closed: str, tmp_path: Path) -> None:
    code = "import polyloom; r = polyloom.Graph.from_edges([(1, 2)]).bfs(1); open('out', 'w').write(str(r.to_dict()))"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(["bash", "-c", f'"$0" -c "$1" {closed}', sys.executable, code], cwd=tmp_path, env=env, check=True)
    assert (tmp_path / "out").read_text() == "{1: 0, 2: 1}"


def test_signals_go_to_whom_they_are_for() -> None:
    """What handles a signal before a run gets it after one that it ended."""
    code = (
        "import polyloom, signal\n"
        "signal.signal(signal.SIGTERM, lambda *_: print('mine', flush=True))\n"
        "g = polyloom.Graph.from_edges([(i, (i + 1) % 900) for i in range(900)])\n"
        "try:\n    print('begins', flush=True); g.pagerank(on='sim', cluster='tiny-2', iterations=60000)\n"
        "except KeyboardInterrupt:\n    print('ended')\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True) as job:
        assert job.stdout is not None and job.stdout.readline() == "begins\n"
        time.sleep(1.5)
        job.send_signal(signal.SIGTERM)
        assert job.communicate(timeout=60)[0] == "mine\nended\n"


def test_runs_of_several_threads() -> None:
    graph = polyloom.Graph.from_edges(graph_of())
    want = graph.pagerank().to_dict()
    found: list[dict[Any, Any]] = []
    threads = [threading.Thread(target=lambda: found.append(graph.pagerank().to_dict())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [want] * 4


def test_ctrl_c_ends_the_run_and_leaves_the_interpreter() -> None:
    code = (
        "import polyloom\n"
        "g = polyloom.Graph.from_edges([(i, (i + 1) % 900) for i in range(900)])\n"
        "try:\n    print('begins', flush=True); g.pagerank(on='sim', cluster='tiny-2', iterations=60000)\n"
        "except KeyboardInterrupt:\n    print('interrupted', g.bfs(0).values.max())\n"
    )
    mark = f"POLYLOOM_TEST_GRAPHS_{os.getpid()}"
    env = {**os.environ, "PYTHONPATH": str(ROOT), mark: "1"}
    with subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True) as job:
        assert job.stdout is not None and job.stdout.readline() == "begins\n"
        limit = time.monotonic() + 60
        while len(supervisor.marked(mark)) < 3:  # Python, the program, the simulator
            assert time.monotonic() < limit
            time.sleep(0.05)
        time.sleep(0.5)
        job.send_signal(signal.SIGINT)
        said, _ = job.communicate(timeout=60)
        assert said == "interrupted 899\n"
    limit = time.monotonic() + 20
    while supervisor.marked(mark):
        assert time.monotonic() < limit
        time.sleep(0.05)

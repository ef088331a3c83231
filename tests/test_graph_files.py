# SPDX-License-Identifier: Apache-2.0
# Covers: graph files as other people's programs write them, from the command line: packed in many streams, against what
# the packers' own commands give; Matrix Market against SciPy; lists and tables of names and long ids as NetworkX and
# Python's csv write them; Parquet, GraphML and sparse matrices of SciPy; graphs of benchmarks; --simple and
# --undirected against NetworkX; standard input; which format was taken, on screen and in JSON. Leaves out: every
# format's grammar and errors (polite/readers).
from __future__ import annotations

import csv
import io
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse
from conftest import POLYLOOM, Done, read_named, read_values

from polyloom.base.errors import UserError
from polyloom.jobs import graph_files

Polyloom = Callable[..., Done]


def packed(tool: str, text: str) -> bytes:
    return subprocess.run([tool, "-c"], input=text.encode(), capture_output=True, check=True).stdout


@pytest.mark.parametrize("tool", ["gzip", "bzip2", "xz", "zstd", "lz4"])
def test_packed_files_are_read_to_their_end(polyloom: Polyloom, tmp_path: Path, tool: str) -> None:
    whole = b"".join(packed(tool, text) for text in ("7 9\n", "", "9 1", "2\n30 31\n", "12 13\n" * 9))
    (tmp_path / "it's.txt").write_bytes(whole)  # a name that tells nothing, and that a shell must not read
    text = subprocess.run([tool, "-dc"], input=whole, capture_output=True, check=True).stdout.decode()
    graph = nx.MultiGraph([line.split() for line in text.splitlines()])
    run = ("run", "components", "--on", "native", "--graph", "it's.txt")
    done = polyloom(*run, "--verify", "--json")
    assert done.status == 0, done.err + done.out
    assert (done.json["vertices"], done.json["edges"]) == (len(graph), graph.number_of_edges())
    assert (done.json["format"], done.json["packing"], done.json["verified"]) == ("edges", tool, True)
    assert done.json["components"] == nx.number_connected_components(graph)
    (tmp_path / "it's.txt").write_bytes(whole + b"behind")
    refused = polyloom(*run)
    assert refused.status == 1
    assert f"the {tool} file is damaged: what follows its packed data is not {tool}" in refused.err


@pytest.mark.parametrize("entries", ["integer general % was symmetric", "REAL Symmetric", "pattern skew-symmetric"])
def test_a_matrix_is_scipys(polyloom: Polyloom, tmp_path: Path, entries: str) -> None:
    value = "" if "pattern" in entries else " 3"
    rest = f"4 4 3\n2 1{value}\n% between\n\n3 2{value}\n4 3{value}\n"
    (tmp_path / "list.txt").write_text(f"\n  %%matrixMARKET matrix coordinate {entries}\n{rest}")
    plain = f"%%MatrixMarket matrix coordinate {entries.partition(' %')[0]}\n{rest}".replace("% between\n\n", "")
    graph = nx.from_scipy_sparse_array(abs(scipy.io.mmread(io.BytesIO(plain.encode()))), create_using=nx.DiGraph)
    expected = {v + 1: distance for v, distance in nx.single_source_dijkstra_path_length(graph, 3).items()}
    done = polyloom("run", "sssp", "--on", "native", "--graph", "list.txt", "--source", 4, "--verify", "--out", "o.csv")
    assert done.status == 0, done.err + done.out
    assert read_values(tmp_path / "o.csv") == expected
    assert done.out.startswith("sssp of list.txt (mtx): 4 vertices, ")


MIRRORED = {
    "path.mtx": "%%MatrixMarket matrix coordinate integer symmetric\n4 4 4\n2 1 1\n3 2 1\n3 3 1\n4 2 1\n",
    "path.col": "c---\np edge 4 4\ne 1 2\ne 2 3\ne 3 3\ne 2 4\n",
    "path.metis": "4 3\n2\n1 3 4\n2\n2\n",
}


@pytest.mark.parametrize("name", MIRRORED)
def test_undirected_adds_nothing_where_the_format_gives_both(polyloom: Polyloom, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(MIRRORED[name])
    graph = nx.Graph([(1, 2), (2, 3), (2, 4), *([] if name.endswith("metis") else [(3, 3)])])
    done = polyloom(
        "run",
        "pagerank",
        "--on",
        "native",
        "--graph",
        name,
        "--undirected",
        "--iterations",
        200,
        "--verify",
        "--out",
        "o.csv",
    )
    assert done.status == 0, done.err + done.out
    assert read_values(tmp_path / "o.csv") == pytest.approx(nx.pagerank(graph, tol=1e-12, max_iter=1000), abs=1e-6)
    assert f"note: --undirected adds nothing: {name} gives both directions of every edge already\n" in done.out


@pytest.mark.parametrize("comment", ["# Undirected graph: roads", "% sym unweighted"])
def test_a_list_that_is_called_undirected(polyloom: Polyloom, tmp_path: Path, comment: str) -> None:
    (tmp_path / "list.txt").write_text(f"# a list\n{comment}\n1 2\n2 3\n")
    words = ["run", "sssp", "--graph", "list.txt", "--source", "1", "--on", "native"]
    note = "note: list.txt: line 2 says that the graph is undirected; it is read as directed edges; --undirected adds"
    assert note in polyloom(*words).out
    assert "directed edges" not in polyloom(*words, "--undirected").out


def test_standard_input(tmp_path: Path) -> None:
    def run(text: bytes, *words: str) -> subprocess.CompletedProcess[str]:
        command = [POLYLOOM, "run", "components", "--on", "native", "--graph", "-", *words]
        done = subprocess.run(command, cwd=tmp_path, input=text, capture_output=True, check=False)
        return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())

    done = run(packed("bzip2", "4 8\n") + packed("bzip2", "8 2\n5 5\n"), "--out", "o.csv")
    assert done.returncode == 0, done.stderr
    assert read_values(tmp_path / "o.csv") == {2: 2, 4: 2, 8: 2, 5: 5}
    assert done.stdout.startswith("components of standard input (edges, bzip2): 4 vertices, 3 edges\n")
    assert "polyloom: standard input:2: 'x' stands" in run(b"1 2\n1 x\n").stderr
    assert "standard input gives it once" in run(b"1 2\n", "--verify").stderr


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz", "zst", "lz4"])
def test_a_name_that_promises_a_packing(polyloom: Polyloom, tmp_path: Path, ending: str) -> None:
    """As browsers leave it that unpack what they fetch, and keep its name."""
    name = f"graph.txt.{ending}"
    run = ("run", "components", "--on", "native", "--verify", "--graph", name)
    (tmp_path / name).write_text("0 1\n1 2\n")
    done = polyloom(*run)
    assert done.status == 0 and done.out.startswith(f"components of {name} (edges): 3 vertices, 2 edges\n")
    assert f"note: {name}: its name ends in .{ending}, but it is not packed: it was read as it is\n" in done.out
    (tmp_path / name).write_text("")
    done = polyloom(*run)
    assert done.status == 1 and "the graph is empty" in done.err


Node = str | int
#: Whole weights, a loop, two components; directed. Nodes are names, ids of 64 bits, ids beyond, and small ids.
NODES: dict[str, list[Node]] = {
    "names": ["ann", "bob", "Zoë", "o'hara", "c", "p", "x;y"],
    "long ids": [9007199254740993, 9007199254740992, 7, 2**63, 4294967294, 4294967295, 2**64 - 1],
    "longer ids": [10**30, 10**30 + 1, 2**64, 5, 50, 6, 700],
    "ids": [11, 7, 3, 900, 4, 5, 6],
}


def directed(nodes: list[Node]) -> nx.DiGraph:
    graph = nx.DiGraph()
    ends = [(0, 1, 4), (1, 2, 3), (0, 2, 9), (2, 2, 1), (2, 3, 5), (4, 5, 2), (5, 6, 8)]
    graph.add_weighted_edges_from((nodes[u], nodes[v], w) for u, v, w in ends)
    return graph


def write_list(graph: nx.DiGraph, path: Path, **how: object) -> None:
    nx.write_edgelist(graph, path, **how)


def write_data(graph: nx.DiGraph, path: Path) -> None:
    """With a dictionary of data an edge, of which the weight is not the first."""
    for number, (_, _, data) in enumerate(graph.edges(data=True)):
        weight = data.pop("weight")
        data |= {"label": f"it's, '{number}'", "weight": np.float64(weight), "more": {"weight": 70}}
    nx.write_edgelist(graph, path)


def write_csv(graph: nx.DiGraph, path: Path, columns: str, separator: str = ",", **how: object) -> None:
    """A table whose columns are s(ource), t(arget), w(eight), and others."""
    names = {"s": "source", "t": "target", "w": "weight"}
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        rows = csv.writer(file, delimiter=separator, **how)
        rows.writerow([names.get(column, column) for column in columns])
        for number, (u, v, weight) in enumerate(graph.edges(data="weight")):
            rows.writerow([{"s": u, "t": v, "w": weight}.get(c, f'{c}, "{number}"') for c in columns])


WRITERS: dict[str, Callable[[nx.DiGraph, Path], None]] = {
    "write_weighted_edgelist": nx.write_weighted_edgelist,
    "write_edgelist": lambda graph, path: write_list(graph, path),
    "write_edgelist, tabs": lambda graph, path: write_list(graph, path, delimiter="\t", data=["weight"]),
    "write_edgelist, commas": lambda graph, path: write_list(graph, path, delimiter=","),
    "write_edgelist, data": write_data,
    "csv": lambda graph, path: write_csv(graph, path, "stw"),
    "csv, others": lambda graph, path: write_csv(graph, path, "xwtsy", ";", quoting=csv.QUOTE_ALL),
    "csv, tabs": lambda graph, path: write_csv(graph, path, "swt", "\t", lineterminator="\n"),
}


@pytest.mark.parametrize("kind", NODES)
@pytest.mark.parametrize("writer", WRITERS)
def test_what_others_write_keeps_its_names(polyloom: Polyloom, tmp_path: Path, kind: str, writer: str) -> None:
    graph = directed(NODES[kind])
    source = next(iter(graph))
    expected = {v: math.inf for v in graph} | nx.single_source_dijkstra_path_length(graph, source)
    WRITERS[writer](graph, tmp_path / "list.txt")
    run = ("run", "sssp", "--on", "native", "--graph", "list.txt", "--source", source, "--verify", "--json")
    done = polyloom(*run, "--out", "o.csv")
    assert done.status == 0, done.err + done.out
    assert {name: float(value) for name, value in read_named(tmp_path / "o.csv").items()} == {
        str(v): value for v, value in expected.items()
    }
    assert done.json["format"] == ("csv" if writer.startswith("csv") else "edges")
    ignored = "list.txt: columns that are not used: 'x', 'y'"
    assert done.json["notes"] == [ignored] * ("others" in writer) or kind == "names"


@pytest.mark.parametrize("kind", NODES)
def test_names_are_values_and_records_of_npy(polyloom: Polyloom, tmp_path: Path, kind: str) -> None:
    graph = directed(NODES[kind])
    expected = {v: min(part) for part in nx.weakly_connected_components(graph) for v in part}
    nx.write_edgelist(graph, tmp_path / "list.txt", data=False)
    run = ("run", "hashmin", "--on", "native", "--graph", "list.txt", "--verify", "--json")
    done = polyloom(*run, "--out", "o.npy")
    assert done.status == 0, done.err + done.out
    table = np.load(tmp_path / "o.npy")
    texts = [value.decode() if isinstance(value, bytes) else str(value) for row in table.tolist() for value in row]
    vertices, values = texts[::2], texts[1::2]
    if not all(name.isdecimal() for name in vertices):  # values in files are numbers: those of names are rows
        values = [vertices[int(row)] for row in values]
    assert dict(zip(vertices, values, strict=True)) == {str(v): str(c) for v, c in expected.items()}
    assert {row["name"] for row in done.json["top"]} == set(map(str, graph))
    assert {json.dumps(row["value"]).strip('"') for row in done.json["top"]} <= {
        json.dumps(str(v)).strip('"') for v in expected.values()
    }


def test_columns_of_a_table_with_other_names(polyloom: Polyloom, tmp_path: Path) -> None:
    (tmp_path / "calls.csv").write_text('to,"caller, number",minutes,callee\n1,ann,5,bob\n2,bob,6,cy\n')
    run = ("run", "sssp", "--on", "native", "--graph", "calls.csv", "--verify", "--out", "o.csv", "--source", "ann")
    assert polyloom(*run, "--columns", '"caller, number",callee,minutes').status == 0
    assert read_named(tmp_path / "o.csv") == {"ann": "0", "bob": "5", "cy": "11"}
    assert polyloom(*run, "--columns", '"caller, number",callee').status == 0
    assert read_named(tmp_path / "o.csv") == {"ann": "0", "bob": "1", "cy": "2"}
    refused = polyloom(*run, "--columns", "caller,callee")
    assert refused.status == 1 and refused.err == (
        "polyloom: calls.csv:1: no column 'caller'; the columns are 'to', 'caller, number', 'minutes', 'callee'\n"
    )


def gapbs(graph: nx.DiGraph, both: bool) -> bytes:
    """A directed graph of vertices 0 to n-1 as gapbs/src/writer.h serializes it, with in-edges or without."""
    rows = []
    for neighbours in (graph.succ, graph.pred)[: 1 + both]:
        begin = np.cumsum([0, *(len(neighbours[v]) for v in range(len(graph)))], dtype=np.int64)
        pairs = [(u, data["weight"]) for v in range(len(graph)) for u, data in neighbours[v].items()]
        rows += [begin.tobytes(), np.array(pairs, dtype=np.int32).tobytes()]
    sizes = np.array([graph.number_of_edges(), len(graph)], dtype=np.int64)
    return b"".join([b"\x01", sizes.tobytes(), *rows])


@pytest.mark.parametrize("name", ["g.wsg", "g.v", "g.e"])
def test_files_of_benchmarks(polyloom: Polyloom, tmp_path: Path, name: str) -> None:
    graph = directed([5, 1, 2, 3, 4, 0, 6])
    graph.add_node(7)
    if name.endswith("sg"):
        (tmp_path / name).write_bytes(gapbs(graph, both=True))
    else:
        (tmp_path / "g.v").write_text("".join(f"{v}\n" for v in sorted(graph)))
        nx.write_weighted_edgelist(graph, tmp_path / "g.e")
    done = polyloom("run", "sssp", "--on", "native", "--graph", name, "--source", 5, "--verify", "--out", "o.csv")
    assert done.status == 0, done.err + done.out
    found = nx.single_source_dijkstra_path_length(graph, 5)
    assert read_values(tmp_path / "o.csv") == {v: found.get(v, math.inf) for v in graph}
    of_text = "file and computation"
    covers = "the computation; a file of format wsg is not read a second time" if name.endswith("sg") else of_text
    assert f"of {covers})" in done.out


@pytest.mark.parametrize("undirected", [False, True])
def test_simple_drops_loops_and_duplicates(polyloom: Polyloom, tmp_path: Path, undirected: bool) -> None:
    edges = [("a", "b", 5), ("b", "a", 2), ("a", "b", 3), ("c", "c", 1), ("b", "c", 4), ("b", "c", 4), ("d", "a", 1)]
    (tmp_path / "g.txt").write_text("".join(f"{u} {v} {w}\n" for u, v, w in edges))
    graph = nx.Graph() if undirected else nx.DiGraph()
    graph.add_nodes_from("abcd")
    for u, v, w in edges:
        if u != v:
            graph.add_edge(u, v, weight=min(w, graph.get_edge_data(u, v, {"weight": w})["weight"]))
    flags = ("--simple", "--verify", "--json", *(["--undirected"] if undirected else []))
    done = polyloom("run", "sssp", "--on", "native", "--graph", "g.txt", "--out", "o.csv", *flags)
    assert done.status == 0, done.err + done.out
    found = nx.single_source_dijkstra_path_length(graph, "a")
    values = {name: float(value) for name, value in read_named(tmp_path / "o.csv").items()}
    assert values == {v: found.get(v, math.inf) for v in graph}
    assert done.json["edges"] == graph.to_directed().number_of_edges()
    dropped = 7 + 6 * undirected - 1 - graph.to_directed().number_of_edges()
    assert done.json["notes"] == [f"--simple dropped 1 loop and {dropped} duplicate edges"]
    drawn = polyloom("run", "sssp", "--on", "native", "--generate", "kronecker:6:8", "--max-weight", 9, *flags)
    assert drawn.status == 0 and drawn.json["verified"], drawn.err + drawn.out


def run_sssp(polyloom: Polyloom, name: str, source: object, *words: object) -> Done:
    return polyloom(
        "run",
        "sssp",
        "--on",
        "native",
        "--graph",
        name,
        "--source",
        source,
        "--verify",
        "--json",
        "--out",
        "o.csv",
        *words,
    )


def expect(done: Done, graph: nx.Graph, source: Node, path: Path) -> None:
    """The paths that NetworkX finds; nothing is left of what was converted."""
    assert done.status == 0, done.err + done.out
    found = nx.single_source_dijkstra_path_length(graph, source)
    values = {name: float(value) for name, value in read_named(path / "o.csv").items()}
    assert values == {str(v): found.get(v, math.inf) for v in graph}
    assert done.json["verified"]
    command = json.loads(next(path.glob("runs/*/run.json")).read_text())["command"]
    assert "--converted" not in command and done.json["graph"] in command


@pytest.mark.parametrize("name", ["g.graphml", "g.xml", "g.graphml.gz", "g.graphml.bz2"])
@pytest.mark.parametrize("undirected", [False, True])
@pytest.mark.parametrize("kind", ["names", "longer ids"])
def test_graphml(polyloom: Polyloom, tmp_path: Path, name: str, undirected: bool, kind: str) -> None:
    graph: nx.Graph = directed(NODES[kind])
    graph.add_node('a "b", c' if kind == "names" else 3)
    if undirected:
        graph = graph.to_undirected()
    nx.write_graphml(graph, tmp_path / name)
    source = NODES[kind][0]
    done = run_sssp(polyloom, name, source, *(["--undirected"] if undirected else []))
    expect(done, graph, source, tmp_path)
    assert done.json["format"] == "graphml"
    adds_nothing = f"--undirected adds nothing: {name} gives both directions of every edge already"
    assert done.json["notes"] == [adds_nothing] * undirected


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("array", [scipy.sparse.coo_array, scipy.sparse.coo_matrix])
def test_sparse_matrices(polyloom: Polyloom, tmp_path: Path, form: str, array: Callable[..., object]) -> None:
    graph = directed([5, 1, 2, 3, 4, 0, 6])
    graph.add_node(8)
    graph.add_node(7)
    ends = np.array([(u, v) for u, v in graph.edges]).T
    matrix = array(([weight for *_, weight in graph.edges(data="weight")], ends), shape=(9, 9))
    scipy.sparse.save_npz(tmp_path / "m.npz", matrix.asformat(form))
    done = run_sssp(polyloom, "m.npz", 5)
    expect(done, graph, 5, tmp_path)
    assert (done.json["format"], done.json["edges"], done.json["notes"]) == ("npz", graph.number_of_edges(), [])


@pytest.mark.parametrize("kind", NODES)
def test_parquet(polyloom: Polyloom, tmp_path: Path, kind: str) -> None:
    arrow, parquet = (pytest.importorskip(name) for name in ("pyarrow", "pyarrow.parquet"))
    graph = directed(NODES[kind])
    columns = list(zip(*graph.edges(data="weight"), strict=True))
    if kind == "longer ids":
        columns[:2] = [[str(v) for v in column] for column in columns[:2]]
    unsigned = {"long ids": arrow.uint64()}.get(kind)
    ends = [arrow.array(column, type=unsigned) for column in columns[:2]]
    pairs = arrow.array([[1, 2]] * len(columns[0]))
    table = arrow.table({"minutes": columns[2], "callee": ends[1], "caller": ends[0].dictionary_encode(), "x": pairs})
    parquet.write_table(table, tmp_path / "p.parquet")
    source = NODES[kind][0]
    done = run_sssp(polyloom, "p.parquet", source, "--columns", "caller,callee,minutes")
    expect(done, graph, source, tmp_path)
    assert done.json["notes"] == ["p.parquet: columns that are not used: 'x'"]
    refused = run_sssp(polyloom, "p.parquet", source)
    listed = "the columns are 'minutes', 'callee', 'caller', 'x', none called source and target"
    assert refused.status == 1 and f"polyloom: p.parquet:1: {listed}; say --columns" in refused.err


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("g.graphml", b"<graphml><graph edgedefault='directed'><node id='1'/>", "cannot be read as graphml: "),
        ("m.npz", b"PK\x03\x04 damaged", "cannot be read as npz: "),
        ("p", b"PAR1 damaged", "polyloom: "),
        ("--format=graphml", b"1 2\n", "cannot be read as graphml: "),
    ],
)
def test_damaged_files_of_packages(polyloom: Polyloom, tmp_path: Path, name: str, content: bytes, says: str) -> None:
    options = [name] if name.startswith("--") else []
    name = "g.txt" if options else name
    (tmp_path / name).write_bytes(content)
    done = run_sssp(polyloom, name, 1, *options)
    assert done.status == 1 and says in done.err and len(done.err.splitlines()) == 1, done.err
    assert done.err.startswith("polyloom: ") and not (tmp_path / "runs").exists()


def test_arrays_that_are_no_sparse_matrix(polyloom: Polyloom, tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", mass=np.zeros(3))
    done = run_sssp(polyloom, "a.npz", 1)
    says = "npz: is no sparse matrix of form csr, csc or coo, as scipy.sparse.save_npz writes: "
    assert done.status == 1 and f"{says}it holds mass" in done.err
    scipy.sparse.save_npz(tmp_path / "d.npz", scipy.sparse.dia_array(np.eye(3)))
    assert f"{says}dia" in run_sssp(polyloom, "d.npz", 1).err
    scipy.sparse.save_npz(tmp_path / "n.npz", scipy.sparse.csr_array([[0, math.nan], [1, 0]]))
    assert "n.npz: a weight is no finite number" in run_sssp(polyloom, "n.npz", 1).err


@pytest.mark.parametrize(("module", "head"), [("pyarrow", b"PAR1"), ("networkx", b"<?xml version='1.0'?><graphml>")])
def test_a_package_that_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, module: str, head: bytes
) -> None:
    (tmp_path / "g").write_bytes(head)
    monkeypatch.setitem(sys.modules, module, None)
    says = f"package {module} is not installed; run `pip install {module}`"
    with pytest.raises(UserError, match=says), graph_files.readable(["--graph", str(tmp_path / "g")]):
        pass

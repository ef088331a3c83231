# SPDX-License-Identifier: Apache-2.0
# Covers: graph files as other people's programs write them, from the command line: packed in many streams, against what
# the packers' own commands give; Matrix Market against SciPy; --undirected against NetworkX; standard input; which
# format was taken, on screen and in JSON. Leaves out: every format's grammar and errors (polite/readers).
from __future__ import annotations

import io
import subprocess
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import pytest
import scipy.io
from conftest import POLYLOOM, Done, read_values

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

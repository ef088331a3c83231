# SPDX-License-Identifier: Apache-2.0
# Covers: applications with combiners on skewed graphs: with partial receivers and without, on clusters of several sizes
# and all engines, the result is that of the native engine, after as many supersteps; once in RTL; a vertex that more
# hear than a thread has keys for; wrong words. POLYLOOM_TEST_FULL=1: a thousand graphs, up to 48 boards. Leaves out:
# all kinds of combiners (polite/tests/combiner_test.cc), the trees themselves (polite/mapper/combine_test.cc).
from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from conftest import Done, read_values

from polyloom.testing import FULL, daily

Polyloom = Callable[..., Done]

APPS = {
    "pagerank": ("pagerank", "--iterations", 6),
    "components": ("components",),
    "sssp": ("sssp", "--max-weight", 90),
    "sssp-sync": ("sssp", "--max-weight", 90, "--mode", "sync"),
    "asp": ("asp", "--sources", 40),
}
CLUSTERS = ["tiny-1", "tiny-2", "laptop", "tiny-6", "tinsel-1"]
WAYS = ["off", "on", "auto"] if FULL else ["off", "on"]
ENGINES = ["serial", "threads:2", "mpi:2", "mpi:3"]


def skewed(seed: int) -> np.ndarray:
    """Edges of which a few vertices get most, with hubs that point at each other, loops, parallel edges; or a star."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(64, 400))
    if seed % 7 == 3:
        leaves = np.arange(1, n)
        return np.concatenate([np.stack([leaves, 0 * leaves], 1), np.stack([0 * leaves, leaves], 1)[:: seed % 3 + 1]])
    m = n * int(rng.integers(2, 10))
    edges = np.stack([rng.integers(0, n, m), (rng.random(m) ** rng.integers(2, 7) * n).astype(int)], 1)
    return np.concatenate([edges, [[0, 1]] * 3, [[1, 0]], [[0, 0]] * (seed % 3 + 1)])


def run(polyloom: Polyloom, folder: Path, *words: object) -> tuple[dict[int, float], int, str]:
    """Values by vertex, barriers of the first board, digest of the run."""
    out = folder / "out.csv"
    done = polyloom("run", *words, "--verify", "--json", "--no-report", "--out", out, "--run-dir", folder / "run")
    assert done.status == 0, done.err
    assert done.json["verified"], done.out
    with (folder / "run" / "counters.csv").open(newline="") as file:
        counters = dict(list(csv.reader(file))[1:])
    record = json.loads((folder / "run" / "run.json").read_text())
    return read_values(out), int(counters.get("fpga.0.0.barriers", 0)), record["digest"]


def compare(
    polyloom: Polyloom,
    folder: Path,
    app: str,
    seed: int,
    cluster: str,
    engine: str = "serial",
    ways: Sequence[str] = WAYS,
    options: tuple[str, ...] = (),
) -> None:
    np.savetxt(folder / "graph.txt", skewed(seed), fmt="%d")
    words = (*APPS[app], "--graph", folder / "graph.txt")
    out = folder / "native.csv"
    done = polyloom("run", *words, "--on", "native", "--out", out)
    assert done.status == 0, done.err
    native = read_values(out)
    barriers = set()
    for combine in ways:
        sim = ("--cluster", cluster, "--engine", engine, "--combine", combine, *options)
        values, steps, _ = run(polyloom, folder, *words, *sim)
        barriers.add(steps)
        if app == "pagerank":
            assert values == pytest.approx(native, rel=1e-5), combine
        else:
            assert values == native, combine
    if app not in {"sssp", "components"}:  # theirs depend on the order in which messages come
        assert len(barriers) == 1, barriers


@pytest.mark.parametrize("seed", daily(range(1000), 6))
def test_combiners_change_no_result(polyloom: Polyloom, tmp_path: Path, seed: int) -> None:
    app, cluster, engine = seed % 5, seed // 5 % 5, seed // 25 % 4
    compare(polyloom, tmp_path, list(APPS)[app], seed, CLUSTERS[cluster], ENGINES[engine])


@pytest.mark.skipif(not FULL, reason="minutes; POLYLOOM_TEST_FULL=1 runs it")
@pytest.mark.parametrize("cluster", ["tinsel-12", "tinsel-48"])
@pytest.mark.parametrize("app", APPS)
def test_many_boards(polyloom: Polyloom, tmp_path: Path, app: str, cluster: str) -> None:
    compare(polyloom, tmp_path, app, 3, cluster)


def test_engines_agree(polyloom: Polyloom, tmp_path: Path) -> None:
    np.savetxt(tmp_path / "graph.txt", skewed(1), fmt="%d")
    words = ("pagerank", "--graph", tmp_path / "graph.txt", "--cluster", "tiny-6", "--combine", "on")
    assert len({run(polyloom, tmp_path, *words, "--engine", engine)[2] for engine in ENGINES[1:]}) == 1


def test_in_rtl(polyloom: Polyloom, tmp_path: Path) -> None:
    compare(polyloom, tmp_path, "sssp-sync", 12, "tiny-2", "threads:2", ["on"], ("--on", "rtl"))


@pytest.mark.parametrize("combine", ["on", "off"])
def test_explained_as_it_comes(polyloom: Polyloom, tmp_path: Path, combine: str) -> None:
    """Each vertex sends in each of PageRank's updates, and to the host at the end; the centre of a star is named."""
    leaves, centre = 150, 9000
    edges = [f"{i} {centre}" for i in range(leaves)] + [f"{centre} {i}" for i in range(0, leaves, 3)]
    (tmp_path / "star.txt").write_text("\n".join(edges) + "\n")
    words = ("run", "pagerank", "--graph", tmp_path / "star.txt", "--iterations", 4, "--cluster", "tiny-2")
    done = polyloom(*words, "--combine", combine, "--explain", "--run-dir", tmp_path / "run", "--no-report")
    assert done.status == 0, done.err
    mapping = json.loads((tmp_path / "run" / "mapping.json").read_text())
    with (tmp_path / "run" / "counters.csv").open(newline="") as file:
        sent = sum(int(value) for name, value in list(csv.reader(file))[1:] if name.endswith(".mailbox.sent"))
    assert sent == 4 * mapping["forecast"]["messages"] + leaves + 1
    messages = mapping["forecast"]["messages"]
    assert f"measured: {4 * messages:,} messages in 5 supersteps, {messages:,} in each but the last; 151 to" in done.out
    assert f": {mapping['forecast']['messages']} messages, busiest thread" in done.out
    assert "The busiest core (board " in done.out
    if combine == "off":
        assert "partial receivers: none" in done.out
        assert mapping["most_heard"] == []
        return
    [hub] = mapping["most_heard"]
    assert (hub["vertex"], hub["in_edges"]) == (str(centre), leaves)
    assert hub["partial_receivers"] == mapping["partial_receivers"] > 0
    row = rf"^  {centre} +{leaves} +{hub['partial_receivers']} +{hub['depth']}$"
    assert re.search(row, done.out, re.MULTILINE), done.out
    assert sum(core["vertices"] for core in mapping["cores"].values()) == leaves + 1


def test_more_in_edges_than_a_thread_has_keys(polyloom: Polyloom, tmp_path: Path) -> None:
    """What is refused without combiners: test_bad_input.py."""
    (tmp_path / "star.txt").write_text("".join(f"{i} 0\n" for i in range(1, 70001)))
    words = ("pagerank", "--graph", tmp_path / "star.txt", "--cluster", "laptop", "--iterations", 2)
    values, _, _ = run(polyloom, tmp_path, *words)
    assert values[0] == pytest.approx(0.15 / 70001 + 0.85 * 70000 * 0.15 / 70001, rel=1e-5)


def test_wrong_words(polyloom: Polyloom) -> None:
    words = ("run", "components", "--generate", "grid:3:3", "--cluster", "tiny-1")
    done = polyloom(*words, "--combine", "maybe")
    assert done.status == 2
    assert "--combine: maybe not in {auto,off,on}" in done.err
    done = polyloom(*words, env={"POLITE_COMBINE": "maybe"})
    assert done.status == 1
    assert done.err.strip() == "polyloom: POLITE_COMBINE=maybe is unknown; allowed: auto, on, off"

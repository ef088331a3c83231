# SPDX-License-Identifier: Apache-2.0
# Covers: polyloom new; a program of a user run natively, simulated and in RTL, compiled again when its header changes;
# --verify-with; modes, labels; what is said of programs that cannot be compiled, crash or touch
# what is not there. Leaves out: an installed package (test_installed.py).
from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import networkx
import pytest
from conftest import ROOT, Done

Polyloom = Callable[..., Done]

REFERENCE = """import networkx
def reference(graph):
    return networkx.core_number(networkx.Graph(graph))
"""

#: Every vertex ends with the least of what goes into it, over two ways to say so; labels are weights.
LEAST = """#include <polyloom/program.h>
#include "least.h"
struct State { uint32_t id; float least; };
struct Message { float none; };
struct Result { uint32_t id; float value; };
struct Heard : PDevice<State, float, Message> {
  INLINE void init() { s->least = kMost; *readyToSend = Pin(0); }
  INLINE void send(Message* m) { m->none = 0; *readyToSend = No; }
  INLINE void recv(Message*, const float* weight) { if (*weight < s->least) s->least = *weight; }
  INLINE bool step() { return false; }
  INLINE bool finish(Result* r) { r->id = s->id; r->value = s->least * FACTOR; return true; }
};
struct Twice : Heard {
  INLINE bool finish(Result* r) { r->id = s->id; r->value = 2 * s->least; return true; }
};
struct Least : polyloom::Program {
  using Modes = polyloom::Modes<polyloom::Mode<"once", Heard>, polyloom::Mode<"twice", Twice>>;
  static constexpr double no_value = kMost;
};
POLYLOOM_PROGRAM(Least)
"""


def values(path: Path) -> dict[str, str]:
    with path.open(newline="") as file:
        return {row["vertex"]: row["value"] for row in csv.DictReader(file)}


@pytest.fixture
def kcore(polyloom: Polyloom, tmp_path: Path) -> Path:
    done = polyloom("new", "mine")
    assert done.status == 0 and "polyloom run ./mine.cc" in done.out
    return tmp_path / "mine.cc"


def test_one_file_runs_everywhere(polyloom: Polyloom, kcore: Path, tmp_path: Path) -> None:
    (tmp_path / "reference.py").write_text(REFERENCE)
    graph = networkx.gnm_random_graph(150, 500, seed=4)
    networkx.write_edgelist(graph, tmp_path / "graph.txt", data=False)
    expected = {str(v): str(core) for v, core in networkx.core_number(graph).items() if graph.degree(v) > 0}
    for where in (["native"], ["sim", "--cluster", "laptop"], ["rtl", "--cluster", "tiny-1"]):
        words = ["--graph", "graph.txt", "--out", "o.csv", "--verify-with", "reference.py", "--on", *where]
        done = polyloom("run", kcore, *words)
        assert done.status == 0, done.err
        assert "verification: passed" in done.out
        assert values(tmp_path / "o.csv") == expected


def test_modes_labels_and_headers(polyloom: Polyloom, tmp_path: Path) -> None:
    (tmp_path / "least.cc").write_text(LEAST)
    header = tmp_path / "least.h"
    header.write_text("constexpr float kMost = 1e30f;\n#define FACTOR 1\n")
    (tmp_path / "g.txt").write_text("1 2 5\n3 2 4\n2 1 8\n")
    run = ["run", "./least.cc", "--graph", "g.txt", "--out", "o.csv", "--on"]
    for on in ("native", "sim"):
        for mode, factor in (("once", 1), ("twice", 2)):
            assert polyloom(*run, on, "--mode", mode).status == 0
            assert values(tmp_path / "o.csv") == {"1": str(8 * factor), "2": str(4 * factor), "3": "inf"} | (
                {"3": "2.00000003e+30"} if mode == "twice" else {}
            )
    header.write_text("constexpr float kMost = 1e30f;\n#define FACTOR 10\n")
    assert polyloom(*run, "native").status == 0
    assert values(tmp_path / "o.csv")["2"] == "40"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("s->k++;", "s->k++", ("mine.cc:", "expected ';'")),
        ("uint32_t count;", "uint32_t count, more[20];", ("mine.cc:", "must fit 64 bytes")),
        ("INLINE bool step()", "INLINE bool steep()", ("mine.cc", "has no member named 'step'")),
        ("POLYLOOM_PROGRAM(Core)", "", ("mine.cc", "has no POLYLOOM_PROGRAM")),
    ],
)
def test_a_mistake_is_told_of_the_users_line(
    polyloom: Polyloom, kcore: Path, old: str, new: str, said: tuple[str, ...]
) -> None:
    text = kcore.read_text()
    assert old in text
    kcore.write_text(text.replace(old, new).replace("typedef PSum<uint32_t> Combiner;", ""))
    done = polyloom("run", kcore, "--generate", "grid:3:2", "--on", "native")
    assert done.status == 1
    assert all(part in done.err for part in said), done.err
    assert str(ROOT) not in done.err and "Traceback" not in done.err
    assert len(done.err.splitlines()) <= 8


def test_pointers_and_faults_on_threads(polyloom: Polyloom, kcore: Path) -> None:
    text = kcore.read_text()
    run = ["run", kcore, "--generate", "grid:3:2", "--on"]
    kcore.write_text(text.replace("uint32_t gone;", "uint32_t gone;\n  CoreState* other;"))
    done = polyloom(*run, "sim")
    assert done.status == 1 and "mine.cc" in done.err and "no pointers" in done.err
    line = text[: text.index("s->left -= message->count;")].count("\n") + 1
    kcore.write_text(text.replace("s->left -= message->count;", "s->left -= *(volatile uint32_t*)3;"))
    done = polyloom(*run, "sim")
    assert done.status == 1 and f"mine.cc:{line}" in done.err and "recv" in done.err
    done = polyloom(*run, "native")
    assert done.status == 139 and "SIGSEGV" in done.err and "gdb --args" in done.err


def test_a_reference_that_differs_and_ones_that_cannot_be_used(polyloom: Polyloom, kcore: Path, tmp_path: Path) -> None:
    run = ["run", kcore, "--generate", "grid:3:2", "--on", "native", "--verify-with", "r.py"]
    for text, status, said in (
        ("def reference(graph):\n    return {v: 2 + (v == 4) for v in graph}\n", 1, "vertex 4: 2, not 3"),
        ("def reference(graph):\n    return {v: 2.0001 for v in graph}\n", 0, "passed"),
        ("def reference(graph):\n    return graph.nothing\n", 1, "r.py:2: AttributeError"),
        ("def reference(graph):\n    return {0: 2}\n", 1, "no value for vertex 1"),
        ("def reference(\n", 1, "r.py:1:"),
        ("other = 1\n", 1, "no function reference(graph)"),
    ):
        (tmp_path / "r.py").write_text(text)
        done = polyloom(*run)
        assert done.status == status and said in done.out + done.err, done.err
        assert "Traceback" not in done.err


def test_names_that_cannot_be(polyloom: Polyloom, kcore: Path) -> None:
    assert "is there already" in polyloom("new", "mine").err
    assert polyloom("new", "a/b").status == 1
    done = polyloom("run", "nothing.cc", "--generate", "grid:3:2", "--on", "native")
    assert done.status == 1 and "no such file" in done.err

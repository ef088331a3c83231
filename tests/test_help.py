# SPDX-License-Identifier: Apache-2.0
# Covers: help of the command and of every application, the list of applications, the version, what is said of a name or
# an option that is nearly right. Leaves out: what options do.
from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Done

Polyloom = Callable[..., Done]
OPTIONS = {
    "pagerank": [
        "--iterations",
        "--damping",
        "--dangling",
        "--tolerance",
        "--personalize",
        "--weighted",
        "--mode",
        "--undirected",
        "--top",
    ],
    "sssp": ["--source", "--max-weight", "--predecessors"],
    "clocktree": ["--depth", "--fanout", "--ticks"],
    "components": ["--graph", "--generate"],
    "heat": ["--steps", "--rate", "--start", "--held"],
    "asp": ["--sources"],
    "bfs": ["--source"],
    "dpd": [
        "--side",
        "--density",
        "--steps",
        "--dt",
        "--gamma",
        "--kT",
        "--every",
        "--beads",
        "--thermo",
        "--rdf",
        "--mode",
    ],
    "kcore": ["--graph"],
    "label-propagation": ["--iterations"],
    "neurons": ["--steps", "--noise", "--raster", "--mode"],
    "triangles": ["--graph"],
    "sort": ["--keys", "--algorithm"],
    "averaging": ["--epochs", "--batch"],
}


WAYS = [["-h"], ["--", "--help"], ["--on", "native", "--help"]]


@pytest.mark.parametrize(("app", "words"), [(app, ["--help"]) for app in OPTIONS] + [("pagerank", way) for way in WAYS])
def test_help_of_an_application_is_its_own(polyloom: Polyloom, tmp_path: Path, app: str, words: list[str]) -> None:
    done = polyloom("run", app, *words)
    assert (done.status, done.err) == (0, "")
    assert all(option in done.out for option in OPTIONS[app])
    assert "polyloom run --help" in done.out.splitlines()[-1]
    assert not any(tmp_path.iterdir())


def test_help_of_run_names_the_way(polyloom: Polyloom, tmp_path: Path) -> None:
    done = polyloom("run", "--help")
    assert done.status == 0
    assert "polyloom run pagerank --help" in " ".join(done.out.split())
    assert "--cluster" in done.out
    assert not any(tmp_path.iterdir())


def test_help_is_not_cut_off(polyloom: Polyloom) -> None:
    done = polyloom("--help", env={"COLUMNS": "80"})
    assert done.status == 0
    assert "..." not in done.out.partition("Commands:")[2]


def test_version_is_the_packages(polyloom: Polyloom) -> None:
    text = (ROOT / "polyloom" / "__init__.py").read_text()
    [version] = re.findall(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    assert polyloom("--version").out == f"polyloom {version}\n"


def test_applications_with_what_they_compute(polyloom: Polyloom) -> None:
    lines = polyloom("apps").out.splitlines()
    described = dict(line.split(maxsplit=1) for line in lines)
    assert set(described) == set(OPTIONS)
    assert described["components"].startswith("Connected components")
    assert all(len(line) <= 100 for line in lines)


@pytest.mark.parametrize(("name", "meant"), [("pagernk", "pagerank"), ("connected", "components"), ("paths", "sssp")])
def test_an_application_nearly_named(polyloom: Polyloom, name: str, meant: str) -> None:
    done = polyloom("run", name)
    assert done.status == 1
    assert len(done.err.splitlines()) == 1
    assert meant in done.err.partition("did you mean")[2].partition("?")[0]


def test_hashmin_is_components(polyloom: Polyloom, tmp_path: Path) -> None:
    done = polyloom("run", "hashmin", "--generate", "grid:3:2", "--on", "native")
    assert done.status == 0 and "components: 1\n" in done.out
    assert [folder.name.endswith("-components-native") for folder in (tmp_path / "runs").iterdir()] == [True]
    assert "components" in polyloom("run", "hashmin", "--help").out
    assert "(also: hashmin)" in polyloom("apps").out


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["pagerank", "--generate", "grid:2:2", "--iteratons", 20], "--iterations"),
        (["pagerank", "--generate", "grid:2:2", "--iteratons=20"], "--iterations"),
        (["sssp", "--generate", "grid:2:2", "--sorce", 1], "--source"),
        (["sort", "--kyes", 20], "--keys"),
        (["averaging", "--epohcs", 2], "--epochs"),
    ],
)
def test_an_option_nearly_named(polyloom: Polyloom, words: list[object], meant: str) -> None:
    done = polyloom("run", *words, "--on", "native")
    assert done.status == 2
    assert f"did you mean {meant}?" in done.err
    assert "Traceback" not in done.err

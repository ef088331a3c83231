# SPDX-License-Identifier: Apache-2.0
# Covers: vertex programs whose pins are sent by unicast, by masks, by keys, and as the mapper chooses: the same
# results, which the application's own reference verifies, on the fast model and once in RTL; messages between boards as
# --explain foretells them, and by keys as few as there can be; clusters without programmable routers; wrong words.
# POLYLOOM_TEST_FULL=1: more graphs, up to 48 boards. Leaves out: the bytes of tables (polite/image/image_test.cc).
from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Done, read_values

from polyloom.testing import FULL, daily

Polyloom = Callable[..., Done]

PINS = ["unicast", "local", "distributed", "direct", "auto"]
APPS = {
    "pagerank": ("pagerank", "--iterations", 4),
    "gals": ("pagerank", "--iterations", 3, "--mode", "gals"),
    "components": ("components",),
    "sssp": ("sssp", "--max-weight", 30),
    "asp": ("asp", "--sources", 20),
}
GRAPHS = ["uniform:300:9", "kronecker:8:6", "geometric:400:12", "uniform:60:30"]
CLUSTERS = ["laptop", "tiny-6", "tiny-2", "tinsel-12"]


def run(polyloom: Polyloom, folder: Path, *words: object) -> tuple[dict[int, float], dict, dict[str, int]]:
    """Values by vertex, what the mapper tells, counters."""
    record = folder / "run"
    done = polyloom("run", *words, "--verify", "--json", "--no-report", "--out", "out.csv", "--run-dir", record)
    assert done.status == 0, done.err
    assert done.json["verified"], done.out
    with (record / "counters.csv").open(newline="") as file:
        counters = {name: int(value) for name, value in list(csv.reader(file))[1:] if value.isdigit()}
    return read_values(folder / "out.csv"), json.loads((record / "mapping.json").read_text()), counters


def between_boards(counters: dict[str, int]) -> int:
    return sum(n for name, n in counters.items() if ".link." in name and name.endswith(".messages_out"))


@pytest.mark.parametrize("seed", daily(range(80), 3))
def test_pins_change_no_result(polyloom: Polyloom, tmp_path: Path, seed: int) -> None:
    app, graph = list(APPS)[seed % 5], GRAPHS[seed // 5 % 4 if FULL else seed % 4]
    cluster = CLUSTERS[seed // 20 if FULL else seed % 3]
    words = (*APPS[app], "--generate", graph, "--graph-seed", seed, "--cluster", cluster)
    values = {}
    for pins in PINS:
        combine = "off" if seed % 3 == 0 else "auto"
        values[pins], mapping, counters = run(polyloom, tmp_path, *words, "--pins", pins, "--combine", combine)
        reported = mapping["pins"]
        assert reported["mode"] == pins
        assert (reported["senders_by_key"] > 0) == (reported["tables"]["keys"] > 0)
        if pins in {"unicast", "local"}:
            assert reported["senders_by_key"] == 0
            assert sum(n for name, n in counters.items() if name.endswith(".router.keys")) == 0
    for pins in PINS:
        expected = values["local"]
        assert values[pins] == (pytest.approx(expected, rel=1e-5) if app in {"pagerank", "gals"} else expected), pins


@pytest.mark.parametrize(("cluster", "graph"), [("tiny-6", "uniform:250:11"), ("laptop", "kronecker:7:9")])
def test_messages_between_boards_are_as_foretold(polyloom: Polyloom, tmp_path: Path, cluster: str, graph: str) -> None:
    """In each of PageRank's updates all vertices send; at the end each sends to the host, by board (0,0)."""
    words = ("pagerank", "--iterations", 3, "--generate", graph, "--cluster", cluster, "--combine", "off")
    reported = {}
    for pins in PINS:
        _, mapping, counters = run(polyloom, tmp_path, *words, "--pins", pins)
        reported[pins] = mapping["pins"]
        home = 0
        for core, work in mapping["cores"].items():
            x, y = core.split(".")[1:3]
            home += (int(x) + int(y)) * work["vertices"]
        assert between_boards(counters) == 3 * reported[pins]["messages_between_boards"] + home
        vertices = sum(work["vertices"] for work in mapping["cores"].values())
        sent = sum(n for name, n in counters.items() if name.endswith(".mailbox.sent"))
        assert sent == 3 * mapping["forecast"]["messages"] + vertices
    for pins, bound in (("unicast", "_by_unicast"), ("local", "_by_local"), ("distributed", "_at_least")):
        assert reported[pins]["messages_between_boards"] == reported["auto"]["messages_between_boards" + bound]
    assert reported["distributed"]["senders_by_key"] > 0


def test_in_rtl(polyloom: Polyloom, tmp_path: Path) -> None:
    words = ("sssp", "--generate", "uniform:70:5", "--cluster", "tiny-2", "--on", "rtl", "--pins", "distributed")
    _, mapping, _ = run(polyloom, tmp_path, *words)
    assert mapping["pins"]["senders_by_key"] > 0


@pytest.mark.skipif(not FULL, reason="minutes; POLYLOOM_TEST_FULL=1 runs it")
@pytest.mark.parametrize("app", APPS)
def test_many_boards(polyloom: Polyloom, tmp_path: Path, app: str) -> None:
    for pins in PINS:
        run(polyloom, tmp_path, *APPS[app], "--generate", "uniform:3000:20", "--cluster", "tinsel-48", "--pins", pins)


def test_clusters_without_programmable_routers(polyloom: Polyloom, tmp_path: Path) -> None:
    text = (ROOT / "clusters" / "tiny-2.toml").read_text()
    plain = tmp_path / "plain.toml"
    plain.write_text(text.replace("[overlay]\n", "[overlay]\nprogrammable_routers = false\n"))
    words = ("components", "--generate", "uniform:90:9", "--cluster", plain)
    _, mapping, _ = run(polyloom, tmp_path, *words)
    assert mapping["pins"]["messages_between_boards"] == mapping["pins"]["messages_between_boards_by_local"] > 0
    done = polyloom("run", *words, "--pins", "distributed")
    assert done.status == 1
    assert "distributed multicast (--pins, POLITE_PINS) need programmable routers" in done.err
    assert "programmable_routers = false" in done.err


def test_words_and_environment(polyloom: Polyloom, tmp_path: Path) -> None:
    words = ("components", "--generate", "uniform:90:9", "--cluster", "tiny-2", "--json")
    done = polyloom("run", *words, "--pins", "maybe")
    assert done.status == 2
    assert "--pins: maybe not in {auto,direct,distributed,local,unicast}" in done.err
    for on in ("sim", "native"):
        where = ("--on", on, *(("--cluster", "tiny-2") if on == "sim" else ()))
        done = polyloom("run", *words[:3], *where, "--json", env={"POLITE_PINS": "maybe"})
        assert done.status == 1
        allowed = "auto, unicast, local, distributed, direct"
        assert done.err.strip() == f"polyloom: POLITE_PINS=maybe is unknown; allowed: {allowed}"
    done = polyloom("run", "components", "--generate", "uniform:90:9", "--on", "native", "--pins", "local")
    assert done.status == 0
    assert "note: --pins changes nothing: a native run" in done.out
    for given, mode in (((), "unicast"), (("--pins", "distributed"), "distributed")):
        done = polyloom("run", *words, *given, env={"POLITE_PINS": "unicast"})
        assert done.json["mapping"]["pins"]["mode"] == mode

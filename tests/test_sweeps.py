# SPDX-License-Identifier: Apache-2.0
# Covers: `polyloom sweep` and `polyloom compare` as a user types them: what runs and with which cluster, that tables,
# CSV, JSON and records say the same, what a second call runs, runs that fail, Ctrl-C, kill -9; the example; what
# differs between records against the records' own files.
# Leaves out: what files may say (polyloom/sweeps/tests/test_plan.py), functions and plots (test_functions.py there).
from __future__ import annotations

import csv
import itertools
import json
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import test_kills
from conftest import ROOT, Done
from test_kills import Job

from polyloom.base import paths

Polyloom = Callable[..., Done]
start = test_kills.start
FILE = """
app = "pagerank"
on = "sim"
cluster = "tiny-2"
[options]
generate = "uniform:60:4"
iterations = [2, 4]
undirected = {undirected}
[keys]
link.latency = ["100 ns", "780 ns"]
"""


def facts(record: Path) -> dict[str, Any]:
    """Of a run, without what differs each time."""
    content = json.loads((record / "run.json").read_text())
    return {name: content[name] for name in ("digest", "simulated_ps", "seed", "status")}


def table(folder: Path) -> list[dict[str, str]]:
    with (folder / "sweep.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def states(folder: Path) -> list[str]:
    return [run["status"] for run in json.loads((folder / "run.json").read_text())["runs"]]


def test_runs_are_those_that_polyloom_run_makes(polyloom: Polyloom, tmp_path: Path) -> None:
    """With cluster files that are edited by hand, in which a comment and all else stays."""
    (tmp_path / "x.toml").write_text(FILE.format(undirected="true"))
    done = polyloom("sweep", "x.toml", "--jobs", 3)
    assert done.status == 0, done.err
    folder = tmp_path / "x-sweep"
    points = list(itertools.product([2, 4], ["100 ns", "780 ns"]))
    assert [(int(row["iterations"]), row["link.latency"]) for row in table(folder)] == points
    for number, (iterations, latency) in enumerate(points):
        text = paths.cluster_file("tiny-2").read_text().replace('"780 ns"', f'"{latency}"')
        (tmp_path / "edited.toml").write_text(text)
        words = ["--generate", "uniform:60:4", "--iterations", iterations, "--undirected", "--run-dir", "alone"]
        assert polyloom("run", "pagerank", *words, "--on", "sim", "--cluster", "edited.toml").status == 0
        assert facts(tmp_path / "alone") == facts(folder / f"{number:03}")
        again = ["--cluster", folder / f"{number:03}" / "cluster.toml", "--no-report"]  # as the record keeps it
        assert polyloom("run", "pagerank", *words, "--on", "sim", *again).status == 0
        assert facts(tmp_path / "alone") == facts(folder / f"{number:03}")


def test_table_and_json_and_records_say_the_same(polyloom: Polyloom, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(FILE.format(undirected="[true, false]"))
    done = polyloom("sweep", "x.toml", "--json", "--plot-x", "link.latency", "--folder", "there")
    assert done.status == 0, done.err
    printed, folder = done.json, tmp_path / "there"
    assert printed["swept"] == ["iterations", "undirected", "link.latency"]
    rows = table(folder)
    assert len(rows) == len(printed["rows"]) == 8
    for row, said in zip(rows, printed["rows"], strict=True):
        run, result = (json.loads((folder / row["run"] / name).read_text()) for name in ("run.json", "result.json"))
        assert {name: "" if value is None else str(value) for name, value in said.items()} == row
        assert (said["simulated_seconds"], said["wall_seconds"]) == (run["simulated_seconds"], run["wall_seconds"])
        numbers = {name: value for name, value in result.items() if isinstance(value, (int, float))}
        assert numbers.items() <= said.items() and len(numbers) > 5
        assert ("--undirected" in run["clients"][0]) == said["undirected"]
    drawn = ElementTree.fromstring(re.findall(r"<svg.*</svg>", (folder / "sweep.html").read_text())[0])
    titles = [title.text or "" for title in drawn.iter("{http://www.w3.org/2000/svg}title")]
    assert Counter(title.partition(":")[0] for title in titles) == {f"link.latency = {v} ns": 4 for v in (100, 780)}


def test_a_second_call_runs_what_has_not_finished(polyloom: Polyloom, tmp_path: Path) -> None:
    file, folder = tmp_path / "x.toml", tmp_path / "x-sweep"
    file.write_text(FILE.format(undirected="true"))
    first = polyloom("sweep", "x.toml")
    assert first.status == 0, first.err
    known = {path: path.stat().st_ino for path in folder.glob("*/run.json")}
    assert len(known) == 4
    assert polyloom("sweep", "x.toml").out == first.out
    assert {path: path.stat().st_ino for path in folder.glob("*/run.json")} == known
    shutil.rmtree(folder / "002")
    file.write_text(FILE.format(undirected="true").replace('["100 ns", "780 ns"]', '["1 us", "780 ns", "100 ns"]'))
    done = polyloom("sweep", "x.toml")
    assert done.status == 0, done.err
    assert [row["run"] for row in table(folder)] == ["004", "001", "000", "005", "003", "002"]
    now = {path: path.stat().st_ino for path in folder.glob("*/run.json")}
    assert len(now) == 6
    assert {path for path in known if now[path] != known[path]} == {folder / "002" / "run.json"}
    assert polyloom("report", folder / "005").status == 0


def test_runs_that_fail_are_told_and_run_again(polyloom: Polyloom, tmp_path: Path) -> None:
    file, folder = tmp_path / "x.toml", tmp_path / "x-sweep"
    text = FILE.format(undirected="true").replace("[2, 4]", '[2, "many"]')
    file.write_text(text.replace('["100 ns", "780 ns"]', '["100 ns", "5 parsecs"]'))
    done = polyloom("sweep", "x.toml")
    assert done.status == 1
    assert done.err == "polyloom: 3 of 4 runs failed; the next sweep into x-sweep runs them again\n"
    rows = table(folder)
    assert [row["status"] for row in rows] == ["finished", "failed", "failed", "failed"]
    assert [bool(row["simulated_seconds"]) for row in rows] == [True, False, False, False]
    assert '[link] latency = "5 parsecs"' in rows[1]["message"] and "Value many not in range" in rows[2]["message"]
    assert all(row["message"] in done.out for row in rows)
    file.write_text(text.replace('"many"', "4"))
    done = polyloom("sweep", "x.toml", "--json")
    assert done.status == 0 and [row["run"] for row in done.json["rows"]] == ["000", "004", "005", "006"]


def test_native_runs_have_wall_time(polyloom: Polyloom, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text('app = "sort"\non = "native"\n[options]\nkeys = [20, 40]\nseed = [1, 2]\n')
    done = polyloom("sweep", "x.toml", "--json")
    assert done.status == 0, done.err
    assert [(row["keys"], row["seed"]) for row in done.json["rows"]] == [(20, 1), (20, 2), (40, 1), (40, 2)]
    for row in done.json["rows"]:
        assert json.loads((tmp_path / "x-sweep" / row["run"] / "run.json").read_text())["seed"] == row["seed"]
    assert "wall-clock time by keys" in (tmp_path / "x-sweep" / "sweep.html").read_text()


@pytest.mark.parametrize(
    "words", [["--plot-x", "generate"], ["--plot-x", "nothing"], ["--folder", "."], ["--jobs", "-1"]]
)
def test_what_is_refused_before_the_runs(words: list[str], polyloom: Polyloom, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(FILE.format(undirected="true"))
    done = polyloom("sweep", "x.toml", *words)
    assert done.status in {1, 2} and len(done.err.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["x.toml"]


LONG = """
app = "pagerank"
cluster = "tiny-2"
[options]
generate = "grid:20:20"
iterations = {iterations}
"""


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_end_leaves_what_has_finished(
    signum: int,
    start: Callable[[list[str]], Job],
    tmp_path: Path,
    polyloom: Polyloom,
) -> None:
    file, folder = tmp_path / "x.toml", tmp_path / "x-sweep"
    file.write_text(LONG.format(iterations=[1, 2, 60000, 60001, 60002, 3]))
    job = start(["sweep", "x.toml", "--jobs", "2"])
    job.wait_for(lambda: (folder / "run.json").is_file() and states(folder).count("finished") == 2)
    job.wait_for(lambda: job.names().count("polyloom-sim") == 2 and (folder / "003").is_dir())
    job.process.send_signal(signum)
    _, errors = job.process.communicate(timeout=60)
    job.wait_for_all_to_end()
    killed = signum == signal.SIGKILL
    assert job.process.returncode == (-signum if killed else 128 + signum)
    assert ("polyloom: interrupted by " in errors) != killed
    if not killed:
        expected = ["finished", "finished", "interrupted", "interrupted", "waiting", "waiting"]
        assert [row["status"] for row in table(folder)] == states(folder) == expected
        kept = [json.loads((folder / f"00{i}" / "run.json").read_text())["status"] for i in range(4)]
        assert kept == expected[:4]
    known = {run: (folder / run / "run.json").stat().st_ino for run in ("000", "001")}
    file.write_text(LONG.format(iterations=[1, 2, 3]))
    done = polyloom("sweep", "x.toml", "--json")
    assert done.status == 0, done.err
    assert [(row["run"], row["status"]) for row in done.json["rows"]] == [(f"00{i}", "finished") for i in (0, 1, 5)]
    assert {run: (folder / run / "run.json").stat().st_ino for run in known} == known


def test_two_sweeps_in_one_folder(start: Callable[[list[str]], Job], tmp_path: Path, polyloom: Polyloom) -> None:
    (tmp_path / "x.toml").write_text(LONG.format(iterations=[60000]))
    job = start(["sweep", "x.toml"])
    job.wait_for(lambda: "polyloom-sim" in job.names())
    done = polyloom("sweep", "x.toml")
    assert done.status == 1 and "another run is using this folder" in done.err
    assert job.process.poll() is None


def test_the_example(polyloom: Polyloom) -> None:
    done = polyloom("sweep", ROOT / "examples" / "sweep.toml", "--json")
    assert done.status == 0, done.err
    assert len(done.json["rows"]) == 12 and done.json["plot_x"] == "iterations"


def test_from_python(tmp_path: Path) -> None:
    """As docs/guides/sweeps.md says it, in a program of the user's."""
    page = (ROOT / "docs" / "guides" / "sweeps.md").read_text()
    [program] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "program.py").write_text(program)
    env = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "POLYLOOM_HOME": str(ROOT)}
    command = [sys.executable, "program.py"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    drawn = ElementTree.parse(tmp_path / "latency.svg")
    assert len(drawn.findall("{http://www.w3.org/2000/svg}polyline")) == 2
    assert len(list((tmp_path / "bfs-sweep").glob("*/run.json"))) == 6


def test_what_differs_between_runs(polyloom: Polyloom, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(FILE.format(undirected="true"))
    assert polyloom("sweep", "x.toml").status == 0
    names = ["x-sweep/000", "x-sweep/003"]
    done = polyloom("compare", *names, "--json")
    assert done.status == 0, done.err
    printed = done.json
    assert printed["runs"] == names
    folders = [tmp_path / name for name in names]
    assert {name: row["values"] for name, row in printed["parameters"].items()} == {"--iterations": ["2", "4"]}
    assert {name: row["values"] for name, row in printed["cluster"].items()} == {"links: latency_ps": [100000, 780000]}
    runs = [json.loads((folder / "run.json").read_text()) for folder in folders]
    seconds = [run["simulated_seconds"] for run in runs]
    assert printed["times"]["simulated_seconds"] == {"values": seconds, "ratios": [1, seconds[1] / seconds[0]]}
    compute = [run["phases"]["compute_seconds"] for run in runs]
    assert printed["times"]["of that, compute_seconds"]["values"] == compute
    sums: list[Counter[str]] = [Counter(), Counter()]
    counters: list[dict[str, int]] = []
    for folder, found in zip(folders, sums, strict=True):
        rows = [line.rsplit(",", 1) for line in (folder / "counters.csv").read_text().splitlines()[1:]]
        counters.append({name: int(value) for name, value in rows})
        for name, value in counters[-1].items():
            found[".".join("*" if part.isdigit() else part for part in re.split(r"\.(?=\d|[^\d.])", name))] += value
    differing = {name: [of[name] for of in sums] for name in sums[0] if sums[0][name] != sums[1][name]}
    reported = {name: row["values"] for name, row in printed["counters"].items()}
    assert len(reported) > 20 and {name for name in differing if "->" not in name} == {
        n for n in reported if "->" not in n
    }
    assert all(reported[name] == differing[name] for name in differing if "->" not in name)
    instructions = [max(value for name, value in of.items() if name.endswith(".instret")) for of in counters]
    assert printed["busiest"]["instructions of the core"]["values"] == instructions
    [x, y, tile, core] = re.findall(r"\d+", printed["busiest"]["core"]["values"][0])
    assert counters[0][f"fpga.{x}.{y}.tile.{tile}.core.{core}.instret"] == instructions[0]
    text = polyloom("compare", *names).out
    assert re.search(rf"simulated_seconds +\S+ µs +\S+ µs \(x {seconds[1] / seconds[0]:.3g}\)", text)
    assert "link                      fpga.0.0 - fpga.1.0" in text


def test_a_native_run_and_one_on_a_cluster(polyloom: Polyloom, tmp_path: Path) -> None:
    words = ["run", "pagerank", "--generate", "grid:4:4"]
    assert polyloom(*words, "--on", "native", "--run-dir", "a").status == 0
    assert polyloom(*words, "--on", "sim", "--cluster", "tiny-1", "--run-dir", "b").status == 0
    printed = polyloom("compare", "a", "b", "b", "--json").json
    assert printed["parameters"]["on"]["values"] == ["native", "sim", "sim"]
    assert printed["times"]["simulated_seconds"]["values"][0] is None
    assert printed["times"]["simulated_seconds"]["ratios"] == [None, None, None]
    same = polyloom("compare", "b", "b").out
    assert "parameters: no difference" in same and "times: no difference" in same and "busiest" in same


def test_what_is_no_record_is_refused(polyloom: Polyloom, tmp_path: Path) -> None:
    assert polyloom("run", "pagerank", "--generate", "grid:4:4", "--on", "native", "--run-dir", "a").status == 0
    (tmp_path / "x.toml").write_text('app = "pagerank"\non = "native"\n[options]\ngenerate = "grid:4:4"\n')
    assert polyloom("sweep", "x.toml").status == 0
    (tmp_path / "empty").mkdir()
    for words, message in (
        (["a"], "takes two runs or more"),
        (["a", "empty"], "empty is not a run record"),
        (["nowhere", "a"], "nowhere is not a run record"),
        (["a", "x-sweep"], "x-sweep is a sweep; give runs of it: x-sweep/000"),
    ):
        done = polyloom("compare", *words)
        assert done.status == 1 and done.out == ""
        assert done.err.startswith("polyloom: ") and message in done.err and len(done.err.splitlines()) == 1

# SPDX-License-Identifier: Apache-2.0
# Covers: every option of every verb and of every application (as parsers and help list them, so that none is
#   forgotten), in each mode that gives options another meaning: it changes what comes out, what is written, or the
#   record of the run; or it is refused in a line that names it. Each command is given twice without the option and must
#   then say the same, so that a change is the option's. What `polyloom run` takes of the environment instead.
# Leaves out: whether the change is the right one (tests of each verb); modes that build RTL or synthesize, whose
#   options name the test that uses them.
from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_server import Commands, Done
from conftest import ROOT
from option_tables import APPLICATIONS, MODES, Elsewhere, Mode, Refused
from test_hostile import verbs

from polyloom.base import paths
from polyloom.jobs import applications
from polyloom.testing import daily

#: What differs from run to run: wall times, what is made of them, and where things lie.
VOLATILE = re.compile(
    r"wall|seconds_a_step|^phases$|run_dir|^report$|^command$|^started|^version|rate$|^host|^out$|^pid|_rss"
)
MPI = """#include <mpi.h>
#include <stdio.h>
int main(int c, char **v) {
  int rank, size;
  MPI_Init(&c, &v);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
#if defined(LOUD) || __has_include("loud.h")
  printf("loud\\n");
#endif
  if (rank == 0) printf("%d ranks\\n", size);
  MPI_Finalize();
  return 0;
}
"""
#: What `place` holds.
GIVEN = {"graph.txt", "other.txt", "weighted.txt", "program.c", "headers", "lossy.toml", "ring.toml", "bodies.npz"}
GIVEN |= {"neurons.csv", "delays.txt", "stimulus.csv"}
GIVEN |= {"where.csv", "values.npy", "table.csv", "sweep.toml"}
SWEEP = """app = "pagerank"
on = "native"
[options]
graph = "graph.txt"
iterations = [1, 2]
damping = [0.5, 0.85]
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "graph.txt").write_text("0 1\n1 2\n2 3\n3 0\n0 2\n7 1\n")
    (folder / "other.txt").write_text("0 1\n1 2\n")
    (folder / "weighted.txt").write_text("0 1 5\n1 2 6\n")
    (folder / "table.csv").write_text("from,to,minutes\n0,1,5\n1,2,6\n")
    (folder / "where.csv").write_text("7,1\n2,3\n")
    (folder / "neurons.csv").write_text("vertex,offset\n1,10\n")
    (folder / "delays.txt").write_text("2\n" * 6)
    (folder / "stimulus.csv").write_text("step,neuron\n4,1\n")
    (folder / "program.c").write_text(MPI)
    (folder / "sweep.toml").write_text(SWEEP)
    (folder / "headers").mkdir()
    (folder / "headers" / "loud.h").touch()
    tiny, ring = (paths.cluster_file(name).read_text() for name in ("tiny-2", "peach2-2"))
    (folder / "lossy.toml").write_text(tiny.replace("[link]\n", "[link]\ndrop_rate = 0.3\n"))
    (folder / "ring.toml").write_text(ring.replace('"250 ns"', '"5 us"'))
    rng = np.random.default_rng(1)
    np.savez(folder / "bodies.npz", pos=rng.random((20, 3)), mass=rng.random(20), vel=np.zeros((20, 3)))
    np.save(folder / "values.npy", np.arange(8, dtype=np.int32))
    return folder


def steady(value: Any) -> Any:
    """Without what differs from run to run."""
    if isinstance(value, dict):
        return {key: steady(part) for key, part in value.items() if not VOLATILE.search(key)}
    if isinstance(value, list):
        return [steady(part) for part in value]
    return value


#: What commands without an option result.
USUAL: dict[tuple[str, ...], Any] = {}


def seen(result: Done, place: Path) -> tuple[Any, ...]:
    """What a user has of a command: status, result, names of files, what records say. All that it left is removed."""
    lines = result.out.strip().splitlines()
    try:
        said: Any = [*lines[:-1], steady(result.json)]
    except (json.JSONDecodeError, IndexError):
        said = re.sub(r"(runs/|report: |run: )\S+|[0-9.]+ m?s( wall)?\b", "", result.out)
    names, records = set(), []
    for path in sorted(place.rglob("*"), reverse=True):
        if path.relative_to(place).parts[0] in GIVEN:
            continue
        names.add(re.sub(r"runs/[^/]+", "runs/*", str(path.relative_to(place))))
        if path.is_file() and path.parent == place:
            records.append(path.read_bytes())
        if path.name in {"run.json", "result.json"}:
            records.append(steady(json.loads(path.read_text())))
        path.rmdir() if path.is_dir() else path.unlink()
    return result.status, said, sorted(names), records, "said" if result.err else ""


def check(commands: Commands, place: Path, base: tuple[str, ...], at: int, name: str, what: Any, status: int) -> None:
    """One option of a command line; it is put in after ``at`` words."""
    if isinstance(what, Elsewhere):
        assert (what.text or f'"{name}"') in (ROOT / what.file).read_text(), f"{what.file} does not use {name}"
        return
    words = what.words if isinstance(what, Refused) else what
    if name in base:  # in place of what is there
        where = base.index(name)
        less = (*base[:where], *base[where + 1 + len(words) :])
        changed = (*less[:at], name, *words, *less[at:]) if words else less
    else:
        changed = (*base[:at], name, *words, *base[at:])
    result = commands.run(place, *changed)
    if isinstance(what, Refused):
        assert result.status in {1, 2}, (changed, result.out, result.err)
        line = result.err.strip().splitlines()[-1]
        assert line.startswith("polyloom: ") and name.lstrip("-") in line and what.text in line, (changed, line)
        folders = list((place / "runs").glob("*"))
        assert all((folder / "run.json").is_file() for folder in folders), "a record that is not whole"
        return
    other = seen(result, place)
    if base not in USUAL:
        usual = [seen(commands.run(place, *base), place) for _ in range(2)]
        assert usual[0] == usual[1], "two equal commands differ: VOLATILE lacks something"
        assert usual[0][0] == status, usual[0]
        USUAL[base] = usual[0]
    assert result.status == 0 or name in {"--max-cycles", "--max-drift"}, (changed, result.err)
    assert other != USUAL[base], f"{' '.join(changed)}: {name} changes nothing and is not refused"


CASES = [(mode, name) for mode, about in MODES.items() for name in about.options]
APP_CASES = [(mode, name) for mode, about in APPLICATIONS.items() for name in about.options]


def flags_of(verb: str) -> set[str]:
    """The options of a verb, each by its longest name."""
    found = {max((n for n in p.opts if n.startswith("-")), key=len, default="") for p in verbs()[verb].params}
    return found - {"", "--help"} - ({"--np"} if verb == "mpirun" else set()) | ({"-n"} if verb == "mpirun" else set())


def verb_of(mode: Mode) -> str:
    return next(verb for verb in verbs() if mode.words[: len(verb.split())] == tuple(verb.split()))


@pytest.mark.parametrize("verb", verbs())
def test_no_option_is_forgotten(verb: str) -> None:
    assert {name for mode in MODES.values() if verb_of(mode) == verb for name in mode.options} == flags_of(verb)


@pytest.mark.parametrize(("mode", "name"), daily(CASES, 30))
def test_option(mode: str, name: str, commands: Commands, place: Path) -> None:
    about = MODES[mode]
    check(commands, place, about.words, len(verb_of(about).split()), name, about.options[name], about.status)


@pytest.mark.parametrize("app", sorted({mode.partition(",")[0] for mode in APPLICATIONS}))
def test_no_option_of_an_application_is_forgotten(app: str) -> None:
    shown = set(re.findall(r"(?<![\w-])--[a-z][A-Za-z-]*", applications.find(app).help()))
    modes = [mode for name, mode in APPLICATIONS.items() if name.partition(",")[0] == app]
    modes += [APPLICATIONS[mode.others] for mode in modes if mode.others]
    assert shown - {"--help", "--on", "--cluster"} <= {name for mode in modes for name in mode.options}


@pytest.mark.parametrize(("mode", "name"), daily(APP_CASES, 16))
def test_option_of_an_application(mode: str, name: str, commands: Commands, place: Path) -> None:
    about = APPLICATIONS[mode]
    base = ("run", mode.split(",")[0], *about.words, "--on", "native", *([] if name == "--top" else ["--json"]))
    check(commands, place, base, 2, name, about.options[name], 0)


@pytest.mark.parametrize("seed", ["3", "4711"])
def test_the_environment_gives_a_seed_that_an_option_overrules(
    polyloom: Callable[..., Done], tmp_path: Path, seed: str
) -> None:
    words = ("run", "sort", "--on", "native", "--keys", "40", "--out", tmp_path / "out.npy", "--no-report")
    seen = {}
    for name, option, said in (("environment", (), seed), ("option", ("--seed", seed), "5"), ("other", (), "5")):
        done = polyloom(*words, *option, "--run-dir", tmp_path / name, env={"POLYLOOM_SEED": said})
        assert done.status == 0, done.err
        assert json.loads((tmp_path / name / "run.json").read_text())["seed"] == int(seed if name != "other" else "5")
        seen[name] = (tmp_path / "out.npy").read_bytes()
    assert seen["environment"] == seen["option"] != seen["other"]


def test_the_environment_gives_a_cluster_that_an_option_overrules(
    polyloom: Callable[..., Done], tmp_path: Path
) -> None:
    words = ("run", "pagerank", "--generate", "grid:4:4", "--no-report", "--json")
    boards = {"tiny-1": 1, "tiny-2": 2}
    for number, (said, option, used) in enumerate(
        [("tiny-1", (), "tiny-1"), ("tiny-2", (), "tiny-2"), ("tiny-2", ("--cluster", "tiny-1"), "tiny-1")]
    ):
        folder = tmp_path / str(number)
        done = polyloom(*words, *option, "--on", "sim", "--run-dir", folder, env={"POLYLOOM_CLUSTER": said})
        assert done.status == 0, done.err
        nodes = json.loads((folder / "cluster.json").read_text())["nodes"]
        assert sum(node.get("role") == "overlay" for node in nodes) == boards[used]
    of_native = {"POLYLOOM_CLUSTER": "tiny-2", "POLYLOOM_SEED": "9"}  # of no use there, and no error
    assert polyloom(*words, "--on", "native", "--run-dir", tmp_path / "native", env=of_native).status == 0
    wrong = polyloom(*words, "--on", "sim", env={"POLYLOOM_CLUSTER": "no-such"})
    assert wrong.status == 1 and "no-such" in wrong.err
    wrong = polyloom(*words, "--on", "sim", env={"POLYLOOM_SEED": "many"})
    assert wrong.status == 2 and "POLYLOOM_SEED" in wrong.err

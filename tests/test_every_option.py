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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_server import Commands, Done
from conftest import ROOT
from test_hostile import verbs

from polyloom import applications, paths
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

Change = tuple[str, ...]


@dataclass(frozen=True)
class Refused:
    """By a line that holds this text beside the option's name."""

    words: Change
    text: str


@dataclass(frozen=True)
class Elsewhere:
    """Used by another test, which says so by holding the option, or this text."""

    file: str
    text: str = ""


@dataclass(frozen=True)
class Mode:
    """A command line, and what each option makes of it."""

    words: Change
    options: dict[str, Change | Refused | Elsewhere]
    others: str = ""  # of an application: whose other options it shares
    status: int = 0
    files: dict[str, str] = field(default_factory=dict)


NO_CLUSTER = "a native run has no cluster"
OVERLAY_RTL = Elsewhere("tests/test_overlay_swap.py")
ALONE = "CPU processes alone"
NOT_RUN = "--build-only runs nothing"
OF_SEED = "nothing is drawn"

MODES: dict[str, Mode] = {
    "run": Mode(
        ("run", "pagerank", "--graph", "graph.txt", "--on", "sim", "--cluster", "tiny-2", "--json"),
        {
            "--on": Refused(("native",), NO_CLUSTER),
            "--cluster": ("tiny-1",),
            "--engine": ("serial",),
            "--max-cycles": ("100",),
            "--trace": (),
            "--run-dir": ("record",),
            "--no-report": (),
            "--json": (),
            "--seed": ("7",),
            "--verify-with": Elsewhere("tests/test_own_program.py"),
        },
    ),
    "run, lossy": Mode(
        ("run", "pagerank", "--graph", "graph.txt", "--on", "sim", "--cluster", "lossy.toml", "--json"),
        {"--seed": ("7",)},
    ),
    "run native": Mode(
        ("run", "pagerank", "--graph", "graph.txt", "--on", "native", "--json"),
        {
            "--on": ("sim",),
            "--cluster": Refused(("tiny-1",), NO_CLUSTER),
            "--engine": Refused(("serial",), NO_CLUSTER),
            "--max-cycles": Refused(("100",), NO_CLUSTER),
            "--trace": Refused((), NO_CLUSTER),
            "--seed": Refused(("7",), "draws nothing"),
            "--run-dir": ("record",),
            "--no-report": (),
            "--json": (),
            "--verify-with": Elsewhere("tests/test_own_program.py"),
        },
    ),
    "run dpd": Mode(("run", "dpd", "--side", "3", "--steps", "2", "--on", "native", "--json"), {"--seed": ("7",)}),
    "run neurons": Mode(("run", "neurons", "--graph", "graph.txt", "--on", "native", "--json"), {"--seed": ("7",)}),
    "run sort": Mode(("run", "sort", "--keys", "100", "--on", "native", "--json"), {"--seed": ("7",)}),
    "collective": Mode(
        ("collective", "all-reduce", "--bytes", "4K", "--on", "sim", "--json"),
        {
            "--cluster": ("optweb-small",),
            "--bytes": ("8K",),
            "--algorithm": ("one-shot",),
            "--on": ("native",),
            "--sweep": Refused(("64:256",), "leave one of them out"),
            "--explain": Refused((), "--json"),
            "--run-dir": ("record",),
            "--verify": (),
            "--json": (),
        },
    ),
    "collective, a table": Mode(
        ("collective", "all-reduce", "--on", "sim"),
        {"--explain": (), "--sweep": ("64:256",), "--algorithm": Refused(("bogus",), "bogus")},
    ),
    "collective native": Mode(
        ("collective", "all-reduce", "--bytes", "4K", "--on", "native", "--json"),
        {"--cluster": ("optweb-small",), "--algorithm": ("naive",), "--verify": ()},
    ),
    "mpirun native": Mode(
        ("mpirun", "--on", "native", "-n", "2", "--json", "program.c"),
        {
            "--cluster": Refused(("zrlmpi-4",), "-n gives the number"),
            "--on": Elsewhere("tests/test_mpirun.py"),
            "-n": ("3",),
            "-D": ("LOUD",),
            "-I": ("headers",),
            **dict.fromkeys(("--host", "--hostfile"), Elsewhere("tests/test_site_mpi.py")),
            "--wire": (),
            "--collectives": Refused(("linear",), "the site's MPI chooses"),
            "--tag-output": (),
            "--timeout": Refused(("0",), "greater than 0"),
            "--check": Refused((), ALONE),
            "--explain": (),
            "--build-only": (),
            "--trace": Refused((), ALONE),
            "--run-dir": ("record",),
            "--engine": Refused(("serial",), ALONE),
            "--seed": Refused(("1",), ALONE),
            "--cpu-time": Refused(("free",), ALONE),
            "--json": (),
        },
    ),
    "mpirun by our own runtime": Mode(
        ("mpirun", "--on", "native", "--wire", "-n", "2", "--explain", "--json", "program.c"),
        {
            "--collectives": ("linear",),
            "--host": Refused(("localhost",), "this machine alone"),
            "--hostfile": Refused(("hosts",), "this machine alone"),
        },
    ),
    "mpirun, built": Mode(
        ("mpirun", "--on", "native", "-n", "2", "--build-only", "--json", "program.c"),
        {
            "--tag-output": Refused((), NOT_RUN),
            "--timeout": Refused(("9",), NOT_RUN),
            "--run-dir": Refused(("record",), NOT_RUN),
        },
    ),
    "mpirun on a cluster": Mode(
        ("mpirun", "program.c"),
        {
            "-n": Refused(("2",), "-n is for --on native"),
            "--wire": Refused((), "it is for jobs of CPU processes"),
            "--host": Refused(("localhost",), "it is for jobs of CPU processes"),
            "--hostfile": Refused(("hosts",), "it is for jobs of CPU processes"),
            **dict.fromkeys(("--cluster", "--engine", "--trace"), Elsewhere("tests/test_mpirun.py")),
            "--seed": Elsewhere("tests/test_mpirun.py"),
            "--check": Elsewhere("polyloom/hls/tests/test_checks.py", "checks=False"),
            "--cpu-time": Elsewhere("tests/test_mpi_cpu_time.py"),
        },
    ),
    "nbody": Mode(
        ("nbody", "--n", "60", "--steps", "2", "--json"),
        {
            "--problem": ("cold-sphere",),
            "--from": Refused(("bodies.npz",), "--n"),
            "--n": ("50",),
            "--seed": ("3",),
            "--steps": ("3",),
            "--dt": ("0.001",),
            "--eps": ("0.1",),
            "--mac": ("side",),
            "--theta": ("0.9",),
            "--delta": Refused(("0.1",), "--mac acceleration"),
            "--order": ("quadrupole",),
            "--leaf": ("1",),
            "--group": ("2",),
            "--nodes": ("2",),
            "--let": Refused(("full",), "one domain"),
            "--on": Refused(("sim",), "--nodes 1"),
            "--cluster": Refused(("peach2-2",), "2 hubs"),
            "--compute": Refused(("measured",), NO_CLUSTER),
            "--engine": Refused(("serial",), NO_CLUSTER),
            "--target": Refused(("sphere",), "one domain"),
            "--threads": ("1",),
            "--energy": ("tree",),
            "--log-every": ("1",),
            "--snapshot-every": ("1",),
            "--max-drift": ("1e-12",),
            "--force-error": ("10",),
            "--out": ("end.npz",),
            "--resume": Refused(("nowhere",), "--resume takes this"),
            "--run-dir": ("record",),
            "--json": (),
        },
    ),
    "nbody, acceleration": Mode(
        ("nbody", "--n", "60", "--steps", "2", "--mac", "acceleration", "--json"),
        {"--theta": Refused(("0.9",), "--mac side"), "--delta": ("0.1",)},
    ),
    "nbody, domains": Mode(
        ("nbody", "--n", "60", "--steps", "2", "--nodes", "2", "--json"),
        {"--let": ("full",), "--target": ("sphere",)},
    ),
    "nbody, whole trees": Mode(
        ("nbody", "--n", "60", "--steps", "2", "--nodes", "2", "--let", "full", "--json"),
        {"--target": Refused(("sphere",), "--let full")},
    ),
    "nbody, own bodies": Mode(
        ("nbody", "--from", "bodies.npz", "--steps", "2", "--json"),
        {
            name: Refused((value,), "--from gives")
            for name, value in (("--n", "9"), ("--seed", "9"), ("--problem", "kepler"))
        },
    ),
    "nbody on a cluster": Mode(
        ("nbody", "--n", "60", "--steps", "1", "--nodes", "2", "--on", "sim", "--json"),
        {
            "--on": ("native",),
            "--cluster": ("ring.toml",),
            "--compute": ("measured",),
            "--engine": ("threads:2",),
            "--threads": Refused(("2",), "of native runs"),
            "--let": ("hub",),
        },
    ),
    "isa-test": Mode(
        ("isa-test", "--json", "--elf", "tohost.elf"),
        {name: Elsewhere("tests/test_isa.py") for name in ("--elf", "--on", "--cluster", "--limit-us", "--json")},
        status=1,
    ),
    "synth": Mode(
        ("synth", "ram_1r1w"),
        {
            "--size": Refused(("tiny",), "a design"),
            "--ranks": Refused(("4",), "of an MPI program"),
            "--rank": Refused(("1",), "of an MPI program"),
            **{
                name: Elsewhere("polyloom/synth/tests/test_synth_flow.py", text)
                for name, text in (
                    ("--part", "ECP5"),
                    ("--param", '"Width": "16"'),
                    ("--pnr", "pnr=True"),
                    ("--json", "again.as_dict()"),
                )
            },
        },
    ),
    "synth of a program": Mode(
        ("synth", "program.c"),
        {"--size": Refused(("tiny",), "of the overlay"), "--rank": Refused(("4",), "allowed: 0 to 3")},
    ),
    "sweep": Mode(
        ("sweep", "sweep.toml", "--json"),
        {"--jobs": ("3",), "--folder": ("there",), "--plot-x": ("damping",), "--json": ()},
    ),
    "compare": Mode(("compare", "nowhere", "nowhere"), {"--json": Elsewhere("tests/test_sweeps.py")}, status=1),
    "clean": Mode(
        ("clean",),
        {"--caches": Elsewhere("polyloom/tests/test_clean.py"), "--dry-run": Elsewhere("polyloom/tests/test_clean.py")},
    ),
    "doctor": Mode(("doctor",), {"--json": ()}),
    "cluster show": Mode(("cluster", "show", "tiny-1"), {"--json": ()}),
    "report": Mode(("report", "nowhere"), {}, status=1),
    "apps": Mode(("apps",), {}),
    "cluster list": Mode(("cluster", "list"), {}),
}


#: Options of applications, beside those of `run`.
APPLICATIONS: dict[str, Mode] = {
    "pagerank": Mode(
        ("--graph", "graph.txt"),
        {
            "--graph": ("other.txt",),
            "--generate": Refused(("grid:3:3",), "--graph"),
            "--format": Refused(("matrix-market",), "is unknown"),
            "--columns": Refused(("0,9",), "no column '9'"),
            "--graph-seed": Refused(("2",), OF_SEED),
            "--undirected": (),
            "--simple": (),
            "--iterations": ("3",),
            "--damping": ("0.5",),
            "--dangling": ("uniform",),
            "--tolerance": ("0.01",),
            "--personalize": ("where.csv",),
            "--weighted": Elsewhere("tests/test_apps.py"),
            "--max-weight": Refused(("9",), "--weighted"),
            "--mode": ("gals",),
            "--combine": Refused(("maybe",), "maybe not in"),
            "--pins": ("unicast",),
            "--explain": (),
            "--verify": (),
            "--out": ("values.csv",),
            "--json": (),
            "--top": ("1",),
        },
    ),
    "pagerank, made": Mode(
        ("--generate", "uniform:40:3"),
        {"--graph-seed": ("2",), "--generate": ("uniform:41:3",), "--format": Refused(("mtx",), "--graph")},
        others="pagerank",
    ),
    "pagerank, not drawn": Mode(
        ("--generate", "grid:3:3"), {"--graph-seed": Refused(("2",), OF_SEED)}, others="pagerank"
    ),
    "pagerank, weighted": Mode(("--graph", "graph.txt", "--weighted"), {"--max-weight": ("9",)}, others="pagerank"),
    "pagerank, no supersteps": Mode(
        ("--graph", "graph.txt", "--mode", "gals"), {"--tolerance": Refused(("0.1",), "--mode gals")}, others="pagerank"
    ),
    "sssp": Mode(
        ("--graph", "graph.txt"),
        {"--source": ("2",), "--max-weight": ("9",), "--mode": ("sync",), "--predecessors": ()},
        others="pagerank",
    ),
    "sssp, weighted": Mode(
        ("--graph", "weighted.txt"), {"--max-weight": Refused(("9",), "has weights of its own")}, others="pagerank"
    ),
    "components": Mode(("--graph", "graph.txt"), {"--mode": ("strong",)}, others="pagerank"),
    "heat": Mode(
        ("--graph", "graph.txt"),
        {
            "--steps": ("3",),
            "--rate": ("0.1",),
            "--start": ("where.csv",),
            "--held": ("where.csv",),
            "--mode": ("gals",),
        },
        others="pagerank",
    ),
    "clocktree": Mode((), {"--depth": ("2",), "--fanout": ("2",), "--ticks": ("2",)}, others="pagerank"),
    "label-propagation": Mode(("--graph", "graph.txt"), {"--iterations": ("1",)}, others="pagerank"),
    "sssp, table": Mode(
        ("--graph", "table.csv", "--columns", "from,to"), {"--columns": ("from,to,minutes",)}, others="pagerank"
    ),
    "neurons": Mode(
        ("--graph", "graph.txt", "--steps", "400", "--noise", "3"),
        {
            **{name: (value,) for name, value in (("--steps", "500"), ("--first-step", "5"), ("--noise", "2"))},
            **{name: ("20",) for name in ("--excitation", "--inhibition")},
            "--neurons": ("neurons.csv",),
            "--delays": ("delays.txt",),
            "--stimulus": ("stimulus.csv",),
            "--raster": ("values.csv",),
            "--traces": ("values.csv",),
            "--mode": ("gals",),
        },
        others="pagerank",
    ),
    "bfs": Mode(("--graph", "graph.txt"), {"--source": ("2",)}, others="pagerank"),
    "dpd": Mode(
        ("--side", "3", "--steps", "4"),
        {
            "--side": ("4",),
            "--density": ("2",),
            "--steps": ("5",),
            "--dt": ("0.02",),
            "--a": ("15",),
            "--gamma": ("3",),
            "--kT": ("2",),
            "--every": ("2",),
            "--beads": ("beads.csv",),
            "--thermo": ("thermo.csv",),
            "--rdf": ("rdf.csv",),
            "--mode": ("gals",),
        },
        others="pagerank",
    ),
    "kcore": Mode(("--graph", "graph.txt"), {}, others="pagerank"),
    "triangles": Mode(("--graph", "graph.txt"), {}, others="pagerank"),
    "asp": Mode(("--graph", "graph.txt"), {"--sources": ("2",)}, others="pagerank"),
    "sort": Mode(
        ("--keys", "50", "--out", "answer.csv"),
        {
            "--keys": ("40",),
            "--data": ("two-to-one",),
            "--in": Refused(("values.npy",), "--keys"),
            "--algorithm": ("published",),
            "--types": ("4",),
            "--split": ("node",),
            "--sample": Refused(("2",), "--split node"),
            "--verify": (),
            "--out": ("sorted.npy",),
            "--json": (),
        },
    ),
    "sort, full": Mode(
        ("--keys", "50", "--algorithm", "full"),
        {"--types": Refused(("4",), "--types"), "--split": Refused(("node",), "--split")},
        others="sort",
    ),
    "sort, split": Mode(
        ("--keys", "50", "--algorithm", "fused", "--split", "node"),
        {"--sample": Refused(("2",), "native")},
        others="sort",
    ),
    "averaging": Mode(
        ("--epochs", "1"),
        {
            "--epochs": ("2",),
            "--batch": ("5",),
            "--algorithm": ("naive",),
            "--verify": (),
            "--out": ("accuracy.csv",),
            "--json": (),
        },
    ),
}


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


#: What commands without an option answer.
USUAL: dict[tuple[str, ...], Any] = {}


def seen(answer: Done, place: Path) -> tuple[Any, ...]:
    """What a user has of a command: status, answer, names of files, what records say. All that it left is removed."""
    lines = answer.out.strip().splitlines()
    try:
        said: Any = [*lines[:-1], steady(answer.json)]
    except (json.JSONDecodeError, IndexError):
        said = re.sub(r"(runs/|report: |run: )\S+|[0-9.]+ m?s( wall)?\b", "", answer.out)
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
    return answer.status, said, sorted(names), records, "said" if answer.err else ""


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
    answer = commands.run(place, *changed)
    if isinstance(what, Refused):
        assert answer.status in {1, 2}, (changed, answer.out, answer.err)
        line = answer.err.strip().splitlines()[-1]
        assert line.startswith("polyloom: ") and name.lstrip("-") in line and what.text in line, (changed, line)
        folders = list((place / "runs").glob("*"))
        assert all((folder / "run.json").is_file() for folder in folders), "a record that is not whole"
        return
    other = seen(answer, place)
    if base not in USUAL:
        usual = [seen(commands.run(place, *base), place) for _ in range(2)]
        assert usual[0] == usual[1], "two equal commands differ: VOLATILE lacks something"
        assert usual[0][0] == status, usual[0]
        USUAL[base] = usual[0]
    assert answer.status == 0 or name in {"--max-cycles", "--max-drift"}, (changed, answer.err)
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

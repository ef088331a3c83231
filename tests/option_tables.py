# SPDX-License-Identifier: Apache-2.0
"""Every option of every verb and application, and a command line in which it changes what comes out.

For test_every_option.py, whose fixture ``place`` makes the files that stand here.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
            "--processes": Refused(("2",), "several processes are for native runs"),
            "--host": Refused(("localhost",), "several processes are for native runs"),
            "--hostfile": Refused(("hosts",), "several processes are for native runs"),
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
            **dict.fromkeys(("--processes", "--host", "--hostfile"), Elsewhere("tests/test_processes.py")),
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
        {
            "--caches": Elsewhere("polyloom/cli/tests/test_clean.py"),
            "--dry-run": Elsewhere("polyloom/cli/tests/test_clean.py"),
        },
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
        ("--keys", "50", "--out", "result.csv"),
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

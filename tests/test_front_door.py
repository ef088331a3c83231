# SPDX-License-Identifier: Apache-2.0
# Covers: what make demo builds and installs is a small part, and how a build tells its progress without a terminal.
# Leaves out: the demo itself, which is PageRank as test_apps.py runs it, on a larger graph.
from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

BUILD = Path(os.environ.get("POLYLOOM_BUILD") or ROOT / "build")


def ninja(tool: str, target: str) -> list[str]:
    command = ["ninja", "-C", BUILD, "-t", tool, target]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def members(target: str) -> set[str]:
    """What a target is the name of."""
    return {line.strip() for line in ninja("query", target)}


def objects(target: str) -> set[str]:
    """What is compiled for a target."""
    return {name for name in ninja("inputs", target) if name.endswith(".o")}


def test_demo_builds_what_it_runs() -> None:
    assert {"bin/polyloom-sim", "bin/app_pagerank", "apps/device_pagerank"} <= members("polyloom_demo")
    assert not [name for name in objects("polyloom_demo") if re.search(r"_test\.dir|/tests/|^bench/", name)]
    modules = {name.split("/CMakeFiles/")[0] for name in objects("polyloom_demo") if "_ext.dir" in name}
    assert modules == {"fabric/python"}  # the one that each run needs
    assert len(objects("polyloom_demo")) < len(objects("all")) / 2


def test_programs_are_all_that_verbs_run() -> None:
    called = set()
    for file in (ROOT / "polyloom").rglob("*.py"):
        called |= set(re.findall(r'paths\.program\("([\w-]+)"\)', file.read_text()))
    assert {"polyloom-sim", "polyloom-elf-run", "polyloom-mpi-manager"} <= called
    applications = {f"app_{path.parent.name}" for path in (ROOT / "apps").glob("*/host.cc")}
    assert {f"bin/{name}" for name in called | applications} <= members("polyloom_programs")
    assert not [name for name in objects("polyloom_programs") if re.search(r"_test\.dir|^bench/", name)]
    assert objects("polyloom_demo") < objects("polyloom_programs")


def test_progress_without_a_terminal() -> None:
    lines = [f"[{n:3}%, {n} of 100 steps, {n / 10} s] Building CXX object x{n}.o" for n in range(100)]
    lines.insert(50, "x.cc:3: error: no such thing")
    lines.insert(70, "FAILED: x.o")
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "progress.py", "build"],
        input="ninja: Entering directory `build'\n" + "\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    # All came within ten seconds: errors as they are, of the status the last.
    assert done.stdout.splitlines() == [
        "x.cc:3: error: no such thing",
        "FAILED: x.o",
        "build: 99%, 99 of 100 steps, 9.9 s",
    ]


@pytest.mark.parametrize("package", ["chromium", "openmpi-bin", "clang-19", "qemu-user", "clang-format"])
def test_demo_installs_only_what_it_needs(package: str) -> None:
    text = (ROOT / "scripts" / "setup.sh").read_text()
    assert package in text
    assert package not in text.partition("demo_packages=(")[2].partition("\n)")[0].split()

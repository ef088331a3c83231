# SPDX-License-Identifier: Apache-2.0
"""Checks SystemVerilog: ``python -m polyloom.rtl.lint [--fix] [FILE or FOLDER...]``, of the tree if none is named.

scripts/lint.sh calls it. Output: a line for each problem, exit status 1 if there is one. What is checked:

    format      Verible, 120 columns; --fix formats in place
    elaborate   each module of an rtl/ folder alone, by Verilator with all warnings as errors and by slang. A module
                with parameters that have no sane default names values for it in its file list:
                ``// lint: polyloom_ram_1rw Width=32 Depth=13`` (several lines: several sets). One around a module that
                comes with each use names a list with one: ``// lint: polyloom_kernel_node -f ../tests/player.f``
    rules       file = module, header complete, tests named in the header there
    tested      every module has a test (tested.py)

The last three concern designs: rtl/ folders and their parts (rtl/PART/), but for those under tests/.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from polyloom.base import paths, process
from polyloom.base.cache import PROVEN, digest
from polyloom.base.errors import UserError
from polyloom.rtl import filelist, tested, tools
from polyloom.rtl.sources import is_design, listed, owner, without_comments

FORMAT = ["--column_limit=120", "--indentation_spaces=2"]
HEADER = ("How", "Latency", "Throughput", "Backpressure", "Order/loss", "Reset", "Limits", "Cost", "Source", "Tests")
PACKAGE_HEADER = ("How", "Source", "Tests")

_UNIT = re.compile(r"^\s*(module|package|interface)\s+(?:automatic\s+|static\s+)?(\w+)", re.MULTILINE)
_LINT = re.compile(r"^\s*(?://|#)\s*lint:\s*(\w+)\s*(.*)$", re.MULTILINE)
_TEST_FILE = re.compile(r"\b\w+\.(?:py|cc|toml)\b")


@dataclass(frozen=True)
class Elaboration:
    """A module to elaborate alone: with which list and parameters, and a list of what its own leaves to its users."""

    module: str
    list: Path
    parameters: tuple[str, ...] = ()
    with_list: Path | None = None

    @property
    def label(self) -> str:
        """What names it in a message."""
        return " ".join([self.module, *self.parameters])

    def files(self) -> filelist.FileList:
        """Both lists as one."""
        files = filelist.read(self.list)
        if self.with_list is not None:
            more = filelist.read(self.with_list)
            files.sources += more.sources
            files.include_dirs += more.include_dirs
            files.vlt += more.vlt
        return files


def format_problems(files: list[Path], fix: bool) -> Iterator[str]:
    """Files that are not as Verible would have them."""
    tool = str(tools.find("verible-verilog-format"))
    if fix and files:
        subprocess.run([tool, *FORMAT, "--inplace", *map(str, files)], check=False)

    def differs(file: Path) -> bool:
        command = [tool, *FORMAT, "--verify", str(file)]
        return subprocess.run(command, capture_output=True, text=True, check=False).returncode != 0

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = list(pool.map(differs, files))
    for file, other in zip(files, found, strict=True):
        if other:
            yield f"{file}: Verible would format it otherwise; run make format"


def rule_problems(file: Path) -> Iterator[str]:
    """House rules that concern one file of an rtl/ folder."""
    text = file.read_text()
    units = _UNIT.findall(without_comments(text))
    if [name for _, name in units] != [file.stem]:
        names = ", ".join(name for _, name in units) or "none"
        yield f"{file}: the file must hold one module or package, {file.stem}; it has {names}"
        return
    if not file.stem.startswith("polyloom_"):
        yield f"{file}: names begin with polyloom_"
    package = units[0][0] == "package"
    yield from _header_problems(file, text, PACKAGE_HEADER if package else HEADER)


def _header_problems(file: Path, text: str, keys: tuple[str, ...]) -> Iterator[str]:
    header = "\n".join(_header(text))
    if not header.startswith(f"{file.stem}: "):
        yield f"{file}: the header must begin with '// {file.stem}: what it does'"
    for key in keys:
        match = re.search(rf"(?:^|\s){key}:[ \t]*(\S*)", header)
        if match is None:
            yield f"{file}: header line '{key}:' is missing ('none' will do)"
        elif not match.group(1) or re.fullmatch(r"[A-Z][\w/]*:", match.group(1)):
            yield f"{file}: header line '{key}:' is empty ('none' will do)"
    named = header.partition("Tests:")[2]
    places = (owner(file) or file.parent.parent, paths.home() / "polyloom")
    for name in _TEST_FILE.findall(named):
        if not any(found for place in places for found in place.rglob(name)):
            yield f"{file}: header names {name}, which is not there"


def _header(text: str) -> list[str]:
    """The first block of comment lines, without the licence line and the slashes."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        if "SPDX-License-Identifier" not in line:
            lines.append(line.removeprefix("//").removeprefix(" "))
    return lines


def elaborations(root: Path, requested: Callable[[Path], bool]) -> tuple[list[Elaboration], list[str]]:
    """Every module of an rtl/ folder with the shortest list that names it, and modules that no list names.

    A test's list, which may hold parts played by hand, is the last resort.
    """
    lists: dict[Path, list[Path]] = {}
    problems = []
    for path in listed(root, ".f"):
        try:
            lists[path] = filelist.read(path).sources
        except UserError as error:
            problems.append(str(error))
    jobs = []
    for file in listed(root, ".sv"):
        if not requested(file) or not is_design(file) or not re.search(r"^module\s", file.read_text(), re.MULTILINE):
            continue
        naming = sorted(
            ("tests" in path.parts, len(found), path) for path, found in lists.items() if file.resolve() in found
        )
        if not naming:
            problems.append(f"{file}: no file list (*.f) names it")
            continue
        list_path = naming[0][2]
        sets = [values.split() for name, values in _LINT.findall(list_path.read_text()) if name == file.stem]
        jobs += [_elaboration(file.stem, list_path, values) for values in sets or [[]]]
    return jobs, problems


def _elaboration(module: str, list_path: Path, values: list[str]) -> Elaboration:
    if values[:1] == ["-f"]:
        return Elaboration(module, list_path, tuple(values[2:]), list_path.parent / " ".join(values[1:2]))
    return Elaboration(module, list_path, tuple(values))


def verilator_problem(job: Elaboration) -> str:
    """What Verilator says of a module, or ""."""
    command = [
        str(tools.find("verilator")),
        *("--lint-only", "-Wall", "--quiet", "--top-module", job.module),
        *(f"-G{value}" for value in job.parameters),
        str(tools.WAIVERS),
        *job.files().verilator_args(),
    ]
    done = process.tool(command, tools.environment())
    return f"Verilator, {job.label}:\n{done.stdout}{done.stderr}" if done.returncode != 0 else ""


def slang_problem(job: Elaboration) -> str:
    """What slang says of a module, or "": errors, not warnings (those are Verilator's part)."""
    import pyslang.driver

    files = job.files()
    driver = pyslang.driver.Driver()
    driver.addStandardArgs()
    words = ["slang", "--top", job.module, "-Wnone", *(f'-G "{value}"' for value in job.parameters)]
    words += [f'-I "{folder}"' for folder in files.include_dirs] + [f'"{source}"' for source in files.sources]
    good = driver.parseCommandLine(" ".join(words)) and driver.processOptions() and driver.parseAllSources()
    if good:
        compilation = driver.createCompilation()
        driver.reportCompilation(compilation, True)
        driver.runAnalysis(compilation)  # several drivers of one variable, latches
        good = driver.reportDiagnostics(True)
    return "" if good else f"slang, {job.label}: is wrong; its messages stand above"


def elaboration_problems(job: Elaboration) -> list[str]:
    """What both front ends say of a module. One that they took is not read again until a file of it changes."""
    files = job.files()
    words = ["elaborated", job.label, tools.version("verilator"), importlib.metadata.version("pyslang")]
    key = "lint-" + digest(words, [*files.files(), tools.WAIVERS])
    if PROVEN.knows(key):
        return []
    problems = [problem for problem in (verilator_problem(job), slang_problem(job)) if problem]
    if not problems:
        PROVEN.note(key)
    return problems


def main(arguments: list[str]) -> int:
    """Run all checks, of the folders that are named or of the tree; the exit status."""
    root = paths.home()
    folders = [root / name for name in arguments if name != "--fix"]

    def requested(file: Path) -> bool:
        return not folders or any(file.is_relative_to(folder) for folder in folders)

    files = [file for file in listed(root, ".sv") if requested(file)]
    problems = list(format_problems(files, "--fix" in arguments))
    for file in files:
        if is_design(file):
            problems += rule_problems(file)
    if files:
        problems += [problem for problem in tested.problems(root) if requested(Path(problem.partition(":")[0]))]
        jobs, list_problems = elaborations(root, requested)
        problems += list_problems
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            problems += [problem for found in pool.map(elaboration_problems, jobs) for problem in found]
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UserError as error:
        sys.exit(f"lint: {error}")

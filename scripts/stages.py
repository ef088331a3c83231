# SPDX-License-Identifier: Apache-2.0
"""The tests of all rooms, or of some, in stages that cost more and more; called by scripts/test.sh.

Usage: stages.py BUILD JOBS [--full] [--room FOLDER ...] [--changed] [--setup SECONDS]

Stages: lint, compile, unit (C++, ctest), models (RTL: pytest of blocks/ and roles/), end to end (pytest of the rest).
Each prints a line with its count and seconds; a failing one does not keep the others from running, and the names of
what failed are the last lines. Exit status 1 if anything failed, 2 for a room that is not there. A run of all rooms
leaves BUILD/test-time.json, which scripts/test_time.py reads.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import json
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import rooms as tree

ROOT = Path(__file__).resolve().parent.parent
#: Short runs, many builds: models in RTL are compiled fast, and each worker compiles alone.
ENVIRONMENT = {"POLYLOOM_RTL_OPTIMIZE": "-O1", "POLYLOOM_HOME": str(ROOT)}


@dataclass
class Stage:
    """What one stage did. ``seconds`` is its wall time, ``parts`` what it spent by test, file or room."""

    name: str
    what: str  #: that is counted
    count: int = 0
    skipped: int = 0
    failed: list[str] = field(default_factory=list)
    seconds: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)

    def line(self) -> str:
        """For the screen."""
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        state = f", {len(self.failed)} FAILED" if self.failed else ""
        return f"{self.name:11} {self.count:5} {self.what}{skipped}{state}, {self.seconds:.0f} s"


@contextlib.contextmanager
def timed(stage: Stage) -> Iterator[None]:
    """Take the stage's time and say how it went."""
    begin = time.monotonic()
    try:
        yield
    finally:
        stage.seconds = round(time.monotonic() - begin, 1)
        print(stage.line(), flush=True)


def call(command: Sequence[str | Path], **options: object) -> int:
    """Run a command whose output the user sees; its status."""
    return subprocess.run(list(map(str, command)), cwd=ROOT, check=False, **options).returncode  # type: ignore[call-overload]


def lint(rooms: Sequence[str]) -> Stage:
    """House rules, of the rooms' files."""
    stage = Stage("lint", "files", len(tree.files(rooms)))
    with timed(stage):
        if call([ROOT / "scripts" / "lint.sh", *rooms]) != 0:
            stage.failed.append("lint")
    return stage


def unit(build: Path, jobs: int, rooms: Sequence[str], first: bool = False) -> Stage:
    """Tests in C++."""
    stage = Stage("unit", "programs")
    report = build / "test-unit.xml"
    report.unlink(missing_ok=True)
    command: list[str | Path] = [
        "ctest",
        "--test-dir",
        build,
        "--output-on-failure",
        "-j",
        str(jobs),
        "--output-junit",
        report.name,
    ]
    if rooms:
        command += ["-L", tree.label(rooms)]
    if first:
        command += ["--stop-on-failure"]
    with timed(stage):
        with (build / "test-unit.log").open("w") as log:
            status = call(command, stdout=log, stderr=subprocess.STDOUT, env=os.environ | ENVIRONMENT)
        if report.is_file():
            for case in ElementTree.parse(report).iter("testcase"):
                stage.count += 1
                stage.parts[case.get("name", "")] = round(float(case.get("time", 0)), 2)
                if case.get("status") == "fail":
                    stage.failed.append(f"ctest {case.get('name')}")
        if status != 0:
            stage.failed = stage.failed or ["ctest"]
            print((build / "test-unit.log").read_text())
    return stage


def python(name: str, build: Path, jobs: int, paths: Sequence[str], first: bool = False) -> Stage:
    """Tests in Python; those of one file share what they build, so a file stays with one of ``jobs`` workers."""
    stage = Stage(name, "tests")
    report = build / f"test-{name.replace(' ', '-')}.xml"
    report.unlink(missing_ok=True)
    workers = min(jobs, len(paths)) if all(path.endswith(".py") for path in paths) else jobs
    command: list[str | Path] = [
        ".venv/bin/python",
        "-m",
        "pytest",
        "--junitxml",
        report,
        "-o",
        "junit_family=xunit1",
        *paths,
    ]
    if first:
        command += ["-x"]
    if workers > 1:
        command += ["-n", str(workers), "--dist", "loadfile", "--no-loadscope-reorder"]
    with timed(stage):
        status = call(command, env=os.environ | ENVIRONMENT | {"POLYLOOM_RTL_JOBS": "1" if workers > 1 else str(jobs)})
        if report.is_file():
            for case in ElementTree.parse(report).iter("testcase"):
                stage.count += 1
                file = file_of(case)
                stage.parts[file] = round(stage.parts.get(file, 0) + float(case.get("time", 0)), 2)
                if case.find("failure") is not None or case.find("error") is not None:
                    stage.failed.append(f"{file}::{case.get('name')}")
                stage.skipped += case.find("skipped") is not None
        if status not in {0, 5}:  # 5: there is none
            stage.failed = stage.failed or [f"pytest {name}"]
    return stage


def file_of(case: ElementTree.Element) -> str:
    """The test file of a case; pytest's own word for it is where a shared function was defined."""
    parts = (case.get("classname") or "").split(".")
    for end in range(len(parts), 0, -1):
        if (ROOT / "/".join(parts[:end])).with_suffix(".py").is_file():
            return "/".join(parts[:end]) + ".py"
    return case.get("file", "")


def compile_stage(build: Path, jobs: int, targets: Sequence[str]) -> Stage:
    """What the tests run."""
    stage = Stage("compile", "steps")
    with timed(stage):
        before = tree.steps(build)
        if call([ROOT / "scripts" / "build.sh", build, str(jobs), " ".join(targets)]) != 0:
            stage.failed.append("compile")
        stage.count = tree.steps(build) - before
    return stage


def run(arguments: argparse.Namespace, rooms: Sequence[str]) -> list[Stage]:
    """All stages that there is something for."""
    build, jobs = arguments.build.resolve(), arguments.jobs
    stages = [Stage("set-up", "packages", seconds=arguments.setup)] if arguments.setup else []
    build.mkdir(parents=True, exist_ok=True)
    if rooms:
        return stages + run_rooms(build, jobs, rooms, arguments)
    stages += [lint([]), compile_stage(build, jobs, ["all"])]
    if not stages[-1].failed:
        stages.append(unit(build, jobs, []))
        stages.append(python("models", build, jobs, tree.MODELS))
        # Launchers, timeouts and signals: they wait as long as they compute.
        stages.append(python("end to end", build, 3 * jobs, tree.rest()))
    return stages


def run_rooms(build: Path, jobs: int, rooms: Sequence[str], arguments: argparse.Namespace) -> list[Stage]:
    """The stages of some rooms; what they do not need is not built."""
    stages = [] if arguments.no_lint else [lint(rooms)]
    scripts = tree.scripts(rooms)
    configured = call([ROOT / "scripts" / "build.sh", build, str(jobs), ""]) == 0
    programs = tree.programs(build, rooms) if configured else []
    targets = [*programs, *(["all"] if tree.need_programs(scripts) else [])]
    if targets:
        stages.append(compile_stage(build, jobs, targets))
        if stages[-1].failed:
            return stages
    if programs:
        stages.append(unit(build, jobs, rooms, arguments.first))
    if scripts and not (arguments.first and stages[-1:] and stages[-1].failed):
        stages.append(python("python", build, jobs, scripts, arguments.first))
    return stages


def keep(build: Path, stages: Sequence[Stage], begin: float, load: Sequence[float]) -> None:
    """Leave what it took for scripts/test_time.py."""
    facts = {
        "begin": begin,
        "load": [round(x, 2) for x in load],
        "seconds": round(sum(stage.seconds for stage in stages), 1),
        "stages": {stage.name: {"count": stage.count, "seconds": stage.seconds} for stage in stages},
        "unit": next((stage.parts for stage in stages if stage.name == "unit"), {}),
        "python": {k: v for stage in stages if stage.name in {"models", "end to end"} for k, v in stage.parts.items()},
    }
    (build / "test-time.json").write_text(json.dumps(facts, indent=1) + "\n")


def chosen(arguments: argparse.Namespace) -> list[str]:
    """Rooms that were asked for; exits with near names if one is not there."""
    if arguments.changed:
        rooms = tree.changed()
        print(f"test: rooms that differ from main, and who uses them: {' '.join(rooms) or 'none'}", flush=True)
        if not rooms:
            sys.exit(0)
        return rooms
    known = tree.folders()
    rooms = [name.strip("/") for text in arguments.room for name in text.split()]
    for name in rooms:
        if name not in known:
            near = difflib.get_close_matches(name, known, 4) or [n for n in known if Path(n).name == Path(name).name]
            print(f"test: there is no room {name}; near are: {', '.join(near) or 'none'}", file=sys.stderr)
            sys.exit(2)
    return rooms


def main() -> int:
    """Run what was asked for; the exit status."""
    parser = argparse.ArgumentParser(description="Tests of all rooms, or of some.")
    parser.add_argument("build", type=Path)
    parser.add_argument("jobs", type=int)
    parser.add_argument("--full", action="store_true", help="long forms too")
    parser.add_argument("--room", action="append", default=[], help="folders; all of the tree by default")
    parser.add_argument("--changed", action="store_true", help="rooms that differ from main, and those that use them")
    parser.add_argument("--no-lint", action="store_true", help="of rooms: tests alone")
    parser.add_argument("--first", action="store_true", help="of rooms: stop at what fails first")
    parser.add_argument("--setup", type=float, default=0.0, help="seconds that scripts/setup.sh took")
    arguments = parser.parse_args()
    if arguments.full:
        os.environ |= {"POLYLOOM_TEST_FULL": "1", "PYTEST_TIMEOUT": "7200"}
    rooms = chosen(arguments)
    begin, load = time.time(), os.getloadavg()
    stages = run(arguments, rooms)
    if not rooms:
        keep(arguments.build, stages, begin, load)
    print()
    for stage in stages:
        print(stage.line())
    failed = [name for stage in stages for name in stage.failed]
    tested = [stage for stage in stages if stage.what in {"tests", "programs"}]
    skipped = sum(stage.skipped for stage in tested)
    passed = sum(stage.count - len(stage.failed) for stage in tested) - skipped
    print(f"{passed} passed, {len(failed)} failed, {skipped} skipped")
    for name in failed:
        print(f"FAILED {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)

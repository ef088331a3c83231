# SPDX-License-Identifier: Apache-2.0
"""What benchmarks share: running, the table, the JSON line, the committed result: docs/design.md, section 4.9."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.common import plots
from polyloom.base import files

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("POLYLOOM_BUILD") or ROOT / "build")


@dataclass
class Run:
    """One program run on a cluster: what it printed, its run record and how long it took."""

    output: Any
    record: dict[str, Any]
    counters: dict[str, int]
    wall_seconds: float

    def total(self, suffix: str) -> int:
        """Sum of all counters whose dotted name ends with ``suffix``."""
        return sum(value for name, value in self.counters.items() if name.endswith(suffix))


@dataclass
class Bench:
    """Collects rows, figures and targets, and prints them at the end."""

    name: str
    quick: bool
    rows: list[tuple[str, ...]] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    targets: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def row(self, what: str, ours: str, paper: str = "", ratio: str = "", limit: str = "") -> None:
        """Add a line to the table."""
        self.rows.append((what, ours, paper, ratio, limit))
        print(f"  {what}: {ours}", file=sys.stderr, flush=True)

    def target(self, what: str, target: str, ours: float | None, holds: bool | None, paper: Any = None) -> None:
        """State a target and whether this run meets it; None = not measured here, see bench/results."""
        entry: dict[str, Any] = {"what": what, "paper": paper, "target": target, "ours": ours, "holds": holds}
        if holds is None:
            entry["full_result"] = f"bench/results/{self.name}.json"
        self.targets.append(entry)

    def note(self, text: str) -> None:
        """A sentence below the table."""
        self.notes.append(text)

    def finish(self) -> None:
        """Print everything; the last line is the JSON object."""
        head = ("what", "ours", "paper", "ours/paper", "limit")
        widths = [max(len(row[i]) for row in [head, *self.rows]) for i in range(len(head))]
        for row in [head, tuple("-" * width for width in widths), *self.rows]:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        for entry in self.targets:
            verdict = {True: "holds", False: "MISSED", None: "not measured (see bench/results)"}[entry["holds"]]
            ours = "" if entry["ours"] is None else f"; ours {entry['ours']:.4g}"
            print(f"target: {entry['what']}: {entry['target']}{ours}: {verdict}")
        for text in self.notes:
            print(f"note: {text}")
        if "plots" in self.figures:
            print(f"plots: {plots.draw(self.name, {'figures': self.figures, 'notes': self.notes}, BUILD / 'bench')}")
        result = {"bench": self.name, "figures": self.figures, "targets": self.targets}
        if not self.quick:
            self._save(result)
        print(json.dumps(result))

    def _save(self, result: dict[str, Any]) -> None:
        full = {
            **result,
            "commit": commit(),
            "date": time.strftime("%Y-%m-%d"),
            "machine": machine(),
            "notes": self.notes,
        }
        files.write(ROOT / "bench" / "results" / f"{self.name}.json", json.dumps(full, indent=2) + "\n")


class Contestant:
    """A program that does something for each line it is given, and responds to each, and its start, with a line of
    JSON."""

    def __init__(self, *command: str) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        self.facts = self._result()  # what it says first

    def _result(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"bench: {self._process.args!r} ended with status {self._process.wait()}")
        content: dict[str, Any] = json.loads(line)
        return content

    def turn(self, word: str) -> dict[str, Any]:
        """Let it do something once."""
        assert self._process.stdin is not None
        print(word, file=self._process.stdin, flush=True)
        return self._result()

    def close(self) -> None:
        """End the program."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def commit() -> str:
    """The commit that is measured."""
    return _output(["git", "rev-parse", "--short", "HEAD"])


def machine() -> str:
    """Processor and number of cores, as the operating system names them."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return f"{line.split(':', 1)[1].strip()}, {os.cpu_count()} cores"
    return platform.machine()


def _output(command: list[str]) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def run_program(command: list[str], cluster: str | Path, engine: str = "", on: str = "sim") -> Run:
    """Run a host program on a cluster (``on``: sim, rtl); its standard output must be JSON. Exits on failure."""
    with tempfile.TemporaryDirectory() as folder:
        env = {
            **os.environ,
            "POLYLOOM_ON": on,
            "POLYLOOM_HOME": str(ROOT),
            "POLYLOOM_CLUSTER": str(cluster),
            "POLYLOOM_RUN_DIR": folder,
        }
        if engine:
            env["POLYLOOM_ENGINE"] = engine
        start = time.monotonic()
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=False)
        wall = time.monotonic() - start
        if done.returncode != 0:
            sys.exit(f"bench: {' '.join(command)} failed on {cluster} with status {done.returncode}")
        record = json.loads(Path(folder, "run.json").read_text())
        counters = {}
        for line in Path(folder, "counters.csv").read_text().splitlines()[1:]:
            name, value = line.rsplit(",", 1)
            counters[name] = int(value)
    return Run(json.loads(done.stdout), record, counters, wall)


def run_bare(device: str, reports: int, cluster: str | Path, engine: str = "", on: str = "sim") -> Run:
    """Boot the device program ``device`` (a folder in build/device) and collect its four-word reports."""
    command = [str(BUILD / "bin" / "bench_bare"), str(BUILD / "device" / device), str(reports)]
    return run_program(command, cluster, engine, on)


def cluster_variant(folder: Path, name: str, base: str, table: str = "overlay", **changes: str) -> Path:
    """Write a copy of the shipped cluster ``base`` in which the keys of ``changes`` have other values.

    A key that stands nowhere goes to ``[table]``; one that stands in several tables is changed in the first.
    """
    lines = (ROOT / "clusters" / f"{base}.toml").read_text().splitlines()
    left = dict(changes)
    for i, line in enumerate(lines):
        key = line.split("=", 1)[0].strip()
        if key in left and not line.lstrip().startswith("#"):
            lines[i] = f"{key} = {left.pop(key)}"
    at = lines.index(f"[{table}]") + 1
    lines[at:at] = [f"{key} = {value}" for key, value in left.items()]
    path = folder / f"{name}.toml"
    path.write_text("\n".join(lines) + "\n")
    return path

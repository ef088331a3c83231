# SPDX-License-Identifier: Apache-2.0
"""Where the cycles of FPGA ranks went, by source line and by loop. Input: kernels, a run's counts; output: rows, text.

Counts are those of models made with ``Options.count`` (polyloom/hls/emit/count.py): the record's ``mpi_counts.csv``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyloom.base.record import RunRecord
from polyloom.hls.reader.debug import in_library
from polyloom.report.format import columns
from polyloom.transpile.kernels import BuiltKernel
from polyloom.transpile.ranks import text_of

#: How many lines, and loops, a person is shown.
HOTTEST = 10
KINDS = ("computes", "engine", "dram", "shared")
#: Of a source line's text, what is shown.
_TEXT = 56


@dataclass
class Line:
    """Cycles of all FPGA ranks on a source line: computing, and waiting for MPI, for DRAM, for block RAM in use."""

    file: str
    line: int
    cycles: dict[str, int]

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.cycles.values())


@dataclass
class LoopRun:
    """What a loop did on all FPGA ranks: iterations, and cycles, without those of functions that it calls."""

    where: str
    iterations: int
    cycles: int


def lines(run: RunRecord, kernels: Sequence[BuiltKernel]) -> list[Line]:
    """All lines with cycles, the hottest first; empty if nothing was counted. Their sum is all of the ranks' time."""
    found: dict[tuple[str, int], dict[str, int]] = defaultdict(lambda: dict.fromkeys(KINDS, 0))
    for counted, counts in _counted(run, kernels):
        rows = counted["rows"]
        for (counter, _), count in counts.items():
            call, row = divmod(counter, len(rows))
            for place, weight in rows[row]["lines"].items():
                found[_place(place or counted["calls"][call])][rows[row]["kind"]] += count * weight
    result = [Line(file, line, cycles) for (file, line), cycles in found.items()]
    return sorted(result, key=lambda line: (-line.total, line.file, line.line))


def loops(run: RunRecord, kernels: Sequence[BuiltKernel]) -> list[LoopRun]:
    """Loops of the program, those with the most cycles first."""
    found: dict[tuple[str, int], LoopRun] = {}  # loops within one another may be on one line
    for (counted, counts), kernel in zip(_counted(run, kernels), kernels, strict=True):
        rows = counted["rows"]
        by_row: dict[int, int] = defaultdict(int)
        for (counter, _), count in counts.items():
            by_row[counter % len(rows)] += count
        for loop in of_program(kernel):
            own = found.setdefault((loop["where"], loop["nest"]), LoopRun(loop["where"], 0, 0))
            own.iterations += by_row[loop["rows"][0]]
            inside = set(loop["rows"])
            for number, row in enumerate(rows):
                if row.get("block", number) in inside:
                    own.cycles += by_row[number] * sum(row["lines"].values())
    return sorted((loop for loop in found.values() if loop.iterations), key=lambda loop: -loop.cycles)


def of_program(kernel: BuiltKernel) -> list[dict[str, Any]]:
    """The loops of a kernel's report that are no library's."""
    return [loop for loop in kernel.report["loops"] if not in_library(str(loop["where"]))]


def csv(found: Sequence[Line]) -> str:
    """``mpi_lines.csv`` of the record, for the page."""
    rows = ["file,line," + ",".join(KINDS)]
    rows += [",".join([_quoted(line.file), str(line.line), *(str(line.cycles[k]) for k in KINDS)]) for line in found]
    return "\n".join(rows) + "\n"


def static_text(kernels: Sequence[BuiltKernel]) -> str:
    """Every loop of the programs: how often an iteration begins, how long it takes, and why not in every cycle."""
    parts = []
    for kernel in kernels:
        rows = [["loop", "iterations", "cycles each", "depth", "why not one a cycle"]]
        for loop in of_program(kernel):
            numbers = [loop["trip_count"], loop["ii"], loop["depth"]]
            rows.append([short(loop["where"]), *("-" if n is None else str(n) for n in numbers), loop["why"]])
        if len(rows) > 1:
            of = f"rank{'s' * (len(kernel.ranks) > 1)} {text_of(kernel.ranks)}"
            parts.append(f"loops of the program of {of}\n{columns(rows)}\n")
    return "".join(parts)


def measured_text(run: RunRecord, kernels: Sequence[BuiltKernel], sources: Sequence[Path]) -> str:
    """The hottest lines and loops of a run, with the lines' text; empty if nothing was counted."""
    found = lines(run, kernels)
    whole = sum(line.total for line in found)
    if not whole:
        return ""
    ranks = sum(len(kernel.ranks) for kernel in kernels)
    rows = [["share", "cycles", "computes", "MPI", "DRAM", "line", ""]]
    for line in found[:HOTTEST]:
        numbers = (line.total, line.cycles["computes"], line.cycles["engine"], line.cycles["dram"])
        place = f"{Path(line.file).name}:{line.line}" if line.file else "start and end"
        rows.append([f"{line.total / whole:.1%}", *(f"{n:,}" for n in numbers), place, _source(line, sources)])
    parts = [f"cycles of {ranks:,} FPGA rank{'s' * (ranks > 1)} by line, {whole:,} in all", columns(rows)]
    rows = [["loop", "iterations", "cycles", "cycles each"]]
    for loop in loops(run, kernels)[:HOTTEST]:
        each = f"{loop.cycles / loop.iterations:.2f}"
        rows.append([short(loop.where), f"{loop.iterations:,}", f"{loop.cycles:,}", each])
    if len(rows) > 1:
        parts += ["loops, waiting included, without the functions that they call", columns(rows)]
    return "\n".join(parts)


def short(where: str) -> str:
    """``jacobi.c:41`` of a place with its folder and column; what has none fills objects when the kernel starts."""
    file, line = _place(where)
    return f"{Path(file).name}:{line}" if file else "start"


def _counted(run: RunRecord, kernels: Sequence[BuiltKernel]) -> list[tuple[dict[str, Any], dict[tuple[int, int], int]]]:
    """Of each kernel what it counts, and the counts by counter and rank."""
    by_rank: dict[int, dict[int, int]] = defaultdict(dict)
    for row in run.table("mpi_counts", ("rank", "counter", "count")):
        by_rank[row["rank"]][row["counter"]] = row["count"]
    empty: dict[str, Any] = {"calls": [], "rows": [{"kind": KINDS[0], "lines": {}}]}
    return [
        (
            kernel.report.get("counted", empty),
            {(counter, rank): n for rank in kernel.ranks for counter, n in by_rank[rank].items()},
        )
        for kernel in kernels
    ]


def _place(text: str) -> tuple[str, int]:
    """File and line of ``file:line`` or ``file:line:column``; ("", 0) of nothing."""
    if not text:
        return "", 0
    first, _, last = text.rpartition(":")
    file, _, line = first.rpartition(":")
    return (file, int(line)) if file and line.isdigit() else (first, int(last))


def _source(line: Line, sources: Sequence[Path]) -> str:
    """The line's text, if it is in one of the files that were given; debug information may have its name cut short."""
    file = next((f for f in sources if line.file and str(f.resolve()).endswith(line.file)), None)
    if file is None:
        return ""
    text = file.read_text(errors="replace").splitlines()[line.line - 1].strip()
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 3]}..."


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n') else text

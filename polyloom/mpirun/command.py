# SPDX-License-Identifier: Apache-2.0
"""What ``polyloom mpirun`` prints besides the program's own output. Input: what was built and run; output: text."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from polyloom.base import folder, record
from polyloom.base.record import RunRecord
from polyloom.mpirun import profile
from polyloom.mpirun.build import Built
from polyloom.mpirun.state import State
from polyloom.report import job_bottleneck, waits
from polyloom.transpile.ranks import text_of

#: What the simulated time of a job's end contains.
SPAN = "from when the FPGAs have been started and the ranks get their arguments to the last rank's end"


def say(text: str) -> None:
    """What only a person wants to know, on standard error if one looks at it."""
    if sys.stderr.isatty():
        print(f"polyloom: {text}", file=sys.stderr)


def bottleneck(run: RunRecord) -> str:
    """What a job that went well waited for, in a sentence; empty if that is not known."""
    job = waits.read(run)
    return job_bottleneck.sentence(run, job) if job else ""


def measured(run: RunRecord, built: Built, sources: Sequence[Path]) -> str:
    """What ``--explain`` says after a job: where cycles went (added to the record), and what was waited for."""
    found = profile.lines(run, built.kernels)
    if found:
        folder.add(run.folder, "mpi_lines.csv", profile.csv(found))
    return "\n".join(filter(None, (profile.measured_text(run, built.kernels, sources), bottleneck(run))))


def kernels_table(built: Built) -> str:
    """One line for each program of FPGA ranks, and one for the CPU ranks."""
    columns = f"{'ranks':12} {'program':10} {'states':>7} {'block RAM':>10} {'DRAM':>10}"
    lines = [f"{columns}  inner loops (cycles an iteration)"]
    if built.program:
        kind = built.site.name if built.site else "CPU"
        lines.append(f"{text_of(built.cpu_ranks):12} {kind:10} {'':>7} {'':>10} {'':>10}  {built.program}")
    for kernel in built.kernels:
        report = kernel.report
        inner = (loop for loop in profile.of_program(kernel) if loop["pipelined"])
        loops = ", ".join(f"{profile.short(loop['where'])}: {loop['ii']}" for loop in inner)
        memory = f"{report.get('memory_bits', 0) / 8192:.1f} KiB"
        states = report.get("states", "")
        dram = f"{report['dram_bytes'] / (1 << 20):.3g} MiB" if report.get("dram_bytes") else ""
        row = f"{text_of(kernel.ranks):12} {kernel.folder.name[:10]:10} {states:>7} {memory:>10} {dram:>10}"
        lines.append(f"{row}  {loops}")
    if built.cpu_time:
        lines.append(str(built.cpu_time))
    return "\n".join(lines)


def as_json(built: Built, collectives: str, status: int, run_dir: Path | None, state: State | None) -> str:
    """Everything a machine may want to know of a job, as one object."""
    content: dict[str, Any] = {
        "size": built.size,
        "cluster": built.cluster.name if built.cluster else None,
        "cpu_ranks": list(built.cpu_ranks),
        "cpu_time": str(built.cpu_time) if built.cpu_time else None,
        "mpi": str(built.site) if built.site else None,
        "collectives": collectives,
        "programs": [
            {"ranks": list(k.ranks), "folder": str(k.folder), "cached": k.cached, "requests_rank": k.requests_rank}
            for k in built.kernels
        ],
        "exit_status": status,
        "run_dir": str(run_dir) if run_dir else None,
    }
    if state is not None:
        content["exits"] = {str(rank): code for rank, code in sorted(state.exits.items())}
        content["problems"] = state.problems
        content["end"] = state.end
        if state.end and "simulated_ps" in state.end:
            content["simulated_span"] = SPAN
    if run_dir and status == 0:
        run = record.read(run_dir)
        job = waits.read(run)
        content["waits"] = job_bottleneck.facts(run, job) if job else None
        content["lines"] = [{"file": n.file, "line": n.line, **n.cycles} for n in profile.lines(run, built.kernels)]
    return json.dumps(content)

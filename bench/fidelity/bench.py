# SPDX-License-Identifier: Apache-2.0
"""Cycles of the same programs on the fast model and on the RTL, for boards of one tile.

Input: none; output: a row a program: cycles of both and their ratio. Bare programs (bench/fidelity/programs.h) count
from one barrier to the next and must return the same value. Applications count the boards' own cycles: the compute
phase of the run record (roles/overlay/host/README.md) less the host link; their results are checked against an
independent computation. Each is run at several values of ``host.call_time``, which is not in that phase: what it
changes is the cycle in which the threads start. Usage: ``make bench NAME=fidelity``.

An asynchronous program does as its messages happen to arrive, and one cycle decides which of two does first. So its
cycles scatter from start to start, on each engine; what is compared is their mean over the starts, and both spreads are
stated.
"""

from __future__ import annotations

import re
import statistics
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from bench.common.harness import BUILD, ROOT, Bench, cluster_variant, run_bare, run_program

CLOCK_HZ = 250e6
TARGET = 0.05
BOTH = ("ping", "ring", "crowd", "barriers")
ONE = ("integer", "fp32", "divide", "stream_dram", "stream_sram", "chase", "flush", "scratchpad", "multicast")
APPS = {
    "pagerank": ("--generate", "kronecker:7:6", "--iterations", "8"),
    "sssp": ("--generate", "uniform:200:4"),
    "hashmin": ("--generate", "geometric:150:5"),
    "asp": ("--generate", "uniform:150:4", "--sources", "32"),
}
ASYNCHRONOUS = ("sssp", "hashmin")
CALL_TIMES = {True: ("1 us", "400 ns", "200 ns", "100 ns", "10 ns", "1 ns"), False: ("1 us", "100 ns", "1 ns")}
QUICK = (("integer", 1), ("chase", 1), ("crowd", 1), ("barriers", 1))


@dataclass(frozen=True)
class Case:
    """A program on a mesh of one row of ``boards`` boards."""

    program: str
    boards: int

    @property
    def cluster(self) -> str:
        """Name of the shipped cluster."""
        return f"tiny-{self.boards}"

    @property
    def asynchronous(self) -> bool:
        """True if the order in which messages come decides what is done."""
        return self.program in ASYNCHRONOUS

    @property
    def starts(self) -> tuple[str, ...]:
        """Values of ``host.call_time``."""
        return CALL_TIMES[self.asynchronous]

    def bare(self, on: str) -> tuple[float, int]:
        """Cycles, and what the program returned."""
        report = run_bare(f"bench_fidelity_{self.program}_{self.boards}", 1, self.cluster, on=on).output[0]
        return float(report[1]), report[2]

    def app(self, on: str) -> list[float]:
        """Cycles of the compute phase at the boards, for each start."""
        return [compute_cycles(self.program, self.cluster, on, call_time) for call_time in self.starts]


def compute_cycles(app: str, cluster: str, on: str, call_time: str) -> float:
    """Cycles between the start of the last thread and the first result's leaving its board."""
    with tempfile.TemporaryDirectory() as folder:
        file = cluster_variant(Path(folder), "variant", cluster, table="host", call_time=f'"{call_time}"')
        run = run_program([str(BUILD / "bin" / f"app_{app}"), *APPS[app], "--verify", "--json"], file, on=on)
    assert run.output["verified"], f"{app} on {cluster}, {on}: a wrong result: {run.output}"
    return (float(run.record["phases"]["compute_seconds"]) - host_latency(cluster)) * CLOCK_HZ


def host_latency(cluster: str) -> float:
    """Seconds that the host link of a shipped cluster takes."""
    text = tomllib.loads((ROOT / "clusters" / f"{cluster}.toml").read_text())["host"]["latency"]
    match = re.fullmatch(r"(\d+) us", text)
    assert match, f"{cluster}: host.latency = {text!r} is in no whole microseconds"
    return int(match[1]) * 1e-6


def cases(quick: bool) -> list[Case]:
    """All programs, or a few that are short."""
    if quick:
        return [Case(*case) for case in QUICK]
    return [
        *(Case(program, 1) for program in (*ONE, *BOTH, *APPS)),
        *(Case(program, 2) for program in (*BOTH, *APPS)),
    ]


def run_bare_program(bench: Bench, case: Case) -> float:
    """Measure it twice; returns the deviation."""
    model, expected = case.bare("sim")
    rtl, value = case.bare("rtl")
    assert value == expected, f"{case}: the model returns {expected}, the RTL {value}"
    ratio = rtl / model
    text = f"rtl {rtl:.0f} cycles, fast model {model:.0f}, ratio {ratio:.4f}"
    bench.row(f"{case.program}, {case.cluster}", text, limit=f"1 +- {TARGET}")
    bench.figures[f"{case.program}_{case.boards}"] = {"rtl": round(rtl), "sim": round(model), "ratio": ratio}
    return abs(ratio - 1)


def run_application(bench: Bench, case: Case) -> tuple[float, float]:
    """Measure it at each start on both; returns the deviations of the mean and of the farthest start."""
    model, rtl = case.app("sim"), case.app("rtl")
    ratio = statistics.mean(rtl) / statistics.mean(model)
    single = max((r / m for r, m in zip(rtl, model, strict=True)), key=lambda each: abs(each - 1))
    spread = {"rtl": max(rtl) / min(rtl) - 1, "sim": max(model) / min(model) - 1}
    bench.row(
        f"{case.program}, {case.cluster}, {len(model)} starts",
        f"rtl {statistics.mean(rtl):.0f} cycles, fast model {statistics.mean(model):.0f}, ratio {ratio:.4f}; "
        f"farthest start {single:.4f}; from start to start rtl {spread['rtl']:.1%}, fast model {spread['sim']:.1%}",
        limit=f"1 +- {TARGET}" + (" in the mean" if case.asynchronous else ", each start"),
    )
    bench.figures[f"{case.program}_{case.boards}"] = {
        "call_times": case.starts, "rtl": [round(each) for each in rtl], "sim": [round(each) for each in model],
        "ratio": ratio, "farthest": single, "spread": spread,
    }  # fmt: skip
    return abs(ratio - 1), abs(single - 1)


def run(bench: Bench) -> None:
    """Measure every program on both."""
    bare, mean, single = [], [], []
    for case in cases(bench.quick):
        if case.program not in APPS:
            bare.append(run_bare_program(bench, case))
            continue
        of_mean, of_single = run_application(bench, case)
        mean.append(of_mean)
        if not case.asynchronous:
            single.append(of_single)

    def hold(what: str, deviations: list[float]) -> None:
        worst = max(deviations, default=None)
        bench.target(what, f"within {TARGET:.0%}", worst, None if worst is None else worst <= TARGET)

    hold("cycles, rtl against sim, the farthest bare program", bare)
    hold("compute cycles, rtl against sim, the farthest application, mean over starts", mean)
    hold("compute cycles, rtl against sim, the farthest start of a synchronous application", single)
    bench.figures["worst"] = max([*bare, *mean])
    bench.note("boards of one tile: 4 cores x 16 threads, one DRAM channel; ping, ring, crowd on tiny-2 cross the link")
    bench.note("asynchronous: sssp, hashmin; a start is a value of host.call_time, 1 us to 1 ns")

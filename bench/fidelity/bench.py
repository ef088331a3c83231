# SPDX-License-Identifier: Apache-2.0
"""Cycles of the same programs on the fast model and on the RTL, for boards of one tile.

Input: none; output: a row a program: cycles of both and their ratio. Bare programs (bench/fidelity/programs.h) count
from one barrier to the next and must return the same value; applications count from start to the first answer, and
their answers are checked against an independent computation. Usage: ``make bench NAME=fidelity``.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.common.harness import BUILD, Bench, run_bare, run_program

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

    def cycles(self, on: str) -> tuple[float, int]:
        """Cycles, and what a bare program returned."""
        if self.program in APPS:
            app = str(BUILD / "bin" / f"app_{self.program}")
            facts = run_program([app, *APPS[self.program], "--verify", "--json"], self.cluster, on=on).output
            assert facts["verified"], f"{self.program} on {self.cluster}, {on}: a wrong answer: {facts}"
            return facts["compute_simulated_seconds"] * CLOCK_HZ, 0
        report = run_bare(f"bench_fidelity_{self.program}_{self.boards}", 1, self.cluster, on=on).output[0]
        return float(report[1]), report[2]


def cases(quick: bool) -> list[Case]:
    """All programs, or a few that are short."""
    if quick:
        return [Case(*case) for case in QUICK]
    return [
        *(Case(program, 1) for program in (*ONE, *BOTH, *APPS)),
        *(Case(program, 2) for program in (*BOTH, *APPS)),
    ]


def run(bench: Bench) -> None:
    """Measure every program twice."""
    worst = 0.0
    for case in cases(bench.quick):
        model, expected = case.cycles("sim")
        rtl, value = case.cycles("rtl")
        assert value == expected, f"{case}: the model returns {expected}, the RTL {value}"
        ratio = rtl / model
        worst = max(worst, abs(ratio - 1))
        bench.row(
            f"{case.program}, {case.cluster}",
            f"rtl {rtl:.0f} cycles, fast model {model:.0f}, ratio {ratio:.4f}",
            limit=f"1 +- {TARGET}",
        )
        bench.figures[f"{case.program}_{case.boards}"] = {"rtl": round(rtl), "sim": round(model), "ratio": ratio}
    bench.figures["worst"] = worst
    what = f"cycles, rtl against sim, the farthest of {len(bench.rows)} programs"
    bench.target(what, f"within {TARGET:.0%}", worst, worst <= TARGET)
    bench.note("boards of one tile: 4 cores x 16 threads, one DRAM channel; ping, ring, crowd on tiny-2 cross the link")

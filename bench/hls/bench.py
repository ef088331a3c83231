# SPDX-License-Identifier: Apache-2.0
"""HLS: what generated kernels cost: cycles an iteration in simulation, LUT4 and clock on ECP5 by the open flow.

Input: the C files of kernels/. Each measures itself by ``__polyloom_cycle`` and pushes result, cycles and iterations;
the result must be that of a native run. QUICK leaves out synthesis, place and route, which take minutes a kernel.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from bench.common.harness import ROOT, Bench
from bench.hls.cases import CASES, Case
from polyloom import paths
from polyloom.hls.output import write_kernel
from polyloom.hls.testing import KernelRun, build_kernel, run_native
from polyloom.synth import flow
from polyloom.synth.designs import Design
from polyloom.synth.parts import PARTS

KERNELS = Path(__file__).parent / "kernels"


def cycles(case: Case, source: str, kernel: KernelRun) -> float:
    """Cycles an iteration; exits if the result is not that of the CPU."""
    pushes, _ = kernel.run([case.times], stall=0)
    words = dict(pushes)
    expected = dict(run_native(source, [case.times]))
    if words[0] != expected[0]:
        sys.exit(f"bench: {case.name} gives {words[0]:#x}, on the CPU {expected[0]:#x}")
    return words[1] / words[2]


def synthesize(case: Case, kernel: KernelRun) -> flow.Result:
    """The kernel on ECP5, placed and routed."""
    folder = paths.build_dir() / "bench" / "hls" / case.name
    write_kernel(kernel.kernel, folder)
    design = Design(case.name, "hls", "polyloom_kernel_app", folder / "kernel.f", {})
    return flow.synthesize(design, PARTS["ecp5"], {}, pnr=True, progress=lambda _: None)


def run(bench: Bench) -> None:
    """Everything; QUICK: cycles only."""
    os.environ.setdefault("POLYLOOM_HOME", str(ROOT))
    for case in CASES:
        source = (KERNELS / f"{case.name}.c").read_text()
        kernel = build_kernel(source)
        ours = cycles(case, source, kernel)
        loops = [loop for loop in kernel.kernel.report["loops"] if loop.get("pipelined")]
        bench.figures[case.name] = {"cycles": ours, "before": case.before, "loops": loops}
        limit = "" if case.most is None else f"{case.most:.1f}"
        bench.row(f"{case.what}: cycles", f"{ours:.2f}", limit=limit)
        for name, before in case.before.items():
            bench.row(f"  {name} before", "", f"{before:.2f}", f"{ours / before:.2f}")
        if case.most is not None:
            bench.target(f"{case.what}: cycles", f"at most {case.most}", ours, ours <= case.most, case.before or None)
        if not bench.quick:
            area(bench, case, kernel)
    bench.figures["tables"] = [summary(bench)]
    bench.note(
        "cycles: between two readings of the cycle counter around the loop, start and end of the pipeline included"
    )
    bench.note("ECP5: Yosys and nextpnr, median of three seeds, registers to registers; memories and ports included")


def summary(bench: Bench) -> dict[str, Any]:
    """All kernels in one table."""
    rows = []
    for case in CASES:
        of = bench.figures[case.name]
        before = ", ".join(f"{name} {value:.2f}" for name, value in case.before.items())
        place = (
            [f"{of[key]:,.0f}" for key in ("lut4", "ff", "bram", "mult18", "fmax_mhz")] if "lut4" in of else [""] * 5
        )
        rows.append([case.what, f"{of['cycles']:.2f}", before, *place])
    head = ["loop", "cycles", "trials before", "LUT4", "FF", "block RAM", "MULT18", "MHz (ECP5)"]
    return {
        "title": "Cycles an iteration in simulation; area and clock by Yosys and nextpnr",
        "head": head,
        "rows": rows,
    }


def area(bench: Bench, case: Case, kernel: KernelRun) -> None:
    """LUT4, memory, multipliers and clock."""
    result = synthesize(case, kernel)
    total = result.total
    bench.figures[case.name] |= {
        "lut4": total.logic, "ff": total.ff, "bram": total.bram, "mult18": total.dsp,
        "fmax_mhz": result.fmax_mhz, "tool": result.tool,
    }  # fmt: skip
    text = f"{total.logic:,.0f} LUT4, {total.ff:,.0f} FF, {total.bram:g} block RAM, {total.dsp:g} MULT18"
    bench.row("  on ECP5", f"{text}, {result.fmax_mhz:.0f} MHz")

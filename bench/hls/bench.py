# SPDX-License-Identifier: Apache-2.0
"""HLS: what generated kernels cost: cycles an iteration in simulation, LUT4 and clock on ECP5 by the open flow.

Input: the C files of kernels/. Each measures itself by ``__polyloom_cycle`` and pushes result, cycles and iterations;
the result must be that of a native run. QUICK leaves out synthesis, place and route, which take minutes a kernel.

Beside it the same C as a program of soft cores, at the same clock and then at each one's own, data in local memory on
both sides (block RAM; the core's cache, filled by a run before): a thread of our overlay, exact to the cycle, and from
its instructions an iteration what a core of it does at best, when threads fill its pipeline. Other cores: those
instructions by their instructions a cycle on bench/core-area's program, in loops that do not multiply (not all can).
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from bench.common.harness import ROOT, Bench, run_bare
from bench.hls.cases import CASES, Case
from polyloom.base import paths
from polyloom.hls.output import write_kernel
from polyloom.hls.testing import KernelRun, build_kernel, run_native
from polyloom.synth import flow
from polyloom.synth.designs import Design
from polyloom.synth.parts import PARTS

KERNELS = Path(__file__).parent / "kernels"
ROUNDS = (4, 12)  # that bench/hls/CMakeLists.txt builds
OTHERS = ("picorv32", "ibex", "vexriscv", "serv")


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
        on_overlay(bench, case, source)
        if not bench.quick:
            area(bench, case, kernel)
    bench.figures["tables"] = [summary(bench), against_overlay(bench), against_others(bench)]
    bench.note(
        "cycles: between two readings of the cycle counter around the loop, start and end of the pipeline included"
    )
    bench.note(
        "a circuit's area has its memories, its ports and the code that fills and checks the data; a core's has its "
        "instruction memory, but no data memory or cache"
    )
    bench.note(
        "published: the Jacobi circuit of ZRLMPI (Table II, 1024 x 1024, 8 ranks, XCKU060, 156.25 MHz) takes 1,715 "
        "LUT, 1,058 flip-flops and 320 block RAM; its cycles a point are not told"
    )
    bench.note("ECP5: Yosys and nextpnr, median of three seeds, registers to registers; memories and ports included")


def on_overlay(bench: Bench, case: Case, source: str) -> None:
    """Cycles and instructions an iteration of one thread; exits if the result is not that of the CPU."""
    few, more = (run_bare(f"bench_hls_{case.name}_{rounds}", 1, "tinsel-1") for rounds in ROUNDS)
    (_, result, cycles, iterations), more_iterations = few.output[0], more.output[0][3]
    expected = dict(run_native(source, [ROUNDS[0]]))[0] & 0xFFFFFFFF
    if result != expected:
        sys.exit(f"bench: {case.name} gives {result:#x} on the overlay, on the CPU {expected:#x}")
    retired = (more.total(".instret") - few.total(".instret")) / 2  # each runs it twice
    instructions = retired / (more_iterations - iterations)
    bench.figures[case.name] |= {"overlay_cycles": cycles / iterations, "overlay_instructions": instructions}
    text = f"{cycles / iterations:.1f} of a thread; {instructions:.2f} instructions"
    bench.row("  on the overlay: cycles", text, limit=f"a core's: {instructions:.2f}")


def cores() -> dict[str, dict[str, Any]]:
    """Soft cores on ECP5 by the same flow: bench/core-area's figures."""
    result = json.loads((ROOT / "bench" / "results" / "core-area.json").read_text())
    found: dict[str, dict[str, Any]] = result["figures"]["cores"]
    return found


def rate(mhz: float, cycles: float, lut4: float) -> list[str]:
    """Millions of iterations a second, and those of 1,000 LUT4."""
    return [f"{mhz / cycles:.3g}", f"{mhz / cycles / lut4 * 1000:.3g}"]


def against_overlay(bench: Bench) -> dict[str, Any]:
    """Circuits beside a core of the overlay that has a multiplier of its own."""
    core = cores()["ours-m-alone"]
    rows = []
    for case in CASES:
        of = bench.figures[case.name]
        full = of["overlay_instructions"]
        own = rate(of["fmax_mhz"], of["cycles"], of["lut4"]) if "lut4" in of else ["", ""]
        # The area of the unit for single precision is not in the core's.
        its = ["", ""] if "float" in case.name else rate(core["mhz"], full, core["lut4"])
        ratio = f"{full / of['cycles']:.1f}"
        rows.append([case.what, f"{of['cycles']:.2f}", f"{of['overlay_cycles']:.1f}", f"{full:.2f}", ratio, *own, *its])
    head = ["loop", "circuit", "a thread", "a core at best", "circuit faster, same clock"]
    head += ["circuit, M/s", "of 1,000 LUT4", "core, M/s at best", "of 1,000 LUT4"]
    title = "Cycles an iteration of a circuit and of the overlay's RISC-V core; both at their own clock on ECP5"
    return {"title": title, "head": head, "rows": rows}


def against_others(bench: Bench) -> dict[str, Any]:
    """Circuits beside other soft cores."""
    rows = []
    for case in (case for case in CASES if case.name in {"jacobi_int", "prefix"}):
        of = bench.figures[case.name]
        for name in OTHERS:
            core = cores()[name]
            cycles = of["overlay_instructions"] / core["ipc"]
            speed = rate(core["mhz"], cycles, core["lut4"])
            ratio = f"{cycles / of['cycles']:.0f}"
            rows.append([case.what, name, f"{core['ipc']:.2f}", f"{cycles:.1f}", ratio, f"{core['lut4']:,}", *speed])
    head = ["loop", "core", "instructions a cycle", "cycles an iteration", "circuit faster, same clock", "LUT4"]
    head += ["M/s", "of 1,000 LUT4"]
    return {"title": "Other soft cores, estimated from their instructions a cycle", "head": head, "rows": rows}


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

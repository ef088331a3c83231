# SPDX-License-Identifier: Apache-2.0
"""Core and area: MIPS a thousand LUT4 on ECP5 of our core and of others in one flow; its ALMs beside the 500 published.

MIPS: median of nextpnr's clock over three seeds, times instructions a cycle, which are measured with one program of
RV32I (ipc/ipc.c). On others Verilator runs it with a memory that makes none of them wait longer than its bus must. On
ours each of a core's 16 threads runs it (ipc/threads.c, fast model, cluster tiny-1), its data in DRAM behind the cache,
while the tile's other three cores do the same: that is what targets are held against. LUT4 are sites: two a carry
cell, six a 16x4 RAM; block RAM and multipliers are no LUTs and are listed beside them. docs/results/core-area.md shows
the full result. Our core has registers at all ports, so paths through ports are in its clock; of the others they are
not.
QUICK: one seed of our core. KEEP=1: what bench/results has of synthesis and of the others' instructions a cycle
stays, as it is named there with its commit; only what it lacks and ours' instructions a cycle are measured.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.common.harness import BUILD, ROOT, Bench, commit, run_bare
from polyloom.rtl import filelist, tools
from polyloom.synth import designs, flow
from polyloom.synth.parts import PARTS

HERE = Path(__file__).resolve().parent
_spec = importlib.util.spec_from_file_location("core_area_cores", HERE / "cores.py")
assert _spec is not None and _spec.loader is not None
cores = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = cores
_spec.loader.exec_module(cores)

FOLDER = BUILD / "bench" / "core-area"
TARGETS = {"ours": 80.0, "ours-m": 55.0}
PAPER_ALM = 500
OURS = {"threads_1": 1, "threads_8": 8, "threads_16": 16, "tile": 64}  #: runs of ipc/threads.c, in its order
CORE = 16  #: threads of a core
GCC = ("riscv64-unknown-elf-gcc", "-march=rv32i", "-mabi=ilp32", "-O2", "-ffreestanding", "-nostdlib", "-fno-builtin")
_RAN = re.compile(r"cycles (\d+) fetches (\d+) result ([0-9a-f]{8})")


def synthesize(core: Any, part: str, seeds: Sequence[int], flat: bool = True) -> flow.Result:
    """A core on a part; placed and routed if there are seeds."""
    os.environ.setdefault("POLYLOOM_HOME", str(ROOT))
    print(f"  {core.name} on {part} ...", file=sys.stderr, flush=True)
    design = designs.Design(core.name, "bench", core.top, core.list, dict(core.parameters), flat=flat)
    return flow.synthesize(design, PARTS[part], {}, bool(seeds), lambda _: None, seeds)


def build_program(folder: Path) -> None:
    """ipc.c as words in program.hex."""
    elf, binary = folder / "ipc.elf", folder / "ipc.bin"
    sources = [str(HERE / "ipc" / name) for name in ("start.S", "alone.c")]
    subprocess.run([*GCC, "-T", str(HERE / "ipc/ipc.ld"), "-o", str(elf), *sources], check=True)
    subprocess.run(["riscv64-unknown-elf-objcopy", "-O", "binary", str(elf), str(binary)], check=True)
    data = binary.read_bytes()
    data += bytes(-len(data) % 4)
    words = [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]
    words += [0] * (8192 - len(words))
    (folder / "program.hex").write_text("\n".join(f"{word:08x}" for word in words) + "\n")


def run_program(core: Any, folder: Path) -> tuple[int, int, str]:
    """Cycles, fetches and the result of the program on a core."""
    top = core.ipc_top
    command = [str(tools.find("verilator")), "--binary", "--timing", "-Wno-fatal", "-Wno-lint", "-O3", "-j", "1"]
    command += ["--timescale", "1ns/1ns", "--top-module", top, "--Mdir", str(folder / core.name), "-o", "run"]
    command += [*tools.VERILATOR_BUILD_ARGS, *filelist.read(core.runs).verilator_args()]
    print(f"  {core.name}: building its simulation ...", file=sys.stderr, flush=True)
    built = subprocess.run(command, env=tools.environment(), capture_output=True, text=True, check=False)
    if built.returncode != 0:
        sys.exit(f"bench: Verilator failed on {top}:\n{(built.stdout + built.stderr)[-2000:]}")
    ran = subprocess.run([str(folder / core.name / "run")], cwd=folder, capture_output=True, text=True, check=False)
    found = _RAN.search(ran.stdout)
    if found is None:
        sys.exit(f"bench: {top} gave no result:\n{(ran.stdout + ran.stderr)[-2000:]}")
    return int(found[1]), int(found[2]), found[3]


def expected(folder: Path) -> str:
    """What the program gives on this machine."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "expected"
    subprocess.run(["cc", "-O1", "-o", str(program), str(HERE / "ipc" / "expected.c")], check=True)
    return subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.strip()


def rates(reports: Sequence[Sequence[int]], instructions: int, wanted: str) -> dict[str, float]:
    """Instructions a cycle of our core 0 in each run, from what its threads reported (id, begin, end, result).

    A thread's rate is the instructions of the others' program by its own cycles: what it needs more, as its data lie at
    its thread pointer, counts as no work. A core's is the sum of its threads'.
    """
    found: dict[str, float] = {}
    rest = list(reports)
    for name, threads in OURS.items():
        here, rest = rest[:threads], rest[threads:]
        if sorted(report[0] for report in here) != list(range(threads)):
            sys.exit(f"bench: {name}: reports of other threads than 0 to {threads - 1}: {here}")
        if wrong := [report for report in here if f"{report[3]:08x}" != wanted]:
            sys.exit(f"bench: {name}: thread {wrong[0][0]} has {wrong[0][3]:08x}, not {wanted}")
        shortest = min(end - begin for _, begin, end, _ in here)
        for column in (1, 2):  # within a run of the quickest all begin, and all end: none ran alone
            times = [report[column] for report in here]
            if max(times) - min(times) >= shortest:
                sys.exit(f"bench: {name}: a thread counted while another did not run: {here}")
        found[name] = sum(instructions / (end - begin) for thread, begin, end, _ in here if thread < CORE)
    return found


def instructions_a_cycle(others: Sequence[Any], wanted: str, kept: Mapping[str, Any]) -> dict[str, Any]:
    """Of each of the others, but those that are kept; SERV fetches each instruction once, which gives their number."""
    folder = FOLDER / "ipc"
    build_program(folder)
    runs = {core.name: run_program(core, folder) for core in others if core.name not in kept}
    if wrong := {name: result for name, (_, _, result) in runs.items() if result != wanted}:
        sys.exit(f"bench: the result is not {wanted}: {wrong}")
    instructions = kept["serv"]["instructions"] if "serv" in kept else runs["serv"][1]
    return dict(kept) | {
        name: {"cycles": cycles, "instructions": instructions, "ipc": instructions / cycles, "commit": commit()}
        for name, (cycles, _, _) in runs.items()
    }


def figures(core: Any, result: flow.Result, ipc: float) -> dict[str, Any]:
    """What is told of a core that has been synthesized."""
    total = result.total
    mhz = result.fmax_mhz or 0.0
    return {
        **{"isa": core.isa, "counted": core.counted, "lut4": total.logic, "ff": total.ff, "ebr": total.bram},
        **{"dsp": total.dsp, "mhz": mhz, "seeds_mhz": result.fmax_seeds_mhz, "ipc": ipc, "tool": result.tool},
        **{"mips_per_klut4": mhz * ipc / total.logic * 1000, "critical": result.critical},
        "commit": commit(),
    }


def rated(entry: dict[str, Any], ipc: float) -> dict[str, Any]:
    """A core with these instructions a cycle."""
    return {**entry, "ipc": ipc, "mips_per_klut4": entry["mhz"] * ipc / entry["lut4"] * 1000}


def committed() -> dict[str, Any]:
    """The full result that bench/results has; each part names its commit."""
    result: dict[str, Any] = json.loads((ROOT / "bench" / "results" / "core-area.json").read_text())
    for part in ("cores", "ipc"):
        for entry in result["figures"][part].values():
            entry.setdefault("commit", result["commit"])
    return result


def row(bench: Bench, name: str, found: dict[str, Any], target: float | None) -> None:
    """A line of the table."""
    text = f"{found['mips_per_klut4']:.1f}: {found['mhz']:.1f} MHz x {found['ipc']:.3f} / {found['lut4']:,.0f} LUT4"
    text += f" ({found['ff']:,.0f} FF, {found['ebr']:g} EBR)"
    ratio = f"{found['mips_per_klut4'] / target:.2f}" if target else ""
    bench.row(f"{name} ({found['isa']})", text, f"{target:g}" if target else "", ratio)


def with_muldiv(core: dict[str, Any], unit: dict[str, Any], sharing: int) -> dict[str, Any]:
    """A core with its part of a multiplier and divider that ``sharing`` cores have, at the slower one's clock."""
    mhz = min(core["mhz"], unit["mhz"])
    blocks = {name: core[name] + unit[name] / sharing for name in ("ff", "ebr", "dsp")}
    lut4 = core["lut4"] + unit["lut4"] / sharing
    counted = f"{core['counted']}; 1/{sharing} of queue, multiplier and divider"
    both = {"counted": counted, "lut4": lut4, "mhz": mhz, "seeds_mhz": []}
    return rated({**core, **blocks, **both}, core["ipc"])


def alms(bench: Bench) -> None:
    """Yosys' ALMs of our core beside the published, and what takes most of its LUT4."""
    core = cores.ours()[0]
    alm = synthesize(core, "intel-alm", ())
    bench.figures["alm"] = alm.total.logic
    ratio = f"{alm.total.logic / PAPER_ALM:.2f}"
    bench.row(
        "ours, RV32I: ALMs (intel-alm, estimated)", f"{alm.total.logic:,.0f}", f"{PAPER_ALM}, alone, 450 MHz", ratio
    )
    modules = synthesize(core, "ecp5", (), flat=False)
    bench.figures["modules"] = {entry.module: entry.logic for entry in modules.rows if entry.logic}
    biggest = ", ".join(
        f"{name.removeprefix('polyloom_overlay_')} {n:,}" for name, n in _most(bench.figures["modules"])
    )
    bench.note(f"LUT4 of our core by module, kept apart: {biggest}")


def tables(figures: dict[str, Any]) -> list[dict[str, Any]]:
    """The cores beside each other; LUT4 of ours by module, if they were counted."""
    head = ["core", "ISA", "MIPS a kLUT4", "MHz (seeds)", "instructions a cycle"]
    head += ["LUT4", "FF", "EBR", "MULT18", "synthesized at", "counted"]
    rows = []
    for name, entry in figures["cores"].items():
        seeds = ", ".join(f"{mhz:.0f}" for mhz in entry["seeds_mhz"])
        cells = [f"{entry['mips_per_klut4']:.1f}", f"{entry['mhz']:.1f}{f' ({seeds})' if seeds else ''}"]
        cells += [f"{entry['ipc']:.3f}", *(f"{entry[key]:,.0f}" for key in ("lut4", "ff")), f"{entry['ebr']:g}"]
        unit = name.startswith("muldiv")
        if unit:
            cells[0] = cells[2] = ""
        rows.append([name, entry["isa"], *cells, f"{entry['dsp']:g}", entry["commit"], entry["counted"]])
    own = [{"title": "Cores in one flow (ECP5, speed 6)", "head": head, "rows": rows}]
    rate = figures["ours_ipc"]
    runs = [[name, f"{threads:,}", f"{rate[name]:.3f}"] for name, threads in OURS.items()]
    title = f"Instructions a cycle of one of our cores ({rate['fidelity']}, {rate['cluster']}, commit {rate['commit']})"
    own.append({"title": title, "head": ["run", "threads that run", "instructions a cycle"], "rows": runs})
    if "modules" in figures:
        modules = [[name, f"{count:,.0f}"] for name, count in figures["modules"].items()]
        own.append({"title": "LUT4 of ours, RV32I, by module, kept apart", "head": ["module", "LUT4"], "rows": modules})
    return own


def _without_carries(steps: Sequence[str]) -> list[str]:
    return [step for step in steps if not step.endswith(("_CIN", "_COUT", "FCI_INT"))]


def _most(found: dict[str, float]) -> list[tuple[str, int]]:
    return [(name, int(value)) for name, value in sorted(found.items(), key=lambda entry: -entry[1])[:6]]


def measure_ours(bench: Bench, instructions: int, wanted: str) -> float:
    """Our core's instructions a cycle while its tile's other cores run too; rows of the other runs."""
    measured = rates(run_bare("bench_core_area", sum(OURS.values()), "tiny-1").output, instructions, wanted)
    bench.figures["ours_ipc"] = {**measured, "commit": commit(), "cluster": "tiny-1", "fidelity": "fast model"}
    for name, threads in OURS.items():
        what = f"{threads} thread{'s' * (threads > 1)} of one core" if threads <= CORE else "all threads of four cores"
        bench.row(f"ours, {what}: instructions a cycle of a core", f"{measured[name]:.3f}")
    return measured["tile"]


def run(bench: Bench) -> None:
    """All cores; QUICK: ours, one seed; KEEP: what the committed result does not have."""
    result = committed()
    kept = result["figures"] if os.environ.get("KEEP", "") not in {"", "0"} and not bench.quick else None
    found: dict[str, dict[str, Any]] = bench.figures.setdefault("cores", {})
    wanted = expected(FOLDER / "ipc")
    others = [] if bench.quick else cores.others(FOLDER)
    measured = (
        result["figures"]["ipc"] if bench.quick else instructions_a_cycle(others, wanted, (kept or {"ipc": {}})["ipc"])
    )
    bench.figures["ipc"] = measured
    ipc = measure_ours(bench, measured["serv"]["instructions"], wanted)

    def take(core: Any, ipc: float) -> None:
        if kept and core.name in kept["cores"]:
            found[core.name] = rated(kept["cores"][core.name], ipc)
        else:
            found[core.name] = figures(core, synthesize(core, "ecp5", flow.SEEDS[: 1 if bench.quick else None]), ipc)

    for core in cores.ours()[: 1 if bench.quick else None]:
        take(core, ipc)
    row(bench, "ours", found["ours"], TARGETS["ours"])
    bench.note("longest path of ours: " + "; ".join(_without_carries(found["ours"]["critical"])))
    if not bench.quick:
        found["ours-m-alone"] = with_muldiv(found["ours-m"], found["muldiv-1"], 1)
        found["ours-m-shared"] = with_muldiv(found["ours-m"], found["muldiv-4"], 4)
        row(bench, "ours with M, four cores share it", found["ours-m-shared"], TARGETS["ours-m"])
        row(bench, "ours with M of its own", found["ours-m-alone"], TARGETS["ours-m"])
        for core in others:
            take(core, measured[core.name]["ipc"])
            row(bench, core.name, found[core.name], None)
        if kept:
            bench.figures |= {name: kept[name] for name in ("alm", "modules")}
        else:
            alms(bench)
    report(bench)


def report(bench: Bench) -> None:
    """Targets, tables and notes."""
    found = bench.figures["cores"]
    for what, key, name in (("RV32I", "ours", "ours"), ("RV32IM", "ours-m", "ours-m-shared")):
        ours = found[name]["mips_per_klut4"] if name in found and not bench.quick else None
        holds = None if ours is None else ours >= TARGETS[key]
        what = f"MIPS a thousand LUT4, {what}, the tile's four cores running"
        bench.target(what, f"at least {TARGETS[key]:g}", ours, holds)
    bench.figures["tables"] = tables(bench.figures)
    bench.note(
        "ours has neither F nor, in its first row, M: every shipped board has both, whose units are not in these LUT4"
    )
    bench.note("ours needs 8 runnable threads for this rate, and has more FF and EBR than the others: see the table")
    for name, entry in found.items():
        bench.note(f"{name}: counted {entry['counted']}; synthesized at {entry['commit']}")
    bench.note(
        "instructions a cycle of the others: "
        + ", ".join(f"{k} at {v['commit']}" for k, v in bench.figures["ipc"].items())
    )
    bench.note(f"instructions a cycle of ours: at {bench.figures['ours_ipc']['commit']}, fast model, cluster tiny-1")

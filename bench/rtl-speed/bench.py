# SPDX-License-Identifier: Apache-2.0
"""Host time that a cycle of a core in RTL takes: boards of three sizes, 64 PicoRV32, the fast model beside.

Input: none; output: the table, with targets. On a board all threads of all cores run the loop of device.c; a PicoRV32
runs the same loop from a memory that responds in the next cycle (picorv32_alone.sv). All are built by
polyloom.rtl.node_build and run on one host core: PicoRV32 and the board of one tile by Verilator, as those who have
either would simulate them; boards of more tiles as lanes (polyloom.rtl.lanes). Each figure of a board is a difference
of a long and a short run of the same program, so loading and starting do not count; it counts all that a node does in
a cycle.
Usage: ``make bench NAME=rtl-speed``; QUICK=1 leaves out the two larger boards and has 8 PicoRV32.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.common.harness import BUILD, ROOT, Bench, cluster_variant, run_bare

HERE = Path(__file__).resolve().parent
SLOWER_TARGET = 1.7
FASTER_TARGET = 20.0
LOOP_INSTRUCTIONS = 34  # a round
SIM_ROUNDS = (2, 2002)


@dataclass(frozen=True)
class Size:
    """A board: its cluster, its cores, and the rounds of the short and of the long run in RTL."""

    cluster: str
    changes: dict[str, str]
    cores: int
    rounds: tuple[int, int]


SIZES = {
    "tiny": Size("tiny-1", {}, 4, (2, 22)),
    "small": Size("laptop", {"size": "[1, 1]"}, 16, (2, 202)),
    "default": Size("tinsel-1", {}, 64, (2, 202)),
}


@dataclass(frozen=True)
class Speed:
    """Host nanoseconds of a board's cycle; instructions of a core and cycle in what was timed."""

    ns: float
    rate: float


def speed(folder: Path, name: str, size: Size, on: str, rounds: tuple[int, int]) -> Speed:
    """Of a board, from the difference of two runs. The model is built before either is timed."""
    cluster = cluster_variant(folder, name, size.cluster, **size.changes)
    short, long = (run_bare(f"bench_rtl_speed_{n}", 1, cluster, "serial", on) for n in rounds)
    cycles = long.output[0][1] - short.output[0][1]
    executed = (rounds[1] - rounds[0]) * LOOP_INSTRUCTIONS * 16
    seconds = long.record["wall_seconds"] - short.record["wall_seconds"]
    return Speed(1e9 * seconds / cycles, executed / cycles)


def picorv32(folder: Path, cores: int, cycles: int) -> Speed:
    """Of so many PicoRV32 in one design."""
    found = importlib.util.find_spec("pythondata_cpu_picorv32")
    if found is None or found.origin is None:
        sys.exit("bench: the Python package pythondata-cpu-picorv32 is missing; run `make setup-bench`")
    files = folder / "picorv32.f"
    sources = [HERE / "picorv32.vlt", Path(found.origin).parent / "verilog/picorv32.v"]
    sources += [HERE / "picorv32_alone.sv", HERE / "picorv32_array.sv"]
    files.write_text("".join(f"{source}\n" for source in sources))
    build = [sys.executable, "-m", "polyloom.rtl.node_build", "--top", "picorv32_array", "--files", str(files)]
    built = subprocess.run(
        [*build, "--param", f"Cores={cores}"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    step = [str(BUILD / "bin" / "bench_rtl_step"), built.stdout.strip(), str(cycles)]
    found_speed = json.loads(subprocess.run(step, stdout=subprocess.PIPE, text=True, check=True).stdout)
    executed = found_speed["rounds"] * LOOP_INSTRUCTIONS
    assert executed > 0, "no PicoRV32 has finished a round"
    return Speed(1e9 * found_speed["seconds"] / cycles, executed / cycles / cores)


def run(bench: Bench) -> None:
    """Measure everything; the host is shared, so the best of some repetitions counts."""
    repetitions = 1 if bench.quick else 5
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        count = 8 if bench.quick else 64
        scale = min((picorv32(folder, count, 8_000_000 // count) for _ in range(repetitions)), key=lambda s: s.ns)
        per_core = scale.ns / count
        bench.row(
            f"{count} PicoRV32", f"{per_core:.0f} ns a core-cycle", limit=f"{scale.rate:.2f} instructions a cycle"
        )
        bench.figures["picorv32_ns"] = per_core
        for size_name, size in SIZES.items():
            if bench.quick and size_name != "tiny":
                continue
            found = [speed(folder, size_name, size, "rtl", size.rounds) for _ in range(repetitions)]
            best = min(found, key=lambda s: s.ns)
            ns = best.ns / size.cores
            what = f"{size_name}, {size.cores} cores"
            limit = f"{best.rate:.2f} instructions a cycle"
            bench.row(what, f"{ns:.0f} ns a core-cycle", ratio=f"{ns / per_core:.2f}x PicoRV32", limit=limit)
            bench.figures[f"{size_name}_ns"] = ns
            bench.figures[f"{size_name}_of_picorv32"] = ns / per_core
            instruction, of_scale = ns / best.rate, per_core / scale.rate
            bench.row(
                f"{size_name}, an instruction executed",
                f"{instruction:.0f} ns",
                ratio=f"{instruction / of_scale:.2f}x PicoRV32",
            )
            bench.figures[f"{size_name}_instruction_of_picorv32"] = instruction / of_scale
            full = size_name == "default"
            if full or bench.quick:
                slower = ns / per_core
                met = slower <= SLOWER_TARGET if full else None
                bench.target(f"{what}: of 64 PicoRV32's host time", f"at most {SLOWER_TARGET}x", slower, met)
            if full:
                models = [speed(folder, size_name, size, "sim", SIM_ROUNDS) for _ in range(repetitions)]
                fast = best.ns / min(models, key=lambda s: s.ns).ns
                bench.row("fast model of default, against RTL", f"{fast:.1f}x faster")
                bench.figures["sim_faster"] = fast
                bench.target(
                    "fast model against RTL on default", f"at least {FASTER_TARGET:.0f}x", fast, fast >= FASTER_TARGET
                )

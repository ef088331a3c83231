# SPDX-License-Identifier: Apache-2.0
"""1,024 threads that increment arrays of their own, in DRAM and SRAM: our boards against the published ones.

Source: Tinsel paper, section V, figure 9: 7.8 GB/s (32-byte lines), 10.2 (64-byte lines) with two DDR3 channels, 13.0
with four QDRII+ SRAMs. Counted are lines read and written back x their size, as in bench/calibration; but caches are
full when the time begins, so that a cache of twice the ways (ours) does not count fewer lines for the same work. The
base of a ratio is the preset tinsel-paper-* in the same model.

What changed against the preset is the DRAM controller (blocks/memory/README.md): it schedules over 32 beats (published
16) and moves a beat of 32 bytes in 2 of its clocks (4), which serves 64-byte lines; and it keeps the bursts of 64 bytes
that it reads, so that of two lines of 32 bytes the second costs no burst. Each line size is compared with the preset of
the same size, as both are published. The controller is a model for boards of both fidelities: RTL ends at AXI.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench.common.harness import Bench, Run, cluster_variant, run_bare

CLOCK_HZ = 250e6
PAPER = {"dram 32": 7.8, "dram 64": 10.2, "sram 32": 13.0}
GAIN = 1.2


def rate(run: Run, line_bytes: int) -> float:
    """GB/s between the first and the last barrier."""
    lines = sum(report[2] + report[3] for report in run.output)
    return float(lines * line_bytes / (cycles(run) / CLOCK_HZ) / 1e9)


def cycles(run: Run) -> int:
    """Of the slowest tile."""
    return max(int(report[1]) for report in run.output)


def bound(what: str, line_bytes: int) -> tuple[float, str]:
    """GB/s that the parameters of a board allow, and which of them.

    A cache takes a request a cycle and a word takes two, a load and a store, while its four bytes move twice. DDR3
    moves 64 bytes at a time: a burst for two lines of 32 bytes that are read, and one for each that is written.
    """
    ports = 16 * 4 * CLOCK_HZ / 1e9, "cache ports"
    if what == "sram":
        return min(ports, (4 * 2 * 8 * 225e6 / 1e9, "SRAM pins"))  # two ports of 8 bytes at 225 MHz
    bursts = {32: 3 / 2, 64: 1.0}[line_bytes]  # for 64 bytes, half read and half written
    return min(ports, (2 * 12.8 / bursts, "DDR3 pins, bursts of 64 bytes"))


def run(bench: Bench) -> None:
    """Fast model against the preset; boards of 2 x 2 tiles in both fidelities."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, line_bytes in (("dram", 32), ("dram", 64), ("sram", 32)):
            measure(bench, folder, what, line_bytes)
        fidelity(bench, folder, "dram", 32)
        if not bench.quick:
            fidelity(bench, folder, "sram", 32)
            fidelity(bench, folder, "dram", 64)
    bench.note("limit: computed from parameters (bench.py); DDR3 spends some of it on rows, turns and refresh")
    bench.note("changed against the preset: DRAM controller (window 32 beats for 16, port twice as fast, kept bursts)")


def variant(folder: Path, base: str, line_bytes: int) -> Path:
    """One board of ``base`` with lines of another size."""
    return cluster_variant(folder, f"{base}-{line_bytes}", base, size="[1, 1]", line_bytes=str(line_bytes))


def measure(bench: Bench, folder: Path, what: str, line_bytes: int) -> None:
    """1,024 threads on 4 x 4 tiles."""
    program = f"bench_increment_{what}"
    ours = rate(run_bare(program, 16, variant(folder, "tinsel-1", line_bytes)), line_bytes)
    preset = rate(run_bare(program, 16, variant(folder, "tinsel-paper-12", line_bytes)), line_bytes)
    paper = PAPER[f"{what} {line_bytes}"]
    limit, of = bound(what, line_bytes)
    name = f"{what.upper()}, {line_bytes}-byte lines"
    bench.row(name, f"{ours:.2f} GB/s", f"{paper} GB/s", f"{ours / paper:.2f}", f"{limit:.1f} GB/s, {of}")
    bench.row(f"{name}, preset", f"{preset:.2f} GB/s", f"{paper} GB/s", f"{preset / paper:.2f}")
    bench.figures[name], bench.figures[f"{name}, preset"] = ours, preset
    least = GAIN if what == "dram" else 1.0
    bench.target(f"{name}: ours / preset", f"at least {least}", ours / preset, ours / preset >= least, paper)


def fidelity(bench: Bench, folder: Path, what: str, line_bytes: int) -> None:
    """256 threads on 2 x 2 tiles that increment a word in eight of 4 KiB: the same program in both fidelities."""
    cluster = variant(folder, "laptop", line_bytes)
    sim, rtl = (run_bare(f"bench_increment_{what}_light", 4, cluster, on=on) for on in ("sim", "rtl"))
    name = f"{what.upper()}, {line_bytes}-byte lines, 2 x 2 tiles"
    bench.row(f"{name}, fast model", f"{rate(sim, line_bytes):.2f} GB/s")
    bench.row(f"{name}, RTL", f"{rate(rtl, line_bytes):.2f} GB/s")
    bench.figures[f"{name}: cycles, fast model and RTL"] = [cycles(sim), cycles(rtl)]
    apart = cycles(sim) / cycles(rtl) - 1
    bench.target(f"{name}: cycles, fast model against RTL", "within 5 %", apart, abs(apart) <= 0.05)

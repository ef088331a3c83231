# SPDX-License-Identifier: Apache-2.0
"""Instructions a cycle of one core with 1 to 16 runnable threads: the RTL, the fast model and the limit.

Input: none; output: the table, its limit min(1, threads / 8): a thread has one instruction in flight and the pipeline
is eight deep. Counted: ROUNDS rounds of a loop (bench/core/core.c states how many instructions a round has) and the
reads of two counters around them, of each thread; the cycles are those between the thread's two reads of the
counter. A round before and a round after, not counted, see to it that all threads are in the loop all that time: that
is checked, as is the core's own count of idle cycles. Source: Tinsel paper, section III (1.0 with 8 or more).
Usage: ``make bench NAME=core``.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.common.harness import Bench, run_bare

CLUSTER = "tiny-1"
THREADS = (1, 2, 4, 8, 12, 16)
ROUNDS = 8  # as bench/CMakeLists.txt builds it
KERNELS = {"straight": 256, "branches": 192}  # instructions a round
PIPELINE = 8
PAPER = 1.0


@dataclass(frozen=True)
class Count:
    """What some threads of a core did: instructions and cycles of each thread, idle cycles that the first saw."""

    instructions: int
    cycles: tuple[int, ...]
    idle: int

    @property
    def rate(self) -> float:
        """Instructions a cycle of the core: the sum of its threads' rates."""
        return sum(self.instructions / cycles for cycles in self.cycles)


def count(threads: int, round_size: int, reports: list[list[int]]) -> Count:
    """Of the reports (thread, start, end, idle cycles) of as many threads."""
    reports = sorted(reports)
    assert [report[0] for report in reports] == list(range(threads)), f"reports of other threads: {reports}"
    for column in (1, 2):  # all begin, and all end, within a round of the quickest
        times = [report[column] for report in reports]
        assert max(times) - min(times) < PIPELINE * round_size, f"a thread counted while another did not run: {reports}"
    instructions = ROUNDS * round_size + 2
    found = Count(instructions, tuple(report[2] - report[1] for report in reports), reports[0][3])
    busy = 1 - found.idle / found.cycles[0]
    assert abs(found.rate - busy) < 0.001, f"{threads} threads: {found.rate} instructions a cycle, but {busy} busy"
    return found


def measure(on: str) -> dict[str, Count]:
    """Of each kernel and number of threads: "straight_8"."""
    reports = run_bare("bench_core", len(KERNELS) * sum(THREADS), CLUSTER, on=on).output
    counts: dict[str, Count] = {}
    taken = 0
    for kernel, round_size in KERNELS.items():
        for threads in THREADS:
            counts[f"{kernel}_{threads}"] = count(threads, round_size, reports[taken : taken + threads])
            taken += threads
    return counts


def run(bench: Bench) -> None:
    """Measure both fidelities; there is nothing to shrink for QUICK."""
    model, rtl = measure("sim"), measure("rtl")
    for kernel in KERNELS:
        for threads in THREADS:
            name = f"{kernel}_{threads}"
            found = rtl[name]
            full = threads >= PIPELINE
            counted = f"{threads} x {found.instructions} instructions in {max(found.cycles)} cycles"
            bench.row(
                f"{kernel}, {threads} threads",
                f"{found.rate:.4f} ({counted}); fast model {model[name].rate:.4f}",
                f"{PAPER}" if full else "",
                f"{found.rate / PAPER:.3f}" if full else "",
                f"{min(1.0, threads / PIPELINE):.3f}",
            )
    for on, counts in (("rtl", rtl), ("sim", model)):
        bench.figures |= {f"{name}_{on}": found.rate for name, found in counts.items()}
    for kernel in KERNELS:
        least = min(rtl[f"{kernel}_{threads}"].rate for threads in THREADS if threads >= PIPELINE)
        what = f"instructions a cycle, {kernel}, 8 or more threads, rtl"
        bench.target(what, "at least 1.0", least, round(least, 12) >= 1.0, paper=PAPER)
    bench.note("cluster tiny-1: core 0 of a tile of 4 cores x 16 threads; the other threads wait in idle")
    bench.note("straight: addi and xori; branches: a quarter are branches and jumps, one of them random")

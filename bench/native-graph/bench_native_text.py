# SPDX-License-Identifier: Apache-2.0
"""From a text edge list to results: read, build and run, ours and as the GAP Benchmark Suite does it."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

import numpy as np

from bench.common.harness import BUILD, Bench, Contestant

SCALE, QUICK_SCALE = 21, 16
TURNS, QUICK_TURNS = 5, 2
TARGET = 2.0
STEPS = ("read", "build", "run")


def run(bench: Bench, folder: Path) -> None:
    """PageRank and components; the file stays in the build folder."""
    scale = QUICK_SCALE if bench.quick else SCALE
    file = BUILD / "bench" / f"kronecker-{scale}.el"
    file.parent.mkdir(exist_ok=True)
    program = Contestant(str(BUILD / "bin" / "bench_native_text"), str(file), str(scale), str(folder))
    with file.open("rb") as text:  # warm
        while text.read(1 << 24):
            pass
    name = f"text of {(15 << scale) / 1e6:.1f} million edges"
    for task in ("pagerank", "components"):
        times: dict[str, list[dict[str, float]]] = {"ours": [], "GAPBS's way": []}
        for turn in range(QUICK_TURNS if bench.quick else TURNS):
            for who, word in (("ours", task), ("GAPBS's way", f"gap-{task}")):
                took = program.turn(word)
                took["run_seconds"] = took.pop("seconds")
                times[who].append(took)
            if turn == 0:
                compare(task, folder)
        report(bench, f"{name} to {task}", times)
    program.close()


def compare(task: str, folder: Path) -> None:
    """Vertices without edges do not occur in the file: ours does not know them."""
    kind = np.float32 if task == "pagerank" else np.uint32
    ours, theirs = (np.fromfile(folder / name, dtype=kind) for name in (task, f"gap-{task}"))
    if task == "pagerank":
        there = ~np.isnan(ours)
        right = np.abs(ours - theirs)[there].sum() <= 1e-5 * there.sum()
    else:
        there = ours != np.uint32(0xFFFFFFFF)
        right = np.array_equal(ours[there], theirs[there])
    if not right:
        sys.exit(f"bench: text: {task} of GAPBS's way differs from ours")


def report(bench: Bench, name: str, times: dict[str, list[dict[str, float]]]) -> None:
    """Rows, figures and the target. Sorting of rows, which the suite does not count as building, stands apart."""
    middle = {}
    for who, turns in times.items():
        whole = [sum(turn[f"{step}_seconds"] for step in STEPS) for turn in turns]
        middle[who] = median(whole)
        parts = ", ".join(f"{step} {median(turn[f'{step}_seconds'] for turn in turns):.2f}" for step in STEPS)
        sort = median(turn["sort_seconds"] for turn in turns)
        if sort > 0:
            parts += f", not counted: sort {sort:.2f}"
        ratio = f"ours is {middle[who] / middle['ours']:.2f}x as fast" if who != "ours" else ""
        bench.row(
            f"{name}, {who}", f"{middle[who]:.2f} s ({min(whole):.2f} to {max(whole):.2f}): {parts}", "", "", ratio
        )
        key = f"{name}_{who}".replace("'", "").replace(" ", "_")
        bench.figures[f"{key}_seconds"] = middle[who]
        for step in (*STEPS, "sort"):
            bench.figures[f"{key}_{step}_seconds"] = median(turn[f"{step}_seconds"] for turn in turns)
    ratio = middle["GAPBS's way"] / middle["ours"]
    bench.target(f"{name}", f"at least {TARGET}x GAPBS's way", ratio, None if bench.quick else ratio >= TARGET)

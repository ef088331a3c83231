# SPDX-License-Identifier: Apache-2.0
"""Useful payload of a link's raw bits, both directions loaded with unicast messages; 10 Gb/s.

Counted is payload, 16 bytes a flit, against every bit time of the wire: preamble, gap, check, frame and message headers
and acknowledgements are waste. Source: Tinsel 0.8: about 40 %, as it sends 32 bytes for each flit of 16 and fills 80 %
of the wire.

The bound. A frame has 60 items of 64 bits in 65 words of wire; a message of F flits is 2 F + 1 items. So 60 / 65 x
2 F / (2 F + 1): 82.1 % for 4 flits, 61.5 % for 1 flit. Measured: the link alone (packer, reliable link, unpacker; no
board) and whole boards, links.c, whose time has in it the first message's way and a barrier.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.common.harness import BUILD, Bench, Run, cluster_variant, run_bare

CLOCK_HZ = 250e6
LINK_BITS = 10e9  # a second
FLIT_BITS = 128
PAPER = 0.40
TARGETS = {4: 0.80, 1: 0.50}
TILE_THREADS = 64


def bound(flits: int) -> float:
    """Share that full frames carry."""
    return 60 / 65 * 2 * flits / (2 * flits + 1)


def share(run: Run, threads: int) -> float:
    """Of boards of ``threads`` threads; both directions are equal."""
    _, cycles, rounds, flits = run.output[0]
    return float(threads * rounds * flits * FLIT_BITS / (cycles / CLOCK_HZ) / LINK_BITS)


def link_alone(on: str, cycles: int) -> dict[str, float]:
    """Of two ends of a link that always have messages; the worse direction, by flits of a message."""
    command = [str(BUILD / "bin" / "overlay_link_share"), on, str(cycles)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} failed with status {done.returncode}")
    return dict(json.loads(done.stdout)["share"])


def run(bench: Bench) -> None:
    """Links alone, then boards."""
    cycles = 20_000 if bench.quick else 200_000
    alone = {on: link_alone(on, cycles) for on in ("rtl", "sim")}
    for on, shares in alone.items():
        where = "in RTL" if on == "rtl" else "fast model"
        for of, value in shares.items():
            show(bench, f"{of}-flit messages, link alone, {where}", value, int(of))
    boards(bench)
    for flits, least in TARGETS.items():
        for on in ("rtl", "sim"):
            ours = alone[on][str(flits)]
            what = f"{flits}-flit unicast, link {'in RTL' if on == 'rtl' else 'of the fast model'}"
            bench.target(what, f"at least {least:.0%}", ours, ours >= least, PAPER)
    bench.note("limit: 60 items in 65 words of wire x payload of a message's items (bench.py)")


def boards(bench: Bench) -> None:
    """Programs: boards of 4 x 4 tiles in the fast model; boards of one tile in both."""
    rounds = 20 if bench.quick else 100
    with tempfile.TemporaryDirectory() as name:
        big = cluster_variant(Path(name), "two", "tinsel-12", size="[2, 1]")
        preset = cluster_variant(Path(name), "preset", "tinsel-paper-12", size="[2, 1]")
        for flits in TARGETS:
            program = f"bench_two_boards_{flits}_{rounds}"
            ours = share(run_bare(program, 1, big), 16 * TILE_THREADS)
            show(bench, f"{flits}-flit messages, boards of 4 x 4 tiles, fast model", ours, flits)
            bench.target(
                f"{flits}-flit unicast, program on boards",
                f"at least {TARGETS[flits]:.0%}",
                ours,
                ours >= TARGETS[flits],
                PAPER,
            )
            published = share(run_bare(program, 1, preset), 16 * TILE_THREADS)
            bench.row(f"{flits}-flit messages, preset", f"{published:.1%}", f"{PAPER:.0%}", f"{published / PAPER:.2f}")
            bench.figures[f"preset {flits}"] = published
    for flits in TARGETS:
        one_tile(bench, flits, rounds)


def one_tile(bench: Bench, flits: int, rounds: int) -> None:
    """Boards of one tile in RTL. Its cores are fast enough: a link takes a message in 5 (1 flit) or 16 cycles."""
    program = f"bench_two_boards_{flits}_{rounds}"
    sim, rtl = (run_bare(program, 1, "tiny-2", on=on) for on in ("sim", "rtl"))
    show(bench, f"{flits}-flit messages, boards of one tile, fast model", share(sim, TILE_THREADS), flits)
    show(bench, f"{flits}-flit messages, boards of one tile, RTL", share(rtl, TILE_THREADS), flits)
    apart = sim.output[0][1] / rtl.output[0][1] - 1
    bench.target(
        f"{flits}-flit, boards of one tile: cycles, fast model against RTL", "within 5 %", apart, abs(apart) <= 0.05
    )


def show(bench: Bench, what: str, value: float, flits: int) -> None:
    """A row and a figure."""
    bench.row(what, f"{value:.1%}", f"{PAPER:.0%}", f"{value / PAPER:.2f}", f"{bound(flits):.1%}")
    bench.figures[what] = value

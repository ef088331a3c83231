# SPDX-License-Identifier: Apache-2.0
"""Neighbour exchange on a board of 4 x 4 tiles with 128-bit links at 250 MHz, against the published system.

Source: Tinsel paper, section V, Communication: 14.4 GB/s, 44 % of the scratchpad ports' 32 GB/s. Counted is payload,
16 bytes a flit, of 48 directed pairs of neighbouring tiles that carry equally much. Every thread of a tile exchanges
messages with the thread of its number in each neighbouring tile (noc.c). All figures are simulated cycles.

The tightest bound. A tile inside has four neighbours, so in a round it sends four messages and takes four. A mailbox
reads one flit of its scratchpad and writes one in a cycle, and the router's port towards it passes one flit a cycle:
four messages of F flits take 4 F cycles. In them 48 messages go, so 12 flits a cycle, 48 GB/s. Links between tiles are
used a quarter of that. Published: one port for both and a flit in two cycles, so half: 24 GB/s. Were all tiles inside,
the bounds would be 64 and 32 GB/s.

The cores bound it too: a message costs 9.5 instructions to send and take (stream.h, its loop included), and a tile's
cores issue four a cycle, so its threads send no more than 0.42 messages a cycle: 20.2 GB/s with 1-flit messages.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from bench.common.harness import Bench, Run, cluster_variant, run_bare
from bench.noc import network

CLOCK_HZ = 250e6
FLIT_BYTES = 16
THREADS = 64  # of a tile
CORES = 4  # of a tile
LOOP = 9.5  # instructions of stream.h for a message sent and one taken
PAPER = 14.4
PAPER_SHARE = 0.44


def pairs(side: int) -> int:
    """Directed pairs of neighbouring tiles on side x side tiles."""
    return 4 * side * (side - 1)


def bound(side: int, flits: int = 4) -> float:
    """GB/s that ports and cores of the tiles with most neighbours allow."""
    neighbours = min(4, 2 * (side - 1))
    flits_a_cycle = min(1.0, CORES / LOOP * flits)
    return pairs(side) / neighbours * flits_a_cycle * FLIT_BYTES * CLOCK_HZ / 1e9


def rate(run: Run, side: int) -> float:
    """GB/s of payload."""
    _, cycles, rounds, flits = run.output[0]
    return float(pairs(side) * THREADS * rounds * flits * FLIT_BYTES / (cycles / CLOCK_HZ) / 1e9)


def instructions(run: Run, side: int) -> float:
    """Instructions of a message that is sent and one that is taken, with all that the program does besides."""
    return float(run.total("instret") / (pairs(side) * THREADS * run.output[0][2]))


def run(bench: Bench) -> None:
    """Model of the whole board; the network in RTL; whole boards in RTL."""
    ours: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as name:
        preset = cluster_variant(Path(name), "preset", "tinsel-paper-12", size="[1, 1]")
        for flits in (1, 4):
            model = run_bare(f"bench_exchange_4_{flits}", 1, "tinsel-1")
            published = run_bare(f"bench_exchange_4_{flits}", 1, preset)
            paper_loop = run_bare(f"bench_noc_{flits}", 1, preset)
            ours[flits] = rate(model, 4)
            show(bench, flits, ours[flits], rate(published, 4), rate(paper_loop, 4))
            bench.figures[f"instructions_a_message_{flits}"] = instructions(model, 4)
    targets(bench, "fast model", ours)
    small_board(bench)
    if not bench.quick:
        network_alone(bench)
    if not bench.quick and os.environ.get("BOARD_IN_RTL", "0") not in {"", "0"}:
        whole_board(bench)
    bench.note("limit: ports (48 GB/s) or, with 1-flit messages, cores of the tiles with four neighbours (bench.py)")


def show(bench: Bench, flits: int, ours: float, published: float, paper_loop: float) -> None:
    """Three rows of one length of messages."""
    of = f"{flits}-flit messages"
    limit = f"{bound(4, flits):.1f} GB/s, {ours / bound(4, flits):.0%}"
    bench.row(f"{of}, fast model", f"{ours:.2f} GB/s", f"{PAPER} GB/s", f"{ours / PAPER:.2f}", limit)
    bench.row(
        f"{of}, preset, same program",
        f"{published:.2f} GB/s",
        f"{PAPER} GB/s",
        "",
        f"{min(bound(4) / 2, bound(4, flits)):.0f} GB/s",
    )
    bench.row(f"{of}, preset, program of bench/calibration", f"{paper_loop:.2f} GB/s", f"{PAPER} GB/s")
    bench.figures[f"model_{flits}"] = ours
    bench.figures[f"preset_{flits}"] = published
    bench.figures[f"preset_calibration_{flits}"] = paper_loop


def targets(bench: Bench, of: str, ours: dict[int, float]) -> None:
    """The issue's three, of the fast model or the RTL."""
    share = ours[4] / bound(4)
    bench.target(f"4-flit messages, {of}", "at least 24 GB/s", ours[4], ours[4] >= 24, PAPER)
    bench.target(f"4-flit messages, {of}, share of the bound", "at least 70 %", share, share >= 0.7, PAPER_SHARE)
    preset = max(bench.figures["preset_1"], bench.figures["preset_calibration_1"])
    bench.target(
        f"1-flit messages, {of}, against the preset", f"at least {preset:.2f} GB/s", ours[1], ours[1] >= preset
    )


def agree(bench: Bench, what: str, sim: Run, rtl: Run) -> None:
    """A target: cycles of the model and of the RTL within 5 %."""
    cycles = sim.output[0][1], rtl.output[0][1]
    apart = cycles[0] / cycles[1] - 1
    bench.figures[f"cycles {what}"] = cycles
    bench.target(f"{what}: cycles, fast model against RTL", "within 5 %", apart, abs(apart) <= 0.05)


def small_board(bench: Bench) -> None:
    """2 x 2 tiles, board and all in RTL."""
    with tempfile.TemporaryDirectory() as name:
        cluster = cluster_variant(Path(name), "four-tiles", "laptop", size="[1, 1]")
        for flits in (4,) if bench.quick else (1, 4):
            program = f"bench_exchange_2_{flits}"
            sim, rtl = (run_bare(program, 1, cluster, on=on) for on in ("sim", "rtl"))
            what = f"{flits}-flit messages, 2 x 2 tiles"
            bench.row(f"{what}, fast model", f"{rate(sim, 2):.2f} GB/s", limit=f"{bound(2, flits):.1f} GB/s")
            bench.row(f"{what}, RTL", f"{rate(rtl, 2):.2f} GB/s", limit=f"{bound(2, flits):.1f} GB/s")
            agree(bench, what, sim, rtl)


def network_alone(bench: Bench) -> None:
    """What the routers can do when mailboxes always send and always take."""
    for flits, share in network.rates(20_000).items():
        ours = share * 16 * FLIT_BYTES * CLOCK_HZ / 1e9
        bench.row(f"{flits}-flit messages, network alone in RTL", f"{ours:.2f} GB/s", limit="64 GB/s")
        bench.figures[f"network_{flits}_flits_a_cycle_and_tile"] = share


def whole_board(bench: Bench) -> None:
    """4 x 4 tiles, board and all in RTL: only with BOARD_IN_RTL=1, as Verilator's output takes a core 15 minutes."""
    ours: dict[int, float] = {}
    for flits in (1, 4):
        program = f"bench_exchange_4_{flits}"
        sim, rtl = (run_bare(program, 1, "tinsel-1", on=on) for on in ("sim", "rtl"))
        what = f"{flits}-flit messages, 4 x 4 tiles"
        bench.row(
            f"{what}, board in RTL", f"{rate(rtl, 4):.2f} GB/s", f"{PAPER} GB/s", "", f"{bound(4, flits):.1f} GB/s"
        )
        bench.figures[f"rtl_{flits}"] = ours[flits] = rate(rtl, 4)
        agree(bench, what, sim, rtl)
    targets(bench, "board in RTL", ours)

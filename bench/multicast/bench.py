# SPDX-License-Identifier: Apache-2.0
"""Pins by unicast, local and distributed multicast while the locality of a geometric graph falls (Multicast paper VI).

Graphs, applications and sweep are the paper's: every vertex has 25 or 100 random neighbours within a radius; ASP sends
messages of four flits, PageRank of one. Smaller than the paper's million vertices, and without combiners, which it does
not have. Times are simulated, of the compute phase; every answer is verified by other code once a graph.

What bounds the gain: where links are what a superstep waits for, the messages that the busiest link is spared. With
receivers everywhere on 6 x 8 boards a unicast message crosses 4.7 links and the busiest, in the middle, carries two
messages for each fan-out edge of a board's vertices; the tree of a pin has at most 47 links, of which 42 are in Y, and
the busiest carries one message of each of 24 boards' vertices. That is a factor of 2.3 at fan-out 25 and of 8.3 at 100;
with receivers on few boards, at middle radii, it is more. A gain of 100 needs a unicast network that breaks down.

The bound on messages between boards: for each pin the links of a dimension-ordered tree to all boards that hear it.
The bound on copies: an output link at 10 Gb/s, 60 items in 65 words of wire, 1 + 2 F items a key message of F flits.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.common.harness import BUILD, Bench, Run, cluster_variant, machine, run_program

MODES = ("unicast", "local", "distributed", "auto")
CLOCK_HZ = 250e6
WORD_CYCLES = CLOCK_HZ * 64 / 10e9  # of a link
BEATS_FROM = 0x01804000


@dataclass(frozen=True)
class Graph:
    """A geometric graph, and the cluster it runs on."""

    vertices: int
    fanout: int
    radius: int
    cluster: str

    @property
    def words(self) -> tuple[str, ...]:
        """As an application takes it."""
        return ("--generate", f"geometric:{self.vertices}:{self.fanout}:{self.radius}")


def sweeps(quick: bool) -> list[tuple[str, int, list[Graph]]]:
    """(application, fan-out, graphs by radius)."""
    if quick:
        return [("asp", 25, [Graph(4000, 25, radius, "tinsel-12") for radius in (5, 63)])]
    # The last of fan-out 25 is everybody; of fan-out 100 that would be hours of simulated unicast.
    radii = {25: (5, 20, 80, 317), 100: (10, 40)}
    return [
        (app, fanout, [Graph(100_000, fanout, radius, "tinsel-48") for radius in radii[fanout]])
        for fanout in (25, 100)
        for app in ("asp", "pagerank")
    ]


def measure(app: str, graph: Graph, mode: str, cluster: str | Path = "", verify: bool = False) -> Run:
    """One run."""
    program = str(BUILD / "bin" / f"app_{app}")
    words = {"asp": ("--sources", "64"), "pagerank": ("--iterations", "3")}[app]
    command = [program, *graph.words, *words, "--combine", "off", "--pins", mode, "--top", "0", "--json"]
    return run_program([*command, *(("--verify",) if verify else ())], cluster or graph.cluster)


def compute_ms(run: Run) -> float:
    """Simulated time of the compute phase."""
    return 1e3 * float(run.output["compute_simulated_seconds"])


def between_boards(run: Run) -> int:
    """Messages that links between boards carried."""
    return sum(v for name, v in run.counters.items() if ".link." in name and name.endswith(".messages_out"))


def run(bench: Bench) -> None:
    """All sweeps, then copies out of one board, then the published structure."""
    for app, fanout, graphs in sweeps(bench.quick):
        sweep(bench, app, fanout, graphs)
    copies(bench)
    structures(bench)
    speed(bench)
    picture(bench)
    bench.note("simulated time of the compute phase; every graph's answer is verified; no combiners")
    bench.note("limit of messages: the links of each pin's dimension-ordered tree, times how often it was sent")
    bench.note(f"host: {machine()}")


def sweep(bench: Bench, app: str, fanout: int, graphs: list[Graph]) -> None:
    """One application and fan-out at all radii."""
    for graph in graphs:
        name = f"{app}, fan-out {fanout}, radius {graph.radius}"
        with ThreadPoolExecutor(os.cpu_count()) as pool:  # a simulator keeps one core busy
            waiting = {mode: pool.submit(measure, app, graph, mode, verify=mode == "distributed") for mode in MODES}
            runs = {mode: run.result() for mode, run in waiting.items()}
        ms = {mode: compute_ms(run) for mode, run in runs.items()}
        sent = {mode: between_boards(run) for mode, run in runs.items()}
        pins = runs["distributed"].output["mapping"]["pins"]
        least = pins["messages_between_boards_at_least"] / max(1, pins["messages_between_boards"])
        bench.figures[name] = {
            "app": app,
            "fanout": fanout,
            "radius": graph.radius,
            "vertices": graph.vertices,
            "cluster": graph.cluster,
            "ms": ms,
            "messages_between_boards": sent,
            "over_the_bound": 1 / least if least else None,
            "table_bytes": pins["tables"]["bytes"],
        }
        bench.row(
            name,
            " ".join(f"{mode} {ms[mode]:.4g}" for mode in MODES) + " ms",
            "",
            f"{ms['unicast'] / ms['distributed']:.3g}x of unicast, {ms['local'] / ms['distributed']:.3g}x of local",
            f"{1 / least:.3g}x the fewest messages",
        )
    figures = [bench.figures[f"{app}, fan-out {fanout}, radius {graph.radius}"] for graph in graphs]
    targets(bench, app, fanout, figures)


def targets(bench: Bench, app: str, fanout: int, figures: list[dict[str, Any]]) -> None:
    """What the paper says of the largest radius, and of ours."""
    name = f"{app}, fan-out {fanout}"
    most = figures[-1]["ms"]
    if app == "asp":
        paper = 10 if fanout == 25 else 100
        gain = most["unicast"] / most["distributed"]
        what = f"{name}, largest radius: distributed against unicast"
        bench.target(what, f"at least {paper}", gain, gain >= paper if not bench.quick else None, f"about {paper}")
    least = figures[0]["ms"]
    ratio = least["local"] / least["auto"]
    bench.target(f"{name}, smallest radius: auto against local multicast", "at least 1", ratio, ratio >= 0.995)
    worst = min(min(f["ms"][m] for m in MODES) / f["ms"]["auto"] for f in figures)
    bench.target(f"{name}: auto against the quickest of all", "at least 0.9", worst, worst >= 0.9)
    over = max(f["over_the_bound"] for f in figures)
    bench.target(f"{name}: messages between boards over the fewest", "at most 1", over, over <= 1)


def speed(bench: Bench) -> None:
    """Messages that arrive in a second of wall time, by keys against unicast, one run after the other."""
    graph = Graph(4000, 25, 63, "tinsel-12")
    best: dict[str, float] = {}
    for _ in range(1 if bench.quick else 3):
        for mode in ("unicast", "distributed"):
            one = measure("pagerank", graph, mode)
            best[mode] = max(best.get(mode, 0), one.total(".mailbox.received") / one.wall_seconds)
    ratio = best["distributed"] / best["unicast"]
    what = "simulated messages a second of wall time, distributed against unicast"
    bench.row(what, f"{best['distributed']:.3g}", "", f"{ratio:.3g}x")
    bench.figures["speed"] = best
    bench.target(what, "at least 1", ratio, ratio >= 1)


# ---- copies out of one board ----


def copies(bench: Bench) -> None:
    """A board with four neighbours, whose threads all send by keys of fan-out 8: two copies to each link."""
    record_bits = 48
    for flits in (1, 4):
        rounds = 5 if bench.quick else 40
        lines = []
        beats = b""
        for count in (5, 3):  # records of a beat, the first one highest: to links 0..3 in turn, keys that end there
            first = 0 if count == 5 else 5
            bits = count << 240
            for i in range(count):
                bits |= (2 << 45 | ((first + i) % 4) << 43) << record_bits * (4 - i)
            beats += bits.to_bytes(32, "little")
        lines += [f"table 1 1 {s} {BEATS_FROM:x} {beats.hex()}" for s in (0, 1)]
        for n in range(1024 * rounds):
            thread = n % 1024
            key = (n & 1) << 31 | BEATS_FROM | 2
            lines.append(f"send 1 1 {thread // 16:x} {thread % 16:x} 0 {key:x} 1 2 {flits - 1:x}")
        cycles, sent = router_host(lines, "tinsel-12")
        each = sent / 4 / cycles  # a cycle and link
        limit = 1 / (WORD_CYCLES * 65 / 60 * (1 + 2 * flits))
        what = f"copies out of one board, {flits}-flit, fan-out 8"
        bench.row(what, f"{4 * each * CLOCK_HZ / 1e6:.4g} M/s", "", "", f"{4 * limit * CLOCK_HZ / 1e6:.4g} M/s")
        bench.figures[what] = {"copies_a_second": 4 * each * CLOCK_HZ, "limit": 4 * limit * CLOCK_HZ}
        share = each / limit
        holds = share >= 0.9 if not bench.quick else None
        bench.target(f"{what}: of the output links' rate", "at least 90 %", share, holds)


def router_host(lines: list[str], cluster: str) -> tuple[int, int]:
    """Cycles of the compute phase, and messages that left board (1,1) by links."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "run")
        env = os.environ | {"POLYLOOM_ON": "sim", "POLYLOOM_CLUSTER": cluster, "POLYLOOM_RUN_DIR": str(record)}
        command = [str(BUILD / "bin" / "router_host"), str(BUILD / "device" / "router_test")]
        done = subprocess.run(
            command, input="\n".join(lines) + "\n", stdout=subprocess.PIPE, text=True, env=env, check=False
        )
        if done.returncode != 0:
            sys.exit(f"bench: {' '.join(command)} failed with status {done.returncode}")
        counters = (record / "counters.csv").read_text().splitlines()
        sent = next(
            int(line.rsplit(",", 1)[1]) for line in counters if line.startswith("fpga.1.1.router.copies_links,")
        )
        phases = json.loads((record / "run.json").read_text())["phases"]
        return round(phases["compute_seconds"] * CLOCK_HZ), sent


# ---- the published structure ----

#: As Tinsel 0.8's boards and links are, where that touches messages; memories, cores and detection stay ours.
PUBLISHED = {
    "mask and address in every flit": {"header_every_flit": "true"},
    "and a half-rate network on the board": {
        "header_every_flit": "true",
        "noc_cycles_per_flit": "2",
        "noc_link_flits": "4",
        "scratchpad_single_port": "true",
    },
}


def structures(bench: Bench) -> None:
    """Distributed multicast on our boards and links, and on published ones."""
    graph = Graph(4000, 25, 63, "tinsel-12") if bench.quick else Graph(100_000, 25, 80, "tinsel-48")
    for app in ("asp", "pagerank"):
        ours = compute_ms(measure(app, graph, "distributed"))
        for what, keys in PUBLISHED.items():
            with tempfile.TemporaryDirectory() as folder:
                cluster = cluster_variant(Path(folder), "published", graph.cluster, **keys)
                theirs = compute_ms(measure(app, graph, "distributed", cluster))
            name = f"{app}, fan-out {graph.fanout}, radius {graph.radius} on {graph.cluster}: {what}"
            bench.row(name, f"{theirs:.4g} ms, ours {ours:.4g} ms", "", f"{theirs / ours:.3g}x")
            bench.figures[name] = {"published_ms": theirs, "ours_ms": ours, "ratio": theirs / ours}
        if app == "asp":
            ratio = theirs / ours
            bench.target(f"{app}: ours against the published structure", "at least 1.5", ratio, ratio >= 1.5)


def picture(bench: Bench) -> None:
    """Tables and plots for the documentation."""
    timed = [f for f in bench.figures.values() if "messages_between_boards" in f]
    head = ["application", "fan-out", "radius", *(f"{m}, ms" for m in MODES), "unicast / distributed"]
    rows = [
        [f["app"], str(f["fanout"]), str(f["radius"]), *(f"{f['ms'][m]:.4g}" for m in MODES),
         f"{f['ms']['unicast'] / f['ms']['distributed']:.3g}"]
        for f in timed
    ]  # fmt: skip
    traffic = [
        [f["app"], str(f["fanout"]), str(f["radius"]), *(f"{f['messages_between_boards'][m]:,}" for m in MODES)]
        for f in timed
    ]
    bench.figures["tables"] = [
        {"title": "Simulated compute time", "head": head, "rows": rows},
        {"title": "Messages between boards", "head": ["application", "fan-out", "radius", *MODES], "rows": traffic},
    ]
    plots = {}
    for app, fanout in sorted({(f["app"], f["fanout"]) for f in timed}):
        of = [f for f in timed if (f["app"], f["fanout"]) == (app, fanout)]
        curves = {m: [(f["radius"], f["ms"][m]) for f in of] for m in MODES}
        title = f"{app}, fan-out {fanout}: compute time by radius"
        plots[f"{app}-{fanout}"] = {"title": title, "x": "radius", "y": "ms simulated", "curves": curves}
    bench.figures["plots"] = plots

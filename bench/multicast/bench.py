# SPDX-License-Identifier: Apache-2.0
"""Unicast, local and distributed multicast while locality falls: figure 5 of the Multicast paper.

(a) dissipative particle dynamics on more and more cells, a step with and without barriers;
(b, c) ASP, PageRank and spiking neurons on geometric graphs, every vertex with 25 or 100 random neighbours within a
radius: time against the radius; (d to f) the same runs' messages on boards and between boards;
(g) the same applications by a plain loop on one thread of this machine, and by our native engine on one: wall time,
beside which stands the simulated time of 48 boards.

ASP has messages of four flits, the others of one. The paper has a million vertices; here are as many for ASP with 25
neighbours at the largest radius, where it names gains, and a tenth for all else: a hundred million edges would take an
hour. No combiners, which the paper does not have. Times are simulated, of the compute phase; every graph's result is
verified in the quick form, and all ways must agree in the full one.

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
from pathlib import Path
from typing import Any

from bench.common import experiments
from bench.common.harness import BUILD, ROOT, Bench, Run, cluster_variant, machine, run_program

MODES = ("unicast", "local", "distributed", "auto")
CLOCK_HZ = 250e6
WORD_CYCLES = CLOCK_HZ * 64 / 10e9  # of a link
BEATS_FROM = 0x01804000
#: What of a result must be equal in all ways.
APPS: dict[str, tuple[dict[str, Any], str]] = {
    "asp": ({"sources": 64, "combine": "off"}, "sum_of_distances"),
    "pagerank": ({"iterations": 2, "combine": "off"}, "sum_of_values"),
    "neurons": ({"steps": 20, "noise": 1.5}, "spikes"),
}
VERTICES = 100_000
PAPER_VERTICES = 1_000_000
#: The last is the whole square; the first, for each fan-out, a few times what that many neighbours need. The one
#: between is for ASP, whose messages are longest.
RADII = {25: (10, 40, 316), 100: (20, 80, 316)}
#: What the paper says of ASP at its largest radius.
PAPER_GAIN = {25: 10, 100: 100}
DPD_SIDES = (6, 12, 24, 36)
#: A step is the difference: both runs end with all beads' way to the host.
DPD_STEPS = (2, 8)


def graph(vertices: int, fanout: int, radius: int) -> str:
    """As an application takes it."""
    return f"geometric:{vertices}:{fanout}:{radius}"


def compute_ms(run: Run) -> float:
    """Simulated time of the compute phase."""
    return 1e3 * float(run.output["compute_simulated_seconds"])


def between_boards(run: Run) -> int:
    """Messages that links between boards carried."""
    return sum(v for name, v in run.counters.items() if ".link." in name and name.endswith(".messages_out"))


def run(bench: Bench) -> None:
    """All parts of the figure, then copies out of one board, then the published structure."""
    particles(bench)
    fanouts = {25: (5, 63)} if bench.quick else RADII
    for fanout, radii in fanouts.items():
        for app in ("asp", "neurons") if bench.quick else APPS:
            sweep(bench, app, fanout, radii if app == "asp" else (radii[0], radii[-1]))
    if not bench.quick:
        paper_gains(bench)
    one_thread(bench)
    copies(bench)
    structures(bench)
    speed(bench)
    picture(bench)
    bench.note("simulated time of the compute phase; no combiners")
    bench.note("limit of messages: the links of each pin's dimension-ordered tree, times how often it was sent")
    bench.note(f"host: {machine()}")


# ---- figure 5 (b) to (f)


def sweep(bench: Bench, app: str, fanout: int, radii: tuple[int, ...]) -> None:
    """One application and fan-out at all radii, in all ways."""
    vertices, cluster = (4000, "tinsel-12") if bench.quick else (VERTICES, "tinsel-48")
    own, result = APPS[app]
    check = {"verify": True} if bench.quick else {}
    graphs = [graph(vertices, fanout, radius) for radius in radii]
    found = experiments.runs(bench, app, {"generate": graphs, **own, **check, "pins": list(MODES)}, cluster)
    by_graph: dict[str, dict[str, Run]] = {}
    for parameters, run in found:
        by_graph.setdefault(parameters["generate"], {})[parameters["pins"]] = run
    figures = []
    for radius, of_graph in zip(radii, graphs, strict=True):
        runs = by_graph[of_graph]
        agree(app, of_graph, {mode: run.output[result] for mode, run in runs.items()})
        pins = runs["distributed"].output["mapping"]["pins"]
        least = pins["messages_between_boards_at_least"] / max(1, pins["messages_between_boards"])
        ms = {mode: compute_ms(run) for mode, run in runs.items()}
        name = f"{app}, fan-out {fanout}, radius {radius}"
        figure = {
            "app": app,
            "fanout": fanout,
            "radius": radius,
            "vertices": vertices,
            "cluster": cluster,
            "ms": ms,
            "messages_on_boards": {mode: run.total(".mailbox.received") for mode, run in runs.items()},
            "messages_between_boards": {mode: between_boards(run) for mode, run in runs.items()},
            "over_the_bound": 1 / least if least else None,
            "table_bytes": pins["tables"]["bytes"],
        }
        bench.figures[name] = figure
        figures.append(figure)
        bench.row(
            name,
            " ".join(f"{mode} {ms[mode]:.4g}" for mode in MODES) + " ms",
            "",
            f"{ms['unicast'] / ms['distributed']:.3g}x of unicast, {ms['local'] / ms['distributed']:.3g}x of local",
            f"{1 / least:.3g}x the fewest messages" if least else "",
        )
    targets(bench, app, fanout, figures)


def agree(app: str, of_graph: str, results: dict[str, float]) -> None:
    """What is computed does not depend on how messages go; sums of floats do, a little."""
    low, high = min(results.values()), max(results.values())
    if high - low > 1e-5 * abs(high):
        sys.exit(f"bench: {app} of {of_graph} has other results by other pins: {results}")


def targets(bench: Bench, app: str, fanout: int, figures: list[dict[str, Any]]) -> None:
    """Of our own choice of ways, and of what links carry."""
    name = f"{app}, fan-out {fanout}"
    least = figures[0]["ms"]
    ratio = least["local"] / least["auto"]
    bench.target(f"{name}, smallest radius: auto against local multicast", "at least 1", ratio, ratio >= 0.995)
    worst = min(min(f["ms"][m] for m in MODES) / f["ms"]["auto"] for f in figures)
    bench.target(f"{name}: auto against the quickest of all", "at least 0.9", worst, worst >= 0.9)
    over = max(f["over_the_bound"] or 0 for f in figures)
    bench.target(f"{name}: messages between boards over the fewest", "at most 1", over, over <= 1)


def paper_gains(bench: Bench) -> None:
    """ASP at the largest radius, where the paper names gains: by 25 neighbours with its million vertices, too."""
    options, result = APPS["asp"]
    of_graph = graph(PAPER_VERTICES, 25, round(PAPER_VERTICES**0.5))
    # One after the other: two of them would fill the memory of a desktop computer.
    ways = {"generate": of_graph, **options, "pins": ["unicast", "distributed"]}
    runs = {p["pins"]: run for p, run in experiments.runs(bench, "asp", ways, "tinsel-48", jobs=1)}
    agree("asp", of_graph, {mode: run.output[result] for mode, run in runs.items()})
    million = {
        "vertices": PAPER_VERTICES,
        "ms": {mode: compute_ms(run) for mode, run in runs.items()},
        "messages_between_boards": {mode: between_boards(run) for mode, run in runs.items()},
    }
    bench.figures["asp, fan-out 25, a million vertices, largest radius"] = million
    for fanout, figure in {25: million, 100: bench.figures[f"asp, fan-out 100, radius {RADII[100][-1]}"]}.items():
        ms, links, paper = figure["ms"], figure["messages_between_boards"], PAPER_GAIN[fanout]
        gain, spared = ms["unicast"] / ms["distributed"], links["unicast"] / links["distributed"]
        name = f"asp, fan-out {fanout}, {figure['vertices']:,} vertices, largest radius"
        bench.row(name, f"{ms['distributed']:.4g} ms", f"about {paper}x", f"{gain:.3g}x of unicast", f"{spared:.3g}x")
        what = f"{name}: distributed against unicast"
        bench.target(what, f"at least {paper}", gain, gain >= paper, f"about {paper}")


# ---- figure 5 (a)


def particles(bench: Bench) -> None:
    """Time of a step of DPD, three beads a cell, by the number of cells."""
    sides, cluster = ([4], "tinsel-1") if bench.quick else (list(DPD_SIDES), "tinsel-48")
    ways = ["unicast", "local", "distributed"]
    options = {"side": sides, "density": 3, "steps": list(DPD_STEPS), "mode": ["sync", "gals"], "pins": ways}
    ms: dict[tuple[str, int], list[float]] = {}
    temperatures: dict[tuple[int, int], set[float]] = {}
    for parameters, run in experiments.runs(bench, "dpd", options, cluster):
        cells, steps = parameters["side"] ** 3, parameters["steps"]
        ms.setdefault((f"{parameters['mode']}, {parameters['pins']}", cells), []).append(compute_ms(run))
        temperatures.setdefault((cells, steps), set()).add(run.output["temperature"])
    figures: dict[str, list[list[float]]] = {}
    for (curve, cells), (short, long) in ms.items():
        figures.setdefault(curve, []).append([cells, 1e3 * (long - short) / (DPD_STEPS[1] - DPD_STEPS[0])])
    if any(len(seen) != 1 for seen in temperatures.values()):
        sys.exit(f"bench: dpd has other temperatures by other pins or without barriers: {temperatures}")
    bench.figures["dpd"] = {
        "us_a_step": figures,
        "cluster": cluster,
        "paper": "a big impact of hardware multicast; scales very well up to 50K tasks",
    }
    for mode in ("sync", "gals"):
        per_cells = {way: {cells: us for cells, us in figures[f"{mode}, {way}"]} for way in ways}
        gains = [
            per_cells["unicast"][cells] / per_cells["distributed"][cells] for cells in sorted(per_cells["unicast"])
        ]
        most = max(per_cells["unicast"])
        best = min(per_cells[way][most] for way in ways)
        bench.row(
            f"dpd {mode}, {most} cells",
            " ".join(f"{way} {per_cells[way][most]:.4g}" for way in ways) + " us a step",
            "a big impact",
            f"unicast / distributed {gains[-1]:.3g}x, {min(gains):.3g} to {max(gains):.3g} over all sizes",
        )
        bench.figures["dpd"][f"{mode}_unicast_over_distributed"] = gains
        bench.figures["dpd"][f"{mode}_best_us"] = best


def measure(app: str, of_graph: str, mode: str, cluster: str | Path) -> Run:
    """One run, not kept: its wall time counts, or its cluster is no shipped one."""
    words = [word for name, value in APPS[app][0].items() for word in (f"--{name}", str(value))]
    command = [str(BUILD / "bin" / f"app_{app}"), "--generate", of_graph, *words, "--pins", mode, "--top", "0"]
    return run_program([*command, "--json"], cluster)


def speed(bench: Bench) -> None:
    """Messages that arrive in a second of wall time, by keys against unicast, one run after the other."""
    of_graph = graph(4000, 25, 63)
    best: dict[str, float] = {}
    for _ in range(1 if bench.quick else 3):
        for mode in ("unicast", "distributed"):
            one = measure("pagerank", of_graph, mode, "tinsel-12")
            best[mode] = max(best.get(mode, 0), one.total(".mailbox.received") / one.wall_seconds)
    ratio = best["distributed"] / best["unicast"]
    what = "simulated messages a second of wall time, distributed against unicast"
    bench.row(what, f"{best['distributed']:.3g}", "", f"{ratio:.3g}x")
    bench.figures["speed"] = best
    bench.target(what, "at least 1", ratio, ratio >= 1)


# ---- figure 5 (g)


def one_thread(bench: Bench) -> None:
    """Wall time of a plain loop and of the native engine, one thread each, beside simulated time of boards."""
    vertices, fanout, radius, cluster = (4000, 25, 20, "tinsel-12") if bench.quick else (VERTICES, 100, 80, "tinsel-48")
    of_graph, steps = graph(vertices, fanout, radius), {"asp": "sources", "pagerank": "iterations", "neurons": "steps"}
    cases: dict[str, tuple[list[str], dict[str, Any], str]] = {
        app: (
            [str(vertices), str(fanout), str(radius), str(APPS[app][0][counted])],
            {"generate": of_graph, **APPS[app][0]},
            APPS[app][1],
        )
        for app, counted in steps.items()
    }
    side, dpd_steps = (4, 10) if bench.quick else (30, 10)
    cases["dpd"] = ([str(side), str(dpd_steps)], {"side": side, "density": 3, "steps": dpd_steps}, "temperature")
    rows = []
    for app, (plain_words, options, result) in cases.items():
        command = [str(BUILD / "bin" / "bench_multicast_plain"), app, *plain_words]
        loops = [json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout) for _ in range(3)]
        native = [on_one_thread(app, options) for _ in range(3)]
        boards = experiments.runs(bench, app, {**options, "pins": "auto"}, cluster)[0][1].output
        # Chaos parts particles; sums of single precision differ in their last places.
        near = 0.2 if app == "dpd" else 1e-4
        for one in (native[0][result], boards[result]):
            if abs(one - loops[0]["result"]) > near * abs(one):
                sys.exit(f"bench: {app}: the plain loop gives {loops[0]['result']}, we {one}")
        seconds = {
            "plain_loop_wall": min(loop["seconds"] for loop in loops),
            "native_engine_wall": min(one["compute_wall_seconds"] for one in native),
            "boards_simulated": boards["compute_simulated_seconds"],
        }
        bench.figures[f"one thread, {app}"] = {**seconds, "cluster": cluster, "options": options}
        ratios = [seconds["plain_loop_wall"] / seconds[name] for name in ("native_engine_wall", "boards_simulated")]
        bench.row(
            f"{app}: plain loop on one thread of this machine",
            f"{1e3 * seconds['plain_loop_wall']:.4g} ms of wall time",
            "useful",
            f"native engine, one thread: {ratios[0]:.3g}x as quick; {cluster}, simulated: {ratios[1]:.3g}x",
        )
        rows.append([app, *(f"{1e3 * s:.4g}" for s in seconds.values()), *(f"{r:.3g}" for r in ratios)])
    head = ["application", "plain loop, ms wall", "native engine, one thread, ms wall", f"{cluster}, ms simulated"]
    table = {"title": "One thread of this machine", "head": [*head, "loop / engine", "loop / boards"], "rows": rows}
    bench.figures["one_thread_table"] = table
    bench.note("boards run at 250 MHz; one thread is of the host that is named here, at its own clock")


def on_one_thread(app: str, options: dict[str, Any]) -> dict[str, Any]:
    """The application by the native engine."""
    words = [word for name, value in options.items() for word in (f"--{name}", str(value)) if name != "combine"]
    env = {**os.environ, "POLYLOOM_ON": "native", "POLYLOOM_THREADS": "1", "POLYLOOM_HOME": str(ROOT)}
    command = [str(BUILD / "bin" / f"app_{app}"), *words, "--top", "0", "--json"]
    result: dict[str, Any] = json.loads(subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True).stdout)
    return result


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
    vertices, radius, cluster_name = (4000, 63, "tinsel-12") if bench.quick else (100_000, 80, "tinsel-48")
    of_graph = graph(vertices, 25, radius)
    for app in ("asp", "pagerank"):
        ours = compute_ms(measure(app, of_graph, "distributed", cluster_name))
        for what, keys in PUBLISHED.items():
            with tempfile.TemporaryDirectory() as folder:
                cluster = cluster_variant(Path(folder), "published", cluster_name, **keys)
                theirs = compute_ms(measure(app, of_graph, "distributed", cluster))
            name = f"{app}, fan-out 25, radius {radius} on {cluster_name}: {what}"
            bench.row(name, f"{theirs:.4g} ms, ours {ours:.4g} ms", "", f"{theirs / ours:.3g}x")
            bench.figures[name] = {"published_ms": theirs, "ours_ms": ours, "ratio": theirs / ours}
        if app == "asp":
            ratio = theirs / ours
            bench.target(f"{app}: ours against the published structure", "at least 1.5", ratio, ratio >= 1.5)


def picture(bench: Bench) -> None:
    """Tables and plots for the documentation."""
    timed = [f for f in bench.figures.values() if "messages_on_boards" in f]
    of = ("app", "fanout", "radius")
    rows = [
        [*(str(f[key]) for key in of), *(f"{f['ms'][m]:.4g}" for m in MODES),
         f"{f['ms']['unicast'] / f['ms']['distributed']:.3g}"]
        for f in timed
    ]  # fmt: skip
    head = ["application", "fan-out", "radius"]
    tables = [
        {
            "title": "Simulated compute time",
            "head": [*head, *(f"{m}, ms" for m in MODES), "unicast / distributed"],
            "rows": rows,
        }
    ]
    for place in ("on", "between"):
        counted = [
            [*(str(f[key]) for key in of), *(f"{f[f'messages_{place}_boards'][m]:,}" for m in MODES)] for f in timed
        ]
        tables.append({"title": f"Messages {place} boards", "head": [*head, *MODES], "rows": counted})
    dpd = bench.figures["dpd"]["us_a_step"]
    cells = [str(point[0]) for point in next(iter(dpd.values()))]
    tables.append(
        {
            "title": "DPD: microseconds a step by cells",
            "head": ["form", *cells],
            "rows": [[curve, *(f"{us:.4g}" for _, us in points)] for curve, points in dpd.items()],
        }
    )
    tables.append(bench.figures.pop("one_thread_table"))
    bench.figures["tables"] = tables
    plots = {"dpd": {"title": "DPD: time of a step", "x": "cells", "y": "us simulated", "curves": dpd}}
    for app, fanout in sorted({(f["app"], f["fanout"]) for f in timed}):
        some = [f for f in timed if (f["app"], f["fanout"]) == (app, fanout)]
        gains = [(f["radius"], f["ms"]["unicast"] / f["ms"]["distributed"]) for f in some]
        curves = {"unicast / distributed": gains}
        if app == "asp" and not bench.quick:
            curves["the paper, at its largest radius"] = [(gains[-1][0], PAPER_GAIN[fanout])]
        title = f"{app}, fan-out {fanout}: time of unicast over time of distributed multicast"
        plots[f"{app}-{fanout}-gain"] = {"title": title, "x": "radius", "y": "times", "curves": curves}
        for what, title, unit in (
            ("ms", "compute time", "ms simulated"),
            ("messages_on_boards", "messages on boards", "messages"),
            ("messages_between_boards", "messages between boards", "messages"),
        ):
            by_mode = {m: [(f["radius"], f[what][m]) for f in some] for m in MODES}
            plot = {"title": f"{app}, fan-out {fanout}: {title} by radius", "x": "radius", "y": unit, "curves": by_mode}
            plots[f"{app}-{fanout}-{what.replace('_', '-')}"] = plot
    bench.figures["plots"] = plots

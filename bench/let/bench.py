# SPDX-License-Identifier: Apache-2.0
"""Locally essential trees (PEACH2, Tables 5 and 6): generation alone, with communication, all pairs of a ring.

Cycles are those of the LET operator's model, which equals its RTL in every cycle; transfers are simulated on clusters
of hubs. The paper's "4096 particles" is read as two domains of 2,048 bodies: no more nodes fit in 31.4 us at one node
every two cycles. The host's own LET is timed on this machine, by the wall clock.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from bench.common.harness import BUILD, ROOT, Bench, machine

#: Clock of the published function, and of hubs of peach2-*: no place and route has shown our LET at that one.
FUNCTION_MHZ, ASSUMED_MHZ = 150, 250
RECORD_BYTES = 24
LINK_BYTES_PER_US = 4000.0
PAPER = {"generation": 31.4, "with communication": 33.7, "CPU": 69.3, "CPU with communication": 245.7}
#: What the wire's headers leave of a link: a beat of 16 bytes in front of 512.
PAYLOAD = 512 / 528


def measure(bench: Bench, *words: str, cluster: str = "") -> dict[str, Any]:
    """One measurement of bench_let."""
    env = {**os.environ, "POLYLOOM_HOME": str(ROOT), "POLYLOOM_ON": "sim"}
    if cluster:
        env["POLYLOOM_CLUSTER"] = str(ROOT / "clusters" / f"{cluster}.toml")
    command = [str(BUILD / "bin" / "bench_let"), *words, *(["--quick"] if bench.quick else [])]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} failed with status {done.returncode}")
    result: dict[str, Any] = json.loads(done.stdout)
    if result.get("equal") is False:
        sys.exit(f"bench: {' '.join(command)}: LETs that arrived are not the host's")
    bench.figures[" ".join((*words, cluster)).strip()] = result
    return result


def run(bench: Bench) -> None:
    """All rows."""
    generation(bench)
    communication(bench)
    shares(bench)
    exchange(bench)
    bench.note("bodies: Plummer spheres; LETs for boxes unless it says sphere; simulated time but for the host's LET")
    bench.note(f"host: {machine()}")


def generation(bench: Bench) -> None:
    """Table 5."""
    g = measure(bench, "generation")
    nodes = g["nodes"]
    paper, same, full = (g[form] / FUNCTION_MHZ for form in ("paper", "same_feed", "full_feed"))
    _row(bench, f"generation, {nodes} nodes, the paper's form at {FUNCTION_MHZ} MHz", paper, PAPER["generation"])
    feed = nodes * RECORD_BYTES / (16 * FUNCTION_MHZ)
    _row(bench, f"generation, ours, fed 128 bit a cycle at {FUNCTION_MHZ} MHz", same, PAPER["generation"], feed)
    _row(
        bench, "generation, ours, fed a node a cycle at the same clock", full, PAPER["generation"], nodes / FUNCTION_MHZ
    )
    what = f"if the clock were {ASSUMED_MHZ} MHz, as peach2-* assume: fed 128 bit, a node, a node for seven targets"
    us = (g[form] / ASSUMED_MHZ for form in ("same_feed", "full_feed", "full_feed_7"))
    bench.row(what, ", ".join(f"{each:.2f} us" for each in us))
    near = abs(paper / PAPER["generation"] - 1) <= 0.1
    bench.target("the paper's form: us", "within 10 % of 31.4", paper, near, PAPER["generation"])
    what = f"generation with the same feed, at the paper's {FUNCTION_MHZ} MHz: us"
    bench.target(what, "at most 14", same, same <= 14, PAPER["generation"])
    rate = g["full_feed"] / nodes
    bench.target("cycles a node", "1 (and the pipe once)", rate, g["full_feed"] <= nodes + 60, 2)


def communication(bench: Bench) -> None:
    """Table 6: the tree leaves accelerator 0, the LET arrives in accelerator 1."""
    host = measure(bench, "host")
    bench.row("the host's own LET, wall clock", f"{host['median_us']:.2f} us", f"{PAPER['CPU']} us")
    paper = 1e6 * measure(bench, "push", "padded", cluster="peach2-paper-8")["seconds"]
    ours = 1e6 * measure(bench, "push", cluster="peach2-2")["seconds"]
    size = host["nodes"] * RECORD_BYTES
    hop = 1e6 * measure(bench, "copy", "8", "neighbour", cluster="peach2-2")["seconds"]
    limit = size / PAYLOAD / LINK_BYTES_PER_US + hop
    same_hub = 1e6 * measure(bench, "push", cluster="peach2-paper-8")["seconds"]
    _row(bench, "with communication, the paper's form", paper, PAPER["with communication"])
    _row(bench, "with communication, ours on the paper's hub", same_hub, PAPER["with communication"])
    _row(bench, f"with communication, ours on a hub of {ASSUMED_MHZ} MHz", ours, PAPER["with communication"], limit)
    there = 1e6 * measure(bench, "copy", str(size), "host", cluster="peach2-2")["seconds"]
    back = 1e6 * measure(bench, "copy", str(host["kept"] * RECORD_BYTES), "neighbour", cluster="peach2-2")["seconds"]
    by_host = there + host["median_us"] + back
    _row(bench, "by the host: tree to it, its LET, LET to the neighbour", by_host, PAPER["CPU with communication"])
    bench.note("by the host: transfers simulated, the LET itself by this machine's wall clock")
    theirs = PAPER["with communication"]
    bench.note(
        "write_latency of peach2-* is set by the paper's 2.0 us between GPUs, so the paper's form is no pure prediction"
    )
    bench.target("with communication, ours on the paper's hub: us", "at most 16", same_hub, same_hub <= 16, theirs)
    what = f"with communication, on a hub of {ASSUMED_MHZ} MHz: share of the link's limit"
    bench.target(what, "at most 1.1", ours / limit, ours <= 1.1 * limit)


def shares(bench: Bench) -> None:
    """How much of the trees LETs keep."""
    for words, leaf in ((["shares"], "leaf limit 4"), (["shares", "--leaf8"], "leaf limit 8")):
        result = measure(bench, *words)
        for mac, limit in (("acceleration 2^-8", 0.45), ("b/s < 0.7", 0.15)):
            box, sphere = result["shares"][mac]["box"], result["shares"][mac]["sphere"]
            bench.row(f"nodes kept, {mac}, 8 domains, {leaf}", f"box {box:.3f}, sphere {sphere:.3f}", "sphere: all")
            holds = None if bench.quick else box <= limit
            bench.target(f"nodes kept, {mac}, {leaf}", f"at most {limit}", box, holds)


def exchange(bench: Bench) -> None:
    """Every accelerator of a ring of 8 gives every other the LET of its tree."""
    trees = measure(bench, "exchange", "trees", "--leaf8", cluster="peach2-8")
    _exchange_row(bench, "all pairs of 8, whole trees, leaf limit 8", trees)
    for what, name in (("acceleration", "acceleration 2^-8"), ("angle", "b/s < 0.7")):
        lets = measure(bench, "exchange", what, cluster="peach2-8")
        limit = _exchange_row(bench, f"all pairs of 8, LETs, {name}, leaf limit 4", lets)
        us = 1e6 * lets["seconds"]
        bench.target(f"all pairs of 8, LETs, {name}: us", "at most 170", us, None if bench.quick else us <= 170)
        what = f"all pairs of 8, LETs, {name}: share of the links' limit"
        bench.target(what, "at most 1.1", us / limit, None if bench.quick else us <= 1.1 * limit)


def _exchange_row(bench: Bench, what: str, result: dict[str, Any]) -> float:
    limit: float = busiest_bytes(result["pairs"]) / PAYLOAD / LINK_BYTES_PER_US
    _row(bench, f"{what}, {result['nodes']} nodes a tree", 1e6 * result["seconds"], None, limit)
    return limit


def busiest_bytes(pairs: list[list[int]]) -> int:
    """Bytes over the busiest link of a ring, or into or out of the busiest node, if node i sends pairs[i][j] to j."""
    nodes = len(pairs)
    loads = [0] * (4 * nodes)  # east of node i, west of it, into it, out of it
    for source, row in enumerate(pairs):
        for target, count in enumerate(row):
            distance = (target - source) % nodes
            # Opposite nodes go east from even places, west from odd ones (roles/hub/host/runtime/routes.cc).
            east = 2 * distance < nodes or (2 * distance == nodes and source % 2 == 0)
            for hop in range(distance if east else nodes - distance):
                place = (source + hop) % nodes if east else nodes + (source - hop) % nodes
                loads[place] += count
            loads[2 * nodes + target] += count
            loads[3 * nodes + source] += count
    return max(loads)


def _row(bench: Bench, what: str, us: float, paper: float | None, limit: float | None = None) -> None:
    ratio = f"{us / paper:.2f}" if paper else ""
    bound = f"{limit:.2f} us: {us / limit:.2f} of it" if limit else ""
    bench.row(what, f"{us:.2f} us", f"{paper} us" if paper else "", ratio, bound)

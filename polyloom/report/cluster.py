# SPDX-License-Identifier: Apache-2.0
"""What the page needs to know of the cluster. Input: a record's ``cluster.json`` and counters; output: typed facts."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from polyloom.base.errors import UserError
from polyloom.base.record import RunRecord, as_number

Pair = tuple[str, str]  # names of the two nodes, in order


@dataclass(frozen=True)
class Cluster:
    """Rates of links and sizes of cache lines, empty where the record does not tell; how many ranks an MPI job has."""

    rates: dict[Pair, float]  # between FPGAs, bits a second each way, parallel links together
    host_rates: dict[Pair, float]  # the same of links to hosts
    line_bytes: dict[str, float]  # by overlay board
    ranks: int  # FPGAs of the role mpi, and hosts but the last one


@dataclass(frozen=True)
class Load:
    """What a pair of nodes sent each other."""

    pair: Pair
    bits: int  # both directions together
    rate_bps: float | None  # each way; None if the record does not tell
    share: float | None  # of what the rate allows in both directions


def read(run: RunRecord) -> Cluster:
    """The facts; UserError if ``cluster.json`` is not as the simulator writes it."""
    content, path = run.cluster(), run.folder / "cluster.json"
    rates: dict[Pair, float] = defaultdict(float)
    host_rates: dict[Pair, float] = defaultdict(float)
    line_bytes: dict[str, float] = {}
    ranks = -1
    try:
        for link in content.get("links", []):
            of = host_rates if link["to_host"] else rates
            if not link["to_host"] or "rate_bps" in link:
                of[pair(link["a"]["node"], link["b"]["node"])] += as_number(link["rate_bps"], path, "rate_bps")
        for node in content.get("nodes", []):
            ranks += node.get("kind") == "host" or node.get("role") == "mpi"
            if node.get("role") == "overlay":
                table = content["roles"]["overlay"][node["table"]]
                line_bytes[str(node["name"])] = as_number(table["line_bytes"], path, "line_bytes")
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise UserError(f"{path}: not a cluster as polyloom-sim writes it: {error!r}") from error
    return Cluster(dict(rates), dict(host_rates), line_bytes, max(ranks, 0))


def loads(run: RunRecord) -> list[Load]:
    """Of each pair of FPGAs that a link joins, in order of name."""
    rates = read(run).rates
    bits: dict[Pair, int] = defaultdict(int)
    for name, value in run.counters.items():
        match = re.fullmatch(r"link\.(.+)->(.+?)(#\d+)?\.bits", name)
        if match:
            between = pair(match[1], match[2])
            if between in rates or (not rates and all(node.startswith("fpga") for node in between)):
                bits[between] += value
    seconds = run.working_seconds  # nothing is on these links before
    found = []
    for between, sent in sorted(bits.items()):
        rate = rates.get(between)
        share = sent / (2 * rate * seconds) if rate and seconds else None
        found.append(Load(between, sent, rate, share))
    return found


def pair(a: str, b: str) -> Pair:
    """Names of two nodes as a link between them is called, whichever way."""
    first, second = sorted((str(a), str(b)))
    return first, second

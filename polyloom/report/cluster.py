# SPDX-License-Identifier: Apache-2.0
"""What the page needs to know of the cluster. Input: a record's ``cluster.json`` and counters; output: typed facts."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from polyloom.errors import UserError
from polyloom.record import RunRecord, as_number

Pair = tuple[str, str]  # names of the two nodes, in order


@dataclass(frozen=True)
class Cluster:
    """Rates of the links between FPGAs and sizes of cache lines; empty where the record does not tell."""

    rates: dict[Pair, float]  # bits a second each way, parallel links together
    line_bytes: dict[str, float]  # by overlay board


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
    line_bytes: dict[str, float] = {}
    try:
        for link in content.get("links", []):
            if not link["to_host"]:
                rates[_pair(link["a"]["node"], link["b"]["node"])] += as_number(link["rate_bps"], path, "rate_bps")
        for node in content.get("nodes", []):
            if node.get("role") == "overlay":
                table = content["roles"]["overlay"][node["table"]]
                line_bytes[str(node["name"])] = as_number(table["line_bytes"], path, "line_bytes")
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise UserError(f"{path}: not a cluster as polyloom-sim writes it: {error!r}") from error
    return Cluster(dict(rates), line_bytes)


def loads(run: RunRecord) -> list[Load]:
    """Of each pair of FPGAs that a link joins, in order of name."""
    rates = read(run).rates
    bits: dict[Pair, int] = defaultdict(int)
    for name, value in run.counters.items():
        match = re.fullmatch(r"link\.(.+)->(.+?)(#\d+)?\.bits", name)
        if match:
            pair = _pair(match[1], match[2])
            if pair in rates or (not rates and all(node.startswith("fpga") for node in pair)):
                bits[pair] += value
    seconds = run.working_seconds  # nothing is on these links before
    found = []
    for pair, sent in sorted(bits.items()):
        rate = rates.get(pair)
        share = sent / (2 * rate * seconds) if rate and seconds else None
        found.append(Load(pair, sent, rate, share))
    return found


def _pair(a: str, b: str) -> Pair:
    first, second = sorted((str(a), str(b)))
    return first, second

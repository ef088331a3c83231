# SPDX-License-Identifier: Apache-2.0
"""What held an MPI job up, in one sentence. Input: what its ranks waited for, and its record; output: text, numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import Any

from polyloom.base.record import RunRecord
from polyloom.report import cluster, waits
from polyloom.report.format import quantity
from polyloom.report.waits import PACKET, Job, Step

#: A packet that takes so long has been lost and sent again (the ranks' retransmission time, less what else it takes).
RESENT_PS = 90 * 10**6
#: Share of the critical path's computing from which on one rank is what the others wait for: it is the only one, or
#: computes for so many times as long as the median rank.
ONE_RANK, UNEQUAL = 0.5, 1.25
#: So many ranks compute at a time, and such a part of all, where they compute beside one another.
BESIDE, PART = 1.5, 0.5
#: Share of a rank's computing from which on it waits for DRAM rather than computes.
DRAM = 0.5


@dataclass(frozen=True)
class Link:
    """The link that was busiest, from one node to the next, and in which share of the time of the job."""

    name: str
    busy: float


@dataclass(frozen=True)
class Network:
    """What counters tell of the network: the busiest link, and frames that did not arrive."""

    busiest: Link | None
    lost: int
    rate_bps: float | None  # of the slowest link


def silent(run: RunRecord, job: Job) -> int:
    """How many ranks have left no history: FPGAs in RTL, and CPU ranks of a job that failed."""
    return cluster.read(run).ranks - len(job.ranks)


def network(run: RunRecord, job: Job) -> Network:
    """Of a record's counters and links."""
    facts = cluster.read(run)
    rates = facts.rates | facts.host_rates
    seconds = (job.end - job.begin) / 1e12
    busiest, lost = None, 0
    for name, value in run.counters.items():
        match = re.fullmatch(r"link\.(.+)->(.+?)(?:#\d+)?\.(bits|drops|bit_errors)", name)
        if match and match[3] == "bits":
            rate = rates.get(cluster.pair(match[1], match[2]))
            busy = min(1.0, value / (rate * seconds)) if rate and seconds else 0.0
            if busiest is None or busy > busiest.busy:
                busiest = Link(f"{match[1]} to {match[2]}", busy)
        elif match or re.fullmatch(r".*\.port\.\d+\.dropped_full", name):
            lost += value
    return Network(busiest, lost, min(filter(None, rates.values()), default=None))


def kind_of(step: Step, lost: bool = False) -> str:
    """Sort of a step of the critical path; ``lost``: whether frames were."""
    if step.what != "message":
        return step.what
    if step.bytes > PACKET:
        return "long messages"
    return "lost packets" if lost and step.end - step.begin > RESENT_PS else "short messages"


def parts(path: list[Step], lost: bool = False) -> dict[str, int]:
    """The critical path's time by sort of step, the most first; the sum is all of its time."""
    found: dict[str, int] = defaultdict(int)
    for step in path:
        found[kind_of(step, lost)] += step.end - step.begin
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def sentence(run: RunRecord, job: Job) -> str:
    """What the job waited for most; empty if that is not known of all of its ranks."""
    return "" if silent(run, job) else describe(job, network(run, job))


def describe(job: Job, net: Network) -> str:
    """The sentence; of all ranks' computing, and of the critical path's largest part."""
    path = waits.critical_path(job)
    whole = sum(step.end - step.begin for step in path)
    if not whole:
        return "No time passed."
    sums = parts(path, net.lost > 0)
    kind, time = next(iter(sums.items()))
    steps = [step for step in path if kind_of(step, net.lost > 0) == kind]
    ran = sum(rank.end - rank.begin for rank in job.ranks.values())
    computed = sum(rank.computed for rank in job.ranks.values()) / ran if ran else 0.0
    share = f"{time / whole:.0%} of the critical path"
    if not job.complete:
        share += f" in the first {quantity(whole / 1e12, 's')}"
    return f"Ranks computed {computed:.0%} of their time; bottleneck, {share}: {_cause(job, net, kind, steps)}."


def _cause(job: Job, net: Network, kind: str, steps: list[Step]) -> str:
    if kind == "compute":
        return _computing(job, steps)
    each = quantity(median(step.end - step.begin for step in steps) / 1e12, "s")
    size = median(step.bytes for step in steps)
    if kind == "short messages":
        return f"the latency of short messages, {len(steps):,} in a row of {size:,.0f} bytes, {each} each (medians)"
    if kind == "long messages":
        text = f"long messages, {len(steps):,} in a row of {size:,.0f} bytes, {each} each (medians)"
        if net.rate_bps is not None:
            text += f", {quantity(size * 8 / net.rate_bps, 's')} of it at the link's rate"
        if net.busiest is not None:
            text += f"; the busiest link, {net.busiest.name}, was busy {net.busiest.busy:.0%} of the time"
        return text
    if kind == "lost packets":
        return f"packets that were lost ({net.lost:,} on links and in full queues) and sent again, {each} each (median)"
    if kind == "printf":
        return "what FPGAs print, a message to the manager each time"
    if kind == "C's library":
        return "functions of C's library that the manager does for FPGAs, each a request and its response"
    rank, calls = steps[-1].rank, len(steps)
    return f"{kind}, {calls:,} call{'s' * (calls != 1)} in a row, the last on rank {rank}"


def _computing(job: Job, steps: list[Step]) -> str:
    by_rank: dict[int, int] = defaultdict(int)
    for step in steps:
        by_rank[step.rank] += step.end - step.begin
    on_path = sum(by_rank.values())
    busiest = max(by_rank, key=lambda rank: by_rank[rank])
    own = job.ranks[busiest]
    computed = [rank.computed for rank in job.ranks.values()]
    at_a_time = min(sum(computed) / on_path, len(computed))
    memory = "mostly waits for DRAM" if own.computed and own.dram >= DRAM * own.computed else ""
    alone = by_rank[busiest] >= ONE_RANK * on_path
    if not (alone and own.computed > UNEQUAL * median(computed)) and at_a_time >= max(BESIDE, PART * len(computed)):
        return f"computing{memory and ', '}{memory}, of ranks beside one another, {at_a_time:.1f} of {len(computed):,} at a time"
    if not alone:
        return f"computing{memory and ', '}{memory}, of {len(by_rank):,} ranks that wait for one another in turn"
    text = f"computing of rank {busiest}{memory and ', '}{memory}"
    for_it = waits.late(job).get(busiest, {})
    if for_it:
        call, _ = waits.most(for_it.items())
        text += f", for which others waited {quantity(sum(for_it.values()) / 1e12, 's')} in all, most in {call}"
    return text


def facts(run: RunRecord, job: Job) -> dict[str, Any]:
    """The numbers of the page, for machines; times in simulated ps. No bottleneck where ``sentence`` says none."""
    net = network(run, job)
    path = [] if silent(run, job) else waits.critical_path(job)
    for_them = waits.late(job)
    rows = []
    for rank in job.ranks.values():
        own = [wait for wait in job.waits if wait.rank == rank.number]
        call, _ = waits.most((wait.call, wait.time) for wait in own)
        rows.append(
            {
                "rank": rank.number,
                "kind": "fpga" if rank.fpga else "cpu",
                "end_ps": rank.end - job.begin,
                "computed_ps": rank.computed,
                "dram_ps": rank.dram,
                "waited_ps": rank.waited,
                "waited_most_in": call,
                "others_waited_ps": sum(for_them.get(rank.number, {}).values()),
                "sent": rank.sent,
                "sent_bytes": rank.sent_bytes,
                "received": rank.received,
                "received_bytes": rank.received_bytes,
            }
        )
    return {
        "bottleneck": sentence(run, job) or None,
        "critical_path_ps": parts(path, net.lost > 0),
        "complete": job.complete,
        "busiest_link": {"name": net.busiest.name, "busy": net.busiest.busy} if net.busiest else None,
        "lost_frames": net.lost,
        "ranks": rows,
    }

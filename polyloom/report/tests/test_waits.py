# SPDX-License-Identifier: Apache-2.0
# Covers: what an MPI job waited for, from calls made up so that the cause is known: a rank that computes, all alike,
# one after the other, latency, long messages, DRAM, loss, a late receiver, the start; which receive gets which message;
# the critical path against an exhaustive search; the page of 1, 4 and 300 ranks. Leaves out: whether ranks record what
# they do (tests/test_mpi_waits.py, history_test.cc).
from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from polyloom.base import record
from polyloom.report import job_bottleneck, page, waits
from polyloom.report.format import quantity
from polyloom.report.waits import Call, Job, Rank

US = 10**6
LATENCY, RATE = 3 * US, 800  # of a message, and ps a byte


class Ranks:
    """Ranks that run by a simple rule: a message is there LATENCY and RATE times its bytes after both sides want it.

    A short one leaves whenever its sender does.
    """

    def __init__(self, count: int) -> None:
        self.now = [0] * count
        self.dram = [0] * count
        self.calls: list[list[Call]] = [[] for _ in range(count)]
        self.begin = [0] * count

    def compute(self, rank: int, time: int) -> None:
        self.now[rank] += time

    def message(
        self, source: int, destination: int, size: int = 8, tag: int = 0, call: str = "", late: int = 0
    ) -> None:
        comm = 1 if call else 0
        out, into = self.now[source], self.now[destination]
        rendezvous = size > waits.PACKET
        arrives = (max(out, into) if rendezvous else out) + LATENCY + RATE * size + late
        sent = arrives if rendezvous else out + US // 10
        got = max(arrives, into)
        self.calls[source].append(
            Call(out, sent, call or "MPI_Send", "both", True, destination, comm, 0, size, True, tag)
        )
        self.calls[destination].append(
            Call(into, got, call or "MPI_Recv", "both", False, source, comm, 0, size, True, tag)
        )
        self.now[source], self.now[destination] = sent, got

    def job(self) -> Job:
        ranks = {}
        for n, own in enumerate(self.calls):
            waited = sum(call.end - call.begin for call in own)
            count = len(own)
            ranks[n] = Rank(n, True, self.begin[n], self.now[n], waited, self.dram[n], count, count, 0, 0, 0, 0)
        by_call: dict[tuple[int, str, bool, int], list[int]] = defaultdict(list)
        for n, own in enumerate(self.calls):
            for call in own:
                by_call[n, call.call, call.sends, call.peer].append(call.end - call.begin)
        found = [waits.Wait(*key, len(times), sum(times)) for key, times in by_call.items()]
        return waits.joined(ranks, found, dict(enumerate(self.calls)))


def said(ranks: Ranks, lost: int = 0) -> str:
    job = ranks.job()
    path = waits.critical_path(job)
    assert path[0].begin == job.begin and path[-1].end == job.end
    assert all(a.end == b.begin for a, b in pairwise(path)), "no gaps"
    return job_bottleneck.describe(job, job_bottleneck.Network(job_bottleneck.Link("a to b", 0.9), lost, 1e10))


def gather(ranks: Ranks, root: int = 0) -> None:
    others = [n for n in range(len(ranks.now)) if n != root]
    for n in others:
        ranks.message(n, root, call="MPI_Allreduce", tag=43)
    for n in others:
        ranks.message(root, n, call="MPI_Allreduce", tag=43)


def test_one_rank_that_computes_more_is_named() -> None:
    ranks = Ranks(4)
    for _ in range(5):
        for n in range(4):
            ranks.compute(n, (1000 if n == 2 else 100) * US)
        gather(ranks)
    text = said(ranks)
    assert re.search(
        r"computing of rank 2, for which others waited 4\.(49|5) ms in all, most in MPI_Allreduce\.$", text
    )
    assert re.search(r"bottleneck, 9[89]% of the critical path", text)


@pytest.mark.parametrize("idle", [0, 1])
def test_ranks_that_compute_beside_one_another(idle: int) -> None:
    """All of them, or all but one; the last of each round is another one."""
    ranks = Ranks(4)
    for turn in range(8):
        for n in range(idle, 4):
            ranks.compute(n, (1000 + 5 * (n == turn % 4)) * US)
        gather(ranks)
    text = said(ranks)
    assert f"computing, of ranks beside one another, {4 - idle}.0 of 4 at a time" in text, text


def test_ranks_that_compute_one_after_the_other() -> None:
    ranks = Ranks(4)
    for n in range(4):
        ranks.compute(n, 500 * US)
        ranks.message(n, (n + 1) % 4)
    assert "computing, of 4 ranks that wait for one another in turn" in said(ranks)


def test_waits_for_dram_are_told() -> None:
    ranks = Ranks(2)
    ranks.compute(1, 1000 * US)
    ranks.dram[1] = 800 * US
    ranks.message(1, 0)
    assert "computing of rank 1, mostly waits for DRAM, for which" in said(ranks)


def test_a_ring_of_short_messages_is_latency() -> None:
    ranks = Ranks(4)
    for n in range(40):
        ranks.message(n % 4, (n + 1) % 4)
    text = said(ranks)
    assert "the latency of short messages, 40 in a row of 8 bytes, 3.01 µs each" in text


def test_long_messages_and_the_link() -> None:
    ranks = Ranks(2)
    for _ in range(3):
        ranks.message(0, 1, 1 << 20)
    text = said(ranks)
    assert (
        "long messages, 3 in a row of 1,048,576 bytes, 842 µs each (medians), 839 µs of it at the link's rate" in text
    )
    assert text.endswith("the busiest link, a to b, was busy 90% of the time.")


def test_a_late_receiver_is_followed() -> None:
    ranks = Ranks(2)
    ranks.compute(1, 5000 * US)
    ranks.message(0, 1, 4096)
    text = said(ranks)
    assert "computing of rank 1, for which others waited 5 ms in all, most in MPI_Send" in text


def test_lost_packets() -> None:
    ranks = Ranks(2)
    for n in range(10):
        ranks.message(n % 2, 1 - n % 2, late=100 * US if n % 3 == 0 else 0)
    assert "packets that were lost (4 on links" in said(ranks, lost=4)
    assert "latency of short messages" in said(ranks), "nothing was lost, so no one says so"


def test_what_passes_before_all_ranks_have_begun_is_not_the_job() -> None:
    ranks = Ranks(2)
    ranks.begin[1] = ranks.now[1] = 1000 * US
    ranks.message(1, 0)
    ranks.compute(1, 100 * US)
    ranks.message(1, 0)
    job = ranks.job()
    assert (job.begin, job.ranks[0].waited) == (1000 * US, job.end - 1000 * US)
    assert sum(wait.time for wait in job.waits if wait.rank == 0) == job.ranks[0].waited
    assert "computing of rank 1, for which others waited 97" in said(ranks)


def random_job(seed: int, computing: bool = True) -> Ranks:
    draw = random.Random(seed)
    ranks = Ranks(draw.randint(2, 5))
    for _ in range(draw.randint(1, 60)):
        a, b = draw.sample(range(len(ranks.now)), 2)
        rank, time = draw.randrange(len(ranks.now)), draw.randint(0, 50) * US
        ranks.compute(rank, time * computing)
        ranks.message(a, b, draw.choice((8, 512, 100_000)), draw.randint(0, 2))
    return ranks


@pytest.mark.parametrize("seed", range(30))
def test_what_is_on_the_critical_path(seed: int) -> None:
    """It has all of the time; what of it is no computing is there, too, in the same job without any."""
    job = random_job(seed).job()
    path = waits.critical_path(job)
    assert sum(step.end - step.begin for step in path) == job.end - job.begin
    by_rank: dict[int, int] = defaultdict(int)
    for step in path:
        by_rank[step.rank] += (step.end - step.begin) * (step.what == "compute")
    assert all(time <= job.ranks[rank].computed for rank, time in by_rank.items())
    assert job.end - sum(by_rank.values()) <= random_job(seed, computing=False).job().end


def test_receives_get_messages_in_the_order_in_which_they_were_posted() -> None:
    """The second receive is waited for first; one of any source is known by what came."""

    def call(begin: int, kind: str, sends: bool, peer: int, handle: int, tag: int, size: int) -> Call:
        return Call(begin, begin + 1, "c", kind, sends, peer, 0, handle, size, True, tag)

    calls = {
        0: [call(10, "both", True, 1, 0, 5, 111), call(20, "both", True, 1, 0, 5, 222)],
        1: [
            call(1, "start", False, 0, 7, 5, 999),
            call(2, "start", False, waits.ANY, 8, -1, 999),
            call(30, "wait", False, 0, 8, 5, 222),
            call(40, "wait", False, 0, 7, 5, 111),
        ],
        2: [call(3, "look", False, 1, 0, 9, 0)],
    }
    causes = waits.joined({}, [], calls).causes
    assert causes[1][:2] == [None, None]
    assert causes[1][2] == waits.Message(0, 1, 222, 20, 2)
    assert causes[1][3] == waits.Message(0, 1, 111, 10, 1)
    assert causes[0][1] == waits.Message(0, 1, 222, 20, 2)
    assert causes[2][0] == waits.Message(1, 2, 0, None, None)


def written(folder: Path, ranks: Ranks, kept: int | None = None) -> record.RunRecord:
    job = ranks.job()
    (folder / "run.json").write_text(json.dumps({"simulated_seconds": job.end / 1e12}))
    nodes = [{"kind": "host"}, *({"kind": "fpga", "role": "mpi"} for _ in job.ranks)]
    (folder / "cluster.json").write_text(json.dumps({"nodes": nodes}))
    lines = ["rank,fpga,begin_ps,end_ps,waited_ps,dram_ps,commands,kept,sent,sent_bytes,received,received_bytes"]
    for r in job.ranks.values():
        row = (r.number, 1, r.begin, r.end, r.waited, r.dram, r.commands, min(r.kept, kept or r.kept), 1, 2, 3, 4)
        lines.append(",".join(map(str, row)))
    (folder / "mpi_ranks.csv").write_text("\n".join(lines) + "\n")
    lines = ["rank,call,sends,peer,count,ps"]
    lines += [f"{w.rank},{w.call},{int(w.sends)},{w.peer},{w.calls},{w.time}" for w in job.waits]
    (folder / "mpi_waits.csv").write_text("\n".join(lines) + "\n")
    lines = ["rank,begin_ps,end_ps,call,kind,sends,peer,comm,handle,bytes,done,tag"]
    for number, own in job.calls.items():
        lines += [
            f"{number},{c.begin},{c.end},{c.call},{c.kind},{int(c.sends)},{c.peer},{c.comm},0,{c.bytes},1,{c.tag}"
            for c in own[:kept]
        ]
    (folder / "mpi_calls.csv").write_text("\n".join(lines) + "\n")
    return record.read(folder)


def drawing(html: str) -> ElementTree.Element:
    [svg] = re.findall(r'<svg [^>]*aria-label="ranks".*?</svg>', html)
    return ElementTree.fromstring(svg.replace("&ensp;", ""))


@pytest.mark.parametrize(("count", "bars"), [(1, 1), (4, 4), (300, 16)])
def test_page(count: int, bars: int, tmp_path: Path) -> None:
    ranks = Ranks(count)
    for n in range(count):
        ranks.compute(n, (100 + n) * US)
    if count > 1:
        gather(ranks)
    run = written(tmp_path, ranks)
    job = waits.read(run)
    assert job is not None and job.waits == ranks.job().waits and job.calls == ranks.job().calls
    html = page.render(run)
    assert job_bottleneck.sentence(run, job) in html
    svg = drawing(html)
    names = [text.text for text in svg.iter("text") if (text.text or "").startswith("rank ")]
    assert len(names) == bars and (count <= 32) == (len(list(svg.iter("polygon"))) == 0)
    width = float(svg.attrib["width"])
    for rect in svg.iter("rect"):
        assert 0 <= float(rect.attrib["x"]) <= float(rect.attrib["x"]) + float(rect.attrib["width"]) <= width + 0.3
    facts = job_bottleneck.facts(run, job)
    assert [row["computed_ps"] for row in facts["ranks"]] == [(100 + n) * US for n in range(count)]
    assert sum(facts["critical_path_ps"].values()) == job.end - job.begin


def test_area_of_many_ranks_is_their_time(tmp_path: Path) -> None:
    """What the polygons' titles say, against the ranks' own sums."""
    ranks = Ranks(40)
    for n in range(40):
        ranks.compute(n, (100 + 7 * n) * US)
    gather(ranks)
    job = ranks.job()
    svg = drawing(page.render(written(tmp_path, ranks)))
    shares = {}
    for title in svg.iter("title"):
        if found := re.fullmatch(r"(.*): ([\d.]+)% of all ranks' time", title.text or ""):
            shares[found[1]] = float(found[2])
    whole = (job.end - job.begin) * 40
    assert shares["computes"] == pytest.approx(100 * sum(r.computed for r in job.ranks.values()) / whole, abs=0.2)
    assert shares["MPI_Allreduce"] == pytest.approx(100 * sum(r.waited for r in job.ranks.values()) / whole, abs=0.2)


def test_calls_that_were_not_kept_are_told(tmp_path: Path) -> None:
    ranks = Ranks(2)
    for n in range(100):
        ranks.message(n % 2, 1 - n % 2)
    run = written(tmp_path, ranks, kept=10)
    job = waits.read(run)
    assert job is not None and not job.complete
    assert job.known_until == min(ranks.calls[0][9].end, ranks.calls[1][9].end)
    known = quantity(job.known_until / 1e12, "s")
    assert f"of the critical path in the first {known}: the latency" in job_bottleneck.sentence(run, job)
    assert "all of the job took 301 µs" in page.render(run)


def test_nothing_is_claimed_of_ranks_without_history(tmp_path: Path) -> None:
    ranks = Ranks(2)
    ranks.message(0, 1)
    run = written(tmp_path, ranks)
    nodes = [{"kind": "host"}, *({"kind": "fpga", "role": "mpi"} for _ in range(5))]
    (tmp_path / "cluster.json").write_text(json.dumps({"nodes": nodes}))
    job = waits.read(run)
    assert job is not None and job_bottleneck.sentence(run, job) == ""
    assert job_bottleneck.facts(run, job)["bottleneck"] is None
    html = page.render(run)
    assert "3 ranks have left no history" in html and "critical path" not in html

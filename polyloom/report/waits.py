# SPDX-License-Identifier: Apache-2.0
"""What the ranks of an MPI job waited for. Input: the record's tables ``mpi_*.csv``; output: typed facts.

The tables are those of roles/mpi/arch/history.h. All times are simulated, in ps.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from polyloom.base.errors import UserError
from polyloom.base.record import RunRecord

ANY = 0xFFFF  # of a peer: a question in vain, asked of any rank
OTHERS = 0xFFFE  # of a peer: those that have no sum of their own
_SYSTEM = 0xFFFF  # of a communicator: what is said to the manager
#: Bytes of a packet's payload: a longer message is one of many packets.
PACKET = 1440


class Call(NamedTuple):
    """A command of a rank. ``kind``, of a message: "start", "wait" (for one that was started), "both", "look"."""

    begin: int
    end: int
    call: str
    kind: str
    sends: bool
    peer: int
    comm: int
    handle: int
    bytes: int
    done: bool
    tag: int


class Message(NamedTuple):
    """``sent``, ``posted``: when its sender and its receiver called for it; None: not among the calls that are kept."""

    source: int
    destination: int
    bytes: int
    sent: int | None
    posted: int | None


@dataclass(frozen=True)
class Rank:
    """A rank until its program ends; ``waited`` in calls, ``dram`` for memory beside these (since it was started)."""

    number: int
    fpga: bool
    begin: int
    end: int
    waited: int
    dram: int
    commands: int
    kept: int
    sent: int
    sent_bytes: int
    received: int
    received_bytes: int

    @property
    def computed(self) -> int:
        """All but waiting in calls; waits for DRAM are in it."""
        return self.end - self.begin - self.waited


class Wait(NamedTuple):
    """How long a rank waited in a call for another rank, in all; ``sends``: for it to take a message."""

    rank: int
    call: str
    sends: bool
    peer: int
    calls: int
    time: int


class Step(NamedTuple):
    """A piece of the critical path, on a rank or, of a message, on the way to it from ``source``.

    ``what``: "compute"; "message"; or the call that took the time for another reason.
    """

    rank: int
    begin: int
    end: int
    what: str
    bytes: int = 0
    source: int = -1


@dataclass(frozen=True)
class Job:
    """A job; ``calls`` and ``causes`` by rank, in order: each call, and the message that it waited for."""

    ranks: dict[int, Rank]
    waits: list[Wait]
    calls: dict[int, list[Call]]
    causes: dict[int, list[Message | None]] = field(default_factory=dict)

    @property
    def begin(self) -> int:
        """When all ranks had begun."""
        return max(rank.begin for rank in self.ranks.values())

    @property
    def end(self) -> int:
        """When the last rank ended."""
        return max(rank.end for rank in self.ranks.values())

    @property
    def known_until(self) -> int:
        """Up to when the calls of all ranks are kept."""
        cut = [
            self.calls[r.number][-1].end for r in self.ranks.values() if r.kept < r.commands and self.calls[r.number]
        ]
        return min([*cut, self.end])

    @property
    def complete(self) -> bool:
        """Whether all calls are kept."""
        return all(rank.kept == rank.commands for rank in self.ranks.values())


def read(run: RunRecord) -> Job | None:
    """The job of a record; None if no rank has left its history. UserError if a table is not as it was written."""
    times = ("rank", "fpga", "begin_ps", "end_ps", "waited_ps", "dram_ps", "commands", "kept")
    numbers = (*times, "sent", "sent_bytes", "received", "received_bytes")
    rows = run.table("mpi_ranks", numbers)
    if not rows:
        return None
    ranks = {}
    for row in sorted(rows, key=lambda row: int(row["rank"])):
        number, fpga, *rest = (row[name] for name in numbers)
        ranks[number] = Rank(number, bool(fpga), *rest)
        if row["begin_ps"] + row["waited_ps"] > row["end_ps"]:
            raise UserError(f"{run.folder / 'mpi_ranks.csv'}: rank {number} waits for longer than it runs")
    waits = [
        Wait(row["rank"], row["call"], bool(row["sends"]), row["peer"], row["count"], row["ps"])
        for row in run.table("mpi_waits", ("rank", "sends", "peer", "count", "ps"), ("call",))
    ]
    columns = ("rank", "begin_ps", "end_ps", "sends", "peer", "comm", "handle", "bytes", "done", "tag")
    calls: dict[int, list[Call]] = {rank: [] for rank in ranks}
    for row in run.table("mpi_calls", columns, ("call", "kind")):
        rank, begin, end, sends, peer, comm, handle, size, done, tag = (row[name] for name in columns)
        own = calls.get(rank)
        if own is None or end < begin or (own and begin < own[-1].end):
            raise UserError(f"{run.folder / 'mpi_calls.csv'}: calls of rank {rank} do not follow one another")
        own.append(Call(begin, end, row["call"], row["kind"], bool(sends), peer, comm, handle, size, bool(done), tag))
    return joined(ranks, waits, calls)


def joined(ranks: dict[int, Rank], waits: list[Wait], calls: dict[int, list[Call]]) -> Job:
    """A job whose calls know their messages, from when the last rank began: ranks wait for others to be started."""
    begin = max((rank.begin for rank in ranks.values()), default=0)
    early: dict[tuple[int, str, bool, int], int] = defaultdict(int)
    for number, own in calls.items():
        for call in own:
            if call.begin >= begin:
                break
            early[number, call.call, call.sends, call.peer] += min(call.end, begin) - call.begin
    waited: dict[int, int] = defaultdict(int)
    for (number, *_), time in early.items():
        waited[number] += time
    later = {
        n: replace(r, begin=begin, end=max(r.end, begin), waited=max(r.waited - waited[n], 0)) for n, r in ranks.items()
    }
    waits = [w._replace(time=max(w.time - early[w.rank, w.call, w.sends, w.peer], 0)) for w in waits]
    return Job(later, waits, calls, _causes(calls))


_Key = tuple[int, int, int, int]  # source, destination, communicator, tag


def _causes(calls: dict[int, list[Call]]) -> dict[int, list[Message | None]]:
    """The messages that calls wait for: the n-th that a rank sends another with a tag is the n-th that this receives.

    Receives count in the order in which they were posted, as MPI has it.
    """
    sent: dict[_Key, list[Call]] = defaultdict(list)
    posted: dict[_Key, list[Call]] = defaultdict(list)
    place: dict[tuple[int, int], tuple[_Key, int]] = {}  # of a rank's call: its message
    for rank, own in calls.items():
        begun: dict[int, int] = {}  # handle: the call that started it
        started: dict[int, int] = {}  # a call that waits: the one that started
        ends: dict[int, Call] = {}  # a call that started a receive: the one that ended it
        for n, call in enumerate(own):
            if call.kind == "start":
                begun[call.handle] = n
            elif call.kind == "wait" and call.done and call.handle in begun:
                started[n] = begun.pop(call.handle)
                ends[started[n]] = call
        for n, call in enumerate(own):
            known = ends.get(n, call)  # whose message it was, where any would have done
            key = (rank, call.peer, call.comm, call.tag) if call.sends else (known.peer, rank, call.comm, known.tag)
            side = sent if call.sends else posted
            if call.kind in {"start", "both"}:
                place[rank, n] = key, len(side[key])
                side[key].append(call)
            elif call.kind == "look" and not call.sends and call.done:
                place[rank, n] = key, len(side[key])  # of the receive that follows
        for n, first in started.items():
            place[rank, n] = place[rank, first]

    def message(at: tuple[_Key, int]) -> Message:
        key, number = at
        out, into = (side[key][number] if number < len(side.get(key, ())) else None for side in (sent, posted))
        size = out.bytes if out else into.bytes if into else 0
        return Message(key[0], key[1], size, out.begin if out else None, into.begin if into else None)

    return {
        rank: [
            message(place[rank, n]) if call.kind != "start" and (rank, n) in place else None
            for n, call in enumerate(own)
        ]
        for rank, own in calls.items()
    }


def critical_path(job: Job) -> list[Step]:
    """What decided when the job ended, from its begin on: the steps follow one another without gaps.

    Backwards from the end: a rank that computed is followed; one that waited for a message that had not been sent yet
    (or not been asked for) is left for the rank that was to do so.
    """
    until = job.known_until
    last = max(job.ranks.values(), key=lambda rank: min(rank.end, until))
    return list(reversed(list(_back(job, last.number, min(last.end, until)))))


def _back(job: Job, rank: int, at: int) -> Iterator[Step]:
    begins = {number: [call.begin for call in own] for number, own in job.calls.items()}
    first = job.begin
    while at > first:
        n = bisect_left(begins[rank], at) - 1
        call = job.calls[rank][n] if n >= 0 else None
        if call is None or call.end < at:
            since = max(call.end, first) if call else first
            yield Step(rank, since, at, "compute")
            at = since
            continue
        cause, since = job.causes[rank][n], max(call.begin, first)
        if cause is None or not {cause.source, cause.destination} <= job.ranks.keys():
            yield Step(rank, since, at, call.call)
            at = since
            continue
        other, ready = (cause.destination, cause.posted) if call.sends else (cause.source, cause.sent)
        leaves = ready is not None and since < ready < at
        since = ready if leaves and ready is not None else since
        yield Step(rank, since, at, "message", cause.bytes, other)
        rank, at = (other if leaves else rank), since


def late(job: Job) -> dict[int, dict[str, int]]:
    """How long others waited for each rank to begin to send or to receive, by the call in which they did."""
    found: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for rank, own in job.calls.items():
        for call, cause in zip(own, job.causes[rank], strict=True):
            if cause is None:
                continue
            other, ready = (cause.destination, cause.posted) if call.sends else (cause.source, cause.sent)
            begin = max(call.begin, job.begin)
            if ready is not None and min(ready, call.end) > begin and other != rank:
                found[other][call.call] += min(ready, call.end) - begin
    return found


def most(sums: Iterable[tuple[str, int]]) -> tuple[str, int]:
    """The name with the largest sum, and that; ("", 0) of none."""
    total: dict[str, int] = defaultdict(int)
    for name, value in sums:
        total[name] += value
    return max(total.items(), key=lambda item: item[1], default=("", 0))

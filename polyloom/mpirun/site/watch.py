# SPDX-License-Identifier: Apache-2.0
"""Whether the ranks of a job stand still for good. Input: what each says of its calls; output: a text, or none.

They do if all are in MPI calls, or have ended, and none has come out of one for some seconds. Ranks on other machines
say nothing, so a job that has some is never said to stand still; nor are programs that wait in calls that
preload/watch.c does not know, or whose threads call MPI at once.
"""

from __future__ import annotations

import os
import struct
import time
from dataclasses import dataclass
from pathlib import Path

#: How long nothing may move; so many times that if so many ranks share a processor; and what the messages may need.
STILL_SECONDS, CROWD, BYTES_A_SECOND = 4.0, 16, 50e6
LOOK_SECONDS = 0.5
ANY_TAG = -1
#: struct Watched and struct Message of preload/watch.c.
WATCHED = struct.Struct("=Q24sqiiii4QiiQ")
MESSAGE = struct.Struct("=Qqiiii")
MESSAGES = 64
TEXT = 256
FINALIZE = "MPI_Finalize"
ABORTED, FAILED = 2, 3  # how a rank has ended, beside MPI_Finalize
#: Calls that name whom they wait for.
_ALONE = ("Send", "Ssend", "Rsend", "Recv", "Probe", "Mprobe", "Sendrecv", "Sendrecv_replace")


@dataclass(frozen=True)
class Message:
    """One that was begun without waiting."""

    bytes: int
    peer: int
    tag: int
    world: bool
    receives: bool


@dataclass(frozen=True)
class Rank:
    """What a rank says of itself."""

    calls: int  # odd inside of one
    name: str
    own: Message
    waits_for: tuple[Message | None, ...]  # in a call that waits for requests; None: not known
    pid: int
    ended: int  # ABORTED with the code as its own message's tag, FAILED with a text, otherwise, or 0: not
    error: str

    @property
    def waits(self) -> bool:
        """Whether it is in a call."""
        return self.pid != 0 and self.calls % 2 == 1

    @property
    def gone(self) -> bool:
        """Whether its process is there no more."""
        return self.pid != 0 and not Path(f"/proc/{self.pid}").exists()

    @property
    def stopped(self) -> bool:
        """Whether somebody has stopped it: a debugger, a signal."""
        try:
            state = Path(f"/proc/{self.pid}/stat").read_text().rpartition(") ")[2][:1]
        except OSError:
            return False
        return state in {"T", "t"}


class Watch:
    """Files of all ranks in a folder, and for how long they have not changed."""

    def __init__(self, folder: Path, size: int, any_source: int) -> None:
        self._files = [folder / str(rank) for rank in range(size)]
        self._any = any_source
        for file in self._files:
            file.write_bytes(bytes(WATCHED.size + MESSAGES * MESSAGE.size + TEXT))
        self._last: list[tuple[int, int]] = []
        self._since = time.monotonic()

    def deadlock(self) -> str:
        """Who waits for whom, if all have waited for too long, or why the job should have ended; else empty."""
        ranks = [_read(file) for file in self._files]
        now = [(rank.calls, rank.ended) for rank in ranks]
        still = any(rank.waits for rank in ranks) and all(rank.waits or rank.ended or rank.gone for rank in ranks)
        if now != self._last or not still:
            self._last, self._since = now, time.monotonic()
            return ""
        crowd = max(1.0, len(ranks) / CROWD / (os.cpu_count() or 1))
        moved = sum(sum(m.bytes for m in (rank.own, *rank.waits_for) if m) for rank in ranks)
        if time.monotonic() - self._since < STILL_SECONDS * crowd + moved * len(ranks) / BYTES_A_SECOND:
            return ""
        if any(rank.stopped for rank in ranks):
            self._since = time.monotonic()
            return ""
        # Open MPI 4 may hang with ranks in MPI_Finalize when others have failed, or died.
        if (found := self.failure()) is not None:
            return f"rank {found[0]}{' ' if found[2] is not None else ': '}{found[1]}"
        if dead := [number for number, rank in enumerate(ranks) if rank.gone and not rank.ended]:
            return f"rank {dead[0]} has died"
        if all(rank.name == FINALIZE for rank in ranks if rank.waits):
            return ""
        lines = ["deadlock: every rank waits, and no call has ended for some seconds"]
        lines += [f"rank {number} {self._where(rank)}" for number, rank in enumerate(ranks)]
        return "\n  ".join(lines)

    def failure(self) -> tuple[int, str, int | None] | None:
        """The rank that has ended the job, why, and the code that it gave MPI_Abort."""
        for number, rank in enumerate(map(_read, self._files)):
            if rank.ended == ABORTED:
                return number, f"called MPI_Abort({rank.own.tag})", rank.own.tag
            if rank.ended == FAILED:
                return number, f"{rank.name}: {rank.error}" if rank.waits else rank.error, None
        return None

    def places(self) -> list[str]:
        """Where each rank is, for a job that is ended from outside; nothing of ranks that say nothing."""
        ranks = enumerate(map(_read, self._files))
        return [f"rank {number} {self._where(rank)}" for number, rank in ranks if rank.pid]

    def _where(self, rank: Rank) -> str:
        if rank.ended:
            return "has ended"
        if not rank.waits:
            return "computes"
        short = rank.name.removeprefix("MPI_")
        if short in _ALONE:
            return f"waits in {rank.name}{self._for(rank.own, rank.own.receives)}"
        for message in rank.waits_for:
            if message is not None:
                what = "a receive" if message.receives else "a send"
                return f"waits in {rank.name} of {what}{self._for(message, message.receives)}"
        return f"waits in {rank.name}"

    def _for(self, message: Message, receives: bool) -> str:
        peer = "any rank" if message.peer == self._any else f"rank {message.peer}"
        tag = "any tag" if message.tag == ANY_TAG else f"tag {message.tag}"
        place = "MPI_COMM_WORLD" if message.world else "another communicator, whose ranks these are"
        return f" for a message from {peer}, {tag}, {place}" if receives else f" for {peer} to receive, {tag}, {place}"


def _read(file: Path) -> Rank:
    data = file.read_bytes()
    calls, name, size, peer, tag, world, requests, *rest = WATCHED.unpack_from(data)
    text = _text(name)
    handles, (pid, ended, begun) = rest[:4][: requests * text.startswith("MPI_Wait")], rest[4:]
    messages = list(MESSAGE.iter_unpack(data[WATCHED.size : -TEXT]))
    oldest = begun % MESSAGES
    known = {}
    for request, *message, receives in messages[oldest:] + messages[:oldest]:
        known[request] = Message(message[0], message[1], message[2], bool(message[3]), bool(receives))
    own = Message(size, peer, tag, bool(world), "send" not in text.lower() or "recv" in text.lower())
    return Rank(calls, text, own, tuple(known.get(handle) for handle in handles), pid, ended, _text(data[-TEXT:]))


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("latin-1")

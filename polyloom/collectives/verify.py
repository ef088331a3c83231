# SPDX-License-Identifier: Apache-2.0
"""Checks an operation on data that are a function of (rank, place), so that gigabytes need no second copy.

Input: a communicator, an operation of ``Communicator.uniform``. Buffers are filled and compared in pieces; where the
nodes' memory is visible (POLYLOOM_LOAD=backdoor, native) in place. The function is no linear one, so that a byte that
is moved from a wrong place differs. Reductions: float32 integers whose sums are exact in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloom.base.errors import UserError
from polyloom.collectives.communicator import Communicator
from polyloom.collectives.operations import OPERATIONS

Bytes = NDArray[np.uint8]
PIECE = 1 << 22  # bytes made or compared at once
WORD = 4


def _words(rank: int, first: int, count: int) -> NDArray[np.uint32]:
    """Words of a rank's send buffer: a counter through the finalizer of MurmurHash3."""
    x = np.arange(first, first + count, dtype=np.uint32)
    x ^= np.uint32(rank * 0x9E3779B9 & 0xFFFFFFFF)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        x ^= x >> np.uint32(shift)
        x *= np.uint32(factor)
    return x ^ (x >> np.uint32(16))


def content(rank: int, at: int, count: int, sums: bool) -> Bytes:
    """Bytes from ``at`` on of a rank's send buffer; with ``sums`` they are float32 integers of 11 bits."""
    first = at // WORD
    words = _words(rank, first, (at + count + WORD - 1) // WORD - first)
    if sums:
        words = (words.view(np.int32) >> 21).astype(np.float32).view(np.uint32)
    return words.view(np.uint8)[at - first * WORD :][:count]


@dataclass(frozen=True)
class Part:
    """Bytes of a receive buffer: from ``at`` on in the send buffers of ``ranks``, whose sum they are if several."""

    ranks: range
    at: int
    size: int

    def expected(self, first: int, count: int) -> Bytes:
        """``count`` of its bytes, from ``first`` on."""
        if len(self.ranks) == 1:
            return content(self.ranks[0], self.at + first, count, sums=False)
        total = np.zeros(count // WORD, np.float32)
        for rank in self.ranks:
            total += content(rank, self.at + first, count, sums=True).view(np.float32)
        return total.view(np.uint8)


def parts_of(operation: str, rank: int, ranks: int, sent: int, root: int, destination: int) -> list[Part]:
    """What a rank's receive buffer holds after an operation with equal blocks; ``sent``: bytes of a send buffer."""
    row = OPERATIONS[operation]
    share = sent // ranks
    every = range(ranks)
    has = {"all": True, "root": rank == root, "others": rank != root, "destination": rank == destination}
    if not has[row.receiver]:
        return []
    source = range(root, root + 1)
    return {
        "vector": [Part(every if row.reduces else source, 0, sent)],
        "block": [Part(every if row.reduces else source, rank * share, share)],
        "blocks": [Part(range(i, i + 1), 0, sent) for i in every],
        "column": [Part(range(i, i + 1), rank * share, share) for i in every],
    }[row.receives]


def _pieces(size: int) -> Iterator[tuple[int, int]]:
    for first in range(0, size, PIECE):
        yield first, min(PIECE, size - first)


def _fill(comm: Communicator, prepared: Any, rank: int, sums: bool) -> None:
    views = comm.send_views(prepared, rank)
    if not views:
        comm.write_send(prepared, rank, content(rank, 0, prepared.send_bytes(rank), sums))
        return
    at = 0
    for view in views:
        for first, count in _pieces(len(view)):
            view[first : first + count] = content(rank, at + first, count, sums)
        at += len(view)


class _Received:
    """A receive buffer as a sequence of bytes, whatever pieces it lies in."""

    def __init__(self, views: list[Bytes]) -> None:
        self._views = views
        self._ends = np.cumsum([len(view) for view in views])

    def take(self, at: int, count: int) -> Bytes:
        found = []
        while count > 0:
            i = int(np.searchsorted(self._ends, at, side="right"))
            begin = at - (int(self._ends[i]) - len(self._views[i]))
            found.append(self._views[i][begin : begin + count])
            at += len(found[-1])
            count -= len(found[-1])
        return found[0] if len(found) == 1 else np.concatenate([np.zeros(0, np.uint8), *found])


def _check(comm: Communicator, prepared: Any, rank: int, parts: list[Part]) -> None:
    size = sum(part.size for part in parts)
    if prepared.recv_bytes(rank) != size:
        raise UserError(f"rank {rank} receives {prepared.recv_bytes(rank)} bytes; {size} were expected")
    if not size:
        return
    received = _Received(comm.recv_views(prepared, rank) or [comm.read_recv(prepared, rank)])
    at = 0
    for part in parts:
        for first, count in _pieces(part.size):
            wrong = received.take(at + first, count) != part.expected(first, count)
            if wrong.any():
                raise UserError(f"rank {rank}: byte {at + first + int(np.argmax(wrong))} of {size} is wrong")
        at += part.size


def verify(
    comm: Communicator,
    operation: str,
    size: int,
    algorithm: str = "",
    at: Callable[[float, str], None] = lambda _share, _step: None,
) -> None:
    """Run ``operation`` on ``size`` bytes and check every byte. UserError names the first wrong one.

    ``at`` hears which share of it is done, and what is next.
    """
    name = operation.replace("-", "_")
    request = comm.uniform(name, size)
    row = OPERATIONS[name]
    if row.sends == "nothing":
        return
    root, destination = 0, comm.size - 1
    prepared = comm.prepare(request, algorithm)
    senders = [root] if row.sender == "root" else range(comm.size)
    for rank in senders:
        at(rank / comm.size / 3, f"filling rank {rank} of {comm.size}")
        _fill(comm, prepared, rank, sums=row.reduces)
    at(1 / 3, "moving")
    comm.run(prepared)
    sent = prepared.send_bytes(senders[0])
    for rank in range(comm.size):
        at((2 + rank / comm.size) / 3, f"comparing rank {rank} of {comm.size}")
        try:
            _check(comm, prepared, rank, parts_of(name, rank, comm.size, sent, root, destination))
        except UserError as error:
            raise UserError(f"{operation} of {size} bytes ({prepared.algorithm}): {error}") from None

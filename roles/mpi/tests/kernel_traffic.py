# SPDX-License-Identifier: Apache-2.0
"""Random MPI traffic between players: programs whose outcome does not depend on timing, and the check of that outcome.

Communicator 1, receives name source and tag, in any order; 2, receives name the source and take any tag, in order;
from 3 on, receives take any source and any tag, so only the set of what came is known. Each batch of messages has such
a communicator of its own: if a message of the next batch took the receive, a rank could wait for ever for its own
message to be received, and the receiver for that rank's next batch.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from kernel_world import (
    ANY_RANK,
    ANY_TAG,
    DRAM,
    MEMORY,
    RECV,
    RECV_WAIT,
    SEND,
    SEND_WAIT,
    SSEND,
    WAIT,
    Response,
    World,
    command,
)  # fmt: skip

WILD = 3  # first communicator of receives from anybody
ROOM = 16  # bytes kept free around each buffer
HEAP = 60_000  # bytes of the kernel's memory that are used before DRAM


@dataclass
class Message:
    """A message and where it goes."""

    source: int
    target: int
    tag: int
    comm: int
    data: bytes
    op: int


@dataclass
class Receive:
    """A receive and, if it is known, what it gets."""

    message: Message | None
    comm: int
    address: int
    room: int
    response: int = -1


class Program:
    """What one rank does."""

    def __init__(self, heap: int) -> None:
        self.limit = MEMORY + heap
        self.commands: list[tuple[int, int, int]] = []
        self.open: list[int] = []  # numbers of commands whose handles are not waited for
        self.sends: list[int] = []  # responses that only have to be good
        self.receives: list[Receive] = []
        self.heap = MEMORY
        self.dram = DRAM + 0x20000

    def room(self, count: int) -> int:
        """An address for so many bytes."""
        size = count + 2 * ROOM
        if self.heap + size <= self.limit:
            self.heap += size
            return self.heap - size + ROOM
        self.dram += size
        assert self.dram < DRAM + 0x100000
        return self.dram - size + ROOM


class Traffic:
    """Programs of all ranks."""

    def __init__(
        self, world: World, ranks: int, messages: int, sizes: list[int], nodes: list[int] | None = None,
        heap: int = HEAP,
    ) -> None:  # fmt: skip
        self.w = world
        self.rng: random.Random = world.rng
        self.nodes = nodes or list(range(ranks))
        self.programs = [Program(heap) for _ in range(ranks)]
        self.messages: list[Message] = []
        self.wild = WILD - 1  # communicator of the batch
        rng = self.rng
        left = messages
        while left:
            batch = min(left, rng.randint(1, 8))
            self._batch(batch, ranks, sizes)
            left -= batch

    def _batch(self, count: int, ranks: int, sizes: list[int]) -> None:
        rng = self.rng
        self.wild += 1
        batch = []
        for _ in range(count):
            data = rng.randbytes(rng.choice(sizes))
            tag = len(self.messages) + len(batch)
            op = rng.choice([SEND, SEND, SSEND])
            comm = rng.choice([1, 2, self.wild])
            batch.append(Message(rng.randrange(ranks), rng.randrange(ranks), tag, comm, data, op))
        self.messages += batch
        todo: list[list[tuple[str, Message]]] = [[] for _ in range(ranks)]
        for m in batch:
            todo[m.source].append(("send", m))
        for r in range(ranks):
            mine = [m for m in batch if m.target == r]
            exact = [m for m in mine if m.comm == 1]
            rng.shuffle(exact)
            rest = [m for m in mine if m.comm != 1]
            # Sends and receives may be mixed; each kind keeps its order.
            merged: list[tuple[str, Message]] = []
            queues = [list(todo[r]), [("recv", m) for m in exact], [("recv", m) for m in rest]]
            while any(queues):
                queue = rng.choice([q for q in queues if q])
                merged.append(queue.pop(0))
            self._emit(self.programs[r], merged)

    def _emit(self, p: Program, todo: list[tuple[str, Message]]) -> None:
        for what, m in todo:
            if what == "send":
                address = p.room(len(m.data))
                self.w.put(self.nodes[m.source], address, m.data)
                p.open.append(len(p.commands))
                p.sends.append(len(p.commands))
                p.commands.append(command(m.op, m.target, m.tag, address, len(m.data), m.comm))
            else:
                wild = m.comm >= WILD
                room = max(len(x.data) for x in self.messages) if wild else len(m.data)
                address = p.room(room)
                self.w.put(self.nodes[m.target], address - ROOM, b"\xa5" * (room + 2 * ROOM))
                receive = Receive(None if wild else m, m.comm, address, room)
                peer = ANY_RANK if wild else m.source
                tag = m.tag if m.comm == 1 else ANY_TAG
                p.open.append(len(p.commands))
                receive.response = len(p.commands)
                p.receives.append(receive)
                p.commands.append(command(RECV, peer, tag, address, room, m.comm))
        self.rng.shuffle(p.open)
        waits = {number: len(p.commands) + i for i, number in enumerate(p.open)}
        for number in p.open:
            p.commands.append(command(WAIT, handle=number))
        for receive in p.receives:
            if receive.response in waits and waits[receive.response] != receive.response:
                receive.response = waits[receive.response]
        p.sends = [waits.get(number, number) for number in p.sends]
        p.open = []

    def load(self) -> None:
        """Give the players their scripts."""
        for rank, program in enumerate(self.programs):
            self.w.script(self.nodes[rank], program.commands)

    def check(self) -> None:
        """Compare all responses and buffers with what must have come."""
        for rank, program in enumerate(self.programs):
            responses = self.w.responses(self.nodes[rank], len(program.commands))
            for number in program.sends:
                assert (responses[number].error, responses[number].done) == (0, 1), (
                    f"rank {rank} send: {responses[number]}"
                )
            wild = [m for m in self.messages if m.target == rank and m.comm >= WILD]
            for receive in program.receives:
                response = responses[receive.response]
                message = receive.message
                if message is None:
                    got = (receive.comm, response.source, response.tag)
                    message = next((m for m in wild if (m.comm, m.source, m.tag) == got), None)
                    assert message is not None, f"rank {rank}: no rank has sent {response}"
                    wild.remove(message)
                self._compare(rank, receive, message, response)
            assert not wild

    def _compare(self, rank: int, receive: Receive, m: Message, a: Response) -> None:
        where = f"rank {rank}, receive of {m.source}'s tag {m.tag} comm {m.comm} of {len(m.data)} bytes: {a}"
        assert (a.error, a.done, a.source, a.tag, a.bytes) == (0, 1, m.source, m.tag, len(m.data)), where
        got = self.w.get(self.nodes[rank], receive.address - ROOM, receive.room + 2 * ROOM)
        rest = b"\xa5" * (receive.room - len(m.data) + ROOM)
        assert got == b"\xa5" * ROOM + m.data + rest, where + f" at {receive.address:#x}: wrong bytes"


__all__ = ["RECV_WAIT", "SEND_WAIT", "Traffic"]

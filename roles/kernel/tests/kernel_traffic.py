# SPDX-License-Identifier: Apache-2.0
"""Random MPI traffic between players: programs whose outcome does not depend on timing, and the check of that outcome.

Three kinds of communicators: 1, receives name source and tag, in any order; 2, receives name the source and take any
tag, in order; 3, receives take any source and any tag, so only the set of what came is known. Each batch of messages
has communicators of its own: else a receive could take a message of a later batch, and its own would wait for ever.
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
    Answer,
    World,
    command,
)  # fmt: skip

ROOM = 16  # bytes kept free around each buffer
HEAP = 60_000  # bytes of the kernel's memory


@dataclass
class Message:
    """A message and where it goes."""

    source: int
    target: int
    tag: int
    comm: int
    data: bytes
    op: int
    batch: int

    @property
    def world(self) -> int:
        """Number of its communicator."""
        return self.comm + 4 * self.batch


@dataclass
class Receive:
    """A receive and, if it is known, what it gets."""

    message: Message | None
    comm: int
    address: int
    room: int
    answer: int = -1


class Program:
    """What one rank does."""

    def __init__(self) -> None:
        self.commands: list[tuple[int, int, int]] = []
        self.open: list[int] = []  # numbers of commands whose handles are not waited for
        self.sends: list[int] = []  # answers that only have to be good
        self.receives: list[Receive] = []
        self.heap = MEMORY
        self.dram = DRAM + 0x20000

    def room(self, count: int) -> int:
        """An address for so many bytes."""
        size = count + 2 * ROOM
        if self.heap + size <= MEMORY + HEAP:
            self.heap += size
            return self.heap - size + ROOM
        self.dram += size
        assert self.dram < DRAM + 0x100000
        return self.dram - size + ROOM


class Traffic:
    """Programs of all ranks."""

    def __init__(
        self, world: World, ranks: int, messages: int, sizes: list[int], nodes: list[int] | None = None
    ) -> None:
        self.w = world
        self.rng: random.Random = world.rng
        self.nodes = nodes or list(range(ranks))
        self.programs = [Program() for _ in range(ranks)]
        self.messages: list[Message] = []
        rng = self.rng
        left, number = messages, 0
        while left:
            batch = min(left, rng.randint(1, 8))
            self._batch(number, batch, ranks, sizes)
            left -= batch
            number += 1

    def _batch(self, number: int, count: int, ranks: int, sizes: list[int]) -> None:
        rng = self.rng
        batch = []
        for _ in range(count):
            data = rng.randbytes(rng.choice(sizes))
            tag = len(self.messages) + len(batch)
            op = rng.choice([SEND, SEND, SSEND])
            batch.append(Message(rng.randrange(ranks), rng.randrange(ranks), tag, rng.randint(1, 3), data, op, number))
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
                p.commands.append(command(m.op, m.target, m.tag, address, len(m.data), m.world))
            else:
                room = max(len(m.data), 0) if m.comm != 3 else max(len(x.data) for x in self.messages)
                address = p.room(room)
                self.w.put(self.nodes[m.target], address - ROOM, b"\xa5" * (room + 2 * ROOM))
                receive = Receive(m if m.comm != 3 else None, m.comm, address, room)
                peer = m.source if m.comm != 3 else ANY_RANK
                tag = m.tag if m.comm == 1 else ANY_TAG
                p.open.append(len(p.commands))
                receive.answer = len(p.commands)
                p.receives.append(receive)
                p.commands.append(command(RECV, peer, tag, address, room, m.world))
        self.rng.shuffle(p.open)
        waits = {number: len(p.commands) + i for i, number in enumerate(p.open)}
        for number in p.open:
            p.commands.append(command(WAIT, handle=number))
        for receive in p.receives:
            if receive.answer in waits and waits[receive.answer] != receive.answer:
                receive.answer = waits[receive.answer]
        p.sends = [waits.get(number, number) for number in p.sends]
        p.open = []

    def load(self) -> None:
        """Give the players their scripts."""
        for rank, program in enumerate(self.programs):
            self.w.script(self.nodes[rank], program.commands)

    def check(self) -> None:
        """Compare all answers and buffers with what must have come."""
        for rank, program in enumerate(self.programs):
            answers = self.w.answers(self.nodes[rank], len(program.commands))
            for number in program.sends:
                assert (answers[number].error, answers[number].done) == (0, 1), f"rank {rank} send: {answers[number]}"
            wild = [m for m in self.messages if m.target == rank and m.comm == 3]
            in_order = {s: [m for m in self.messages if (m.source, m.target, m.comm) == (s, rank, 2)] for s in range(3)}
            for receive in program.receives:
                answer = answers[receive.answer]
                message = receive.message
                if receive.comm == 2:
                    assert message is not None
                    assert in_order[message.source][0] is message or message in in_order[message.source]
                if message is None:
                    message = next((m for m in wild if (m.source, m.tag) == (answer.source, answer.tag)), None)
                    assert message is not None, f"rank {rank}: nobody sent {answer}"
                    wild.remove(message)
                self._compare(rank, receive, message, answer)
            assert not wild

    def _compare(self, rank: int, receive: Receive, m: Message, a: Answer) -> None:
        where = f"rank {rank}, receive of {m.source}'s tag {m.tag} comm {m.comm} of {len(m.data)} bytes: {a}"
        assert (a.error, a.done, a.source, a.tag, a.bytes) == (0, 1, m.source, m.tag, len(m.data)), where
        got = self.w.get(self.nodes[rank], receive.address - ROOM, receive.room + 2 * ROOM)
        rest = b"\xa5" * (receive.room - len(m.data) + ROOM)
        assert got == b"\xa5" * ROOM + m.data + rest, where + f" at {receive.address:#x}: wrong bytes"


__all__ = ["RECV_WAIT", "SEND_WAIT", "Traffic"]

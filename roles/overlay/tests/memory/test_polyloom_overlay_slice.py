# SPDX-License-Identifier: Apache-2.0
"""Covers: reads and writes of 3 clients of 32-byte lines and 5 of 64-byte lines, the host's with strobes, to DRAM in
both views and both SRAMs, all with random pauses: whose request goes to which memory in every cycle, turn by turn, as
one beat or two; addresses as the memories have them; who may give a request when; lines back from random memories, each
in its cycle; idle or not; a reset.

Leaves out: addresses that are in no memory; acknowledgements of writes, which mean nothing here.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from memory_units import SHAPES
from slice_units import Clients, Memories, place_of

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "memory_tb")
Item = tuple[dict[str, int], int]  # request and bytes


class Model:
    """Two places for each tile, and whose turn it is; one cycle at a time."""

    def __init__(self, clients: int) -> None:
        self.queues: list[deque[Item]] = [deque() for _ in range(clients)]  # the last one: what the host offers
        self.second: tuple[int, int] | None = None  # channel and client of a line's other half
        self._channel, self._client = 2, [clients - 1] * 3

    def choose(self, memories: Memories) -> tuple[int, int] | None:
        """Channel and client of this cycle."""
        clients = len(self.queues)
        for channel in ((self._channel + i) % 3 for i in (1, 2, 3)):
            for client in ((self._client[channel] + i) % clients for i in range(1, clients + 1)):
                if self._may(client, channel, memories):
                    self._channel, self._client[channel] = channel, client
                    return channel, client
        return None

    def _may(self, client: int, channel: int, memories: Memories) -> bool:
        if not self.queues[client] or place_of(self.queues[client][0][0]["addr"], 32)[0] != channel:
            return False
        return memories.has_room(channel, bool(self.queues[client][0][0]["write"]))


class Check:
    """The slice's requests against the model."""

    def __init__(self, h: Harness, which: int) -> None:
        self._h, self.shape = h, SHAPES[which]
        self.clients, self.memories = Clients(h, self.shape), Memories(h, self.shape)
        self._idle = h.signal("idle")
        self.model = Model(self.shape.clients)
        EveryCycle(h, self.memories.drive, self._check)

    def forget(self) -> None:
        """After a reset, amid which the clients were reset too."""
        self.model = Model(self.shape.clients)
        self.memories.forget()
        self.clients.forget()

    def _check(self, cycle: int) -> None:
        model, host = self.model, self.shape.clients - 1
        offer = self.clients.offered(host)
        model.queues[host] = deque() if offer is None else deque([offer])
        back = self.clients.check_back(cycle, self.memories.due)
        self.memories.due = None
        assert self._idle.get() == int(not any(model.queues) and not back), f"cycle {cycle}"
        for client in range(host):
            room = len(model.queues[client]) < 2
            assert self.clients.may_request(client) == room, f"cycle {cycle}: client {client}"
        accepted = self._check_request(cycle)
        assert self.clients.may_request(host) == (accepted == host), f"cycle {cycle}: the host"
        if accepted is not None:
            model.queues[accepted].popleft()
        for client, item in self.clients.new(cycle):
            if client != host:
                model.queues[client].append(item)
        self.memories.response()

    def _check_request(self, cycle: int) -> int | None:
        """Compare what goes out; the client whose request is done."""
        model, memories = self.model, self.memories
        if model.second is not None:
            channel, client = model.second
            model.second = None
            memories.check_none(cycle, ("ar", "aw"))
            memories.check_write(cycle, channel, model.queues[client][0], client == self.shape.clients - 1, upper=True)
            return client
        chosen = model.choose(memories)
        if chosen is None:
            memories.check_none(cycle, ("ar", "aw", "w"))
            return None
        channel, client = chosen
        request, data = model.queues[client][0]
        place = place_of(request["addr"], self.shape.line_bytes)[1]
        memories.check_address(cycle, "aw" if request["write"] else "ar", channel, place, client << 6 | request["tag"])
        if not request["write"]:
            memories.check_none(cycle, ("aw", "w"))
            memories.request(channel, client << 6 | request["tag"])
            return client
        memories.check_none(cycle, ("ar",))
        memories.check_write(cycle, channel, (request, data), client == self.shape.clients - 1)
        if self.shape.line_bytes == 64:
            model.second = chosen
            memories.must_take = channel
            return None
        return client


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def serves(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_slice[which])
    check = Check(h, which)
    await h.reset()
    await h.until(lambda: check.clients.lines >= 400 and check.memories.written >= 300)
    await h.reset()
    check.forget()
    count = check.clients.lines + 50
    await h.until(lambda: check.clients.lines >= count)

# SPDX-License-Identifier: Apache-2.0
"""Covers: whole nodes by their ports, with random stalls of each: gaps on the lane in, waits on the lane out, on
the five channels of the memory, of the kernel's memory port and of its responses; messages between three of them and
to themselves, with buffers in block RAM and DRAM; the handshakes of lane and memory, bursts of one word; idle, and
that nothing happens after it without input; frames that find the receive store full are lost and counted, the
others are not touched; reset.

Leaves out: what the network may do to frames (test_mpe_faults.py), errors and foreign frames
(test_polyloom_mpe.py).
"""

from __future__ import annotations

import copy
import struct
from typing import Any

import cocotb
from kernel_frames import MANAGEMENT, closed, ip_of, management, udp
from kernel_traffic import Traffic
from kernel_world import HOST, MEMORY, NODES, RECV, SEND_WAIT, WAIT, World, command

from polyloom.rtl.testing import Signal, Stall, bench

test = bench(__file__, "kernel_tb")
SIZES = [0, 1, 7, 8, 9, 63, 128, 129, 700, 1441, 2000]
FRAMES_IN, FULL = 0x10, 0x18  # counters


class Waits:
    """Makes all that surrounds the nodes wait, and checks what they must keep to meanwhile."""

    def __init__(self, w: World, stall: str | float = "random") -> None:
        self.w = w
        self.nodes = [w.dut.gen_node[n] for n in range(NODES)]
        self.writes, self.reads, self.data = [], [], []
        for n, node in enumerate(self.nodes):
            scope = copy.copy(w.h)
            scope.scope = node
            self.reads.append(scope.sink("ar", stall))
            self.writes.append(scope.sink("aw", stall))
            self.data.append(scope.sink("w", stall))
            w.h.sink("tx", stall, n)
        late = [getattr(scope, name) for node in self.nodes for scope, name in (
            (node, "r_late"), (node, "b_late"), (node.i_dut.i_app, "dma_late"), (node.i_dut.i_app, "response_late"),
        )]  # fmt: skip
        self._late = [(Signal(handle), Stall(w.h.rng, stall)) for handle in late]
        self._seen = [w.h.signal(name) for name in ("idle", "rx_valid", "tx_valid")]
        self._idle = self._rx = 0
        self.idle_cycles = 0
        w.h.add(self)

    def reset(self) -> None:
        """Nothing waits; no one was idle."""
        self._idle = 0
        for signal, _ in self._late:
            signal.set(0)

    def drive(self) -> None:
        """Throw the dice."""
        for signal, stall in self._late:
            signal.set(int(stall()))

    def sample(self, cycle: int) -> None:
        """Who is idle and gets nothing stays so, and sends nothing."""
        idle, rx, tx = (signal.get() for signal in self._seen)
        still = self._idle & ~rx & ~self._rx
        assert still & ~idle == 0, f"cycle {cycle}: nodes {still & ~idle:#b} are not idle any more"
        assert idle & tx == 0, f"cycle {cycle}: nodes {idle & tx:#b} are idle and send"
        self.idle_cycles += idle.bit_count()
        self._idle, self._rx = idle, rx

    def busy(self) -> str:
        """Wait for nothing."""
        return ""

    def check(self) -> None:
        """Of what went to the memory: aligned bursts of one word, as many addresses as words, none of block RAM's."""
        for reads, writes, data in zip(self.reads, self.writes, self.data, strict=True):
            assert len(writes.passed) == len(data.passed)
            for address in reads.passed + writes.passed:
                assert address % 8 == 0 and address >> 31 == 0, f"address and length {address:#x}"
                assert not MEMORY <= address < MEMORY + 0x10000, f"block RAM's address {address:#x} in DRAM"
            assert all(word >> 72 for word in data.passed), "a word that is not its burst's last"


async def quiet(w: World) -> None:
    """Until all nodes are idle, for longer than a frame may be under way."""
    idle, calm = w.h.signal("idle"), 0
    while calm < 60:
        assert w.h.cycle < 400_000, "never idle"
        await w.step()
        calm = calm + 1 if idle.get() == 7 and not any(w.rx) else 0


@cocotb.test()
@cocotb.parametrize(stall=["random", 0.1])
async def traffic(dut: Any, stall: str | float) -> None:
    w = World(dut, holes=0.1)
    waits = Waits(w, stall)
    await w.reset()
    await w.set_up([0, 1, 2], eager=128, window=2880, retransmit=3000, ack_delay=150, retries=100)
    t = Traffic(w, 3, 24, SIZES, heap=w.rng.choice([0, 3000, 8000]))
    t.load()
    await w.start(0, 1, 2)
    await w.run(0, 1, 2, limit=400_000)
    await quiet(w)
    t.check()
    waits.check()
    assert all(sink.passed for sink in waits.reads + waits.writes) and waits.idle_cycles


async def once(w: World, register: int, count: int) -> list[int]:
    """Registers of node 0, asked for by one frame."""
    w.host.clear()
    w.send(0, MANAGEMENT, management(2, count, register, register), 40002)
    while not w.host:
        assert w.h.cycle < 400_000, "no response"
        await w.step()
    return [value for (value,) in struct.iter_unpack("<Q", w.host[0].data[14:])]


@cocotb.test()
async def full(dut: Any) -> None:
    """Long writes of registers, faster than they are done: what was answered was done, all are counted."""
    w = World(dut)
    Waits(w, 0.1)
    await w.reset()
    count = 14
    values = [w.h.values(48, 128) for _ in range(count)]
    for seq, table in enumerate(values):
        data = management(1, 128, seq, 0x100, table)
        w.rx[0].append(closed(udp(ip_of(HOST), ip_of(0), MANAGEMENT, data, 40001)))
    await quiet(w)
    responded = [struct.unpack("<H", d.data[4:6])[0] for d in w.host if d.target_port == 40001]
    assert 0 < len(responded) < count and responded == sorted(responded), responded
    w.host.clear()
    assert await once(w, 0x100, 128) == values[responded[-1]]
    (frames_in,), (lost,) = await once(w, FRAMES_IN, 1), await once(w, FULL, 1)
    assert lost > 0 and frames_in + lost == count + 2, (frames_in, lost)


@cocotb.test()
async def again_after_reset(dut: Any) -> None:
    """Two send each other a long message from and to block RAM at once, so that reads and writes of payload take turns.

    In the middle the nodes are reset: no job, no counts; a new job is as good as the first.
    """
    w = World(dut, holes=0.02)
    Waits(w, 0.1)
    count = 6000
    data = [w.rng.randbytes(count) for _ in range(2)]
    for whole in (False, True):
        await w.reset()
        w.host.clear()
        assert await w.read(0, 3) == [0]
        await w.set_up([0, 1], window=11520, retransmit=20_000)
        for n in range(2):
            w.put(n, MEMORY + 3, data[n])
            w.put(n, MEMORY + 8000, bytes(count + 100))
            w.script(n, [
                command(RECV, 1 - n, 5, MEMORY + 8001, count, 9),
                command(SEND_WAIT, 1 - n, 5, MEMORY + 3, count, 9),
                command(WAIT, handle=0),
            ])  # fmt: skip
        await w.start(1, 0)
        if not whole:
            await w.steps(w.rng.randint(100, 900))
            w.clear()
            continue
        await w.run(0, 1)
        await quiet(w)
        for n in range(2):
            assert [a.error for a in w.responses(n, 3)] == [0] * 3
            assert w.get(n, MEMORY + 8000, count + 9) == bytes(1) + data[1 - n] + bytes(8)

# SPDX-License-Identifier: Apache-2.0
"""Covers: the rules of a pair of ranks as the program keeps them (polyloom_mpe_program, run by
polyloom_mpe_sequencer, woken by polyloom_mpe_events): what an acknowledgement, a credit and an envelope's number
change, for numbers on all sides of every border, also where they wrap. The pair's record in the sequencer's memory is
set, a packet is sent, the record is compared with the rules of PROTOCOL.md. What is due after it is seen as a packet.

Leaves out: what happens to messages (test_mpe_faults.py).
"""

from __future__ import annotations

import itertools
from typing import Any

import cocotb
from kernel_frames import ACK, EAGER, MPI, RTS, Packet
from kernel_world import HOST, World

from polyloom.rtl.testing import bench

test = bench(__file__, "kernel_tb")
SLOTS = 4
RECORD = 10  # words of a rank: polyloom_mpe_map_pkg
SENT, CONSUMED, TAKEN, REPORTED, CHAIN = 3, 4, 5, 6, 8
BASES = [0, 1, 0x7FFE, 0x8000, 0xFFFD, 0xFFFF]
NEWS = [-0x8000, -0x7FFF, -2, -1, 0, 1, 2, 3, 4, 5, 0x7FFF]


def after_news(acked: int, sent: int, ack: int) -> int:
    """Cumulative news: taken if they are ahead of the last ones, and not ahead of what was sent."""
    ahead, under_way = (ack - acked) & 0xFFFF, (sent - acked) & 0xFFFF
    return ack if 0 < ahead <= under_way else acked


class Pair:
    """The record of rank 1, the host, in node 0."""

    def __init__(self, dut: Any) -> None:
        self.memory = dut.gen_node[0].i_dut.i_shell.i_mpe.i_sequencer.i_data.memory

    def put(self, sent: int, acked: int, consumed: int, accepted: int, given: int) -> None:
        """Set all numbers; nothing to be told."""
        next_one = (given & 0xFFFF) << 16 | accepted & 0xFFFF
        words = {
            SENT: (acked & 0xFFFF) << 16 | sent & 0xFFFF,
            CONSUMED: consumed & 0xFFFF,
            TAKEN: next_one,
            REPORTED: next_one,
        }
        for at, word in {**words, CHAIN: 0}.items():
            self.memory[RECORD + at].value = word

    def get(self) -> tuple[int, int, int, int, int]:
        """Sent, acknowledged, consumed; accepted, consumed of the host's."""
        sent, consumed, next_one = (int(self.memory[RECORD + at].value) for at in (SENT, CONSUMED, TAKEN))
        return sent & 0xFFFF, sent >> 16, consumed & 0xFFFF, next_one & 0xFFFF, next_one >> 16


async def prepared(dut: Any) -> tuple[World, Pair]:
    w = World(dut)
    await w.reset()
    await w.set_up([0, HOST], eager=64, slots=SLOTS, retransmit=1_000_000, ack_delay=1_000_000)
    await w.steps(800)  # requests that were repeated meanwhile are answered
    return w, Pair(dut)


@cocotb.test()
async def news(dut: Any) -> None:
    """Acknowledgement and credit: all borders of both, from the last news and from what was sent."""
    w, pair = await prepared(dut)
    for base, open_, credit_open in itertools.product(BASES, (0, 1, 3), (0, 2, SLOTS)):
        sent = base
        acked, consumed = (sent - open_) & 0xFFFF, (sent - credit_open) & 0xFFFF
        for a, c in zip(NEWS, w.rng.sample(NEWS, len(NEWS)), strict=True):
            ack, credit = (acked + a) & 0xFFFF, (consumed + c) & 0xFFFF
            pair.put(sent, acked, consumed, 7, 7)
            w.send(0, MPI, Packet(ACK, 1, 0, ack=ack, credit=credit, job=w.job).datagram())
            await w.steps(75)
            want = (sent & 0xFFFF, after_news(acked, sent, ack), after_news(consumed, sent, credit), 7, 7)
            assert pair.get() == want, (sent, acked, consumed, ack, credit)


@cocotb.test()
async def numbers(dut: Any) -> None:
    """Envelopes: the next one is accepted, any other is answered at once; an old RTS by DONE, for it is forgotten."""
    w, pair = await prepared(dut)
    places = 6144 // 64  # of the pool: envelopes that can be put aside
    for kind, accepted, distance in itertools.product((EAGER, RTS), BASES, NEWS):
        seq = (accepted + distance) & 0xFFFF
        pair.put(5, 5, 5, accepted, accepted)
        w.log.clear()
        handle = 9 if kind == RTS else 0
        packet = Packet(kind, 1, 0, seq=seq, ack=5, credit=5, tag=3, comm=1, job=w.job, offset=handle)
        w.send(0, MPI, packet.datagram())
        await w.steps(200)
        next_one = distance == 0
        places -= next_one
        assert pair.get() == (5, 5, 5, (accepted + next_one) & 0xFFFF, accepted & 0xFFFF), (kind, accepted, seq)
        names = w.names()
        if next_one:
            assert names == [], names  # its acknowledgement may wait
        elif kind == RTS and distance < 0:
            await w.steps(500)  # all requests are looked at, all envelopes that wait
            assert w.names() in (["DONE"], ["ACK"]), (accepted, seq, w.names())
        else:
            assert names == ["ACK"], (kind, accepted, seq, names)
    assert places > 0

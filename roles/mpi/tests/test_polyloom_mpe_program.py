# SPDX-License-Identifier: Apache-2.0
"""Covers: every instruction is a legal one and comes a cycle after its address, whatever the order. What the
program does is checked by running the words that were read on a model of the sequencer (mpe_engine.py): it begins
with its memory clear and rests; registers of management as PROTOCOL.md has them, who may write them, what is
foreign; envelopes sent and received, matched before and after they come, words of ENGINE.md.

Leaves out: rendezvous, time, and the sequencer's own timing (test_polyloom_mpe.py, test_mpe_faults.py).
"""

from __future__ import annotations

import random
from typing import Any

import cocotb
import mpe_engine as mpe
import mpe_machine as isa
from kernel_frames import EAGER, MPI, RTS, Packet, ip_of, management
from kernel_parts import part
from kernel_world import ANY_RANK, ANY_TAG, CANCEL, IPROBE, RECV, RECV_WAIT, SEND, TEST, WAIT, Response, command
from mpe_engine import COUNT, F_MANAGE, F_RESPONSE, F_WANT, Engine, Sent
from mpe_machine import GLOBALS, INSTRUCTION, PROGRAM_WORDS, REQUESTS

from polyloom.rtl.testing import bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "kernel_tb")
JOB_NUMBER, ELSEWHERE = 0x12345678, ip_of(9)
FOREIGN, N_SENT, N_ACCEPTED = 3, 5, 6
MAX_RANKS = 1024


async def text(dut: Any) -> list[int]:
    """The program, read twice: in order, then in any."""
    h = part(dut, "program")
    at, word = h.signal("at"), h.signal("word")
    order = [*range(PROGRAM_WORDS), *(h.rng.randrange(PROGRAM_WORDS) for _ in range(500))]
    seen: list[int] = []
    EveryCycle(h, lambda: at.set(order[min(h.cycle, len(order) - 1)]), lambda _: seen.append(word.get()))
    await h.step(len(order) + 1)
    program = seen[1 : PROGRAM_WORDS + 1]
    assert seen[1:] == [program[n] for n in order]
    return program


async def started(dut: Any, ranks: int = 0, eager: int = 256, rank: int = 0) -> Engine:
    """An engine that rests; in a job, if it has ranks: rank r and the manager are nodes r."""
    e = Engine(await text(dut), random.Random(part(dut, "program").rng.getrandbits(64)))
    e.run()
    if ranks:
        for r in range(ranks + 1):
            write(e, 0x100 + 2 * r, 0x0250 << 32 | ip_of(r), MPI << 32 | ip_of(r))
        write(e, 4, ranks << 16 | rank, 4 << 16 | eager, 200 << 32 | 2000, 8 << 32 | 5760)
        write(e, 3, JOB_NUMBER)
    return e


def requested(e: Engine, op: int, register: int, values: list[int] | int, ip: int = ELSEWHERE) -> list[int]:
    """A question of management and its response."""
    count = values if isinstance(values, int) else len(values)
    seq, port, mac = e.cycle & 0xFFFF, e.cycle >> 16 & 0xFFFF, e.cycle >> 16
    data = management(op, count, seq, register, None if isinstance(values, int) else values)
    e.hear(data, ip, port, True, mac & (1 << 48) - 1)
    assert e.flags & F_MANAGE
    e.sent.clear()
    e.run(mpe.SEND)
    (s,) = e.sent
    assert (s.mac, s.port, s.ip, s.manage) == (mac & (1 << 48) - 1, port, ip, True)
    got = [int.from_bytes(s.data[at : at + 8], "little") for at in range(14, len(s.data), 8)]
    # A word more than the header is not counted where there are no values.
    assert s.data[:14] == management(op + 2, count, seq, register) and s.count == 14 + 8 * (count if op == 2 else 0)
    assert not e.flags & F_MANAGE
    return got[: count if op == 2 else 0]


def write(e: Engine, register: int, *values: int) -> None:
    """Registers get values."""
    requested(e, 1, register, list(values))


@cocotb.test()
async def legal_words(dut: Any) -> None:
    program = await text(dut)
    end = max(n for n, word in enumerate(program) if word) + 1
    assert program[end:] == [0] * (PROGRAM_WORDS - end)
    for n, word in enumerate(program[:end]):
        i = INSTRUCTION.unpack(word)
        where = f"instruction {n}: {i}"
        assert i["op"] in isa.OPERATIONS and i["access"] in isa.ACCESSES, where
        assert i["target"] >= 32 or i["target"] < isa.OUTPUTS, where
        assert i["from"] != isa.INPUT or i["b"] < isa.INPUTS, where
        assert i["cond"] not in {isa.BORROW, isa.NO_BORROW} or i["op"] in {isa.SUB, isa.RSUB}, where
        assert i["cond"] == 0 or i["cond"] == isa.RETURN or program[i["to"]], where
        assert i["cond"] != isa.CASE or i["to"] % 8 == 0, where
    assert INSTRUCTION.unpack(program[end - 1])["cond"] != 0


@cocotb.test()
async def begins(dut: Any) -> None:
    """The program's own words are 0; no output but flags."""
    e = Engine(await text(dut), random.Random(1))
    out = e.run()
    assert [e.m.memory[n] for n in range(GLOBALS, GLOBALS + 64)] == [0] * 64
    assert all(pair == (2, 0) for pair in out.all) and not e.run().all


@cocotb.test()
async def registers(dut: Any) -> None:
    """Random values of all registers, one or many at once; what is not there reads as 0."""
    e = await started(dut)
    rng = random.Random(e.cycle)
    assert requested(e, 2, 0, 1) == [0x504C4D5000000001]
    assert requested(e, 2, 8, 1) == [49152 << 32 | 256 << 16 | MAX_RANKS]
    table = [rng.getrandbits(48) for _ in range(128)]
    write(e, 0x100, *table)
    manager = [rng.getrandbits(48), MPI << 32 | ip_of(5)]
    last = 0x100 + 2 * MAX_RANKS
    write(e, last, *manager)
    size, ranks = rng.choice([1, MAX_RANKS - 1, MAX_RANKS]), rng.randrange(1 << 16)
    values = [size << 16 | ranks, rng.getrandbits(32), rng.getrandbits(64), rng.getrandbits(48)]
    write(e, 4, *values)
    assert requested(e, 2, 4, 4) == values
    assert requested(e, 2, 0x100, 128) == table and requested(e, 2, last, 4) == [*manager, 0, 0]
    write(e, 4, MAX_RANKS + 1 << 16 | 7)
    assert requested(e, 2, 4, 1) == [MAX_RANKS << 16 | 7], "no more ranks than there are"
    counters = requested(e, 2, 0x10, 16)
    assert counters == [*e.counters[:12], 0, 0, 0, 0]
    assert (
        requested(e, 2, 0x20, 4) == [0] * 4
        and requested(e, 2, 9, 7) == [0] * 7
        and requested(e, 2, last + 2, 3) == [0] * 3
    )
    assert requested(e, 2, 1, 2) == [0, 0]
    begin = e.cycle
    write(e, 1, 1)
    e.cycle = begin + 0x1_0000_0005 & (1 << 64) - 1
    assert requested(e, 2, 0x1C, 1) == [0x1_0000_0005]
    e.done = True
    assert requested(e, 2, 2, 1) == [3]


@cocotb.test()
async def who_may_write(dut: Any) -> None:
    """In a job only its manager; anybody may read. What is not management is foreign, and all of it is thrown away."""
    e = await started(dut, ranks=2)
    out = e.hear(management(1, 1, 1, 3, [0]), ELSEWHERE, 99, True)
    assert out.of(COUNT) == [FOREIGN] and not e.flags & F_MANAGE
    assert requested(e, 2, 3, 1) == [JOB_NUMBER]
    good = management(1, 1, 1, 5, [7])
    for bad in (
        b"MP" + good[2:], good[:2] + b"\3" + good[3:], good[:3] + b"\0" + good[4:], good[:3] + b"\x81" + good[4:],
        good[:-1], good[:3] + b"\2" + good[4:],
    ):  # fmt: skip
        assert e.hear(bad, ip_of(2), 99, True).of(COUNT) == [FOREIGN], bad.hex()
        assert not e.flags & F_MANAGE
    requested(e, 1, 5, [4 << 16 | 64], ip_of(2))
    out = e.hear(management(2, 1, 1, 0), ELSEWHERE, 99, True)
    assert e.flags & F_MANAGE and not e.hear(management(2, 1, 2, 0), ELSEWHERE, 98, True).of(COUNT)
    e.run(mpe.SEND)
    assert e.sent[-1].port == 99, "one that comes while another is answered is dropped"


@cocotb.test()
async def settings_of_the_filter(dut: Any) -> None:
    e = await started(dut)
    out = e.hear(management(1, 2, 1, 4, [3 << 16 | 2, 9 << 16 | 72]), ELSEWHERE, 1, True)
    assert out.of(mpe.RANK) == [3 << 16 | 2] and [v & 0xFFFF for v in out.of(mpe.EAGER_LIMIT)] == [72]
    e.run(mpe.SEND)
    assert e.hear(management(1, 1, 2, 3, [JOB_NUMBER]), ELSEWHERE, 1, True).of(mpe.JOB) == [JOB_NUMBER]


def packet(s: Sent) -> Packet:
    """The packet that was sent to rank 1, checked for where it goes."""
    assert (s.ip, s.port, s.mac, s.manage) == (ip_of(1), MPI, 0x0250 << 32 | ip_of(1), False)
    return s.packet()


@cocotb.test()
async def sends(dut: Any) -> None:
    """Envelopes to a rank: short ones as EAGER, with a job for the payload, long ones as RTS; four, then no credit."""
    e = await started(dut, ranks=2, eager=64)
    for seq, (count, kind) in enumerate([(64, EAGER), (65, RTS), (0, EAGER), (1, EAGER)]):
        address, tag = 0x10003 + seq, 1000 + seq
        (word0, word1) = e.command(command(SEND, 1, tag, address, count, 6, 3))
        assert (Response(word0, word1).error, Response(word0, word1).done) == (0, 0) and e.flags & F_WANT
        out, handle = e.run(mpe.SEND), Response(word0, word1).handle
        want = Packet(kind, 0, 1, seq, 0, tag, 6, 0, count, REQUESTS ^ handle if kind == RTS else 0, 3, JOB_NUMBER)
        assert packet(e.sent[-1]) == want and out.of(COUNT) == [N_SENT]
        payload = count if kind == EAGER else 0
        assert e.sent[-1].count == 30 + payload
        assert out.of(mpe.READ_AT) == ([address] if payload else []) and len(out.of(mpe.READ)) == int(payload > 0)
        if payload:
            assert out.of(mpe.READ)[0] & 0xE7FF == 0xC000 | count  # tell, record
            e.run(mpe.COPIED)
    sent = len(e.sent)
    e.command(command(SEND, 1, 5, 0x10000, 8, 6))
    e.run(mpe.SEND)
    assert len(e.sent) == sent and not e.flags & F_WANT
    e.hear(Packet(7, 1, 0, ack=4, credit=2, job=JOB_NUMBER).datagram(), ip_of(1), MPI, False)
    assert e.flags & F_WANT
    e.run(mpe.SEND)
    assert packet(e.sent[-1]).seq == 4
    outside = [Response(*e.command(command(SEND, rank, 1, 0x10000, 8))).error for rank in (3, 64, 65, 0x101, 0xFFFF)]
    assert outside == [5] * 5


@cocotb.test()
async def receives(dut: Any) -> None:
    """A receive before its envelope, and after it: probed, then found in the store."""
    e = await started(dut, ranks=2)
    data = bytes(range(20))
    early = Packet(EAGER, 1, 0, 0, tag=8, comm=2, length=20, dtype=3, job=JOB_NUMBER, payload=data)
    assert e.hear(early.datagram(), ip_of(2), MPI, False).of(COUNT) == [FOREIGN], "not that rank's address"
    assert e.command(command(RECV_WAIT, ANY_RANK, ANY_TAG, 0x10009, 30, 2)) == []
    out = e.hear(early.datagram(), ip_of(1), MPI, False)
    assert (out.of(mpe.WRITE_AT), [v & 0xE7FF for v in out.of(mpe.WRITE)]) == ([0x10009], [0x8000 | 20])
    assert out.of(COUNT) == [N_ACCEPTED] and e.flags & F_RESPONSE
    e.run(mpe.RESPONSE)
    a = Response(*e.responses)
    assert (a.error, a.done, a.source, a.tag, a.bytes, a.dtype) == (0, 1, 1, 8, 20, 3) and not e.flags & F_RESPONSE
    late = Packet(EAGER, 1, 0, 1, tag=9, comm=2, length=20, job=JOB_NUMBER, payload=data)
    (job,) = e.hear(late.datagram(), ip_of(1), MPI, False).of(mpe.WRITE)
    place = job >> 16
    assert job & 0xE7FF == 0x4000 | 20
    assert Response(*e.command(command(IPROBE, 1, 8, comm=2))).done == 0
    a = Response(*e.command(command(IPROBE, 1, ANY_TAG, comm=2)))
    assert (a.done, a.source, a.tag, a.bytes) == (1, 1, 9, 20)
    (word0, word1) = e.command(command(RECV, 1, 10, 0x10000, 7, 2))
    handle = Response(word0, word1).handle
    assert Response(*e.command(command(TEST, handle=handle, dtype=0x80))).done == 0
    (word0, word1) = e.command(command(RECV, 1, 9, 0x10000, 7, 2))
    handle = Response(word0, word1).handle
    for _ in range(2):
        a = Response(*e.command(command(TEST, handle=handle, dtype=0x80)))
        assert (a.error, a.done, a.source, a.tag, a.bytes) == (1, 1, 1, 9, 20), "it stays"
    assert e.command(command(WAIT, handle=handle)) == [] and e.flags & F_RESPONSE
    e.run(mpe.RESPONSE)
    a = Response(*e.responses)
    assert (a.error, a.source, a.tag, a.bytes) == (1, 1, 9, 20), "truncated"
    # A receive is taken back if no message has matched it: one between others, the first, the last, one alone.
    for which in ([1, 0, 2], [0, 2, 1]):
        handles = [Response(*e.command(command(RECV, 1, 40 + n, 0x10000, 8, 2))).handle for n in range(3)]
        for n in which:
            assert Response(*e.command(command(CANCEL, handle=handles[n]))).done == 1
            assert Response(*e.command(command(CANCEL, handle=handles[n]))).done == 0, "it is complete"
            assert e.command(command(WAIT, handle=handles[n])) == []
            e.run(mpe.RESPONSE)
            a = Response(*e.responses)
            assert (a.error, a.tag, a.bytes) == (0, 40 + n, 0xFFFFFFFF)
    assert Response(*e.command(command(CANCEL, handle=handles[0]))).error == 5
    assert Response(*e.command(command(WAIT, handle=handle))).error == 5
    assert Response(*e.command(command(TEST, handle=handle, dtype=0x80))).error == 5
    assert place < 768

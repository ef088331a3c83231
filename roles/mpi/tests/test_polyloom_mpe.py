# SPDX-License-Identifier: Apache-2.0
"""Covers: whole nodes with command players: eager messages and rendezvous between two of them, errors, foreign frames,
management. The tests see frames, responses and memories only.

Leaves out: the C++ engine as a peer (interop_test.cc), faults of the network (test_mpe_faults.py),
ports that wait (test_polyloom_kernel_node.py), each part alone (the tests of their names).
"""

from __future__ import annotations

from typing import Any

import cocotb
from kernel_frames import DATA, EAGER, MANAGEMENT, MPI, RTS, Packet, closed, ip_of, mac_of, management, replace, udp
from kernel_world import (
    ANY_RANK,
    ANY_TAG,
    DRAM,
    HOST,
    IPROBE,
    MEMORY,
    PROBE,
    RECV,
    RECV_WAIT,
    RESPONSES,
    SEND,
    SEND_WAIT,
    SSEND_WAIT,
    TEST,
    WAIT,
    World,
    command,
)  # fmt: skip

from polyloom.rtl.testing import Signal, bench

test = bench(__file__, "kernel_tb")

MOST_REQUESTS = 256


@cocotb.test()
async def registers(dut: Any) -> None:
    w = World(dut)
    await w.reset()
    assert await w.read(0, 0) == [0x504C4D5000000001]
    await w.write(0, 4, 0x0003_0001, 0x19_0004_0100, 0x2000001000, 0x800001680)
    limits = 49152 << 32 | MOST_REQUESTS << 16 | 1024
    assert await w.read(0, 3, 6) == [0, 0x30001, 0x19_0004_0100, 0x2000001000, 0x800001680, limits]
    await w.write(1, 0x102, 0x025001020304, 2718 << 32 | 0x0A500001)
    assert await w.read(1, 0x100, 4) is not None
    assert await w.read(1, 0x102, 2) == [0x025001020304, 2718 << 32 | 0x0A500001]
    await w.steps(200)
    assert int(dut.idle.value) == 7


@cocotb.test()
async def eager(dut: Any) -> None:
    w = World(dut)
    await w.reset()
    await w.set_up([0, 1])
    data = w.rng.randbytes(100)
    w.put(0, MEMORY + 3, data)
    w.put(1, MEMORY, bytes(200))
    w.script(0, [command(SEND_WAIT, 1, 5, MEMORY + 3, 100, 9, 2)])
    w.script(1, [command(RECV_WAIT, ANY_RANK, ANY_TAG, MEMORY + 13, 100, 9, 2)])
    await w.start(1, 0)
    await w.run(0, 1)
    (a,) = w.responses(1, 1)
    assert (a.error, a.done, a.source, a.tag, a.bytes, a.dtype) == (0, 1, 0, 5, 100, 2)
    assert w.get(1, MEMORY, 200) == bytes(13) + data + bytes(87)
    await w.steps(800)
    assert w.names() == ["EAGER", "ACK"], "\n".join(f"{c}: {p}" for c, p in w.log)
    assert int(dut.idle.value) == 7


@cocotb.test()
@cocotb.parametrize(count=[257, 5000, 20001])
async def rendezvous(dut: Any, count: int) -> None:
    w = World(dut)
    await w.reset()
    await w.set_up([0, 1])
    data = w.rng.randbytes(count)
    w.put(0, MEMORY + 5, data)
    w.put(1, MEMORY, bytes(count + 100))
    w.script(0, [command(SEND_WAIT, 1, 5, MEMORY + 5, count, 9)])
    w.script(1, [command(RECV_WAIT, 0, 5, MEMORY + 1, 30000, 9)])
    await w.start(0, 1)
    await w.run(0, 1)
    (a,) = w.responses(1, 1)
    assert (a.error, a.done, a.source, a.tag, a.bytes) == (0, 1, 0, 5, count)
    assert w.get(1, MEMORY, count + 20) == bytes(1) + data + bytes(19)
    assert "RESUME" not in w.names()
    await w.steps(800)
    assert int(dut.idle.value) == 7


@cocotb.test()
async def foreign_frames(dut: Any) -> None:
    """What is not for this rank changes nothing and is counted; good packets between are heard."""
    w = World(dut)
    await w.reset()
    await w.set_up([0, 1, HOST], eager=128)
    w.put(0, MEMORY, bytes(64))
    w.put(0, DRAM + RESPONSES, bytes(16))  # a response of the test before
    w.script(0, [command(RECV_WAIT, ANY_RANK, ANY_TAG, MEMORY, 64, 1)])
    await w.start(0)
    await w.steps(300)
    before = await w.read(0, 0x10, 10)
    good = Packet(EAGER, 2, 0, 0, tag=1, comm=1, length=8, payload=b"good....", job=77)
    evil = replace(good, payload=b"evil....")
    frame = udp(ip_of(HOST), ip_of(0), MPI, evil.datagram())
    foreign = [
        frame[:-9],  # shorter than its IP length
        frame[:70],
        frame[:36],
        frame[:14],
        udp(ip_of(HOST), ip_of(0), MPI, replace(evil, job=78).datagram()),
        udp(ip_of(HOST), ip_of(0), MPI, replace(evil, job=0).datagram()),
        udp(ip_of(HOST), ip_of(0), MPI, replace(evil, src=4).datagram()),
        udp(ip_of(HOST), ip_of(0), MPI, replace(evil, src=0xFFFF).datagram()),
        udp(ip_of(HOST), ip_of(0), MPI, replace(evil, dst=1).datagram()),
        udp(ip_of(HOST), ip_of(0), MPI, replace(evil, src=1).datagram()),  # another rank's number
        udp(ip_of(9), ip_of(0), MPI, evil.datagram()),  # another address
        udp(ip_of(HOST), ip_of(0), MPI, evil.datagram(), 999),  # another port
        udp(ip_of(HOST), ip_of(0), 2717, evil.datagram(), MPI),
        udp(ip_of(HOST), ip_of(0), MPI, replace(evil, kind=0).datagram()),
        udp(ip_of(HOST), ip_of(0), MPI, replace(evil, kind=8).datagram()),
        udp(ip_of(HOST), ip_of(0), MPI, replace(evil, length=9).datagram()),
        udp(ip_of(HOST), ip_of(0), MPI, replace(evil, offset=8).datagram()),
        udp(ip_of(HOST), ip_of(0), MPI, replace(evil, kind=RTS).datagram()),
        udp(ip_of(HOST), ip_of(0), MPI, replace(evil, payload=bytes(129), length=129).datagram()),  # more than E
        udp(ip_of(HOST), ip_of(0), MPI, evil.datagram()[:29]),
        udp(ip_of(HOST), ip_of(0), MPI, b""),
        frame[:12] + b"\x86\xdd" + frame[14:],  # another type
        frame[:14] + b"\x46" + frame[15:],  # options
        frame[:20] + b"\x20" + frame[21:],  # a fragment
        frame[:23] + b"\x06" + frame[24:],  # not UDP
        frame[:33] + b"\x09" + frame[34:],  # another node's IP
    ]
    foreign += [frame[:5] + b"\x07" + frame[6:], b"\xff" * 6 + frame[6:]]  # other MACs
    for body in foreign:
        w.rx[0].append(closed(body))
    w.carry(closed(frame)[:-1] + b"\x00")
    w.carry(closed(frame[:-1] + b"\x00")[:-4] + closed(frame)[-4:])
    await w.steps(100 + 40 * len(foreign))
    after = await w.read(0, 0x10, 10)
    grown = [a - b for a, b in zip(after, before, strict=True)]
    assert (grown[2], grown[3], grown[4]) == (2, len(foreign), 0), grown
    assert w.responses(0, 1)[0].done == 0
    w.send(0, MPI, good.datagram())
    await w.run(0)
    assert w.get(0, MEMORY, 8) == b"good...."


@cocotb.test()
async def strangers_do_not_manage(dut: Any) -> None:
    w = World(dut)
    await w.reset()
    await w.set_up([0, 1])
    (before,) = await w.read(0, 0x13)
    data = management(1, 1, 999, 3, [0])
    w.send(0, MANAGEMENT, data, 40000, source=ip_of(1))
    w.send(0, MANAGEMENT, data[:-1], 40000)  # cut short
    w.send(0, MANAGEMENT, management(9, 1, 999, 3, [0]), 40000)
    w.send(0, MANAGEMENT, b"MP" + data[2:], 40000)
    await w.steps(400)
    assert await w.read(0, 3) == [77]
    assert (await w.read(0, 0x13))[0] == before + 4
    for node in range(3):  # a broadcast goes to all
        w.rx[node].append(_request_for(0))
    await w.steps(200)
    responses = [f for f in w.raw if f[12:14] == b"\x08\x06"]
    want = mac_of(ip_of(HOST)) + mac_of(ip_of(0)) + bytes.fromhex("08060001080006040002") + mac_of(ip_of(0))
    want += bytes.fromhex("0a500001") + mac_of(ip_of(HOST)) + bytes.fromhex("0a500004")
    assert [f[:42] for f in responses] == [want]
    await w.write(0, 1, 2)  # the manager may stop
    await w.steps(400)
    assert await w.read(0, 3) == [0]
    assert await w.read(0, 2) == [0]


def _request_for(node: int) -> bytes:
    """An ARP request of the host."""
    head = b"\xff" * 6 + mac_of(ip_of(HOST)) + bytes.fromhex("08060001080006040001") + mac_of(ip_of(HOST))
    return closed((head + bytes.fromhex("0a500004") + bytes(6) + ip_of(node).to_bytes(4, "big")).ljust(60, b"\0"))


@cocotb.test()
async def errors(dut: Any) -> None:
    """Every error of ENGINE.md, and tests and probes that find nothing or something."""
    w = World(dut)
    await w.reset()
    await w.set_up([0, 1, HOST], eager=128, retransmit=400, retries=3)
    w.put(0, MEMORY, bytes(range(200)))
    w.put(1, MEMORY, bytes(200))
    w.script(0, [
        command(SEND_WAIT, 9, 1, MEMORY, 8),
        command(RECV_WAIT, 9, 1, MEMORY, 8),
        command(WAIT, handle=1000),
        command(SEND_WAIT, 1, 1, MEMORY, 20, 1, dtype=3),
        command(SEND_WAIT, 1, 2, MEMORY, 20, 1, dtype=3),
        command(SEND, 1, 3, MEMORY, 200, 1, dtype=3),
        command(SSEND_WAIT, 1, 4, MEMORY, 20, 1, dtype=3),
        command(SEND_WAIT, 1, 5, 0x100, 20, 1),  # no memory there
        command(SSEND_WAIT, 2, 1, MEMORY, 8, 1),  # the host never responds
        command(SEND_WAIT, 1, 6, MEMORY, 20, 1),
        command(WAIT, handle=5),
        command(SEND_WAIT, 1, 7, MEMORY, 0, 1, dtype=3),
        command(SSEND_WAIT, 1, 8, MEMORY, 0, 1, dtype=3),
    ])  # fmt: skip
    w.script(1, [
        command(IPROBE, 0, 99, comm=1),
        command(PROBE, ANY_RANK, 4, comm=1),
        command(RECV_WAIT, 0, 1, MEMORY, 10, 1, dtype=3),
        command(RECV_WAIT, 0, 2, MEMORY, 20, 1, dtype=4),
        command(RECV_WAIT, 0, 3, MEMORY, 199, 1, dtype=3),
        command(RECV, 0, 6, MEMORY + 100, 20, 1),
        command(TEST, handle=5),
        command(RECV_WAIT, 0, 4, MEMORY + 50, 20, 1, dtype=0),
        command(TEST, handle=1000, dtype=0x80),
        command(WAIT, handle=5),
        command(RECV_WAIT, 0, 7, MEMORY, 20, 1, dtype=4),  # no data, no type
        command(RECV_WAIT, 0, 8, MEMORY, 0, 1, dtype=5),
    ])  # fmt: skip
    await w.start(1, 0)
    await w.run(0, 1)
    mine, theirs = w.responses(0, 13), w.responses(1, 12)
    assert [a.error for a in mine] == [5, 5, 5, 0, 0, 0, 0, 6, 3, 0, 0, 0, 0], mine
    assert [a.error for a in theirs] == [0, 0, 1, 2, 1, 0, 0, 0, 5, 0, 0, 0], theirs
    assert [a.done for a in theirs] == [0, 1, 1, 1, 1, 0, 0, 1, 0, 1, 1, 1], theirs
    assert (theirs[1].source, theirs[1].tag, theirs[1].bytes, theirs[1].dtype) == (0, 4, 20, 3)
    assert theirs[2].bytes == 20 and theirs[4].bytes == 200
    assert w.get(1, MEMORY, 200) == bytes(range(20)) + bytes(30) + bytes(range(20)) + bytes(30) + bytes(
        range(20)
    ) + bytes(80)
    await w.steps(3000)
    assert int(dut.idle.value) == 7


@cocotb.test()
async def no_rank_outside_the_job(dut: Any) -> None:
    """Sends to ranks that the job has not are refused, also those whose low bits are a rank's; no frame leaves."""
    w = World(dut)
    await w.reset()
    await w.set_up([0, 1], eager=128)
    w.put(0, MEMORY, bytes(64))
    outside = [3, 4, 63, 64, 65, 127, 128, 129, 0x101, 0x7FFF, 0x8001, 0xFFFE, ANY_RANK]
    w.script(0, [command(op, rank, 1, MEMORY, 8, 1) for op in (SEND, SSEND_WAIT) for rank in outside])
    await w.start(0)
    await w.run(0)
    assert [(a.error, a.done) for a in w.responses(0, 2 * len(outside))] == [(5, 0)] * (2 * len(outside))
    await w.steps(3000)
    assert w.log == []
    # Nor has the frame of a job that was stopped an addressee.
    await w.write(0, 1, 2)
    await w.steps(600)
    w.script(0, [command(SEND, 1, 1, MEMORY, 8, 1)])
    await w.start(0)
    await w.run(0)
    assert w.responses(0, 1)[0].error == 5
    await w.steps(3000)
    assert w.log == []
    await w.write(0, 1, 2)
    await w.steps(600)


@cocotb.test()
async def too_many(dut: Any) -> None:
    """The table of requests is full but for one, which is for the manager (rank 2); then it is free again."""
    w = World(dut)
    await w.reset()
    await w.set_up([0, 1])
    requested = [command(RECV, 1, t, MEMORY + 8 * t, 8, 1) for t in range(MOST_REQUESTS)]
    w.script(0, [*requested, command(SEND, 2, 1, MEMORY, 8), command(SEND, 2, 1, MEMORY, 8)])
    await w.start(0)
    await w.run(0)
    assert [a.error for a in w.responses(0, MOST_REQUESTS + 2)] == [0] * (MOST_REQUESTS - 1) + [4] + [0, 4]
    await w.write(0, 1, 2)
    await w.steps(600)
    assert int(dut.idle.value) == 7


@cocotb.test()
async def opposite_order(dut: Any) -> None:
    """All that is started before its receive matches, up to the limit of a pair, in whatever order; twice, as envelopes
    without a place must come back to their list."""
    w = World(dut)
    await w.reset()
    count = 20
    await w.set_up([0, 1], eager=384, retransmit=800, most=count)
    data = [w.rng.randbytes(8) for _ in range(count)]
    w.put(0, MEMORY, b"".join(data))
    tags = [*range(count), *range(count)]
    waits = [command(WAIT, handle=n) for n in range(count)]
    send = [command(SEND, 1, t, MEMORY + 8 * t, 8, 1) for t in range(count)]
    receive = [command(RECV_WAIT, 0, t, MEMORY + 8 * t, 8, 1) for t in reversed(range(count))]
    w.script(0, [*send, *waits, *send])
    w.script(1, [*receive, *receive])
    await w.start(0, 1)
    await w.run(1, limit=200_000)
    assert [a.error for a in w.responses(1, 2 * count)] == [0] * len(tags)
    assert w.get(1, MEMORY, 8 * count) == b"".join(data)
    assert {p.kind for _, p in w.log} >= {EAGER, RTS}


@cocotb.test()
async def speed(dut: Any) -> None:
    """Cycles from a short send's last command word to the wire, and how full the wire is in both directions at once."""
    w = World(dut)
    await w.reset()
    await w.set_up([0, 1], window=23040, eager=256)
    count = 30_000
    data = [w.rng.randbytes(count) for _ in range(2)]
    for n in range(2):
        w.put(n, MEMORY, data[n])
        w.script(n, [
            command(RECV, 1 - n, 2, MEMORY + 30_720, count, 1),
            command(SEND_WAIT, 1 - n, 1, MEMORY, 8, 1),
            command(RECV_WAIT, 1 - n, 1, MEMORY + 61_440, 8, 1),
            command(SEND, 1 - n, 2, MEMORY, count, 1),
            command(WAIT, handle=3),
            command(WAIT, handle=0),
        ])  # fmt: skip
    begin = 0
    scope = dut.gen_node[0].i_dut
    valid, at = Signal(scope.cmd_valid), Signal(scope.i_app.at_q)

    def watch(cycle: int) -> None:
        nonlocal begin
        if valid.get() and at.get() == 1:
            begin = cycle

    w.watch = watch
    await w.start(0, 1)
    await w.steps(200)
    (first,) = [c for c, p in w.log if p.kind == EAGER and p.src == 0]
    await w.run(0, 1)
    for n in range(2):
        assert w.get(1 - n, MEMORY + 30_720, count) == data[n]
    starts = [c for c, p in w.log if p.kind == DATA and p.src == 0]
    frames = len(starts) - 1
    share = 189 * frames / (starts[-1] - starts[0])
    cocotb.log.info("send to wire: %d cycles; DATA both ways: %.3f words a cycle each", first - begin, share)
    assert first - begin <= 70
    assert share > 0.45  # the kernel's port gives one access a cycle to both directions


@cocotb.test()
async def to_itself_among_questions(dut: Any) -> None:
    """A long message to itself while a stranger asks for addresses and registers: frames that turn round and responses
    share a store, and neither may keep the other from leaving it."""
    w = World(dut)
    await w.reset()
    await w.set_up([0, 1], eager=128)
    count = 30_000
    data = w.rng.randbytes(count)
    w.put(0, MEMORY, data)
    w.script(0, [
        command(RECV, 0, 1, MEMORY + 32_000, count, 1),
        command(SSEND_WAIT, 0, 1, MEMORY, count, 1),
        command(WAIT, handle=0),
    ])  # fmt: skip
    await w.start(0)
    for _ in range(30_000):
        if len(w.rx[0]) < 4:
            question = management(2, w.rng.choice([1, 16, 128]), 1, 0x100)
            request = closed(udp(ip_of(HOST), ip_of(0), MANAGEMENT, question, 50000))
            w.rx[0].append(w.rng.choice([request, _request_for(0)]))
        await w.step()
        if w.done[0].get():
            break
    await w.run(0)
    assert w.get(0, MEMORY + 32_000, count) == data
    await w.steps(5000)
    assert [d for d in w.host if d.target_port == 50000], "questions were answered too"
    w.host.clear()
    w.raw.clear()
    assert await w.read(0, 3) == [77]
    assert int(dut.idle.value) == 7

# SPDX-License-Identifier: Apache-2.0
"""Covers: whole nodes with command players: eager messages and rendezvous between two of them.

Leaves out: the C++ engine as a peer (kernel_node_test.cc).
"""

from __future__ import annotations

from typing import Any

import cocotb
from kernel_world import ANY_RANK, ANY_TAG, MEMORY, RECV_WAIT, SEND_WAIT, World, command

from polyloom.rtl.testing import bench

test = bench(__file__, "kernel_tb")


@cocotb.test()
async def registers(dut: Any) -> None:
    w = World(dut)
    await w.reset()
    assert await w.read(0, 0) == [0x504C4D5000000001]
    await w.write(0, 4, 0x0003_0001, 0x0004_0100, 0x2000001000, 0x800001680)
    assert await w.read(0, 3, 6) == [0, 0x30001, 0x40100, 0x2000001000, 0x800001680, 8192 << 32 | 32 << 16 | 64]
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
    (a,) = w.answers(1, 1)
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
    (a,) = w.answers(1, 1)
    assert (a.error, a.done, a.source, a.tag, a.bytes) == (0, 1, 0, 5, count)
    assert w.get(1, MEMORY, count + 20) == bytes(1) + data + bytes(19)
    assert "RESUME" not in w.names()
    await w.steps(800)
    assert int(dut.idle.value) == 7

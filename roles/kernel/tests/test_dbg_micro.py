from __future__ import annotations
from typing import Any
import cocotb, os
from kernel_world import *
from polyloom.rtl.testing import bench
test = bench(__file__, "kernel_tb")
@cocotb.test()
async def dbg(dut: Any) -> None:
    w = World(dut)
    await w.reset()
    await w.set_up([0, 1])
    count=5000
    data = w.rng.randbytes(count)
    w.put(0, MEMORY + 5, data)
    w.put(1, MEMORY, bytes(count + 100))
    w.script(0, [command(SEND_WAIT, 1, 5, MEMORY + 5, count, 9)])
    w.script(1, [command(RECV_WAIT, 0, 5, MEMORY + 1, 30000, 9)])
    await w.start(0, 1)
    await w.steps(5000)
    open("/tmp/pl/micro/log.txt","w").write("\n".join(f"{c} {p}" for c,p in w.log))

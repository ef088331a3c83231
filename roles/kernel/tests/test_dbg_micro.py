from __future__ import annotations
from typing import Any
import cocotb, os
from kernel_world import *
from kernel_traffic import Traffic
from test_mpe_faults import network, SIZES
from polyloom.rtl.testing import bench
test = bench(__file__, "kernel_tb")
FL=[(1,'OWN'),(2,'COMPL'),(4,'UNACK'),(8,'WORK'),(0x10,'OPEN'),(0x20,'EAGER'),(0x40,'RECV'),(0x80,'AGAIN'),(0x100,'cts'),(0x200,'resume'),(0x400,'done'),(0x800,'GAP'),(0x1000,'GRANT')]
def dump(dut, out):
    for n in range(3):
        seq = dut.gen_node[n].i_dut.i_mpe.i_sequencer
        mem = seq.i_data.memory
        g = lambda a: int(mem[a].value)
        R = lambda i: int(seq.registers_q[i].value)
        out(f"== node {n} at {int(seq.at_q.value)} FLAGS {R(2):x} size {R(4)} slots {R(5)} AWAITED {R(11):x} COPIED {R(12):x} COMMAND {R(13):x} event {int(dut.gen_node[n].i_dut.i_mpe.why.value)} player at {int(dut.gen_node[n].i_dut.i_app.at_q.value)}")
        out("globals " + " ".join(f"{k}:{g(1984+k):x}" for k in range(35)))
        for r in range(4):
            b=10*r
            out(f" rank {r}: " + " ".join(f"{nm}={g(b+3+i)>>16:x}|{g(b+3+i)&0xffff:x}" for i,nm in enumerate(["acked|sent","due|consumed","cons|acc","told","heard|tries","chain","time"])))
        for i in range(32):
            b=1024+16*i
            f=g(b+13)&0xffff
            if f&1 or f&0x1c:
                out(f" req {b} {' '.join(t for k,t in FL if f&k)} next {g(b)&0xffff} wnext {g(b+1)&0xffff} peer {g(b+2)>>16} comm {g(b+2)&0xffff} tag {g(b+3):x} bytes {g(b+5)} seq {g(b+6)&0xffff} remote {g(b+6)>>16:x} pos {g(b+7)} limit {g(b+8)} time {g(b+10):x} tries {g(b+11):x} place {g(b+12)&0xffff}")
        e=g(1986)&0xffff
        while e:
            out(f" env {e} key {g(e+1):x} tag {g(e+2):x} len {g(e+3)} seq {g(e+4):x} kind {g(e+5):x}")
            e=g(e)&0xffff
@cocotb.test()
@cocotb.parametrize(kind=os.environ.get("KIND","none loss order all").split())
async def dbg(dut: Any, kind) -> None:
    f=open(f"/tmp/pl/micro/dbg-{os.environ['POLYLOOM_SEED']}-{kind}.txt","w")
    out=lambda s: print(s,file=f,flush=True)
    w = World(dut, holes=0.02)
    await w.reset()
    slots = w.rng.choice([1, 2, 4])
    await w.set_up([0, 1, 2], eager=128, slots=slots, window=2880, retransmit=1200, ack_delay=150, retries=30)
    t = Traffic(w, 3, int(os.environ.get("MSGS","60")), SIZES)
    t.load()
    faults = {"none": (0, 0, 0, 0), "loss": (0.1, 0, 0, 0), "order": (0, 0.1, 0.2, 0), "all": (0.05, 0.05, 0.1, 0.05)}
    w.fault = network(w, *faults[kind])
    if os.environ.get("TRACE"):
        node, *addrs = [int(x, 0) for x in os.environ["TRACE"].split()]
        seq = dut.gen_node[node].i_dut.i_mpe.i_sequencer
        old = {}
        pcs = []
        def watch(cycle):
            pcs.append(int(seq.at_q.value))
            del pcs[:-40]
            for a in addrs:
                v = int(seq.i_data.memory[a].value)
                if old.get(a) != v:
                    out(f"TRACE {cycle} pc {pcs[-4:]} mem[{a}] {old.get(a,0):x} -> {v:x}")
                    old[a] = v
        w.watch = watch
    await w.start(0, 1, 2)
    try:
        await w.run(0, 1, 2, limit=int(os.environ.get("LIMIT","150000")))
        t.check()
        if kind == "none":
            counters = [await w.read(n, 0x10, 10) for n in range(3)]
            assert all(c[7] == 0 and c[9] == 0 for c in counters), counters  # nothing sent again, no time-out
    except AssertionError as e:
        out(str(e)); dump(dut, out)
        for c,p in w.log: out(f"LOG {c} {p}")
        for n in range(3): out(f"script {n}: "+ "\n".join(f"{i}: op {c[0]&255} peer {c[0]>>16&0xffff} tag {c[0]>>32:x} comm {c[1]&0xffff} handle {c[1]>>16&0xffff} bytes {c[2]}" for i,c in enumerate(t.programs[n].commands)))
        raise

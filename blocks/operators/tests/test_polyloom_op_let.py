# SPDX-License-Identifier: Apache-2.0
"""Covers: random trees and targets for each set of used outputs of 3 and of 1, packed and padded, both biases, parent
first or not, trees behind each other in a step, random stalls on all sides: every beat of every LET against a walk of
the tree in fp32 of NumPy; counts, status, idle; trees that are cut off or not breadth-first, too many opened nodes,
refused configurations, strays; a flush; the latency of one record to the cycle.

Leaves out: corners of fp32 (test_let_rtl.py, test_polyloom_op_let_geometry.py); whole trees' cycles.
"""

from __future__ import annotations

from typing import Any

import cocotb
from let_units import BIAS_ZERO, NODE, OPENS_ALL, PADDED, PARENT_FIRST, Record, pruned, stream, target, tree
from operator_units import ALL, ERR_CONFIG, ERR_DEPTH, ERR_STRAY, ERR_TREE, Socket, noise

from polyloom.rtl.testing import BEAT, Harness, beats_of, bench

test = bench(__file__, "let_tb")
SHAPES = ((2, 3), (1, 1))
LATENCY = (24, 31)


def send(socket: Socket, records: list[Record], boxes: list[int], word: int) -> None:
    """Targets, then the tree, by input 0."""
    first = [BEAT.pack(data=box, keep=ALL, last=0) for box in boxes]
    rest = stream([record.bits for record in records], bool(word & PADDED))
    if not records and first:
        first[-1] |= BEAT.pack(last=1)
        rest = []
    socket.sources[0].send(first + rest)


@cocotb.test()
@cocotb.parametrize(which=range(2), word=range(8))
async def prunes(dut: Any, which: int, word: int) -> None:
    h = Harness(dut, dut.gen_let[which])
    inputs, outputs = SHAPES[which]
    socket = Socket(h, inputs, outputs)
    await h.reset()
    for _ in range(3):
        used = [o for o in range(outputs) if h.rng.random() < 0.7] or [0]
        await socket.step({o: (word, 1) for o in used})
        expected: dict[int, list[int]] = {o: [] for o in range(outputs)}
        kept = dict.fromkeys(range(outputs), 0)
        came = 0
        for size in [1, 2, h.rng.choice([5, 30]), h.rng.choice([5, 60])]:
            # Few opened nodes may wait where there is room for 4 only.
            records = tree(h.rng, size, bool(word & BIAS_ZERO)) if which == 0 else tree(h.rng, min(size, 3), most=3)
            if which == 1 and word & BIAS_ZERO:
                records = tree(h.rng, min(size, 3), True, most=3)
            boxes = [target(h.rng) for _ in used]
            send(socket, records, boxes, word)
            came += len(records)
            for o, box in zip(used, boxes, strict=True):
                let = pruned(records, box)
                kept[o] += len(let)
                expected[o] += stream(let, bool(word & PADDED))
        await h.until(lambda used=used, e=expected: all(len(socket.came(o)) >= len(e[o]) for o in used))
        await h.drain()
        await h.until(socket.idle)
        for o in range(outputs):
            assert socket.came(o) == expected[o], f"output {o}"
            assert socket.status(2 + o) == kept[o]
        assert (socket.status(0), socket.status(1)) == (0, came)


@cocotb.test()
@cocotb.parametrize(how=("number", "cut", "short", "long", "depth"))
async def reports_of_a_bad_tree(dut: Any, how: str) -> None:
    which = int(how == "depth")
    h = Harness(dut, dut.gen_let[which])
    socket = Socket(h, *SHAPES[which])
    await h.reset()
    await socket.step({0: (0, 1)})
    records = tree(h.rng, 30)
    if how == "number":
        fields = NODE.unpack(records[0].bits)
        records[0].bits = NODE.pack(**(fields | {"first": fields["first"] + 1}))
    elif how == "short":
        records = records[:-1]
    elif how == "long":
        records.append(records[-1])
    elif how == "depth":  # a node with 20 opened children, each with one
        inner = NODE.pack(first=0, q=0x3F800000)
        root = NODE.pack(count=19, first=1, q=0x3F800000)
        firsts = [inner | NODE.pack(first=21 + n) for n in range(20)]
        records = [Record(b, range(0)) for b in [root, *firsts, *[NODE.pack(q=0xBF800000)] * 20]]
    beats = stream([record.bits for record in records], padded=False)
    if how == "cut":
        data = b"".join(record.bits.to_bytes(24, "little") for record in records)
        beats = beats_of(data + h.rng.randbytes(8))
    socket.sources[0].send([BEAT.pack(data=OPENS_ALL, keep=ALL), *beats])
    await h.until(lambda: socket.status(0) != 0)
    await h.drain()
    assert socket.status(0) & (ERR_DEPTH if how == "depth" else ERR_TREE)


@cocotb.test()
async def refuses(dut: Any) -> None:
    h = Harness(dut, dut.gen_let[0])
    socket = Socket(h, *SHAPES[0])
    await h.reset()
    for configs in ({0: (8, 1)}, {0: (0, 0)}, {0: (0, 2)}, {1: (0, 3)}, {0: (1, 1), 2: (0, 1)}, {2: (1 << 63, 1)}):
        await socket.step(configs)
        assert socket.status(0) == ERR_CONFIG, configs
    socket.sources[0].send(noise(h.rng, 1))  # nothing takes it
    await h.until(lambda: socket.status(0) != ERR_CONFIG)
    assert socket.status(0) == ERR_CONFIG | ERR_STRAY
    await socket.flush()
    await socket.step({0: (0, 1)})
    assert socket.status(0) == 0


@cocotb.test()
async def strays_and_a_flush(dut: Any) -> None:
    h = Harness(dut, dut.gen_let[0])
    socket = Socket(h, *SHAPES[0], sinks="always")
    await h.reset()
    await socket.step({o: (PARENT_FIRST, 1) for o in range(3)})
    assert socket.idle()
    send(socket, tree(h.rng, 8), [target(h.rng) for _ in range(3)], 0)  # fits the outputs' buffers
    socket.sources[1].send(noise(h.rng, 1))
    await h.until(lambda: socket.status(0) == ERR_STRAY and bool(h.signal("out_valid").get()))
    await h.until(lambda: not socket.sources[0].busy())
    assert not socket.idle()
    await socket.flush()
    for sink in socket.sinks:
        sink.reset()
    assert socket.idle() and not any(socket.status(n) for n in range(5))


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def one_record(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_let[which])
    socket = Socket(h, *SHAPES[which], stall="never")
    await h.reset()
    await socket.step({0: (0, 1)})
    send(socket, tree(h.rng, 1), [target(h.rng)], 0)
    await h.until(lambda: len(socket.came(0)) == 1)
    assert socket.sinks[0].cycles[0] == socket.sources[0].cycles[1] + LATENCY[which] + 5

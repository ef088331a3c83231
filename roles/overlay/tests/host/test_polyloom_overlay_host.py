# SPDX-License-Identifier: Apache-2.0
"""Covers: the host side as a whole on boards of four shapes: accesses to memories, frames of all kinds, messages out,
events and registers at once under random stalls; frames that run beside a read; a message that finds the buffer
full, and what waits behind it; idle and work_idle; counts go on while the rest stands still; reset forgets.

Leaves out: each part's times and corners, which its own test has; range and registers (..._host_range, ..._host_regs);
the shell (host_swap_test.cc).
"""

from __future__ import annotations

from typing import Any

import cocotb
from host_ends import Pulses, Words, frames_of, message_ends, random_accesses, random_event, random_message
from host_units import (
    CTL,
    CTL_UART,
    FAULT,
    READ_SCRATCHPAD,
    SHAPES,
    UART_IN,
    UNICAST,
    FrameMaker,
    Network,
    Shell,
    Tiles,
    flits_of,
    message_frame,
    place,
    scope,
    word0,
)

from polyloom.rtl.testing import Harness, Struct, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "host_tb")
INSTRUCTIONS = 5  # role register (test_polyloom_overlay_host_regs.py has all)


def messages(h: Harness, shell: Shell, which: int, count: int, flits: int = 0) -> list[int]:
    """Send so many, of any length if none is given; their flits."""
    expected = []
    for _ in range(count):
        data = h.values(128, flits or h.rng.randint(1, SHAPES[which].max_flits))
        mask = 1 << h.rng.randrange(SHAPES[which].cores * SHAPES[which].threads)
        shell.send(message_frame(0, mask, data))
        expected += flits_of(UNICAST, 0, mask, data)
    return expected


@cocotb.test()
@cocotb.parametrize(which=range(4))
async def all_at_once(dut: Any, which: int) -> None:
    """Nothing is lost, mixed up or reordered within its kind; idle only when all is over."""
    h = scope(dut, which)
    shell, words, tiles, network = Shell(h), Words(h), Tiles(h, wait=20), Network(h)
    tx, reported, leave = h.sink("tx"), h.source("reported"), h.source("leave")
    let_in, let_out = Pulses(h, "host_in"), Pulses(h, "host_out")
    place(h, (0, 0), (3, 2))
    await h.reset()
    maker = FrameMaker(h.rng, SHAPES[which], (0, 0), (3, 2))
    for _ in range(60):
        shell.send(maker.make())
    responses = random_accesses(h, words, which, 80)
    events = [random_event(h, SHAPES[which], (0, 0)) for _ in range(60)]
    out = [random_message(h, SHAPES[which]) for _ in range(60)]
    reported.send([bits for bits, _ in events])
    leave.send([flit for flits, _ in out for flit in flits])
    await h.drain(limit=100_000, after=100)
    assert shell.responses == maker.expected.refused
    assert words.responses == responses
    requests = tiles.requests()
    assert [CTL.pack(**r) for r in requests if r["op"] <= READ_SCRATCHPAD] == words.requests
    assert [CTL.pack(**r) for r in requests if r["op"] > READ_SCRATCHPAD] == maker.expected.requests
    assert network.flits == maker.expected.flits
    assert len(let_in.cycles) == sum(flit >> FIRST & 1 for flit in network.flits)
    frames = frames_of(tx.passed)
    unit = max(1, SHAPES[which].host_flits // 4)
    room = [ROOM, unit << 32]
    assert frames.count(room) == len(network.flits) // unit
    assert [f for f in frames if f[0] & 0xFF != 1 and f != room] == [frame for _, frame in events]
    assert [f for f in frames if f[0] & 0xFF == 1] == [frame for _, frame in out]
    assert let_out.cycles == message_ends(tx.passed, tx.cycles)
    assert h.signal("idle").get() and h.signal("work_idle").get()


#: Fault of board (0,0)'s first thread that is none: messages have gone on, as many flits as its value says.
ROOM = word0(FAULT, 0x88, 0)
FIRST = 218  # of a flit's bits


@cocotb.test()
async def frames_run_beside_reads(dut: Any) -> None:
    """Neither starves nor changes the other."""
    h = scope(dut, 0)
    place(h, (0, 0), (1, 1))
    shell, words, tiles = Shell(h), Words(h), Tiles(h, wait=40)
    await h.reset()
    responses = random_accesses(h, words, 0, 60)
    bytes_ = [h.rng.getrandbits(8) for _ in range(60)]
    for byte in bytes_:
        shell.send([word0(UART_IN, byte, 2)])
    await h.drain()
    assert words.responses == responses
    of_words = [r for r in tiles.requests() if r["op"] <= READ_SCRATCHPAD]
    assert [CTL.pack(**r) for r in of_words] == words.requests
    assert [r["data"] for r in tiles.requests() if r["op"] > READ_SCRATCHPAD] == bytes_


@cocotb.test()
async def a_request_stands_a_cycle_later(dut: Any) -> None:
    """Than its part has made it; one a cycle."""
    h = scope(dut, 0)
    words, tiles = Words(h, "never"), Tiles(h, "never")
    await h.reset()
    words.access(True, True, False, 1, 0, True, 1)
    words.access(True, False, True, 0x3FF, 4, True, 2)
    await h.drain()
    first, second = words.source.cycles
    assert tiles.sink.cycles == [first, first + 1, second, second + 1]
    assert [r["addr"] for r in tiles.requests()] == [0, 4, 4, 5]


@cocotb.test()
@cocotb.parametrize(which=[0, 1])
async def a_closed_gate_holds_what_fits(dut: Any, which: int) -> None:
    """With the buffer full a frame waits; what is behind it comes after the gate opens."""
    h = scope(dut, which)
    shell, tiles, network = Shell(h), Tiles(h), Network(h, 1.0, 0.0)
    place(h, (0, 0), (1, 1))
    await h.reset()
    shape = SHAPES[which]
    fits = shape.host_flits // shape.max_flits
    expected = messages(h, shell, which, fits + 1, shape.max_flits)
    shell.send([word0(UART_IN, 1, 0)])
    tiles.sink.expect([CTL.pack(op=CTL_UART, data=1)])
    await h.until(lambda: len(shell.responses) == fits)
    await h.step(300)
    assert shell.responses == [False] * fits
    assert not network.flits
    assert h.signal("wanted").get()
    assert not h.signal("idle").get() and not h.signal("work_idle").get()
    network.open = 1.0
    await h.drain()
    assert network.flits == expected
    assert len(shell.responses) == fits + 2


@cocotb.test()
async def instructions_count_while_the_rest_stands_still(dut: Any) -> None:
    """Registers have a clock of their own; work_idle does not know of counts, idle does."""
    h = scope(dut, 2)
    retired, rest, total = h.signal("retired"), h.signal("rest"), 0
    await h.reset()
    for pause in (1, 0, 1):
        rest.set(pause)
        for _ in range(50):
            bits = h.rng.getrandbits(retired.width)
            retired.set(bits)
            total += bits.bit_count()
            await h.step()
        assert h.signal("work_idle").get() and not h.signal("idle").get()
    retired.set(0)
    await h.step(4)
    assert h.signal("idle").get()
    h.signal("reg_valid").set(1)
    h.signal("reg_req").set(Struct([("write", 1), ("index", 32), ("wdata", 64)]).pack(index=INSTRUCTIONS))
    await h.step()
    assert h.signal("reg_rsp").get() == total


@cocotb.test()
async def reset_forgets_what_waits(dut: Any) -> None:
    """Nothing of before comes after."""
    h = scope(dut, 0)
    shell, network = Shell(h), Network(h, 1.0, 0.0)
    place(h, (0, 0), (1, 1))
    await h.reset()
    messages(h, shell, 0, 2)
    await h.drain()
    await h.reset()
    network.open = 1.0
    expected = messages(h, shell, 0, 3)
    await h.drain(after=60)
    assert network.flits == expected


@cocotb.test()
async def idle_only_when_nothing_is_under_way(dut: Any) -> None:
    """In no cycle in which something goes out, or has come in and not gone out."""
    h = scope(dut, 3)
    shell, tiles, network = Shell(h), Tiles(h), Network(h)
    place(h, (0, 0), (1, 1))
    idle, work_idle = h.signal("idle"), h.signal("work_idle")
    outputs = [h.signal(n) for n in ("ctl_valid", "enter_valid", "pass_rsp_valid", "tx_valid", "words_rsp_valid")]

    def check(cycle: int) -> None:
        if any(signal.get() for signal in outputs):
            assert not idle.get() and not work_idle.get(), f"idle in cycle {cycle}"

    EveryCycle(h, lambda: None, check)
    await h.reset()
    maker = FrameMaker(h.rng, SHAPES[3], (0, 0), (1, 1))
    for _ in range(60):
        shell.send(maker.make())
        await h.drain(after=h.rng.randrange(3))
    await h.drain(after=60)
    assert idle.get()
    assert len(tiles.requests()) == len(maker.expected.requests)
    assert network.flits == maker.expected.flits

# SPDX-License-Identifier: Apache-2.0
"""Covers: frames of all kinds that a host sends a board of 2 x 2 tiles with two memory slices: writes and reads of both
slices, of instruction memories and scratchpads, registers of shell and board, starts, console bytes, messages, one that
is refused; messages with a key; messages, bytes, faults and the router's for the host; idle; random stalls on all
sides.

Leaves out: malformed frames (shell_swap_test.cc), bursts (test_overlay_memory.py), corners of the host side.
"""

from __future__ import annotations

from typing import Any

import cocotb
from frontend_ends import Network, Slice, Tiles
from frontend_frames import (
    CORES,
    CTL,
    FAULT,
    FLIT,
    HOST,
    MSG,
    OF_THE_ROLE,
    READ_SCRATCHPAD,
    SLICES,
    THREADS,
    UART_OUT,
    Host,
    flits_of,
    frames_of,
    message_words,
    random_event,
    random_route_fault,
)

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "board_parts_tb")
LIMIT = 100_000  # cycles


def set_board(h: Harness, host: Host, board: int) -> int:
    """Constants of a board, and the registers that tell of them. How often an instruction is counted."""
    cycle, barriers, retired, mesh = h.rng.getrandbits(64), h.rng.getrandbits(32), h.rng.getrandbits(8), 0x86
    for name, value in (("cycle", cycle), ("barriers", barriers), ("board", board), ("mesh", mesh)):
        h.signal(name).set(value)
    host.registers = {2: 1, 3: board & 7 | board >> 3 << 16, 4: 250_000_000, 5: cycle}
    host.registers |= {0x100: 6 | 8 << 16, 0x101: 2 | 2 << 8 | CORES << 16 | THREADS << 24, 0x104: barriers}
    return retired


@cocotb.test()
@cocotb.parametrize(board=[0, 0o52])
async def frames_do_what_they_say(dut: Any, board: int) -> None:
    """All kinds at once; messages enter at board (0,0) only."""
    h = Harness(dut, dut.gen_frontend)
    host, tiles, network = Host(h), Tiles(h), Network(h)
    slices = [Slice(h, number) for number in range(SLICES)]
    reported, route, leave, retired = h.source("reported"), h.source("route"), h.source("leave"), h.signal("retired")
    idle, busy = h.signal("idle"), [h.signal(n) for n in ("line_valid", "ctl_valid", "tx_valid", "enter_valid")]
    pulses = set_board(h, host, board)
    EveryCycle(h, lambda: None, lambda c: never_both(idle, busy, c))
    await h.reset()
    retired.set(pulses)
    await h.step(3)
    retired.set(0)
    await h.step(4)
    host.registers[0x105] = 3 * pulses.bit_count()
    for _ in range(150):
        kinds = [host.register, host.byte, host.start, *([host.message] if board == 0 else [])]
        if h.rng.random() < 0.6:
            host.access(h.rng.randrange(4), h.rng.random() < 0.6)
        else:
            h.rng.choice(kinds)()
    events = [random_event(h, board) for _ in range(60)]
    faults = [random_route_fault(h, board) for _ in range(60)]
    out = [(h.rng.getrandbits(20), h.rng.getrandbits(64), h.values(128, h.rng.randint(1, 4))) for _ in range(40)]
    reported.send([bits for bits, _ in events])
    route.send([bits for bits, _ in faults])
    leave.send([flit for message in out for flit in flits_of(HOST, *message)])
    await h.until(lambda: len(network.flits) >= len(host.flits) and not host.rx.busy(), LIMIT)
    await h.until(
        lambda: len(frames_of(host.tx.passed)) == len(host.responses) + len(events) + len(faults) + len(out), LIMIT
    )
    await h.drain(after=50)
    frames = frames_of(host.tx.passed)
    assert [f for f in frames if f[0] & 0xFF not in OF_THE_ROLE] == host.responses
    assert [f for f in frames if f[0] & 0xFF == MSG] == [message_words(*message) for message in out]
    reported_frames, of_router = [f for f in frames if f[0] & 0xFF in (UART_OUT, FAULT)], [frame for _, frame in faults]
    assert [f for f in reported_frames if f in of_router] == of_router
    assert [f for f in reported_frames if f not in of_router] == [frame for _, frame in events]
    requests = [CTL.unpack(bits) for bits in tiles.sink.passed]
    assert [request_bits(r) for r in requests if r["op"] <= READ_SCRATCHPAD] == host.of_memory
    assert [request_bits(r) for r in requests if r["op"] > READ_SCRATCHPAD] == host.of_frames
    assert network.flits == host.flits
    assert (network.let_in, network.let_out) == (sum(FLIT.unpack(f)["first"] for f in host.flits), len(out))
    assert [s.bytes for s in slices] == host.memory
    assert idle.get()


def request_bits(r: dict[str, int]) -> int:
    """With a target of 0 where it means nothing."""
    return CTL.pack(**(r | {"target": 0 if r["all"] else r["target"]}))


def never_both(idle: Any, busy: list[Any], cycle: int) -> None:
    """Who says something is not idle."""
    assert not (idle.get() and any(signal.get() for signal in busy)), f"idle in cycle {cycle}"

# SPDX-License-Identifier: Apache-2.0
"""Covers: 2 x 2 tiles, played by hand, of a board with two memory slices: each wire of each tile in every cycle, its
numbers on boards all over a mesh; requests and responses; events of all tiles, in order, in turns; lines of two tiles,
the board router and the DMA through each slice to the memories of their own slice and back; idle; random stalls on all
sides.

Leaves out: real tiles (tests/test_isa.py), corners of slice and distributor, which have tests of their own.
"""

from __future__ import annotations

from typing import Any

import cocotb
from tiles_ends import MEMORIES, SLICES, TILES, Client, KeyPort, Memory

from polyloom.rtl.testing import Harness, Struct, bench
from polyloom.rtl.testing.harness import Signal

test = bench(__file__, "board_parts_tb")
CORES = 2
WRITE_INSTR, READ_INSTR, WRITE_SCRATCHPAD, READ_SCRATCHPAD, START, UART = range(6)
CTL = Struct.of("polyloom_overlay_pkg::ctl_req_t")
REPORTED_WIDTH = 79
#: What tiles show outside; what they are shown, in the scope and as the tile's port.
SHOWN = ("all_idle", "all_vote", "in_flight", "retired", "count", "state", "in_room", "out_valid")
GIVEN = (
    ("let_go", "release_i"),
    ("let_go_vote", "release_vote_i"),
    ("out_room", "out_room_i"),
    ("in_valid", "in_valid_i"),
)


def tile(dut: Any, t: int) -> Any:
    """The scope of a tile."""
    return dut.gen_tiles.i_dut.gen_tile[t].i_tile


def hand(h: Harness, dut: Any, t: int, name: str) -> Signal:
    """A signal of a tile."""
    return Signal(getattr(tile(dut, t), name))


@cocotb.test()
async def every_wire_leads_to_its_tile(dut: Any) -> None:
    """What passes through without a register; 4 tiles have the same wires."""
    h = Harness(dut, dut.gen_tiles)
    out = {name: h.signal(name) for name in SHOWN}
    given = {name: h.signal(name) for name, _ in GIVEN}
    flits = [(h.signal("out", t), h.signal("in_flits", t, TILES)) for t in range(TILES)]
    whole = {name: h.signal(name) for name in ("board", "mesh", "router_sent", "idle", "phase_q")}
    hands = [{n: hand(h, dut, t, n) for n in (*SHOWN, *(p for _, p in GIVEN), "out", "in_i")} for t in range(TILES)]
    names = ("tile_i", "hart_base_i", "mesh_i", "router_sent_i", "phase_i", "cache_idle")
    constant = [{n: hand(h, dut, t, n) for n in names} for t in range(TILES)]
    await h.reset()
    for _ in range(300):
        x, y, idle = h.rng.randrange(8), h.rng.randrange(8), h.rng.choice([15, 15, h.rng.getrandbits(4)])
        now = {name: h.rng.getrandbits(given[name].width) for name, _ in GIVEN}
        for name, value in now.items():
            given[name].set(value)
        mesh, sent = h.rng.getrandbits(8), h.rng.getrandbits(64)
        for name, value in (("board", y << 3 | x), ("mesh", mesh), ("router_sent", sent)):
            whole[name].set(value)
        shown = [{n: h.rng.getrandbits(s[n].width) for n in (*SHOWN, "out")} for s in hands]
        into = [h.rng.getrandbits(flit.width) for _, flit in flits]
        for t in range(TILES):
            flits[t][1].set(into[t])
            constant[t]["cache_idle"].set(idle >> t & 1)
            for name, value in shown[t].items():
                hands[t][name].set(value)
        await h.step()
        for name, signal in out.items():
            width = signal.width // TILES
            assert signal.get() == sum(shown[t][name] << width * t for t in range(TILES)), name
        for t in range(TILES):
            assert flits[t][0].get() == shown[t]["out"], f"flit of tile {t}"
            assert hands[t]["in_i"].get() == into[t], f"flit to tile {t}"
            assert all(hands[t][port].get() == now[name] >> t & 1 for name, port in GIVEN), f"tile {t}"
            # Fields as wide as on the published board: thread, x and y of the tile, x and y of the board.
            base = t % 2 << 6 | t // 2 << 8 | x << 10 | y << 13
            got = {name: signal.get() for name, signal in constant[t].items() if name != "cache_idle"}
            want = {"tile_i": t, "hart_base_i": base, "mesh_i": mesh, "router_sent_i": sent}
            assert got == want | {"phase_i": whole["phase_q"].get()}
        assert whole["idle"].get() == int(idle == 15)


@cocotb.test()
async def requests_and_responses(dut: Any) -> None:
    """Each tile gets what is for it, in order; each that responds is heard."""
    h = Harness(dut, dut.gen_tiles)
    source = h.source("ctl")
    rsp_valid, rdata = h.signal("ctl_rsp_valid"), h.signal("ctl_rdata")
    sinks = []
    for t in range(TILES):
        h.scope = tile(dut, t)
        sinks.append(h.sink("ctl"))
    responses = [(hand(h, dut, t, "ctl_rsp_valid"), hand(h, dut, t, "ctl_rdata")) for t in range(TILES)]
    await h.reset()
    expected: list[list[int]] = [[] for _ in range(TILES)]
    for _ in range(300):
        op, everybody = h.rng.randrange(6), h.rng.random() < 0.2
        t = h.rng.randrange(TILES)
        per_tile = CORES if op in (START, UART) else 1
        word = CTL.pack(op=op, all=int(everybody), target=t * per_tile + h.rng.randrange(per_tile), addr=t, data=t)
        source.send(word)
        reads = op in (READ_INSTR, READ_SCRATCHPAD)
        for to in [0] if everybody and reads else range(TILES) if everybody else [t]:
            expected[to].append(word)
    for sink, words in zip(sinks, expected, strict=True):
        sink.expect(words)
    await h.drain()
    for _ in range(60):
        t, value = h.rng.randrange(TILES), h.rng.getrandbits(32)
        for other, (_, data) in enumerate(responses):
            data.set(value if other == t else h.rng.getrandbits(32))
        responses[t][0].set(1)
        await h.step()
        assert (rsp_valid.get(), rdata.get()) == (1, value)
        responses[t][0].set(0)
        await h.step()
        assert not rsp_valid.get()


@cocotb.test()
@cocotb.parametrize(stall=["random", "never"])
async def events_take_turns(dut: Any, stall: str) -> None:
    """Those of a tile in order; while all wait, each has one of four."""
    h = Harness(dut, dut.gen_tiles)
    sink = h.sink("reported", stall)
    sources = []
    for t in range(TILES):
        h.scope = tile(dut, t)
        sources.append(h.source("reported", stall))
    await h.reset()
    count = 60
    sent = [h.values(REPORTED_WIDTH, count) for _ in range(TILES)]
    for source, events in zip(sources, sent, strict=True):
        source.send(events)
    await h.until(lambda: all(len(source.passed) == count for source in sources))
    await h.drain()
    got: list[list[int]] = [[] for _ in range(TILES)]
    for reported in sink.passed:
        got[reported >> REPORTED_WIDTH].append(reported & (1 << REPORTED_WIDTH) - 1)
    assert got == sent
    if stall == "never":
        turns = [reported >> REPORTED_WIDTH for reported in sink.passed]
        assert sink.cycles == list(range(sink.cycles[0], sink.cycles[0] + count * TILES))
        assert all(sorted(turns[i : i + TILES]) == list(range(TILES)) for i in range(0, len(turns), TILES))


@cocotb.test()
async def lines_come_from_the_own_slice(dut: Any) -> None:
    """What a tile writes it reads, whatever others request; each request goes to a memory of its slice, with its own
    id."""
    h = Harness(dut, dut.gen_tiles)
    memories = [Memory(h, number) for number in range(MEMORIES)]
    clients: list[Client | KeyPort] = [Client(h, number, memories, True) for number in range(SLICES)]
    clients += [KeyPort(h, number, port) for number in range(SLICES) for port in range(2)]
    for t in range(TILES):
        hand(h, dut, t, "cache_idle").set(1)
        h.scope = tile(dut, t)
        clients.append(Client(h, t, memories, False))
    idle = Signal(dut.gen_tiles.idle_o)
    await h.reset()
    await h.until(lambda: all(c.left == 0 and not c.waits for c in clients))
    await h.drain()
    assert idle.get()
    assert all(client.got > 20 for client in clients)
    for number, memory in enumerate(memories):
        assert {request >> 6 for request, _, _ in memory.requests} == set(range(5))
        for request, address, _ in memory.requests:
            place = address // 32 % 2048
            assert (place >> 10, place >> 7 & 7) == (number // 3, request >> 6), (
                f"memory {number}, address {address:#x}"
            )

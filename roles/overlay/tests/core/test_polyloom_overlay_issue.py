# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_overlay_issue for 16, 4 and 1 threads, in every cycle, the test as the rest of the core: the
clearing after reset, starts, threads that go round, wait for responses on random ports after random times, go round
without a new pc or stop; words that threads store; the host's reads, writes, starts and bytes after random pauses, also
beyond the memory and while all slots are taken. Who issues, with which pc, and what the instruction memory's port does.

Leaves out: what the core does not do: responses of threads that have asked nothing, a thread that is in twice.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import Any

import cocotb
from core_units import CORE_OP, CTL, CTL_READ_INSTR, CTL_START, CTL_UART, CTL_WRITE_INSTR, Ports

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "core_parts_tb")
SIZES = ((16, 6, 2048), (4, 4, 64), (1, 4, 2))  # threads, ports, words
PATIENCE = 7  # cycles that the host waits while others are ready
INPUTS = (
    "turn_i response_valid_i response_thread_i wake_i ctl_valid_i ctl_i s6_op_i s7_again_i s7_thread_i s7_pc_we_i "
    "s7_pc_i s7_store_i s7_store_addr_i s7_store_data_i"
)
OUTPUTS = (
    "imem_we_o imem_addr_o imem_wdata_o s0_valid_o s0_op_o s0_thread_o s0_pc_o s0_read_o s0_inside_o s0_accepted_o "
    "idle_o"
)


class Rules:
    """Who issues: roles/overlay/sim/tile/README.md "Issue"."""

    def __init__(self) -> None:
        self.queue: deque[int] = deque()
        self.came: dict[int, int] = {}  # threads whose responses are there: since when
        self.cleared, self.patience = 0, 0
        self.wanted = self.idle = False

    def slot(self, cycle: int, turn: int, store: bool, requests: bool) -> tuple[str, int]:
        """What the cycle is for: "thread", "clear", "host" or ""; turn is that of two cycles ago."""
        waits = bool(self.queue)
        ready = sorted(thread for thread, since in self.came.items() if since + 2 <= cycle)
        if ready:
            picked = min((thread for thread in ready if thread >= turn), default=ready[0])
            del self.came[picked]
            self.queue.append(picked)
        clears = self.cleared < 16
        self.wanted = clears or requests
        self.idle = not self.queue and not self.wanted
        control = self.wanted and not store and (not waits or self.patience == PATIENCE)
        self.patience = min(self.patience + 1, PATIENCE) if self.wanted and not control else 0
        if control and clears:
            self.cleared += 1
            return "clear", self.cleared - 1
        if control:
            return "host", 0
        return ("thread", self.queue.popleft()) if self.queue and not store else ("", 0)


@dataclass
class Passing:
    """What goes down the pipeline."""

    kind: str  # "thread", "clear", "start" or "uart"
    thread: int
    starts: bool = False
    again: bool = False
    pc: int | None = None  # that it leaves


class Core:
    """The rest of the core, and its host."""

    def __init__(self, h: Harness, which: int) -> None:
        self.h, self.seen = h, Counter[str]()
        self.threads, self.ports, self.words = SIZES[which]
        self.io = Ports(h, f"{INPUTS} {OUTPUTS}")
        self.rules = Rules()
        self.turns = [0, 0, 0]
        self.line: dict[int, Passing] = {}  # by the cycle in which it is in stage 7
        self.pc: dict[int, int] = {}
        self.running: set[int] = set()
        self.responses: dict[int, int] = {}  # by thread: the cycle from which on it may come
        self.store: tuple[int, int] | None = None
        self.request: dict[str, int] | None = None
        self.busy_until = 0
        self.latent = self.stops = 0.2

    def drive(self) -> None:
        """All inputs."""
        rng, io, now = self.h.rng, self.io, self.h.cycle
        if now % 200 == 0:
            self.latent, self.stops = rng.choice((0.0, 0.3, 0.8)), rng.choice((0.0, 0.01, 0.1))
        io.noise(*INPUTS.split())
        self.turns = [rng.getrandbits(4), *self.turns[:2]]
        it, sixth = self.line.get(now), self.line.get(now + 1)
        storing = it is not None and it.kind == "thread" and rng.random() < 0.15
        self.store = (rng.randrange(self.words), rng.getrandbits(32)) if storing else None
        io.set(turn_i=self.turns[0], s7_again_i=int(it is not None and it.again))
        io.set(s7_pc_we_i=int(it is not None and it.pc is not None), s7_store_i=int(storing), s7_store_addr_i=0)
        if self.store:
            io.set(s7_store_addr_i=self.store[0], s7_store_data_i=self.store[1])
        if it:
            io.set(s7_thread_i=it.thread, s7_pc_i=it.pc or 0)
        kind = sixth.kind if sixth else ""
        io.set(s6_op_i=CORE_OP.pack(**{name: int(kind == name) for name in ("clear", "start", "uart")}))
        self._drive_host()
        self._drive_responses(sixth)

    def _drive_host(self) -> None:
        rng = self.h.rng
        if self.request is None and rng.random() < 0.1:
            op = rng.choice((CTL_WRITE_INSTR, CTL_READ_INSTR, CTL_START, CTL_START, CTL_UART))
            addr = rng.choice((rng.randrange(self.words), self.words, rng.getrandbits(16)))
            if op in {CTL_START, CTL_UART}:
                addr = rng.randrange(self.threads) | 16 * rng.getrandbits(12)
            self.request = CTL.unpack(CTL.random(rng)) | {"op": op, "addr": addr}
        self.io.set(ctl_valid_i=int(self.request is not None))
        if self.request:
            self.io.set(ctl_i=CTL.pack(**self.request))

    def _drive_responses(self, sixth: Passing | None) -> None:
        """One a port, and wakes."""
        rng, now = self.h.rng, self.h.cycle
        self.come: set[int] = set()
        threads, valid, wake = [rng.getrandbits(4) for _ in range(self.ports)], 0, 0
        coming = [thread for thread, since in self.responses.items() if since <= now and rng.random() < 0.3]
        if sixth and sixth.starts:
            coming.insert(0, sixth.thread)
        for thread in coming:
            port = rng.randrange(self.ports + 1)
            if port == self.ports:
                wake |= 1 << thread
            elif not valid >> port & 1:
                valid |= 1 << port
                threads[port] = thread
            elif thread in self.responses:
                continue
            else:
                wake |= 1 << thread
            self.come.add(thread)
            self.responses.pop(thread, None)
        self.io.set(response_valid_i=valid, wake_i=wake)
        self.io.set(response_thread_i=sum(thread << 4 * port for port, thread in enumerate(threads)))

    def check(self, cycle: int) -> None:
        """All outputs; then the model goes on."""
        io, request = self.io, self.request
        requests = request is not None and cycle >= self.busy_until
        kind, thread = self.rules.slot(cycle, self.turns[2], self.store is not None, requests)
        self.seen[kind] += 1
        assert io["idle_o"] == self.rules.idle, f"cycle {cycle}: idle is {io['idle_o']}"
        assert io["s0_valid_o"] == (kind == "thread"), f"cycle {cycle}: issues {io['s0_valid_o']}, expected {kind}"
        op = request["op"] if kind == "host" and request else -1
        ops = {"clear": int(kind == "clear"), "start": int(op == CTL_START), "uart": int(op == CTL_UART)}
        assert io["s0_op_o"] == CORE_OP.pack(**ops), f"cycle {cycle}: {io['s0_op_o']:#b}, expected {kind} {op}"
        assert io["s0_accepted_o"] == (op in {CTL_WRITE_INSTR, CTL_READ_INSTR}), f"cycle {cycle}: taken, {op}"
        assert io["s0_read_o"] == (op == CTL_READ_INSTR), f"cycle {cycle}: read, {op}"
        if request and op in {CTL_START, CTL_UART}:
            thread = request["addr"] & 15
        if kind in {"thread", "clear"} or op in {CTL_START, CTL_UART}:
            assert io["s0_thread_o"] == thread, f"cycle {cycle}: thread {io['s0_thread_o']}, expected {thread}"
        if kind == "thread":
            assert io["s0_pc_o"] == self.pc[thread], f"cycle {cycle}: pc of {thread} is {io['s0_pc_o']:#x}"
        self._check_memory(cycle, kind, thread, op)
        self._go_on(cycle, kind, thread, op)

    def _check_memory(self, cycle: int, kind: str, thread: int, op: int) -> None:
        io, request = self.io, self.request
        write: tuple[int, int] | None = self.store
        addr = self.pc[thread] % self.words if kind == "thread" else None
        if request and op in {CTL_WRITE_INSTR, CTL_READ_INSTR}:
            inside = request["addr"] < self.words
            assert io["s0_inside_o"] == inside, f"cycle {cycle}: inside, {request}"
            addr = request["addr"] if inside else None
            write = (request["addr"], request["data"]) if inside and op == CTL_WRITE_INSTR else None
            self.seen[f"host {op} {inside}"] += 1
        assert io["imem_we_o"] == (write is not None), f"cycle {cycle}: writes {io['imem_we_o']}, expected {write}"
        if write:
            got = io["imem_addr_o"], io["imem_wdata_o"]
            assert got == write, f"cycle {cycle}: writes {got}, expected {write}"
        if addr is not None:
            assert io["imem_addr_o"] == addr, f"cycle {cycle}: reads {io['imem_addr_o']:#x}, expected {addr:#x}"

    def _go_on(self, cycle: int, kind: str, thread: int, op: int) -> None:
        rng, end = self.h.rng, cycle + 7
        new_pc = rng.randrange(2 * self.words)
        if kind == "thread":
            replay = rng.random() < 0.05
            latent, stops = rng.random() < self.latent and not replay, rng.random() < self.stops and not replay
            self.line[end] = Passing("thread", thread, again=not latent and not stops, pc=None if replay else new_pc)
            if stops:
                self.running.discard(thread)
            elif latent:
                self.responses[thread] = cycle + 6 + rng.randrange(20)
        elif kind == "clear":
            self.line[end] = Passing("clear", thread, pc=0)
        elif op in {CTL_START, CTL_UART}:
            starts = op == CTL_START and thread not in self.running
            self.running |= {thread} if starts else set()
            name = "start" if op == CTL_START else "uart"
            self.line[end] = Passing(name, thread, starts, pc=new_pc if starts else None)
            self.busy_until = end
            self.seen[name] += 1
        elif kind == "host":
            self.request = None
        if (sixth := self.line.get(cycle + 1)) and sixth.kind in {"start", "uart"}:
            self.request = None if rng.random() < 0.8 else self.request  # it may come again
        if it := self.line.pop(cycle, None):
            self.pc[it.thread] = it.pc if it.pc is not None else self.pc[it.thread]
            if it.again:
                self.rules.queue.append(it.thread)
        self.rules.came |= dict.fromkeys(self.come, cycle)


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def issues_in_turn(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_issue[which])
    core = Core(h, which)
    EveryCycle(h, core.drive, core.check)
    await h.reset()
    wanted = [f"host {op} {inside}" for op in (CTL_WRITE_INSTR, CTL_READ_INSTR) for inside in (False, True)]
    await h.until(lambda: all(core.seen[name] > 5 for name in [*wanted, "start", "uart"]) and core.seen["thread"] > 900)

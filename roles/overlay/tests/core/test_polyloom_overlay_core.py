# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_overlay_core with 16 threads, F and M, and with 2 threads and neither, its neighbours played by the
test: the host loads a random program after random pauses, reads it back, starts threads, which start others, and sends
bytes; units respond after random times; every instruction that passes, what it asks of units and mailbox and what
registers get are those of core_interpreter.py; threads patch their code; faults and bytes under random stalls.

Leaves out: the cycle of anything (test_polyloom_overlay_cores.py, which also has all instructions), counters.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from core_interpreter import CAN_RECV, CAN_SEND, FROM_UART, MISSES, RECV, TO_UART, Call, Thread
from core_program import PATCHED, Program
from core_units import (
    CTL,
    CTL_READ_INSTR,
    CTL_START,
    CTL_UART,
    CTL_WRITE_INSTR,
    EVENT,
    RSP,
    SYSTEM,
    TRACE,
    Ports,
    words,
)

from polyloom.rtl.testing import Harness, Struct, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "core_units_tb")
SIZES = ((16, 512, True), (2, 512, False))  # threads, words, F and M
MEM = Struct.of("polyloom_overlay_pkg::mem_req_t")
FPU = Struct.of("polyloom_overlay_pkg::fpu_req_t")
CALL = Struct.of("polyloom_overlay_pkg::send_t")
DIVIDES = {4, 5, 6, 7, 11, 12}
LOST, CONSOLE_READ = NOTICES = 0x81, 0x82
UNITS = {
    "cache_req": ("cache", MEM),
    "scratchpad_req": ("scratchpad", MEM),
    "fpu_req": ("fpu", FPU),
    "send": ("send", CALL),
}
INPUTS = "turn_i valid response can_send_i can_recv_i wake_i wake_bits_i recv_slot_i core_id_i outside_i"


class Neighbours:
    """Units, mailbox and host of a core, and its threads as they should be."""

    def __init__(self, h: Harness, which: int) -> None:
        self.h = h
        self.threads, self.words, self.fp = SIZES[which]
        streams = " ".join(f"{name}_valid_o {name}_o" for name in UNITS)
        mailbox = "recv_valid_o recv_thread_o free_valid_o free_slot_o wait_valid_o wait_thread_o wait_bits_o"
        host = "ctl_valid_i ctl_i ctl_done_o ctl_rdata_valid_o ctl_rdata_o event_valid_o idle_o retired_o trace_o"
        self.io = Ports(h, f"{INPUTS} {streams} {mailbox} {host} perf_reset_o perf_counting_o")
        self.events = h.sink("event")
        self.program = Program(h.rng, 90, self.fp)
        self.code = dict(self.program.code)
        self.core_id, self.misses = 16 * h.rng.getrandbits(12), h.rng.getrandbits(32)
        self.models = [Thread(self.core_id | t) for t in range(self.threads)]
        self.registers: list[dict[int, int]] = [{} for _ in range(self.threads)]  # as they were written
        self.latent: dict[int, tuple[int, int, int]] = {}  # by thread: the response and its flags, and when it may come
        self.unit: dict[int, str] = {}
        self.given: dict[int, tuple[int, int]] = {}  # of the call before
        self.past: deque[dict[str, Any]] = deque()  # what was there in this cycle and the two before
        self.uart: dict[int, int] = {}
        self.reported: list[int] = []  # console bytes and lost bytes, as events
        self.retired = self.passed = 0
        self.requesting = False
        self._load()

    def _load(self) -> None:
        rng = self.h.rng
        order = list(self.program.code.items())
        rng.shuffle(order)
        self.requests = deque({"op": CTL_WRITE_INSTR, "addr": at, "data": word} for at, word in order)
        some = [rng.randrange(self.words + 9) for _ in range(20)]
        self.requests.extend({"op": CTL_READ_INSTR, "addr": at} for at in some if at in self.code or at >= self.words)
        self.reads = deque(self.code.get(request["addr"], 0) for request in self.requests if "data" not in request)
        for thread in range(0, self.threads, 2):  # the second start finds it running, and does nothing
            self.requests.extend({"op": CTL_START, "addr": thread, "data": pc} for pc in (0, rng.randrange(0, 2048, 4)))
        for _ in range(3 * self.threads):
            byte = {"op": CTL_UART, "addr": rng.randrange(self.threads), "data": rng.getrandbits(8)}
            self.requests.append(byte)

    def drive(self) -> None:
        """All inputs."""
        rng, io = self.h.rng, self.io
        io.noise(*INPUTS.split())
        self.around = {name: rng.getrandbits(self.threads) for name in ("can_send", "can_recv")}
        self.slot = rng.getrandbits(9)
        io.set(can_send_i=self.around["can_send"], can_recv_i=self.around["can_recv"], recv_slot_i=self.slot)
        io.set(core_id_i=self.core_id, outside_i=self.misses)
        self.requesting = self.requesting or (len(self.requests) > 0 and rng.random() < 0.3)
        io.set(ctl_valid_i=int(self.requesting), ctl_i=CTL.pack(**self.requests[0]) if self.requesting else 0)
        self._drive_responses()

    def _drive_responses(self) -> None:
        """One a port at most, and wakes."""
        rng, io, now = self.h.rng, self.io, self.h.cycle
        responses, valid, wake, bits = [RSP.random(rng) for _ in range(5)], 0, 0, rng.getrandbits(4 * self.threads)
        for thread, (data, flags, since) in list(self.latent.items()):
            if since > now or rng.random() < 0.8:
                continue
            ports = {"cache": (0, 1), "scratchpad": (2,), "fpu": (3,), "div": (4,), "wait": (5,)}[self.unit[thread]]
            port = rng.choice(ports)
            if port < 5 and valid >> port & 1:
                continue
            if port == 5:
                wake |= 1 << thread
                bits = bits & ~(15 << 4 * thread) | data << 4 * thread
            else:
                valid |= 1 << port
                responses[port] = RSP.pack(thread=thread, data=data, flags=flags)
            del self.latent[thread]
        io.set(valid=valid, wake_i=wake, wake_bits_i=bits)
        io.set(response=sum(word << RSP.width * port for port, word in enumerate(responses)))

    def check(self, cycle: int) -> None:
        """Outputs of stage 6; then those of the instruction that was there two cycles ago."""
        io = self.io
        calls = self._calls(cycle)
        delivered = self._check_host()
        now = {"calls": calls, "full": io["event_valid_o"], "slot": self.slot, "uart": delivered, **self.around}
        self.past.append(now)
        self.retired += io["retired_o"]
        assert (io["perf_reset_o"], io["perf_counting_o"]) == (0, 1), f"cycle {cycle}: counters"
        if len(self.past) < 3:
            return
        then, trace = self.past.popleft(), TRACE.unpack(io["trace_o"])
        then["slot"] = self.past[0]["slot"]
        if then["uart"]:
            self._byte(*then["uart"])
        if trace["we"]:
            self.registers[trace["thread"]][trace["fp"] << 5 | trace["rd"]] = trace["data"]
        if trace["valid"]:
            self._passes(cycle, trace, then)
        else:
            assert not then["calls"], f"cycle {cycle}: {then['calls']} of nothing"

    def _calls(self, cycle: int) -> list[tuple[int | None, Call]]:
        """What is asked in this cycle, by whom; responses are made up."""
        io, calls = self.io, list[tuple[int | None, Call]]()
        for name, (unit, struct) in UNITS.items():
            if io[f"{name}_valid_o"]:
                fields = struct.unpack(io[f"{name}_o"])
                calls.append((fields.pop("thread"), (unit, fields)))
        if io["recv_valid_o"]:
            calls.append((io["recv_thread_o"], ("recv", {})))
        if io["free_valid_o"]:
            calls.append((None, ("free", {"slot": io["free_slot_o"]})))
        if io["wait_valid_o"]:
            calls.append((io["wait_thread_o"], ("wait", {"bits": io["wait_bits_o"]})))
        for thread, (unit, fields) in calls:
            if thread is not None and unit in {"cache", "scratchpad", "fpu", "wait"}:
                assert thread not in self.latent, f"cycle {cycle}: thread {thread} asks twice"
                rng = self.h.rng
                fp_flags = rng.getrandbits(5) if unit == "fpu" and fields["op"] >= 8 else 0
                response = rng.getrandbits(4) if unit == "wait" else words(rng)
                self.unit[thread] = "div" if unit == "fpu" and fields["op"] in DIVIDES else unit
                self.latent[thread] = response, fp_flags, cycle + 2 + rng.randrange(30)
                self.given[thread] = response, fp_flags
        return calls

    def _check_host(self) -> tuple[int, int] | None:
        """The thread and byte that went in, if one did."""
        io, delivered = self.io, None
        if io["ctl_done_o"]:
            assert self.requesting, "done without a request"
            request, self.requesting = self.requests.popleft(), False
            delivered = (request["addr"], request["data"]) if request["op"] == CTL_UART else None
        if io["ctl_rdata_valid_o"]:
            want = self.reads.popleft()
            assert io["ctl_rdata_o"] == want, f"read {io['ctl_rdata_o']:#x}, expected {want:#x}"
        return delivered

    def _byte(self, thread: int, byte: int) -> None:
        if thread in self.uart:
            self.reported.append(EVENT.pack(fault=1, thread=thread, cause=LOST))
        self.uart.setdefault(thread, byte)

    def _passes(self, cycle: int, trace: dict[str, int], then: dict[str, Any]) -> None:
        """An instruction: compared with the model's."""
        thread, word = trace["thread"], trace["word"]
        model, where = self.models[thread], f"cycle {cycle}, thread {thread}: {trace['word']:#010x} at {trace['pc']:#x}"
        assert (trace["pc"], word) == (model.pc, self.code[model.pc // 4]), f"{where}: expected pc {model.pc:#x}"
        response, flags = self.given.pop(thread, (0, 0))
        shown = self._shown(thread, word, then)
        unit, wants = model.step(word, response, flags, shown)
        if unit == "code":
            self.code[wants["at"]] = wants["word"]
        calls = [] if unit in {"", "code", "new"} else [(None if unit == "free" else thread, unit)]
        assert [(who, what) for who, (what, _) in then["calls"]] == calls, f"{where}: {then['calls']}, expected {unit}"
        for _, (_, got) in then["calls"]:
            if unit in {"cache", "scratchpad"} and "data" in wants:
                got["data"] &= (1 << (8 << got["size"])) - 1
            assert got == got | wants, f"{where}: {got}, expected {wants}"
        self.passed += 1

    def _shown(self, thread: int, word: int, then: dict[str, Any]) -> int:
        """What a CSR of the outside says."""
        number = word >> 20 if word & 127 == SYSTEM else -1
        can_recv = then["can_recv"] >> thread & 1
        if number == FROM_UART:
            if thread not in self.uart or then["full"]:
                return 0
            self.reported.append(EVENT.pack(fault=1, thread=thread, cause=CONSOLE_READ))
            return 256 | self.uart.pop(thread)
        if number == TO_UART and not then["full"]:
            byte = self.models[thread].x[word >> 15 & 31] & 255
            self.reported.append(EVENT.pack(thread=thread, cause=byte))
        values = {
            **{CAN_SEND: then["can_send"] >> thread & 1, CAN_RECV: can_recv, TO_UART: int(not then["full"])},
            **{RECV: 0x8000 | 64 * then["slot"] if can_recv else 0, MISSES: self.misses},
        }
        return values.get(number, 0)

    def faults(self) -> int:
        """Threads that have ended."""
        events = [EVENT.unpack(bits) for bits in self.events.passed]
        return sum(event["fault"] and event["cause"] not in NOTICES for event in events)

    def check_end(self) -> None:
        """Registers, and events: each thread's fault, and the others in order."""
        fault = self.program.fault
        events = [EVENT.unpack(bits) for bits in self.events.passed]
        ends = {event["thread"]: event for event in events if event["fault"] and event["cause"] not in NOTICES}
        assert sorted(ends) == list(range(self.threads)), f"faults of threads {sorted(ends)}"
        others = [event for event in events if not event["fault"] or event["cause"] in NOTICES]
        fields = [(event["fault"], event["thread"], event["cause"]) for event in others]
        reported = [EVENT.unpack(bits) for bits in self.reported]
        assert fields == [(event["fault"], event["thread"], event["cause"]) for event in reported]
        for thread, model in enumerate(self.models):
            end = ends[thread]
            assert (end["cause"], end["pc"]) == (fault.cause + 1, model.pc), f"{end}, expected {fault}"
            assert fault.value is None or end["value"] == fault.value(model), f"{end}, expected {fault}"
            for number, value in self.registers[thread].items():
                want = (model.f if number & 32 else model.x)[number & 31]
                assert value == want, f"register {number} of thread {thread} is {value:#x}, expected {want:#x}"
            assert self.code[PATCHED + 2 * thread] != 0
        assert self.retired == self.passed + self.threads, f"{self.retired} told, {self.passed} passed"


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def runs_a_program(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_core[which])
    core = Neighbours(h, which)
    EveryCycle(h, core.drive, core.check)
    await h.reset()
    await h.until(lambda: not core.requests and core.faults() == core.threads)
    await h.drain()
    core.check_end()

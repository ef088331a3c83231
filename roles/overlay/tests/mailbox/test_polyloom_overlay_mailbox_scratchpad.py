# SPDX-License-Identifier: Apache-2.0
"""Covers: words of all sizes and signs against Python's own bytes; cores' words at full rate with a flit written in
every cycle and flits read in every cycle in which a send may: no word lost in either copy, a flit shows every word that
was granted 9 cycles before; the host's words between those of cores. Tests polyloom_overlay_mailbox_scratchpad.

Leaves out: a flit that is written and read in the same cycle (undefined).
"""

from __future__ import annotations

from typing import Any

import cocotb
from mailbox_units import CTL, LOAD, MEM, READ_SCRATCHPAD, RSP, SIZES, STORE, WRITE_SCRATCHPAD

from polyloom.rtl.testing import Harness, bench

SIZE = SIZES[0]
WORDS = SIZE.slots * 16
FLITS = WORDS // 4
HOST_WORDS = WORDS // 2 - 16  # the 16 words from here on are the host's
SETTLES = 9  # cycles after which a word is in the network's copy

test = bench(__file__, "mailbox_tb")


class Scratchpad:
    """Cores that ask as fast as they can, a network that writes and reads; what the scratchpad must hold."""

    def __init__(
        self, h: Harness, stores: float = 0.5, rate: float = 1.0, write: float = 1.0, read: float = 1.0
    ) -> None:
        self.h, self.rng = h, h.rng
        names = ("req_valid", "req", "rsp_valid", "rsp", "want", "read", "raddr", "rflit", "write", "waddr", "wflit")
        self.io = {name: h.signal(name) for name in names}
        self.memory = bytearray(self.rng.randbytes(4 * WORDS))
        self.to_fill = list(range(FLITS))  # first the network writes everything
        self.to_read: list[int] = []  # last it reads everything
        self.to_load: list[int] = []  # and core 0 too
        self.changed = [0] * WORDS  # cycle from which on the network's copy must show it
        self.pending: dict[tuple[int, int], tuple[int, int, int, int, int, int]] = {}  # with the cycle
        self.order: list[list[int]] = [[] for _ in range(SIZE.cores)]  # threads that wait for responses
        self.stores, self.rate, self.write_rate, self.read_rate = stores, rate, write, read
        self.flits_read = self.flits_written = self.words_checked = 0
        self.reading: tuple[int, int] | None = None  # cycle, flit
        self.latency: list[int] = []
        h.add(self)

    def reset(self) -> None:
        """Idle."""

    def busy(self) -> str:
        """Wait for responses."""
        return f"{len(self.pending)} accesses, {len(self.to_fill)} to fill" if self.pending or self.to_fill else ""

    def drive(self) -> None:
        """A request of each core, a flit written, a flit read."""
        filling = bool(self.to_fill)
        valid = packed = 0
        for core in range(SIZE.cores):
            idle = [t for t in range(SIZE.threads) if (core, t) not in self.pending]
            if idle and not filling and self.rng.random() < self.rate:
                valid |= 1 << core
                packed |= self.request(core, self.rng.choice(idle)) << MEM.width * core
            elif idle and core == 0 and self.to_load:
                valid |= 1
                packed |= self.packed(0, idle[0], LOAD, 2, self.to_load.pop(0) * 4, 0)
        self.io["req_valid"].set(valid)
        self.io["req"].set(packed)
        write = filling or self.rng.random() < self.write_rate
        self.io["write"].set(int(write))
        if write:
            flit = self.to_fill.pop() if filling else self.rng.randrange(FLITS // 2, FLITS)
            data = self.memory[16 * flit : 16 * flit + 16] if filling else self.rng.randbytes(16)
            self.io["waddr"].set(flit)
            self.io["wflit"].set(int.from_bytes(data, "little"))
            self.memory[16 * flit : 16 * flit + 16] = data
            self.changed[4 * flit : 4 * flit + 4] = [self.h.cycle + 1] * 4
            self.flits_written += 1
        self.io["want"].set(int(not filling and (bool(self.to_read) or self.rng.random() < self.read_rate)))
        self.io["raddr"].set(self.to_read[0] if self.to_read else self.rng.randrange(FLITS))

    def request(self, core: int, thread: int) -> int:
        """A random aligned access; stores go to words of the lower half that are this thread's own."""
        rng = self.rng
        size = rng.choice((0, 1, 2, 2, 2))
        op = STORE if rng.random() < self.stores else LOAD
        upper = op == LOAD and rng.random() < 0.3
        word = rng.randrange(WORDS // 2, WORDS) if upper else rng.randrange(HOST_WORDS)
        if word < WORDS // 2:
            word = word - word % SIZE.all + core * SIZE.threads + thread
        return self.packed(core, thread, op, size, word * 4 + rng.randrange(0, 4, 1 << size), rng.getrandbits(32))

    def packed(self, core: int, thread: int, op: int, size: int, addr: int, data: int) -> int:
        """The request's bits."""
        sign = self.rng.getrandbits(1)
        self.pending[core, thread] = (op, size, sign, addr, data, self.h.cycle)
        self.order[core].append(thread)
        return MEM.pack(op=op, size=size, sign=sign, thread=thread, addr=0x8000 | addr, data=data)

    def sample(self, cycle: int) -> None:
        """Responses; what a flit must show."""
        valid = self.io["rsp_valid"].get()
        assert valid & (valid - 1) == 0
        if self.reading is not None:
            self.check_flit(*self.reading)
        self.reading = (cycle, self.io["raddr"].get()) if self.io["read"].get() else None
        if self.reading and self.to_read:
            self.to_read.pop(0)
        if valid:
            self.response(cycle, valid.bit_length() - 1)

    def check_flit(self, cycle: int, flit: int) -> None:
        """Read in `cycle`, on the output now. Words that are being stored may be old or new."""
        got = self.io["rflit"].get()
        self.flits_read += 1
        moving = {access[3] // 4 for access in self.pending.values() if access[0] == STORE}
        for word in range(4 * flit, 4 * flit + 4):
            if self.changed[word] <= cycle and word not in moving:
                mine, want = got >> 32 * (word % 4) & 0xFFFFFFFF, self.word(word)
                assert mine == want, f"cycle {cycle}: word {word} is {mine:#x} for the network, not {want:#x}"
                self.words_checked += 1

    def word(self, word: int) -> int:
        """What it must hold."""
        return int.from_bytes(self.memory[4 * word : 4 * word + 4], "little")

    def response(self, cycle: int, core: int) -> None:
        """In order of the core; with the bytes that are there."""
        response = RSP.unpack(self.io["rsp"].get())
        thread = self.order[core].pop(0)
        assert response["thread"] == thread, f"cycle {cycle}: thread {response['thread']}, expected {thread}"
        op, size, sign, addr, data, requested = self.pending.pop((core, thread))
        count = 1 << size
        self.latency.append(cycle - requested)
        if op == STORE:
            self.memory[addr : addr + count] = data.to_bytes(4, "little")[:count]
            self.changed[addr // 4] = cycle - 2 + SETTLES
        elif addr // 4 < WORDS // 2 or self.changed[addr // 4] < cycle - 3:  # not written when it was read
            want = int.from_bytes(self.memory[addr : addr + count], "little", signed=bool(sign)) & 0xFFFFFFFF
            assert response["data"] == want, (
                f"cycle {cycle}: {count} bytes at {addr:#x}: {response['data']:#x}, not {want:#x}"
            )


async def finish(h: Harness, scratchpad: Scratchpad) -> None:
    """Both copies must hold everything in the end."""
    scratchpad.rate = scratchpad.write_rate = scratchpad.read_rate = 0
    await h.drain(after=12)
    read = scratchpad.words_checked
    scratchpad.to_read = list(range(FLITS))
    await h.until(lambda: not scratchpad.to_read)
    await h.step(2)
    assert scratchpad.words_checked - read >= WORDS
    scratchpad.to_load = list(range(WORDS))
    await h.until(lambda: not scratchpad.to_load and not scratchpad.pending)


@cocotb.test()
@cocotb.parametrize(stores=(0.0, 0.5, 1.0), write=(0.0, 1.0), read=(0.0, 1.0))
async def full_rate(dut: Any, stores: float, write: float, read: float) -> None:
    h = Harness(dut, dut.gen_scratchpad)
    scratchpad = Scratchpad(h, stores, 1.0, write, read)
    await h.reset()
    await h.until(lambda: not scratchpad.to_fill)
    start, written, reads = len(scratchpad.latency), scratchpad.flits_written, scratchpad.flits_read
    cycles = 600
    await h.step(cycles)
    words, flits = (len(scratchpad.latency) - start) / cycles, (scratchpad.flits_read - reads) / cycles
    h.log.info("stores %s write %s read %s: %.3f words, %.3f flits read a cycle", stores, write, read, words, flits)
    assert scratchpad.flits_written - written == (cycles if write else 0)
    if stores * write * read == 1:  # three accesses a cycle for two ports: they share
        assert words > 0.45 and flits > 0.45 and words + flits > 0.95
    elif stores * write * read == 0.5:
        assert words > 0.6 and flits > 0.6 and 0.5 * words + flits > 0.95
    else:
        assert words > 0.99 and flits > (0.99 if read else -1)
    await finish(h, scratchpad)


@cocotb.test()
async def random_rates(dut: Any) -> None:
    h = Harness(dut, dut.gen_scratchpad)
    scratchpad = Scratchpad(h)
    await h.reset()
    for _ in range(20):
        scratchpad.stores, scratchpad.rate, scratchpad.write_rate, scratchpad.read_rate = (
            h.rng.random() for _ in range(4)
        )
        await h.step(100)
    await finish(h, scratchpad)


@cocotb.test()
async def responses_after_two_cycles(dut: Any) -> None:
    h = Harness(dut, dut.gen_scratchpad)
    scratchpad = Scratchpad(h, rate=0.0, write=0.0, read=0.0)
    await h.reset()
    await h.until(lambda: not scratchpad.to_fill)
    for _ in range(100):
        scratchpad.rate = 1.0
        scratchpad.order, cores = [[] for _ in range(SIZE.cores)], SIZE.cores
        await h.step()
        scratchpad.rate = 0.0
        await h.step(6)
        assert sorted(scratchpad.latency[-cores:]) == [2, 3]  # both cores ask at once: one waits a cycle
    await finish(h, scratchpad)


@cocotb.test()
@cocotb.parametrize(rate=(0.0, 0.3, 1.0))
async def host_reads_and_writes(dut: Any, rate: float) -> None:
    h = Harness(dut, dut.gen_scratchpad)
    scratchpad = Scratchpad(h, 0.5, rate, 0.5, 0.5)
    host = Host(h, scratchpad)
    await h.reset()
    await h.until(lambda: not scratchpad.to_fill)
    for _ in range(60):
        word, value = HOST_WORDS + h.rng.randrange(16), h.rng.getrandbits(32)
        host.todo += [(WRITE_SCRATCHPAD, word, value), (READ_SCRATCHPAD, word, 0)]
    await h.until(lambda: not host.todo)
    await h.step(4)
    assert len(host.responses) == 60 and host.responses == host.expected
    assert max(host.waited) <= 24  # of them 16 for the cores, the rest while a send holds both
    await finish(h, scratchpad)


class Host:
    """Writes and reads words, one after the other."""

    def __init__(self, h: Harness, scratchpad: Scratchpad) -> None:
        self.rng, self.scratchpad = h.rng, scratchpad
        self.io = {name: h.signal(name) for name in ("ctl_valid", "ctl_ready", "ctl", "ctl_rsp_valid", "ctl_rdata")}
        self.todo: list[tuple[int, int, int]] = []
        self.responses: list[int] = []
        self.expected: list[int] = []
        self.waited = [0]  # cycles, of each
        self.offered = False
        h.add(self)

    def reset(self) -> None:
        """Idle."""

    def busy(self) -> str:
        """Wait for nothing."""
        return ""

    def drive(self) -> None:
        """Offer the next one."""
        self.offered = self.offered or (bool(self.todo) and self.rng.random() < 0.7)
        self.io["ctl_valid"].set(int(self.offered))
        if self.offered:
            op, word, data = self.todo[0]
            self.io["ctl"].set(CTL.pack(op=op, addr=4 * word, data=data))

    def sample(self, cycle: int) -> None:
        """Taken, or answered."""
        if self.io["ctl_rsp_valid"].get():
            self.responses.append(self.io["ctl_rdata"].get())
        if not self.offered:
            return
        self.waited[-1] += 1
        if self.io["ctl_ready"].get():
            op, word, data = self.todo.pop(0)
            if op == WRITE_SCRATCHPAD:
                self.scratchpad.memory[4 * word : 4 * word + 4] = data.to_bytes(4, "little")
                self.scratchpad.changed[word] = cycle + SETTLES
            else:
                self.expected.append(self.scratchpad.word(word))
            self.waited.append(0)
            self.offered = False

# SPDX-License-Identifier: Apache-2.0
"""Covers: datagrams of 1 to 16 header words, with gaps between them, alone or with payload from memory (kept in the
store or not) or from the store, of 1 byte and more; a header that is written while the datagram before it is sent;
jobs that tell, and others behind them until they were heard; payload outside the memory; random stalls of the
reader, its words and the datagrams; ready, idle; the cycles to a word, a word a cycle.

Leaves out: headers of more than 16 words, which need a datagram that does not wait.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from kernel_parts import STORE_WORDS, Store, Strobe, part, with_last, words_of

from polyloom.rtl.testing import Stall, Struct, bench

test = bench(__file__, "kernel_tb")
JOB = Struct.of("polyloom_mpe_pkg::read_job_t")
WORDS = Struct([("bad", 1), ("last", 1), ("data", 64)])
Step = tuple[str, int]  # what the program puts out in a cycle


class Bench:
    """The part, the reader of memory, and a program that writes a header when it finds room for one."""

    def __init__(self, dut: Any, stall: str | float = "random") -> None:
        self.h = part(dut, "builder")
        self.out, self.read = self.h.sink("out", stall), self.h.sink("read", stall)
        self.words = self.h.source("words", stall)
        self.store = Store(self.h)
        self._stall = Stall(self.h.rng, stall)
        self._todo: deque[list[Step]] = deque()
        self._steps: list[Step] = []  # of the header at hand
        self._open = False  # ready was seen, nothing put out since
        self._puts = self._reported = False  # in this cycle
        self._copied = False  # told, and not yet heard
        self.headers = self._ended = 0  # written; datagrams that have left
        self.payloads: deque[list[int]] = deque()  # of reads to come
        self._reads = 0
        self.reports: deque[bool] = deque()  # of jobs that tell: bad
        self.kept: list[tuple[int, int]] = []
        self.word_cycles: list[int] = []
        self.places: dict[int, bytes] = {}
        self.out.expect([])
        self.read.expect([])
        self.h.add(self)
        self._put = {name: Strobe(self.h, name) for name in ("word", "address", "job")}
        names = ("ready", "idle", "copied", "copied_bad", "reported", "word_last")
        self._s = {name: self.h.signal(name) for name in names}

    def reset(self) -> None:
        """Nothing."""
        self._s["reported"].set(0)

    def drive(self) -> None:
        """The next thing that the program puts out; and, at some time, that it has heard."""
        self._reported = self._copied and self.h.rng.randrange(6) == 0
        self._s["reported"].set(int(self._reported))
        self._puts = False
        self._s["word_last"].set(self.h.rng.getrandbits(1))
        if not self._steps and self._open and self._todo:
            self._steps = self._todo.popleft()
        if not self._steps or self._stall():
            return
        self._puts = True
        what, value = self._steps.pop(0)
        self._put["word" if what == "last" else what].next = value
        self._s["word_last"].set(int(what == "last"))
        self.headers += what == "last"
        if what in {"word", "last"}:
            self.word_cycles.append(self.h.cycle)

    def sample(self, cycle: int) -> None:
        """Jobs reach the reader; what is told is right; at rest all is done."""
        for _ in self.read.passed[self._reads :]:
            self.words.send(self.payloads.popleft())
            self._reads += 1
        if self.out.cycles and self.out.cycles[-1] == cycle:
            self._ended += self.out.passed[-1] >> 64
        self._open = bool(self._s["ready"].get()) and not self._puts
        copied = bool(self._s["copied"].get())
        if copied and not self._copied:
            assert self.reports, f"told in cycle {cycle}, but no one is to tell"
        if copied:
            assert bool(self._s["copied_bad"].get()) == self.reports[0], f"cycle {cycle}: outside {not self.reports[0]}"
        assert copied or not self._copied, f"not told any more in cycle {cycle}"
        if self._reported:
            self.reports.popleft()
        self._copied = copied and not self._reported
        if self._s["idle"].get() and not self._puts and not self._steps:
            assert self._ended == self.headers, f"idle in cycle {cycle}: {self._ended} of {self.headers} have left"

    def busy(self) -> str:
        """Say what is not done."""
        left = len(self._todo) + bool(self._steps)
        return (
            f"{left} headers, {len(self.reports)} to tell" if left or self.reports or not self._s["idle"].get() else ""
        )

    def header(self, count: int, steps: list[Step] | None = None) -> list[int]:
        """Header words; the other steps come before the last word."""
        values = self.h.values(64, count)
        todo: list[Step] = [("word", value) for value in values[:-1]]
        where = sorted(self.h.rng.randint(0, len(todo)) for _ in steps or [])
        for i, step in enumerate(steps or []):
            todo.insert(where[i] + i, step)
        self._todo.append([*todo, ("last", values[-1])])
        return values

    def send(self, count: int, size: int = 0, replay: int | None = None, record: int | None = None) -> None:
        """A datagram with ``size`` bytes of payload, from memory (kept from word ``record`` on) or ``replay``."""
        rng = self.h.rng
        if size == 0:
            self.out.expect(with_last(self.header(count)))
            return
        report, address, bad = rng.random() < 0.4, rng.getrandbits(32), False
        bits = {"report": int(report), "bytes": size, "unused": rng.getrandbits(2)}
        if replay is not None:
            payload = words_of(self.places[replay])[: (size + 7) // 8]
            bits |= {"replay": 1, "word": replay, "record": 0}
            steps = []
        else:
            payload = self.h.values(64, (size + 7) // 8)
            bad = rng.random() < 0.3
            end = len(payload) - 1
            self.payloads.append(
                [WORDS.pack(bad=int(bad and i == end), last=int(i == end), data=word) for i, word in enumerate(payload)]
            )
            self.read.expect([address << 11 | size])
            bits |= {"record": int(record is not None), "word": rng.getrandbits(16) if record is None else record}
            steps = [("address", address)]
        if record is not None:
            self.kept += [(record + i, word) for i, word in enumerate(payload)]
            self.places[record] = b"".join(word.to_bytes(8, "little") for word in payload)
        head = self.header(count, [*steps, ("job", JOB.pack(**bits))])
        self.out.expect(with_last([*head, *payload]))
        if report:
            self.reports.append(bad)


@cocotb.test()
async def joins(dut: Any) -> None:
    for _ in range(2):
        b = Bench(dut)
        rng = b.h.rng
        await b.h.reset()
        for _ in range(100):
            count = rng.choice([1, 2, 4, 4, 4, 16, rng.randint(1, 16)])
            size = rng.choice([1, 7, 8, 9, 16, 17, rng.randint(1, 130)])
            kind = rng.randrange(4)
            if kind == 0:
                b.send(count)
            elif kind == 1 and b.places:
                place = list(b.places)[-1]  # others may have been written over
                b.send(count, rng.randint(1, len(b.places[place])), replay=place)
            else:
                b.send(count, size, record=rng.randrange(STORE_WORDS - 20) if kind == 2 else None)
        await b.h.drain()
        assert b.store.written == b.kept


@cocotb.test()
async def pace(dut: Any) -> None:
    """A word leaves a cycle after it is written; payload a word a cycle, also from the store."""
    b = Bench(dut, "never")
    await b.h.reset()
    b.send(4)
    await b.h.drain()
    assert b.out.cycles == [c + 1 for c in b.word_cycles] == list(range(b.out.cycles[0], b.out.cycles[0] + 4))
    b.send(4, 800, record=7)
    await b.h.drain()
    b.send(4, 800, replay=7)
    await b.h.drain()
    for end in (4 + 104, 4 + 208):
        cycles = b.out.cycles[end - 100 : end]
        assert cycles == list(range(cycles[0], cycles[0] + 100))
    assert b.out.cycles[-104:-100] == [c + 1 for c in b.word_cycles[-4:]]
    assert b.out.cycles[-100] <= b.out.cycles[-101] + 2  # the store's first word

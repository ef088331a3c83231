# SPDX-License-Identifier: Apache-2.0
"""Who stands around the FPU's parts in their tests: cores that take turns, units and queues compared in every cycle."""

from __future__ import annotations

from collections import deque

from fpu_operations import REQUEST, an_operation, corner_operations, packed, result_of

from polyloom.rtl.testing import Harness, Signal, Stall, Struct
from polyloom.rtl.testing.every_cycle import EveryCycle

SIZES = ((4, 16), (1, 1), (2, 2))  # cores, threads: as fpu_tb.sv has them
INTERVAL = 17  # from a start of a divider to its next


class Turns:
    """Requests of cores to something that takes one a cycle: in order within a core, cores in turn, 0 first."""

    def __init__(self, cores: int) -> None:
        self._queues: list[deque[dict[str, int]]] = [deque() for _ in range(cores)]
        self._last = cores - 1

    def request(self, core: int, request: dict[str, int]) -> None:
        """Wait for a turn."""
        self._queues[core].append(request)

    def grant(self) -> tuple[int, dict[str, int]] | None:
        """Whose turn it is: the next that waits after the one served last."""
        cores = len(self._queues)
        for core in ((self._last + i) % cores for i in range(1, cores + 1)):
            if self._queues[core]:
                self._last = core
                return core, self._queues[core].popleft()
        return None


class Cores:
    """Threads with at most one operation under way each: who asks in a cycle, with random pauses of every core."""

    def __init__(self, h: Harness, size: tuple[int, int], names: tuple[str, ...]) -> None:
        self._rng, self._names = h.rng, names
        self.cores, threads = size
        self._free = [set(range(threads)) for _ in range(self.cores)]
        self._stalls = [Stall(h.rng) for _ in range(self.cores)]

    def request(self) -> dict[int, dict[str, int]]:
        """What each core that asks wants."""
        requests = {}
        for core, free in enumerate(self._free):
            if not self._stalls[core]() and free:
                thread = self._rng.choice(sorted(free))
                free.remove(thread)
                requests[core] = {"thread": thread, **an_operation(self._rng, self._names)}
        return requests

    def responded(self, core: int, thread: int) -> None:
        """The thread may ask again."""
        assert thread not in self._free[core], f"thread {thread} of core {core} waits for no response"
        self._free[core].add(thread)


def drive_requests(h: Harness, requests: Signal, req: Signal, wanted: dict[int, dict[str, int]]) -> None:
    """What cores ask; noise from those that do not."""
    bits = h.rng.getrandbits(req.width)
    for core, fields in wanted.items():
        at = core * REQUEST.width
        bits = bits & ~((1 << REQUEST.width) - 1 << at) | REQUEST.pack(**fields) << at
    requests.set(sum(1 << core for core in wanted))
    req.set(bits)


class Unit:
    """Something with one operation a cycle in and its response out, compared in every cycle; pauses of random length.

    ``interval``: cycles from a start to the next. An owner has one operation under way.
    """

    def __init__(
        self, h: Harness, size: tuple[int, int], names: tuple[str, ...], layout: Struct, latency: int, interval: int = 1
    ) -> None:
        self._h, self._names, self._layout, self._latency, self._interval = h, names, layout, latency, interval
        self._owners = [core << 4 | thread for core in range(size[0]) for thread in range(size[1])]
        self._in = h.signal("valid"), h.signal("operation")
        outputs = ("owner", "word", "flags") if "flags" in dir(h.scope) else ("owner", "word")
        self._done, self._out = h.signal("done"), [h.signal(name) for name in outputs]
        self._stall = Stall(h.rng)
        self.seen = 0
        self.first = corner_operations(h.rng, names)
        self.forget()
        EveryCycle(h, self._drive, self._check)

    def forget(self) -> None:
        """After a reset: nothing is under way."""
        self._free = set(self._owners)
        self._due: dict[int, tuple[int, ...]] = {}
        self._start = -self._interval

    def _drive(self) -> None:
        h, (valid, operation) = self._h, self._in
        valid.set(0)
        operation.set(h.rng.getrandbits(operation.width))
        if self._stall() or not self._free:
            return
        owner = h.rng.choice(sorted(self._free))
        self._free.remove(owner)
        corner = self.first and h.rng.random() < 0.5
        fields = self.first.pop() if corner else an_operation(h.rng, self._names)
        self._start = max(h.cycle, self._start + self._interval)
        self._due[self._start + self._latency] = (owner, *result_of(fields))
        valid.set(1)
        operation.set(packed(self._layout, {"owner": owner, **fields}))

    def _check(self, cycle: int) -> None:
        want = self._due.pop(cycle, None)
        assert self._done.get() == int(want is not None), f"cycle {cycle}: a response too many, or none of {want}"
        if want is not None:
            got = [signal.get() for signal in self._out]
            assert got == list(want[: len(got)]), f"cycle {cycle}: {got}, expected {want}"
            self._free.add(want[0])
            self.seen += 1


class Queue:
    """A queue of requests: what it grants, in which order and when, compared in every cycle."""

    def __init__(self, h: Harness, size: tuple[int, int], names: tuple[str, ...], layout: Struct, latency: int) -> None:
        self._h, self._size, self._names, self._layout, self._latency = h, size, names, layout, latency
        self._requests, self._req, self._valid, self._operation = (
            h.signal(name) for name in ("requests", "req", "valid", "operation")
        )
        self.seen = 0
        self.first: list[dict[str, int]] = []
        self.forget()
        EveryCycle(h, self._drive, self._check)

    def forget(self) -> None:
        """After a reset: nothing waits, and core 0 is first."""
        self._turns, self._cores = Turns(self._size[0]), Cores(self._h, self._size, self._names)
        self._due: deque[int | None] = deque([None] * self._latency)

    def _drive(self) -> None:
        wanted = self._cores.request()
        drive_requests(self._h, self._requests, self._req, wanted)
        for core, fields in wanted.items():
            self._turns.request(core, fields)
        granted = self._turns.grant()
        if granted is None:
            self._due.append(None)
            return
        core, fields = granted
        values = {"owner": core << 4 | fields["thread"], **fields}
        self._due.append(packed(self._layout, values))

    def _check(self, cycle: int) -> None:
        want = self._due.popleft()
        assert self._valid.get() == int(want is not None), f"cycle {cycle}: a grant too many, or too few"
        if want is not None:
            got, unpack = self._operation.get(), self._layout.unpack
            assert got == want, f"cycle {cycle}: {unpack(got)}, expected {unpack(want)}"
            owner = unpack(want)["owner"]
            self._cores.responded(owner >> 4, owner & 15)
            self.seen += 1


async def with_reset(h: Harness, what: Unit | Queue, count: int) -> None:
    """So many responses, then a reset with operations under way, and some more."""
    await h.reset()
    await h.until(lambda: what.seen >= count and not what.first)
    await h.reset()
    what.forget()
    await h.until(lambda: what.seen >= count + count // 8)

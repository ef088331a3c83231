# SPDX-License-Identifier: Apache-2.0
"""The two ends of an AXI port (polyloom_axi_pkg) for unit tests: a memory, and an initiator that knows what to expect.

Signals of a port PREFIX in the scope: PREFIXaw_valid, PREFIXaw_ready, PREFIXaw and so on for w, b, ar, r.
"""

from __future__ import annotations

from collections import deque

from polyloom.rtl.testing.harness import Harness
from polyloom.rtl.testing.payload import Struct

BEAT_BYTES = 32
AX = Struct.of("polyloom_axi_pkg::ax_t")
W = Struct.of("polyloom_axi_pkg::w_t")
B = Struct.of("polyloom_axi_pkg::b_t")
R = Struct.of("polyloom_axi_pkg::r_t")
ALL_BYTES = (1 << BEAT_BYTES) - 1


class _Part:
    """An agent that only looks at what its streams have passed."""

    def __init__(self, harness: Harness) -> None:
        harness.add(self)

    def reset(self) -> None:
        """Nothing of its own to drive."""

    def drive(self) -> None:
        """Nothing of its own to drive."""

    def sample(self, cycle: int) -> None:
        """Look."""

    def busy(self) -> str:
        """Wait for nothing."""
        return ""


class AxiMemory(_Part):
    """A memory. ``ordered``: responses in order of the addresses, with id 0; else in any order between ids."""

    def __init__(
        self, harness: Harness, prefix: str = "", ordered: bool = False, stall: str | float = "random"
    ) -> None:
        self.words: dict[int, int] = {}  # by address of a beat; what was never written reads as 0
        self._ordered = ordered
        self._rng = harness.rng
        self._aw, self._w, self._ar = (harness.sink(f"{prefix}{c}", stall) for c in ("aw", "w", "ar"))
        self._b, self._r = (harness.source(f"{prefix}{c}", stall) for c in ("b", "r"))
        self._seen = {"aw": 0, "w": 0, "ar": 0}
        self._writes: deque[dict[str, int]] = deque()
        self._beat = 0
        self._responses: dict[int, deque[int]] = {}
        self._reads: dict[int, deque[int]] = {}
        self._b_queued = self._r_queued = 0
        super().__init__(harness)

    def sample(self, cycle: int) -> None:
        """Take what has come; hand out responses, one at a time, from an id picked at random."""
        for values in self._new("aw"):
            self._writes.append(AX.unpack(values))
        for values in self._new("w"):
            self._write(W.unpack(values))
        for values in self._new("ar"):
            self._read(AX.unpack(values))
        if self._b_queued == len(self._b.passed) and (picked := self._pick(self._responses)) is not None:
            self._b.send(picked)
            self._b_queued += 1
        if self._r_queued == len(self._r.passed) and (picked := self._pick(self._reads)) is not None:
            self._r.send(picked)
            self._r_queued += 1

    def _new(self, channel: str) -> list[int]:
        passed = {"aw": self._aw, "w": self._w, "ar": self._ar}[channel].passed
        new = passed[self._seen[channel] :]
        self._seen[channel] = len(passed)
        return new

    def _write(self, beat: dict[str, int]) -> None:
        burst = self._writes[0]
        address = burst["addr"] + self._beat * BEAT_BYTES
        mask = sum(0xFF << 8 * i for i in range(BEAT_BYTES) if beat["strb"] >> i & 1)
        self.words[address] = self.words.get(address, 0) & ~mask | beat["data"] & mask
        self._beat += 1
        if beat["last"]:
            self._writes.popleft()
            self._beat = 0
            key = 0 if self._ordered else burst["id"]
            self._responses.setdefault(key, deque()).append(B.pack(id=key))

    def _read(self, burst: dict[str, int]) -> None:
        key = 0 if self._ordered else burst["id"]
        for i in range(burst["len"] + 1):
            data = self.words.get(burst["addr"] + i * BEAT_BYTES, 0)
            packed = R.pack(id=key, data=data, last=int(i == burst["len"]))
            self._reads.setdefault(key, deque()).append(packed)

    def _pick(self, queues: dict[int, deque[int]]) -> int | None:
        waiting = sorted(key for key, queue in queues.items() if queue)
        return queues[self._rng.choice(waiting)].popleft() if waiting else None


class AxiInitiator(_Part):
    """Sends bursts and checks their responses: order within an id, data, last. ``by_id``: responses carry the id."""

    def __init__(
        self, harness: Harness, prefix: str = "", index: int | None = None, stall: str | float = "random",
        by_id: bool = True,
    ) -> None:  # fmt: skip
        self.name = prefix if index is None else f"{prefix}[{index}]"
        self._by_id = by_id
        self._aw, self._w, self._ar = (harness.source(f"{prefix}{c}", stall, index) for c in ("aw", "w", "ar"))
        self._b, self._r = (harness.sink(f"{prefix}{c}", stall, index) for c in ("b", "r"))
        self._b_seen = self._r_seen = 0
        self._b_expected: dict[int, int] = {}
        self._r_expected: dict[int, deque[tuple[int, int]]] = {}
        super().__init__(harness)

    def write(self, address: int, data: list[int], ident: int = 0, strobes: list[int] | None = None) -> None:
        """Queue a write burst."""
        self._aw.send(AX.pack(id=ident, addr=address, len=len(data) - 1))
        for i, value in enumerate(data):
            strobe = strobes[i] if strobes else ALL_BYTES
            self._w.send(W.pack(data=value, strb=strobe, last=int(i == len(data) - 1)))
        key = ident if self._by_id else 0
        self._b_expected[key] = self._b_expected.get(key, 0) + 1

    def read(self, address: int, expected: list[int], ident: int = 0) -> None:
        """Queue a read burst and what it must bring."""
        self._ar.send(AX.pack(id=ident, addr=address, len=len(expected) - 1))
        queue = self._r_expected.setdefault(ident if self._by_id else 0, deque())
        queue.extend((value, int(i == len(expected) - 1)) for i, value in enumerate(expected))

    def sample(self, cycle: int) -> None:
        """Check the responses that have come."""
        for packed in self._b.passed[self._b_seen :]:
            response = B.unpack(packed)
            assert self._b_expected.get(response["id"], 0) > 0, (
                f"{self.name}: b of id {response['id']} in cycle {cycle}"
            )
            assert response["resp"] == 0
            self._b_expected[response["id"]] -= 1
        self._b_seen = len(self._b.passed)
        for packed in self._r.passed[self._r_seen :]:
            beat = R.unpack(packed)
            queue = self._r_expected.get(beat["id"])
            assert queue, f"{self.name}: r of id {beat['id']} in cycle {cycle}"
            assert (beat["data"], beat["last"]) == queue.popleft(), f"{self.name}: wrong data or last in cycle {cycle}"
        self._r_seen = len(self._r.passed)

    def busy(self) -> str:
        """Say how many responses have not come."""
        writes, reads = sum(self._b_expected.values()), sum(map(len, self._r_expected.values()))
        return f"{self.name} waits for {writes} b and {reads} r" if writes or reads else ""

# SPDX-License-Identifier: Apache-2.0
"""Who stands behind polyloom_overlay_frontend in its test: memory slices, tiles and the network, with random stalls."""

from __future__ import annotations

from collections import deque

from frontend_frames import CTL, LINE, READ_INSTR, READ_SCRATCHPAD, SLICES, TILES, WRITE_INSTR, WRITE_SCRATCHPAD

from polyloom.rtl.testing import Harness
from polyloom.rtl.testing.every_cycle import EveryCycle


class Slice:
    """A memory slice: takes lines with random stalls, responds to reads late and in any order."""

    def __init__(self, h: Harness, number: int) -> None:
        self.rng = h.rng
        self._sink = h.sink("line", index=number)
        names = ("line_rsp_valid", "line_rsp_tag", "line_rsp_data")
        self._rsp = [h.signal(name, number, SLICES) for name in names]
        self.bytes: dict[int, int] = {}
        self._late: list[tuple[int, int]] = []
        self._seen = 0
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        """A line, now and then."""
        responses = bool(self._late) and self.rng.random() < 0.4
        tag, data = (
            self._late.pop(self.rng.randrange(len(self._late)))
            if responses
            else (self.rng.getrandbits(6), self.rng.getrandbits(256))
        )
        for signal, value in zip(self._rsp, (int(responses), tag, data), strict=True):
            signal.set(value)

    def check(self, _cycle: int) -> None:
        """What is asked."""
        for bits in self._sink.passed[self._seen :]:
            line = LINE.unpack(bits)
            assert line["addr"] % 32 == 0
            places = range(line["addr"], line["addr"] + 32)
            if line["write"]:
                data = line["wdata"].to_bytes(32, "little")
                self.bytes.update({a: data[i] for i, a in enumerate(places) if line["wstrb"] >> i & 1})
            else:
                old = bytes(self.bytes.get(a, 0) for a in places)
                self._late.append((line["tag"], int.from_bytes(old, "little")))
        self._seen = len(self._sink.passed)


class Tiles:
    """Takes requests, responds to reads in order: what was written, else zero."""

    def __init__(self, h: Harness) -> None:
        self.rng = h.rng
        self.sink = h.sink("ctl")
        self._valid, self._data = h.signal("ctl_rsp_valid"), h.signal("ctl_rdata")
        self._words: dict[tuple[int, int, int], int] = {}
        self._late: deque[int] = deque()
        self._seen = 0
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        """A response, now and then."""
        responses = bool(self._late) and self.rng.random() < 0.2
        self._valid.set(int(responses))
        self._data.set(self._late.popleft() if responses else self.rng.getrandbits(32))

    def check(self, _cycle: int) -> None:
        """What is asked."""
        for r in map(CTL.unpack, self.sink.passed[self._seen :]):
            scratchpad = int(r["op"] in (WRITE_SCRATCHPAD, READ_SCRATCHPAD))
            for target in range(TILES) if r["all"] else [r["target"]]:
                if r["op"] in (WRITE_INSTR, WRITE_SCRATCHPAD):
                    self._words[scratchpad, target, r["addr"]] = r["data"]
                elif r["op"] in (READ_INSTR, READ_SCRATCHPAD):
                    self._late.append(self._words.get((scratchpad, target, r["addr"]), 0))
        self._seen = len(self.sink.passed)


class Network:
    """Room and gate at random; takes the flits."""

    def __init__(self, h: Harness) -> None:
        names = ("room", "may_inject", "host_in", "enter_valid", "enter", "wanted", "host_out")
        self._s = {name: h.signal(name) for name in names}
        self._rng = h.rng
        self.flits: list[int] = []
        self.let_in = self.let_out = 0
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        """Throw the dice."""
        self._s["room"].set(self._rng.getrandbits(1))
        self._s["may_inject"].set(self._rng.getrandbits(1))

    def check(self, cycle: int) -> None:
        """What enters, and pulses."""
        s = {name: signal.get() for name, signal in self._s.items()}
        if s["host_in"]:
            assert s["room"] and s["may_inject"] and s["wanted"], f"let in without leave in cycle {cycle}"
        self.let_in += s["host_in"]
        self.let_out += s["host_out"]
        if s["enter_valid"]:
            self.flits.append(s["enter"])

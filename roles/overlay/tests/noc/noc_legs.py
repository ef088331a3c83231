# SPDX-License-Identifier: Apache-2.0
"""The inputs of a router as one of its outputs sees them, for the tests of an output and of its arbiter."""

from __future__ import annotations

from noc_units import ArbiterModel, InputModel, Message, bits

from polyloom.rtl.testing import Harness, Stall


class Legs:
    """Inputs around one output: each asks until its message is granted, then sends it, a flit a cycle."""

    def __init__(self, h: Harness, legs: int) -> None:
        self.rng, self.legs = h.rng, legs
        self.io = {name: h.signal(name) for name in ("request", "long", "ending", "room", "grant")}
        self.inputs = [InputModel(8, 4) for _ in range(legs)]
        self.model = ArbiterModel(legs)
        self.stalls = [Stall(h.rng, "random") for _ in range(legs)]
        self.no_room = Stall(h.rng, "random")
        self.waited = [0] * legs  # messages of others since it asked
        self.granted = [0] * legs

    def drive(self) -> None:
        """New messages, and noise where nothing asks."""
        for port, stall in zip(self.inputs, self.stalls, strict=True):
            if not port.inside and not stall():
                port.inside.append(Message([self.rng.getrandbits(32) for _ in range(self.rng.randint(1, 4))], 0))
        everybody = range(self.legs)
        self.requesting = {leg for leg in everybody if self.inputs[leg].head()}
        self.long = {leg for leg in self.requesting if len(self.inputs[leg].inside[0]) > 1}
        self.ending = {leg for leg in everybody if self.inputs[leg].ending()}
        noise = {leg for leg in everybody if self.rng.random() < 0.5}
        free = (
            set(everybody) - self.requesting - {self.model.owner}
        )  # they send elsewhere, as far as the output can tell
        self.room = not self.no_room()
        self.io["request"].set(bits(self.requesting))
        self.io["long"].set(bits(self.long | noise - self.requesting))
        self.io["ending"].set(bits(self.ending | noise & free))
        self.io["room"].set(int(self.room))

    def check(self, cycle: int) -> int | None:
        """Compare the grants; the leg that sends a flit. `end` must follow."""
        self.grants, sends = self.model.end(self.requesting, self.long, self.ending, self.room)
        got = self.io["grant"].get()
        assert got == bits({self.grants} - {None}), f"cycle {cycle}: grants {got:#b}, expected {self.grants}"
        return sends

    def end(self) -> None:
        """The cycle ends."""
        for leg, port in enumerate(self.inputs):
            if self.grants is not None and self.grants != leg and leg in self.requesting:
                self.waited[leg] += 1
                assert self.waited[leg] < self.legs, f"leg {leg} waits too long"
            if self.grants == leg:
                self.waited[leg] = 0
                self.granted[leg] += 1
            port.end(None, self.grants == leg)

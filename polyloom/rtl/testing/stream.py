# SPDX-License-Identifier: Apache-2.0
"""Agents of the one handshake: valid does not wait for ready and does not fall, payload stands still while waiting.

Input: a harness and the name of a stream. Payloads are integers; a stream may have none. ``index`` picks one of
several streams that are ports of array type. Every agent records what passed and in which cycle.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from polyloom.rtl.testing.harness import Harness, Signal, find
from polyloom.rtl.testing.stall import Stall


class _Stream:
    """The signals of a stream, and what passed on it."""

    def __init__(self, harness: Harness, name: str, index: int | None) -> None:
        self.name = name if index is None else f"{name}[{index}]"
        valid = find(harness.scope, f"{name}_valid")
        ready = find(harness.scope, f"{name}_ready")
        if valid is None or ready is None:
            raise AssertionError(f"no stream {name}: {harness.scope._path} has no {name}_valid and {name}_ready")
        payload = find(harness.scope, name)
        count = len(valid) if index is not None else 1
        self.valid = Signal(valid, index, count)
        self.ready = Signal(ready, index, count)
        self.payload = None if payload is None else Signal(payload, index, count)
        self.passed: list[int] = []
        self.cycles: list[int] = []
        harness.add(self)

    def reset(self) -> None:
        """Drive nothing."""

    def drive(self) -> None:
        """Drive nothing."""

    def sample(self, cycle: int) -> None:
        """See nothing."""

    def busy(self) -> str:
        """Wait for nothing."""
        return ""

    def _value(self) -> int:
        return self.payload.get() if self.payload is not None else 0

    def _pass(self, value: int, cycle: int) -> None:
        self.passed.append(value)
        self.cycles.append(cycle)


class Source(_Stream):
    """Sends what it is given, in order, each with a random delay."""

    def __init__(self, harness: Harness, name: str, stall: str | float = "random", index: int | None = None) -> None:
        super().__init__(harness, name, index)
        self.stall = Stall(harness.rng, stall)
        self._rng = harness.rng
        self._queue: deque[int] = deque()
        self._offered = False

    def send(self, values: Iterable[int] | int) -> None:
        """Queue one payload, or several."""
        self._queue.extend([values] if isinstance(values, int) else values)

    def reset(self) -> None:
        """Offer nothing. What is queued stays."""
        self._offered = False
        self.valid.set(0)

    def drive(self) -> None:
        """Begin to offer the next payload, unless stalled; while nothing is offered the payload is noise."""
        if not self._offered and self._queue and not self.stall():
            self._offered = True
            self.valid.set(1)
            if self.payload is not None:
                self.payload.set(self._queue[0])
        elif not self._offered:
            self.valid.set(0)
            if self.payload is not None:
                self.payload.set(self._rng.getrandbits(self.payload.width))

    def sample(self, cycle: int) -> None:
        """Drop the payload if it is taken at the coming edge."""
        if self._offered and self.ready.get():
            self._offered = False
            self._pass(self._queue.popleft(), cycle)

    def busy(self) -> str:
        """Say how much is not sent yet."""
        if not self._queue:
            return ""
        return f"{self.name} has {len(self._queue)} to send{' and waits for ready' if self._offered else ''}"


class Monitor(_Stream):
    """Listens, and checks that valid does not fall and the payload stands still while ready is low."""

    def __init__(self, harness: Harness, name: str, index: int | None = None) -> None:
        super().__init__(harness, name, index)
        self._pending: int | None = None

    def reset(self) -> None:
        """Forget what was offered."""
        self._pending = None

    def sample(self, cycle: int) -> None:
        """Check against the cycle before, and record what passes."""
        valid = self.valid.get()
        if self._pending is not None:
            assert valid, f"{self.name}: valid fell in cycle {cycle} before the payload was taken"
            value = self._value()
            assert value == self._pending, (
                f"{self.name}: payload changed in cycle {cycle} while waiting, {self._pending:#x} to {value:#x}"
            )
        if not valid:
            return
        if self.ready.get():
            self._pending = None
            self._take(self._value(), cycle)
        else:
            self._pending = self._value()

    def _take(self, value: int, cycle: int) -> None:
        self._pass(value, cycle)


class Sink(Monitor):
    """Takes payloads with random stalls; compares them with what it expects, in order, as they come."""

    def __init__(self, harness: Harness, name: str, stall: str | float = "random", index: int | None = None) -> None:
        super().__init__(harness, name, index)
        self.stall = Stall(harness.rng, stall)
        self._expected: list[int] | None = None

    def expect(self, values: Iterable[int]) -> None:
        """Expect these too, after what was expected before. A sink that was told nothing takes anything."""
        self._expected = [*(self._expected or []), *values]

    def reset(self) -> None:
        """Not ready; forget what was offered."""
        super().reset()
        self.ready.set(0)

    def drive(self) -> None:
        """Be ready, or not."""
        self.ready.set(0 if self.stall() else 1)

    def busy(self) -> str:
        """Say how much has not come yet, or that something is offered and not taken."""
        if self._expected is None or len(self.passed) >= len(self._expected):
            return "" if self._pending is None else f"{self.name} is offered {self._pending:#x} and stalls"
        return f"{self.name} got {len(self.passed)} of {len(self._expected)}"

    def _take(self, value: int, cycle: int) -> None:
        number = len(self.passed)
        super()._take(value, cycle)
        if self._expected is None:
            return
        assert number < len(self._expected), f"{self.name}: {value:#x} in cycle {cycle} after all that was expected"
        wanted = self._expected[number]
        assert value == wanted, f"{self.name}: item {number} in cycle {cycle} is {value:#x}, expected {wanted:#x}"

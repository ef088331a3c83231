# SPDX-License-Identifier: Apache-2.0
"""The clock loop of a unit test. Runs inside cocotb.

A cycle: all agents drive their signals with the clock low; the design settles; all agents sample, and what they
see is what the rising edge sees; the clock rises. So no test depends on the order of processes in a simulator, and
an input may depend on registered outputs of the cycle before only, as in hardware.
"""

from __future__ import annotations

import ctypes
import functools
import logging
import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    from polyloom.rtl.testing.stream import Monitor, Sink, Source


class Agent(Protocol):
    """Something that takes part in every cycle."""

    def reset(self) -> None:
        """Drive idle values and forget what was under way."""

    def drive(self) -> None:
        """Clock is low: set inputs of the design for the coming edge."""

    def sample(self, cycle: int) -> None:
        """Design is settled: see what the coming edge will see."""

    def busy(self) -> str:
        """What is still waited for, or "" if nothing is."""


class _Simulation:
    """The door that simulation.cc has for us; this module runs inside its process."""

    def __init__(self) -> None:
        library = ctypes.PyDLL(None)
        self.settle: Callable[[], int] = library.polyloom_settle
        self._variable = library.polyloom_variable
        self._variable.restype = ctypes.c_void_p
        self.settle()  # initial values come before those that a test sets

    def variable(self, path: str) -> tuple[ctypes.Array[Any], int]:
        """The memory of a variable, as one number or as several bytes, and its bits."""
        name, indices = path, list[int]()
        while name.endswith("]"):
            name, _, index = name[:-1].rpartition("[")
            indices.insert(0, int(index))
        scope, _, name = name.rpartition(".")
        bits, size = ctypes.c_int(), ctypes.c_int()
        place = self._variable(
            *(scope.encode(), name.encode(), (ctypes.c_int * len(indices))(*indices), len(indices)),
            *(ctypes.byref(bits), ctypes.byref(size)),
        )
        assert place, f"no variable {path}"
        kind, count = (_NUMBER[size.value], 1) if size.value in _NUMBER else (ctypes.c_uint8, size.value)
        return (kind * count).from_address(place), bits.value


_NUMBER = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32, 8: ctypes.c_uint64}


@functools.cache
def _simulation() -> _Simulation:
    return _Simulation()


class Signal:
    """A signal, or element ``index`` of a packed or unpacked array of ``count`` equal elements."""

    #: What this test has driven.
    driven: ClassVar[set[Signal]] = set()

    def __init__(self, handle: Any, index: int | None = None, count: int = 1) -> None:
        unpacked = index is not None and not hasattr(handle, "value_change") and hasattr(handle, "__getitem__")
        path = str(handle._path)
        self.name = f"{path}[{index}]" if unpacked else path
        self._memory, self.width = _simulation().variable(self.name)
        self._wide = len(self._memory) > 1
        self._bytes = memoryview(self._memory).cast("B")
        self._shift: int | None = None
        if index is not None and not unpacked:
            self.width //= count
            self._shift = index * self.width
        self._mask = (1 << self.width) - 1

    def set(self, value: int) -> None:
        """Drive; takes effect when the design settles."""
        if value & ~self._mask:
            raise ValueError(f"{self.name}: {value:#x} does not fit {self.width} bits")
        self.driven.add(self)
        if self._shift is not None:
            value = self._whole() & ~(self._mask << self._shift) | value << self._shift
        if self._wide:
            self._bytes[:] = value.to_bytes(len(self._bytes), "little")
        else:
            self._memory[0] = value

    @classmethod
    def idle(cls) -> None:
        """Set all that was driven to 0: tests of one simulation must not see each other's inputs."""
        for signal in list(cls.driven):
            signal.set(0)
        cls.driven.clear()

    def get(self) -> int:
        """Value now."""
        value = int.from_bytes(self._bytes, "little") if self._wide else int(self._memory[0])
        return value if self._shift is None else value >> self._shift & self._mask

    def _whole(self) -> int:
        return int.from_bytes(self._bytes, "little")


def find(scope: Any, name: str) -> Any:
    """A signal of a scope: NAME, NAME_i or NAME_o, the first that is there; None if none is."""
    for suffix in ("", "_i", "_o"):
        handle = getattr(scope, name + suffix, None)
        if handle is not None and hasattr(handle, "_path"):
            return handle
    return None


class Harness:
    """Clock, reset, random generator and agents of one test. ``scope``: where signals are; default the top."""

    def __init__(self, dut: Any, scope: Any = None, clock: str = "clk_i", reset: str = "rst_ni") -> None:
        self.dut = dut
        self.scope = scope if scope is not None else dut
        self.rng = random.Random(random.getrandbits(64))  # cocotb has seeded it from the seed and the test's name
        self.cycle = 0
        self.log = logging.getLogger("cocotb.polyloom")
        self._clock = Signal(getattr(dut, clock))
        self._reset = Signal(getattr(dut, reset))
        self._settle = _simulation().settle
        self._agents: list[Agent] = []
        Signal.idle()

    def add(self, agent: Agent) -> None:
        """Let an agent take part in every cycle from now on."""
        self._agents.append(agent)

    def signal(self, name: str, index: int | None = None, count: int = 1) -> Signal:
        """Look up a signal of the scope; NAME is also NAME_i or NAME_o."""
        handle = find(self.scope, name)
        if handle is None:
            raise AssertionError(f"{self.scope._path} has no {name}, {name}_i or {name}_o")
        return Signal(handle, index, count)

    def source(self, name: str, stall: str | float = "random", index: int | None = None) -> Source:
        """A driver of the stream ``name`` (signals NAME_valid, NAME_ready, NAME, with or without _i and _o)."""
        from polyloom.rtl.testing.stream import Source

        return Source(self, name, stall, index)

    def sink(self, name: str, stall: str | float = "random", index: int | None = None) -> Sink:
        """A receiver of the stream ``name``, which checks the handshake and what it was told to expect."""
        from polyloom.rtl.testing.stream import Sink

        return Sink(self, name, stall, index)

    def monitor(self, name: str, index: int | None = None) -> Monitor:
        """A listener to a stream inside the design, which checks the handshake."""
        from polyloom.rtl.testing.stream import Monitor

        return Monitor(self, name, index)

    def values(self, width: int, count: int) -> list[int]:
        """Random payloads."""
        return [self.rng.getrandbits(width) for _ in range(count)]

    async def reset(self, cycles: int = 3) -> None:
        """Reset the design; agents are idle meanwhile. Ends with the reset released and the clock low."""
        for agent in self._agents:
            agent.reset()
        self._reset.set(0)
        for _ in range(cycles):
            await self._half(0)
            await self._half(1)
        self._reset.set(1)

    async def step(self, cycles: int = 1) -> None:
        """So many cycles. After it, the design shows its state after the last edge."""
        for _ in range(cycles):
            for agent in self._agents:
                agent.drive()
            await self._half(0)
            for agent in self._agents:
                agent.sample(self.cycle)
            self.cycle += 1
            await self._half(1)

    async def _half(self, level: int) -> None:
        self._clock.set(level)
        if self._settle():
            from cocotb.triggers import Timer

            await Timer(1, "ps")  # an assertion has failed: cocotb ends the simulation

    async def until(self, condition: Callable[[], bool], limit: int = 20_000) -> None:
        """Step until the condition holds; AssertionError that says who waits if it does not within ``limit`` cycles."""
        for _ in range(limit):
            if condition():
                return
            await self.step()
        raise AssertionError(self._late(limit))

    async def drain(self, limit: int = 20_000, after: int = 20) -> None:
        """Step until all is sent and all that is expected has come and it stays so for ``after`` cycles in a row.

        A sink that stalls while something is offered counts as waiting, so what is under way arrives however it stalls.
        """
        quiet = 0
        for _ in range(limit):
            quiet = 0 if self.waiting() else quiet + 1
            if quiet > after:
                return
            await self.step()
        raise AssertionError(self._late(limit))

    def _late(self, limit: int) -> str:
        return f"not done after {limit} cycles, in cycle {self.cycle}: {self.waiting() or 'none waits'}"

    def waiting(self) -> str:
        """Who still waits for what."""
        return "; ".join(text for text in (agent.busy() for agent in self._agents) if text)

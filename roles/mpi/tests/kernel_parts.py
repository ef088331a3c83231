# SPDX-License-Identifier: Apache-2.0
"""What the tests of a kernel node's parts share: their scopes in kernel_units.sv, words, and the store of payloads.

Nothing here is taken from the RTL: fields are those of ENGINE.md, PROTOCOL.md and of the comments in
polyloom_mpe_pkg.sv.
"""

from __future__ import annotations

from typing import Any

from polyloom.rtl.testing import Harness, Struct

WORD = Struct([("last", 1), ("data", 64)])
ENDPOINT = Struct.of("polyloom_udp_pkg::endpoint_t")
STORE_WORDS = 8192


def part(dut: Any, name: str, which: int | None = None) -> Harness:
    """The harness of a scope of kernel_units.sv, or of one of several."""
    scope = getattr(dut.i_units, f"gen_{name}")
    return Harness(dut, scope if which is None else scope[which])


def words_of(data: bytes, rest: bytes = b"") -> list[int]:
    """Bytes as words, lowest first; the last one filled up from ``rest``, then with zeros."""
    filled = (data + rest[: -len(data) % 8]).ljust(-(-len(data) // 8) * 8, b"\0")
    return [int.from_bytes(filled[at : at + 8], "little") for at in range(0, len(filled), 8)]


def with_last(values: list[int]) -> list[int]:
    """WORDs of a packet."""
    return [WORD.pack(last=int(i == len(values) - 1), data=v) for i, v in enumerate(values)]


class Store:
    """The RAM of payloads at a part's port: what is read comes in the next cycle and stands until the next read."""

    def __init__(self, h: Harness) -> None:
        self.words = h.values(64, STORE_WORDS)
        self.written: list[tuple[int, int]] = []  # address, word
        self._en, self._we = h.signal("store_en"), h.signal("store_we")
        self._addr, self._wdata, self._rdata = (h.signal(f"store_{n}") for n in ("addr", "wdata", "rdata"))
        self._out = h.rng.getrandbits(64)
        h.add(self)

    def reset(self) -> None:
        """Nothing."""

    def drive(self) -> None:
        """What was read."""
        self._rdata.set(self._out)

    def sample(self, cycle: int) -> None:
        """An access."""
        if not self._en.get():
            return
        address = self._addr.get()
        if self._we.get():
            self.words[address] = self._wdata.get()
            self.written.append((address, self.words[address]))
        else:
            self._out = self.words[address]

    def busy(self) -> str:
        """Wait for nothing."""
        return ""


class Strobe:
    """A value without ready that stands for one cycle: NAME_valid, NAME; noise while it is not there."""

    def __init__(self, h: Harness, name: str) -> None:
        self._h, self._valid, self._value = h, h.signal(f"{name}_valid"), h.signal(name)
        self.next: int | None = None
        h.add(self)

    def reset(self) -> None:
        """Nothing there."""
        self._valid.set(0)
        self.next = None

    def drive(self) -> None:
        """For one cycle."""
        self._valid.set(int(self.next is not None))
        self._value.set(self._h.rng.getrandbits(self._value.width) if self.next is None else self.next)
        self.next = None

    def sample(self, cycle: int) -> None:
        """Nothing to be seen."""

    def busy(self) -> str:
        """Say that it comes."""
        return "" if self.next is None else "a strobe"

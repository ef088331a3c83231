# SPDX-License-Identifier: Apache-2.0
"""Payloads as integers: packed structs, and bytes as beats. First member of a struct is its highest bits."""

from __future__ import annotations

import random
from collections.abc import Sequence

from polyloom.rtl.testing import packages


class Struct:
    """A packed struct: ``Struct([("last", 1), ("data", 8)]).pack(last=1, data=5)`` is 0x105."""

    def __init__(self, members: Sequence[tuple[str, int]]) -> None:
        self.members = tuple(members)
        self.width = sum(width for _, width in members)

    @classmethod
    def of(cls, name: str, flat: bool = False) -> Struct:
        """A packed struct of a package: ``"polyloom_stream_pkg::beat_t"``. ``flat``: with the members of inner ones."""
        return cls(packages.members(name, flat))

    def pack(self, **values: int) -> int:
        """The struct's bits; members that are not given are 0."""
        unknown = values.keys() - {name for name, _ in self.members}
        if unknown:
            raise ValueError(f"no member {', '.join(sorted(unknown))}")
        bits = 0
        for name, width in self.members:
            value = values.get(name, 0)
            if not 0 <= value < 1 << width:
                raise ValueError(f"{name} = {value} does not fit {width} bits")
            bits = bits << width | value
        return bits

    def unpack(self, bits: int) -> dict[str, int]:
        """The members of the struct with these bits."""
        values: dict[str, int] = {}
        for name, width in reversed(self.members):
            values[name] = bits & (1 << width) - 1
            bits >>= width
        return values

    def random(self, rng: random.Random) -> int:
        """Bits of a struct with random members."""
        return rng.getrandbits(self.width)


BEAT = Struct.of("polyloom_stream_pkg::beat_t")
BEAT_BYTES = 32


def beats_of(data: bytes, last: bool = True) -> list[int]:
    """Bytes as packed beats, the final one short if need be and marked last."""
    beats = []
    for start in range(0, len(data), BEAT_BYTES):
        part = data[start : start + BEAT_BYTES]
        ends = last and start + BEAT_BYTES >= len(data)
        beats.append(
            BEAT.pack(last=int(ends), keep=(1 << len(part)) - 1, data=int.from_bytes(part, "little")),
        )
    return beats


def bytes_of(beats: Sequence[int]) -> bytes:
    """The bytes that count of packed beats; ValueError if a keep has holes."""
    out = bytearray()
    for bits in beats:
        beat = BEAT.unpack(bits)
        count = beat["keep"].bit_length()
        if beat["keep"] != (1 << count) - 1:
            raise ValueError(f"keep {beat['keep']:#x} has holes")
        out += beat["data"].to_bytes(BEAT_BYTES, "little")[:count]
    return bytes(out)


def signed(word: int, bits: int = 32) -> int:
    """The number that these bits are in two's complement."""
    return word - (1 << bits) if word >> bits - 1 & 1 else word

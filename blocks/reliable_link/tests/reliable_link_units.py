# SPDX-License-Identifier: Apache-2.0
"""What the tests of the reliable link's parts share: frames, made from link_frame.h and with zlib's CRC-32."""

from __future__ import annotations

import random
import zlib
from dataclasses import dataclass

from polyloom.rtl.testing import Struct

WORD0 = Struct.of("polyloom_reliable_link_pkg::word0_t")
WORD1 = Struct.of("polyloom_reliable_link_pkg::word1_t")
ETHER_TYPE, MARK = 0x88B5, 0x50
MIN_ITEMS = 5
Wire = tuple[int, int, int]  # data, keep, last


def check_of(words: list[int]) -> int:
    """The CRC-32 of all words before the check."""
    return zlib.crc32(b"".join(word.to_bytes(8, "little") for word in words))


def on_wire(words: list[int]) -> list[Wire]:
    """A frame's words, and its check behind them."""
    return [*((word, 0xFF, 0) for word in words), (check_of(words), 0x0F, 1)]


def some_count(rng: random.Random, most: int) -> int:
    """Items: few, none, or as many as a frame may have."""
    return rng.choice([0, 0, 1, 2, rng.randint(0, 7), rng.randint(0, 7), rng.randint(0, min(most, 40)), most])


@dataclass
class Frame:
    """A frame before it is put on the wire."""

    word0: int
    word1: int
    control: list[int]
    data: list[int]

    @classmethod
    def random(cls, rng: random.Random, most: int = 60) -> Frame:
        """One with random numbers and items."""
        control = [rng.getrandbits(64) for _ in range(some_count(rng, min(most, 31)))]
        data = [rng.getrandbits(64) for _ in range(some_count(rng, most))]
        fields = WORD0.unpack(rng.getrandbits(64)) | {"control_count": len(control), "data_count": len(data)}
        word1 = WORD1.pack(zero=0, ether_type=ETHER_TYPE, mark=MARK) | rng.getrandbits(24)
        return cls(WORD0.pack(**fields), word1, control, data)

    def words(self) -> list[int]:
        """All but the check; filled up with zeros."""
        items = [*self.control, *self.data]
        return [self.word0, self.word1, *items, *[0] * (MIN_ITEMS - len(items))]

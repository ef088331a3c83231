# SPDX-License-Identifier: Apache-2.0
"""What the tests of the links' parts share: flits, messages, and their items as mesh_link.h has them."""

from __future__ import annotations

import random
from dataclasses import dataclass

from polyloom.rtl.testing import Struct

FLIT = Struct.of("polyloom_overlay_pkg::flit_t", flat=True)
WORD = Struct([("last", 1), ("word", 64)])
HALF = (1 << 64) - 1
UNICAST, MASK, KEY, HOST = range(4)
WORD32 = (1 << 32) - 1


@dataclass
class Message:
    """A message with the epoch that it belongs to."""

    kind: int
    dest: int
    mask: int
    data: list[int]
    epoch: int

    @classmethod
    def any_of(cls, rng: random.Random, epoch: int, longest: int = 4) -> Message:
        """Of any kind and length; one thread unless the kind is mask, or key, which is in the mask's low half."""
        kind = rng.choice((UNICAST, MASK, KEY, HOST))
        mask = rng.getrandbits(64) if kind in (MASK, KEY) else 1 << rng.choice((0, 63, rng.randrange(64)))
        if kind == KEY and rng.random() < 0.3:
            mask = rng.choice((0, WORD32, 1, 1 << 31))
        data = [rng.getrandbits(128) for _ in range(rng.randint(1, longest))]
        return cls(kind, rng.getrandbits(20), mask, data, epoch)

    def flits(self, rng: random.Random) -> list[int]:
        """As the board router has it; a header means something with the first flit only."""
        flits = []
        for i, data in enumerate(self.data):
            head = {"kind": self.kind, "flits": len(self.data) - 1, "dest": self.dest, "mask": self.mask}
            if i > 0:
                head = {"kind": rng.randrange(8), "flits": rng.randrange(4), "dest": rng.getrandbits(20), "mask": 0}
            flits.append(FLIT.pack(first=int(i == 0), last=int(i == len(self.data) - 1), data=data, **head))
        return flits

    def items(self) -> list[int]:
        """As they cross the link: header, mask if the kind needs one, halves of the flits."""
        thread = (self.mask & -self.mask).bit_length() - 1 if self.mask else 0
        where = (self.mask & WORD32) << 16 if self.kind == KEY else thread << 8 | self.dest << 16
        header = self.kind | self.epoch << 3 | len(self.data) - 1 << 4 | 1 << 6 | where
        halves = [data >> shift & HALF for data in self.data for shift in (0, 64)]
        return [header, *([self.mask] if self.kind == MASK else []), *halves]

    def address(self, key_bit: int) -> tuple[int, int]:
        """Destination and mask behind the link."""
        return (key_bit, self.mask & WORD32) if self.kind == KEY else (self.dest, self.mask)

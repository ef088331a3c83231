# SPDX-License-Identifier: Apache-2.0
"""Frames as the words of a lane, for tests. The check sequence is zlib's."""

from __future__ import annotations

import zlib

from polyloom.rtl.testing import Struct

LANE = Struct([("last", 1), ("keep", 8), ("data", 64)])
CHECKED = Struct([("bad", 1), ("last", 1), ("keep", 8), ("data", 64)])
STORE_IN = Struct([("bad", 1), ("last", 1), ("bytes", 4), ("data", 64)])
STORE_OUT = Struct([("size", 13), ("last", 1), ("bytes", 4), ("data", 64)])


def fcs(frame: bytes) -> bytes:
    """The check sequence as it is sent."""
    return zlib.crc32(frame).to_bytes(4, "little")


def lane(data: bytes) -> list[int]:
    """Words of LANE."""
    words = [data[at : at + 8] for at in range(0, len(data), 8)]
    return [
        LANE.pack(last=int(i == len(words) - 1), keep=(1 << len(w)) - 1, data=int.from_bytes(w, "little"))
        for i, w in enumerate(words)
    ]

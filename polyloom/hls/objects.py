# SPDX-License-Identifier: Apache-2.0
"""Gives every object its address: naturally aligned, largest first, from the base of the block RAM on."""

from __future__ import annotations

from polyloom.hls.ir import Object

BASE = 0x0001_0000


def region(bytes_: int) -> int:
    """Bytes of address space of an object: a power of two, so that its addresses are decoded by their upper bits."""
    return max(16, 1 << (bytes_ - 1).bit_length())


def place(objects: list[Object]) -> None:
    """Set ``address`` of all."""
    at = BASE
    for obj in sorted(objects, key=lambda o: -region(o.size)):
        size = region(obj.size)
        at = (at + size - 1) // size * size
        obj.address = at
        at += size

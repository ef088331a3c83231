# SPDX-License-Identifier: Apache-2.0
"""Where objects are: each in block RAM or in DRAM, and its address there.

In DRAM is what is larger than ``Options.object_limit``, and if the rest does not fit in block RAM, the largest of it.
Initial values always take block RAM: an object in DRAM is written from there when the kernel starts (``Object.start``).
"""

from __future__ import annotations

from collections.abc import Mapping

from polyloom.hls.errors import HlsError
from polyloom.hls.ir import DRAM_BASE, Object
from polyloom.hls.options import Options

BASE = 0x0001_0000
_LEAST = 256  # bytes that an object must save in block RAM to go to DRAM because of others


def region(bytes_: int) -> int:
    """Bytes of address space of an object: a power of two, so that its addresses are decoded by their upper bits."""
    return max(16, 1 << (bytes_ - 1).bit_length())


def memory_bytes(size: int) -> int:
    """Bytes of block RAM that an object takes."""
    return max(2, (size + 7) // 8) * 8


def for_dram(objects: list[Object], initial: Mapping[Object, int], options: Options) -> list[Object]:
    """Those that are not in block RAM; ``initial``: bytes of each that have initial values other than zero."""

    def saved(obj: Object) -> int:
        return memory_bytes(obj.size) - (memory_bytes(initial[obj]) if initial.get(obj) else 0)

    chosen = [o for o in objects if o.size > options.object_limit and saved(o) > 0]
    left = sum(memory_bytes(o.size) for o in objects) - sum(saved(o) for o in chosen) - options.memory_limit
    for obj in sorted(set(objects) - set(chosen), key=saved, reverse=True):
        if left <= 0 or saved(obj) < _LEAST:
            break
        chosen.append(obj)
        left -= saved(obj)
    return chosen


def place(objects: list[Object], in_dram: list[Object], options: Options) -> int:
    """Set ``address`` of all; returns the first address of DRAM that is free.

    Block RAM: naturally aligned, largest first. DRAM: one after the other.
    """
    at = BASE
    for obj in sorted((o for o in objects if o not in in_dram), key=lambda o: -region(o.size)):
        size = region(obj.size)
        at = (at + size - 1) // size * size
        obj.address = at
        at += size
    at = DRAM_BASE
    for obj in in_dram:
        align = max(16, obj.align)
        obj.address = (at + align - 1) // align * align
        at = obj.address + (obj.size + 15) // 16 * 16
    if at - DRAM_BASE > options.dram_bytes:
        largest = max(in_dram, key=lambda o: o.size)
        message = (
            f"the kernel's objects take {at - DRAM_BASE} bytes of DRAM, the node has {options.dram_bytes}; "
            f"the largest is {largest.name} with {largest.size}. Make arrays smaller or the node's DRAM larger"
        )
        raise HlsError(largest.where, message)
    return at

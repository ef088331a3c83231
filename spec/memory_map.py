# SPDX-License-Identifier: Apache-2.0
"""The 32-bit address space of an overlay thread: that of Tinsel 0.8."""

from __future__ import annotations

from spec.rows import AddressRange, ranges

MEMORY_MAP = ranges(
    [
        AddressRange(
            "scratchpad", 0x0000_8000, 0x0001_0000, "the tile's scratchpad, which its threads share, in slots"
        ),
        AddressRange("sram_a", 0x0080_0000, 0x0100_0000, "the first SRAM of the thread's slice, cached"),
        AddressRange("sram_b", 0x0100_0000, 0x0180_0000, "the second, cached"),
        AddressRange("dram", 0x0180_0000, 0x8000_0000, "the DRAM of the slice, cached; globals begin here"),
        AddressRange(
            "interleaved",
            0xC000_0000,
            0x1_0000_0000,
            "the upper half of that DRAM again, line by line in turn for each thread: its heap and stack",
        ),
    ]
)

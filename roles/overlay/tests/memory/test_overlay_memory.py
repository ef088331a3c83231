# SPDX-License-Identifier: Apache-2.0
"""Covers: that sizes which the memory parts cannot have stop elaboration with a message that says what may be.

What each part does is the matter of the test of its name. What all do together, polyloom_overlay_cache with
polyloom_overlay_slice and polyloom_overlay_dma, is compared with the fast model in every cycle by memory_rtl_test.cc
(ctest overlay_rtl_memory_test); types are those of polyloom_overlay_memory_pkg.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloom.rtl import filelist
from polyloom.rtl.testing import elaborate

LIST = Path(__file__).parent / "memory_rtl_top.f"


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ("Cores=3", "a tile has 1, 2 or 4"),
        ("Threads=12", "of 1, 2, 4, 8 or 16"),
        ("Ways=3", "powers of two up to 16"),
        ("Sets=8", "a thread has at most 64 lines"),
        ("LineBytes=16", "line_bytes 16; 32 or 64"),
        ("Tiles=64", "2 to 64, the DMA's port included"),
    ],
)
def test_a_size_out_of_range_is_refused_at_elaboration(parameter: str, message: str) -> None:
    name, value = parameter.split("=")
    assert message in elaborate("memory_rtl_top", filelist.read(LIST), **{name: value})

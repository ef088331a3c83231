# SPDX-License-Identifier: Apache-2.0
"""Covers: a board elaborates in its shapes, and refuses sizes that it cannot have with a message that names them.

Leaves out: what a board does. polyloom_overlay_node and its parts polyloom_overlay_tiles, polyloom_overlay_tile,
polyloom_overlay_periphery and polyloom_overlay_frontend run whole programs in tests/test_isa.py and
tests/test_overlay_swap.py.
"""

from __future__ import annotations

import pytest

from polyloom.base import paths
from polyloom.rtl import filelist, testing
from polyloom.testing import daily

FILES = filelist.read(paths.home() / "roles/overlay/rtl/overlay.f")


def elaborate(*parameters: str) -> str:
    """What Verilator says of a board with these parameters; empty if it takes them."""
    return testing.elaborate("polyloom_overlay_node", FILES, **dict(text.split("=") for text in parameters))


@pytest.mark.parametrize(
    "parameters",
    [
        ("Cores=1", "Threads=2", "CacheWays=2", "CacheSets=1", "InstrWords=256", "MailboxSlots=128"),
        ("TilesX=2", "Slices=2", "LineBytes=64", "MaxFlits=3", "ExtraSendSlot=1'b1"),
        ("Cores=2", "Fpu=1'b0", "MulDiv=1'b0", "NocLinkFlits=4"),
    ],
)
def test_shapes(parameters):
    assert elaborate(*parameters) == ""


#: Each reads the whole board, which takes seconds.
REFUSED = daily(
    [
        ("TilesX=3", "TilesX and TilesY are 3 and 1, must be powers of two up to 8"),
        ("Cores=8", "Cores is 8, must be 1, 2 or 4"),
        ("Threads=32", "Threads is 32, must be a power of two up to 16"),
        ("InstrWords=1000", "InstrWords is 1000, must be a power of two from 256 to 16384"),
        ("CacheSets=8", "CacheWays 16 and CacheSets 8"),
        ("LineBytes=48", "LineBytes is 48, must be 32 or 64"),
        ("Slices=2", "Slices is 2, must be 1 or 2, and not more than tiles"),
        ("MailboxSlots=64", "MailboxSlots is 64, must be 128, 256 or 512"),
        ("MaxFlits=5", "MaxFlits is 5, must be 1 to 4"),
        ("NocLinkFlits=2", "NocLinkFlits is 2, must be MaxFlits to 32"),
    ],
    3,
)


@pytest.mark.parametrize(("parameter", "message"), REFUSED)
def test_sizes_that_are_refused(parameter, message):
    assert message in elaborate(parameter)

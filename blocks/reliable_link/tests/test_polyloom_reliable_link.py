# SPDX-License-Identifier: Apache-2.0
# Covers: that polyloom_reliable_link and its channels refuse illegal sizes. What the whole does is tested by
# reliable_link_swap_test.cc (ctest blocks_reliable_link_swap_test): a C++ harness, as the C++ link is the reference.
# Leaves out: everything else. Parts: tests of their names. Proofs: test_reliable_link_formal.py.
"""Sizes that the reliable link refuses: ``pytest blocks/reliable_link/tests``."""

import pytest

from polyloom.base import paths
from polyloom.rtl import filelist
from polyloom.rtl.testing import elaborate

LIST = paths.home() / "blocks/reliable_link/rtl/reliable_link.f"
TX, RX = "polyloom_reliable_link_tx_channel", "polyloom_reliable_link_rx_channel"


@pytest.mark.parametrize(
    ("top", "parameters", "message"),
    [
        ("polyloom_reliable_link", "MaxItems=181 TxItems=400", "MaxItems is 181, must be 1 to 180"),
        ("polyloom_reliable_link", "MaxItems=60 TxItems=59", "at most TxItems, which is 59"),
        ("polyloom_reliable_link", "RxItems=16385", "RxItems 16385"),
        ("polyloom_reliable_link", "AckDelay=256", "AckDelay is 256, must be 1 to 255"),
        (TX, "Items=4 FarItems=1 SeqBits=3 MaxCount=2", "Items is 4, FarItems 1; numbers of 3 bits"),
        (TX, "Items=3 FarItems=5 SeqBits=3 MaxCount=2", "Items is 3, FarItems 5; numbers of 3 bits"),
        (RX, "Items=8 SeqBits=3", "Items is 8; numbers of 3 bits allow 1 to 7"),
    ],
)
def test_illegal_sizes_are_refused(top: str, parameters: str, message: str) -> None:
    sizes = dict(value.split("=") for value in parameters.split())
    assert message in elaborate(top, filelist.read(LIST), **sizes)

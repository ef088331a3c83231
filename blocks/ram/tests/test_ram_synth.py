# SPDX-License-Identifier: Apache-2.0
"""Covers: that the RAM wrappers become block RAM on all three families, with and without byte enables.

Leaves out: vendors' own tools. Only the RAM with byte enables and two ports without POLYLOOM_TEST_FULL=1.
"""

from __future__ import annotations

import pytest

from polyloom.synth import designs, flow, parts
from polyloom.testing import FULL

#: Blocks that the words fill: 36 Kbit, 10 Kbit (no byte enables: 256 x 8 each), 18 Kbit.
EXPECTED = {
    "ram_1r1w_bytes": {"ultrascale+": 1, "intel-alm": 16, "ecp5": 2},
    "ram_1rw_bytes": {"ultrascale+": 1, "intel-alm": 16, "ecp5": 2},
    "ram_1r1w": {"ultrascale+": 1, "intel-alm": 4, "ecp5": 2},
    "ram_1rw": {"ultrascale+": 1, "intel-alm": 4, "ecp5": 2},
}


@pytest.mark.parametrize("part", list(parts.PARTS))
@pytest.mark.parametrize("name", list(EXPECTED) if FULL else ["ram_1r1w_bytes"])
def test_is_block_ram(name: str, part: str) -> None:
    result = flow.synthesize(designs.read()[name], parts.PARTS[part], {}, pnr=False, progress=lambda _: None)
    assert result.total.bram == EXPECTED[name][part]
    assert result.total.ff == 0
    assert result.total.logic <= 10

# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_fp_cmp in every shape of units.toml, with random stalls:
corners and random numbers against the CPU and against exact arithmetic; latency and interval to the cycle.

Leaves out: flags (the unit has none).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from float_program import check, formats_of, pairs, units_of

from polyloom.rtl.testing import exact


@pytest.mark.parametrize("name", units_of("polyloom_fp_cmp"))
def test_order(name: str, tmp_path: Path) -> None:
    fmt, _ = formats_of(name)

    def bits(a: int, b: int) -> int:
        return sum(int(holds) << i for i, holds in enumerate(exact.order(fmt, a, b)))

    check(name, [(a, b, 0, bits(a, b)) for a, b in pairs(fmt)], tmp_path)

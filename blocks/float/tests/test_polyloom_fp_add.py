# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_fp_add in every shape of units.toml, with random stalls:
corners and random numbers against the CPU and against exact arithmetic; latency and interval to the cycle.

Leaves out: modes other than to nearest even, flags (the unit has neither), which NaN comes out.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from float_program import check, formats_of, pairs, units_of

from polyloom.rtl.testing import exact


@pytest.mark.parametrize("name", units_of("polyloom_fp_add"))
def test_sums_and_differences(name: str, tmp_path: Path) -> None:
    fmt, _ = formats_of(name)
    vectors = [(a, b, mode, exact.add(fmt, a, b ^ fmt.sign * mode)[0]) for a, b in pairs(fmt) for mode in (0, 1)]
    check(name, vectors, tmp_path)

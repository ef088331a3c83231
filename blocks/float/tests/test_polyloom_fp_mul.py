# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_fp_mul in every shape of units.toml, with random stalls:
corners and random numbers against the CPU and against exact arithmetic; latency and interval to the cycle.

Leaves out: modes other than to nearest even, flags (the unit has neither), which NaN comes out.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from float_program import check, compute, formats_of, units_of

from polyloom.rtl.testing import exact


@pytest.mark.parametrize("name", units_of("polyloom_fp_mul"))
def test_products(name: str, tmp_path: Path) -> None:
    check(name, compute(exact.multiply, formats_of(name)[0]), tmp_path)

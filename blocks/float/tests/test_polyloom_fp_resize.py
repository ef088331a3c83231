# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_fp_resize in every shape of units.toml, with random stalls:
corners and random numbers against the CPU and against exact arithmetic; latency and interval to the cycle.

Leaves out: modes other than to nearest even, flags (the unit has neither), which NaN comes out.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from float_program import check, formats_of, pairs, units_of

from polyloom.rtl.testing import exact


@pytest.mark.parametrize("name", units_of("polyloom_fp_resize"))
def test_other_formats(name: str, tmp_path: Path) -> None:
    source, target = formats_of(name)
    check(name, [(a, b, 0, exact.resize(a, source, target)[0]) for a, b in pairs(source)], tmp_path)

# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_fp_to_int in every shape of units.toml, with random stalls:
corners and random numbers against the CPU and against exact arithmetic; latency and interval to the cycle.

Leaves out: numbers without an integer (the unit says something; no program may ask).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from float_program import UNITS, check, formats_of, pairs, units_of

from polyloom.rtl.testing import exact


@pytest.mark.parametrize("name", units_of("polyloom_fp_to_int"))
def test_integers(name: str, tmp_path: Path) -> None:
    (fmt, _), bits = formats_of(name), UNITS[name]["parameters"]["IntWidth"]
    vectors = []
    for a, b in pairs(fmt):
        for mode in (0, 1):
            result = exact.to_integer(fmt, a, bits, signed=bool(mode))
            if result is not None:
                vectors.append((a, b, mode, result[0]))
    check(name, vectors, tmp_path)

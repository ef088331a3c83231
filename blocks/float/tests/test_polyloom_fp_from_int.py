# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_fp_from_int in every shape of units.toml, with random stalls:
corners and random numbers against the CPU and against exact arithmetic; latency and interval to the cycle.

Leaves out: modes other than to nearest even, flags (the unit has neither).
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from float_program import UNITS, check, formats_of, units_of

from polyloom.rtl.testing import exact


@pytest.mark.parametrize("name", units_of("polyloom_fp_from_int"))
def test_numbers(name: str, tmp_path: Path) -> None:
    (fmt, _), bits = formats_of(name), UNITS[name]["parameters"]["IntWidth"]
    rng = random.Random(name)
    values = [(1 << bit) + d for bit in range(bits) for d in (-1, 0, 1)]
    values += [rng.getrandbits(bits) >> rng.randrange(bits) for _ in range(3000)]
    vectors = []
    for value in values:
        for mode in (0, 1):
            word = value & (1 << bits) - 1
            number = word - (1 << bits) if mode and word >> bits - 1 else word
            vectors.append((word, 0, mode, exact.from_integer(fmt, number)[0]))
    check(name, vectors, tmp_path)

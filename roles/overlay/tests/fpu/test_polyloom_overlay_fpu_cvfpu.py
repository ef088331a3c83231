# SPDX-License-Identifier: Apache-2.0
"""Builds the overlay's FPU beside CVFPU and runs cvfpu_rtl_test.cc: what either says of the same operands.

Tests polyloom_overlay_fpu. Covers: what cvfpu_rtl_test.cc says; corners and random numbers in all rounding modes,
with flags, of both against exact arithmetic. POLYLOOM_TEST_FULL=1: 20 times as many. Leaves out: operations on
integers alone.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyloom.rtl import filelist
from polyloom.rtl.testing import Program, Verilated, exact
from polyloom.rtl.testing.exact import B32
from polyloom.testing import FULL

HERE = Path(__file__).parent


def vectors(count: int) -> Iterator[tuple[str, int, int, int, int, exact.Result]]:
    """Operation, mode, operands, what is right."""
    rng, corners = random.Random(9), B32.corners()
    for n in range(count):
        a = rng.choice(corners) if n % 4 == 0 else B32.random(rng)
        b, c = (rng.choice(corners) if rng.random() < 0.1 else B32.random(rng, a) for _ in range(2))
        mode, sign = rng.randrange(5), B32.sign
        yield "fadd", mode, a, b, 0, exact.add(B32, a, b, mode)
        yield "fsub", mode, a, b, 0, exact.add(B32, a, b if B32.is_nan(b) else b ^ sign, mode)
        yield "fmul", mode, a, b, 0, exact.multiply(B32, a, b, mode)
        yield "fdiv", mode, a, b, 0, exact.divide(B32, a, b, mode)
        yield "fsqrt", mode, a & ~sign if n % 5 else a, 0, 0, exact.root(B32, a & ~sign if n % 5 else a, mode)
        minus_a, minus_c = (x if B32.is_nan(x) else x ^ sign for x in (a, c))
        yield "fmadd", mode, a, b, c, exact.fma(B32, a, b, c, mode)
        yield "fmsub", mode, a, b, c, exact.fma(B32, a, b, minus_c, mode)
        yield "fnmsub", mode, a, b, c, exact.fma(B32, minus_a, b, c, mode)
        yield "fnmadd", mode, a, b, c, exact.fma(B32, minus_a, b, minus_c, mode)
        word = rng.getrandbits(32) >> rng.randrange(32)
        yield "fcvt.s.wu", mode, word, 0, 0, exact.from_integer(B32, word, mode)
        yield "fcvt.s.w", mode, word, 0, 0, exact.from_integer(B32, word - (word >> 31 << 32), mode)
        for name, signed in (("fcvt.w.s", True), ("fcvt.wu.s", False)):
            if (integer := exact.to_integer(B32, a, 32, signed, mode)) is not None:
                yield name, mode, a, 0, 0, integer


@pytest.mark.parametrize("case", ["SaysTheSameOfCorners", "SaysTheSameOfRandomNumbers", "BothSayWhatTheFileSays"])
def test_as_cvfpu_and_as_exact_arithmetic(case: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    lines = (
        f"{op} {m:x} {a:x} {b:x} {c:x} {z:x} {f:x}\n" for op, m, a, b, c, (z, f) in vectors(20000 if FULL else 1000)
    )
    path.write_text("".join(lines))
    files = filelist.read(HERE / "cvfpu_tb.f")
    program = Program(Verilated("cvfpu_tb", files, options=("-Wno-fatal", "-Wno-lint")), [HERE / "cvfpu_rtl_test.cc"])
    environment = {"ROUNDS": os.environ.get("ROUNDS", "20" if FULL else "1"), "VECTORS": str(path)}
    printed = program.run(f"--gtest_filter=CvFpu.{case}", env=environment, timeout=600)
    assert "[  PASSED  ] 1 test." in printed

# SPDX-License-Identifier: Apache-2.0
"""Builds the overlay's FPU beside CVFPU and runs cvfpu_rtl_test.cc: what either says of the same operands.

Tests polyloom_overlay_fpu. Covers: what cvfpu_rtl_test.cc says; corners and random numbers in all rounding modes,
with flags, of both against exact arithmetic. POLYLOOM_TEST_FULL=1: 20 times as many. Leaves out: operations on
integers alone.
"""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyloom import paths
from polyloom.rtl import filelist, tools
from polyloom.rtl.testing import exact
from polyloom.rtl.testing.exact import B32

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
FULL = os.environ.get("POLYLOOM_TEST_FULL", "0") not in {"", "0"}


@pytest.fixture(scope="module")
def program() -> Path:
    build = paths.build_dir() / "rtl-tests" / "overlay_cvfpu"
    build.mkdir(parents=True, exist_ok=True)
    command = [
        *(str(tools.find("verilator")), str(tools.WAIVERS), *filelist.read(HERE / "cvfpu_tb.f").verilator_args()),
        *("--cc", "--exe", "--build", "-j", "1", "-O3", "--x-initial", "unique", "-Wno-fatal", "-Wno-lint"),
        *("--Mdir", str(build), "--top-module", "cvfpu_tb", "-o", "cvfpu_rtl_test", str(HERE / "cvfpu_rtl_test.cc")),
        *tools.VERILATOR_BUILD_ARGS,
        *("-CFLAGS", f"-O1 -I{ROOT}", "-LDFLAGS", "-lgtest -lgtest_main -pthread"),
    ]
    result = subprocess.run(command, env=tools.environment(), capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
    return build / "cvfpu_rtl_test"


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
def test_as_cvfpu_and_as_exact_arithmetic(program: Path, case: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    lines = (
        f"{op} {m:x} {a:x} {b:x} {c:x} {z:x} {f:x}\n" for op, m, a, b, c, (z, f) in vectors(20000 if FULL else 1000)
    )
    path.write_text("".join(lines))
    environment = {"ROUNDS": "20" if FULL else "1", "VECTORS": str(path)} | os.environ
    command = [str(program), f"--gtest_filter=CvFpu.{case}"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    assert "[  PASSED  ] 1 test." in run.stdout

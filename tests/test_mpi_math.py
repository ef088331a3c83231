# SPDX-License-Identifier: Apache-2.0
# Covers: the mathematics of FPGA ranks on the fast model, on random and on special arguments: within an ulp of the
#         machine's C library (Python's math), two or more for the few whose own error is more.
# Leaves out: their circuits (the same operations: polyloom/hls/tests/test_model.py), float (tests/mpi/library.c).
from __future__ import annotations

import math
import random
import struct
from pathlib import Path

import pytest
from mpi_jobs import mpirun, source

from polyloom.testing import FULL

INF = math.inf
#: name: (least argument, greatest, ulps of an argument in between)
ONE = {
    "sin": (-1e6, 1e6, 1), "cos": (-50, 50, 1), "tan": (-9, 9, 1), "asin": (-1, 1, 1), "acos": (-1, 1, 1),
    "atan": (-20, 20, 1), "sinh": (-20, 20, 2), "cosh": (-20, 20, 1), "tanh": (-3, 3, 2), "asinh": (-50, 50, 2),
    "acosh": (1, 50, 2), "atanh": (-1, 1, 2), "exp": (-700, 700, 1), "exp2": (-1000, 1000, 1), "expm1": (-2, 2, 1),
    "log": (0, 1e9, 1), "log2": (0, 1e9, 1), "log10": (0, 1e9, 2), "log1p": (-0.9, 9, 1), "cbrt": (-1e9, 1e9, 2),
    "erf": (-4, 4, 1), "erfc": (-4, 9, 4), "tgamma": (0.1, 170, 10),
}  # fmt: skip
TWO = {"pow": (0, 40, 1), "atan2": (-9, 9, 1), "hypot": (-1e3, 1e3, 1)}
QUICK = ["exp", "sin", "pow", "atan2"]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 5e-324, INF, -INF]
COUNT = 40


def reference(name: str, arguments: tuple[float, ...]) -> float:
    """What C gives: Python raises where C has an infinity or no number."""
    function = getattr(math, name, None) or {"exp2": lambda x: 2.0**x, "tgamma": math.gamma}[name]
    try:
        return float(function(*arguments))
    except ValueError:
        return -INF if name.startswith("log") and arguments[0] == (-1 if name == "log1p" else 0) else math.nan
    except OverflowError:
        return INF


def ulps(one: float, other: float) -> float:
    """The distance in units of the last place."""
    if math.isnan(one) or math.isnan(other):
        return 0 if math.isnan(one) == math.isnan(other) else INF
    places = [struct.unpack("<q", struct.pack("<d", x))[0] for x in (one, other)]
    signed = [p if p >= 0 else -(p & (1 << 63) - 1) for p in places]
    return abs(signed[0] - signed[1])


@pytest.mark.parametrize("name", [*ONE, *TWO] if FULL else QUICK)
def test_as_the_c_library_has_it(name: str, tmp_path: Path) -> None:
    low, high, allowed = {**ONE, **TWO}[name]
    rng = random.Random(name)
    count = 2 if name in TWO else 1
    cases = [tuple(rng.uniform(low, high) for _ in range(count)) for _ in range(COUNT)]
    if name not in ("atanh", "tgamma"):  # of +-1 and +-0 an error in Python, an infinity in C
        cases += [(x, 2.0)[:count] for x in SPECIAL]
    words = ", ".join(f"{struct.unpack('<Q', struct.pack('<d', x))[0]:#x}" for case in cases for x in case)
    call = f"{name}(x[0], x[1])" if count == 2 else f"{name}(x[0])"
    body = f"""#include <math.h>
#include <string.h>
static const unsigned long given[] = {{{words}}};
int main(int argc, char **argv) {{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; rank == 1 && i < {len(cases)}; i++) {{
    double x[{count}], y;
    unsigned long bits;
    memcpy(x, given + {count} * i, sizeof x);
    y = {call};
    memcpy(&bits, &y, 8);
    printf("%lx\\n", bits);
  }}
  return MPI_Finalize();
}}"""
    done = mpirun(tmp_path, "--cluster", "zrlmpi:2", source(tmp_path, body))
    assert done.returncode == 0, done.stderr
    got = [struct.unpack("<d", int(line, 16).to_bytes(8, "little"))[0] for line in done.stdout.split()]
    assert len(got) == len(cases)
    wrong = [(x, y, w) for x, y in zip(cases, got, strict=True) if ulps(y, w := reference(name, x)) > allowed]
    assert not wrong, wrong[:3]

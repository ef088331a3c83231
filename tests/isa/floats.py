# SPDX-License-Identifier: Apache-2.0
"""Tests of RV32F's arithmetic. Output: name of an instruction -> rows (a, b, c, mode, result, flags), exact."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from types import ModuleType

#: What the vectors call an operation -> its mnemonic and operands (f: float, x: integer), result first.
FORMS = {
    "fadd": ("fadd.s", "fff"),
    "fsub": ("fsub.s", "fff"),
    "fmul": ("fmul.s", "fff"),
    "fdiv": ("fdiv.s", "fff"),
    "fsqrt": ("fsqrt.s", "ff"),
    "fmadd": ("fmadd.s", "ffff"),
    "fmsub": ("fmsub.s", "ffff"),
    "fnmsub": ("fnmsub.s", "ffff"),
    "fnmadd": ("fnmadd.s", "ffff"),
    "fcvt_w_s": ("fcvt.w.s", "xf"),
    "fcvt_wu_s": ("fcvt.wu.s", "xf"),
    "fcvt_s_w": ("fcvt.s.w", "fx"),
    "fcvt_s_wu": ("fcvt.s.wu", "fx"),
    "fsgnj": ("fsgnj.s", "fff"),
    "fsgnjn": ("fsgnjn.s", "fff"),
    "fsgnjx": ("fsgnjx.s", "fff"),
    "fmin": ("fmin.s", "fff"),
    "fmax": ("fmax.s", "fff"),
    "feq": ("feq.s", "xff"),
    "flt": ("flt.s", "xff"),
    "fle": ("fle.s", "xff"),
    "fclass": ("fclass.s", "xf"),
    "fmv_x_w": ("fmv.x.w", "xf"),
    "fmv_w_x": ("fmv.w.x", "fx"),
}
Row = tuple[int, int, int, int, int, int]


def _vectors() -> ModuleType:
    """The exact arithmetic that the models are tested with too."""
    path = Path(__file__).parents[2] / "roles/overlay/sim/isa/fp_vectors.py"
    spec = importlib.util.spec_from_file_location("fp_vectors", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(name: str, count: int = 40) -> list[Row]:
    """Random rows bent towards the edges of the format; every rounding mode where it matters."""
    v = _vectors()
    rng = random.Random(f"rows of {name}")
    result: list[Row] = []
    for _ in range(count):
        a, b, c = v.operands(name, rng)
        if name not in v.OPERATIONS:
            outcome = v.UNROUNDED[name](a, b) if name in v.UNROUNDED else (a, 0)  # the others are the moves
            result.append((a, b, c, rng.randrange(5), *outcome))
            continue
        result += [(a, b, c, rm, *v.OPERATIONS[name](a, b, c, rm)) for rm in range(5)]
    return result

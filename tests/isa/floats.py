# SPDX-License-Identifier: Apache-2.0
"""Tests of RV32F's arithmetic. Output: name of an instruction -> rows (a, b, c, mode, result, flags), exact."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from types import ModuleType

NV = 16
SIGN = 0x80000000
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
#: Operations that the rounding mode concerns: those of the exact vectors.
Row = tuple[int, int, int, int, int, int]


def _vectors() -> ModuleType:
    """The exact arithmetic that the models are tested with too."""
    path = Path(__file__).parents[2] / "roles/overlay/sim/isa/fp_vectors.py"
    spec = importlib.util.spec_from_file_location("fp_vectors", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _ordered(v: ModuleType, a: int, b: int) -> bool:
    """Whether a is below b in fmin's order: numbers, and -0 below +0."""
    x, y = _key(v, a), _key(v, b)
    return x < y or (x == y and bool(a & SIGN) and not b & SIGN)


def _key(v: ModuleType, a: int) -> tuple[int, object]:
    if v.is_inf(a):
        return (-1 if a & SIGN else 1, 0)
    return (0, v.value(a))


def _choose(v: ModuleType, a: int, b: int, least: bool) -> tuple[int, int]:
    flags = NV if v.is_snan(a) or v.is_snan(b) else 0
    if v.is_nan(a) and v.is_nan(b):
        return v.NAN, flags
    if v.is_nan(a) or v.is_nan(b):
        return (b if v.is_nan(a) else a), flags
    return (a if _ordered(v, a, b) == least else b), flags


def _compare(v: ModuleType, name: str, a: int, b: int) -> tuple[int, int]:
    if v.is_nan(a) or v.is_nan(b):
        quiet = name == "feq" and not (v.is_snan(a) or v.is_snan(b))
        return 0, 0 if quiet else NV
    x, y = _key(v, a), _key(v, b)
    return int({"feq": x == y, "flt": x < y, "fle": x <= y}[name]), 0


def _class(v: ModuleType, a: int) -> int:
    if v.is_nan(a):
        return 1 << (8 if v.is_snan(a) else 9)
    size = a & 0x7FFFFFFF
    kind = 0 if size == v.INF else 1 if size >= 0x00800000 else 2 if size else 3
    return 1 << (7 - kind if not a & SIGN else kind)


def _simple(v: ModuleType, name: str, a: int, b: int) -> tuple[int, int]:
    """Operations without rounding: result and flags."""
    if name in ("fmin", "fmax"):
        return _choose(v, a, b, name == "fmin")
    if name in ("feq", "flt", "fle"):
        return _compare(v, name, a, b)
    sign = {"fsgnj": b, "fsgnjn": b ^ SIGN, "fsgnjx": a ^ b}.get(name)
    if sign is not None:
        return a & ~SIGN | sign & SIGN, 0
    return (_class(v, a) if name == "fclass" else a), 0


def rows(name: str, count: int = 40) -> list[Row]:
    """Random rows bent towards the edges of the format; every rounding mode where it matters."""
    v = _vectors()
    rng = random.Random(f"rows of {name}")
    result: list[Row] = []
    for _ in range(count):
        a, b, c = v.operand(rng), v.operand(rng), v.operand(rng)
        if rng.random() < 0.1:
            b = a ^ rng.choice([0, SIGN])
        if name not in v.OPERATIONS:
            result.append((a, b, c, rng.randrange(5), *_simple(v, name, a, b)))
            continue
        result += [(a, b, c, rm, *v.OPERATIONS[name](a, b, c, rm)) for rm in range(5)]
    return result

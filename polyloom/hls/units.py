# SPDX-License-Identifier: Apache-2.0
"""Units that operations share: multipliers, dividers, floating point. Their timing is that of the RTL they stand for.

Floating-point units are described by ``blocks/float/units.toml``: module, latency and interval of each.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from polyloom import paths
from polyloom.hls.errors import HlsError
from polyloom.hls.ir import Instr

#: Multiplications of at most this width are logic like an addition.
SMALL_MULTIPLY = 12
MULTIPLY_LATENCY = {32: 2, 64: 3, 128: 4}
_FP = {
    **{"fadd": "fp_add", "fsub": "fp_add", "fmul": "fp_mul", "fdiv": "fp_div", "fsqrt": "fp_sqrt", "fcmp": "fp_cmp"},
    **{"sitofp": "fp_from_int", "uitofp": "fp_from_int", "fptosi": "fp_to_int", "fptoui": "fp_to_int"},
    **{"fpext": "fp_resize", "fptrunc": "fp_resize"},
}


@dataclass(frozen=True)
class Unit:
    """A kind of unit: ``interval`` cycles between operations, ``latency`` to the result."""

    kind: str
    width: int
    latency: int
    interval: int
    module: str = ""
    parameters: tuple[tuple[str, int], ...] = ()


class Units:
    """Finds the unit of an operation."""

    def of(self, instr: Instr) -> Unit | None:
        """The unit, or None if it is logic."""
        if instr.op == "mul" and instr.width > SMALL_MULTIPLY:
            width = next(w for w in (32, 64, 128) if instr.width <= w)
            return Unit("multiply", width, MULTIPLY_LATENCY[width], 1, "polyloom_hls_multiply")
        if instr.op in {"udiv", "urem", "sdiv", "srem"}:
            width = next(w for w in (32, 64, 128) if instr.width <= w)
            return Unit("divide", width, width + 2, width + 2, "polyloom_hls_divide")
        if instr.op in _FP:
            return self._float(instr)
        return None

    def _float(self, instr: Instr) -> Unit:
        kind = _FP[instr.op]
        width = max(instr.width, 32) if instr.op in {"sitofp", "uitofp"} else instr.args[0].width
        key = f"{kind}_{width}"
        entry = next((float_units()[k] for k in (key, kind) if k in float_units()), None)
        if entry is None:
            raise HlsError(instr.where, f"there is no floating-point unit {key} in blocks/float/units.toml")
        return Unit(kind, width, int(entry["latency"]), int(entry.get("interval", 1)), str(entry["module"]))


@cache
def float_units() -> dict[str, dict[str, Any]]:
    """The table of ``blocks/float``, empty if it is not there."""
    file = paths.home() / "blocks" / "float" / "units.toml"
    return tomllib.loads(file.read_text()) if file.is_file() else {}

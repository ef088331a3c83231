# SPDX-License-Identifier: Apache-2.0
"""Units that operations share: multipliers, dividers, floating point. Their timing is that of the RTL they stand for.

Floating-point units are described by ``blocks/float/units.toml``: module, latency and interval of each.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from polyloom.base import paths
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
    result: int = 0  # bits of the result
    parameters: tuple[tuple[str, int], ...] = ()


class Units:
    """Finds the unit of an operation."""

    def of(self, instr: Instr) -> Unit | None:
        """The unit, or None if it is logic."""
        if instr.op == "mul" and instr.width > SMALL_MULTIPLY:
            width = next(w for w in (32, 64, 128) if instr.width <= w)
            return Unit("multiply", width, MULTIPLY_LATENCY[width], 1, "polyloom_hls_multiply", width)
        if instr.op in {"udiv", "urem", "sdiv", "srem"}:
            width = next(w for w in (32, 64, 128) if instr.width <= w)
            return Unit("divide", width, width + 2, width + 2, "polyloom_hls_divide", width)
        if instr.op in _FP:
            return self._float(instr)
        return None

    def _float(self, instr: Instr) -> Unit:
        kind = _FP[instr.op]
        source, target = instr.args[0].width, instr.width
        if kind == "fp_from_int":
            source = 32 if source < 32 or (source == 32 and instr.op == "sitofp") else 64
            key, widths = f"{kind}_i{source}_{target}", (source, target)
        elif kind == "fp_to_int":
            target = 32 if target < 32 or (target == 32 and instr.op == "fptosi") else 64
            key, widths = f"{kind}_{source}_i{target}", (source, target)
        elif kind == "fp_resize":
            key, widths = f"{kind}_{source}_{target}", (source, target)
        else:
            key, widths = f"{kind}_{source}", (source, 1 if kind == "fp_cmp" else target)
        entry = float_units().get(key)
        if entry is None:
            raise HlsError(instr.where, f"there is no floating-point unit {key} in blocks/float/units.toml")
        parameters = tuple(entry["parameters"].items())
        latency, interval = int(entry["latency"]), int(entry["interval"])
        return Unit(kind, widths[0], latency, interval, str(entry["module"]), widths[1], parameters)


@cache
def float_units() -> dict[str, dict[str, Any]]:
    """The table of ``blocks/float``, empty if it is not there."""
    file = paths.home() / "blocks" / "float" / "units.toml"
    return tomllib.loads(file.read_text()) if file.is_file() else {}

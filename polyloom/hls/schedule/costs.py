# SPDX-License-Identifier: Apache-2.0
"""What an operation takes: nanoseconds if it is logic, cycles and a unit if it is not.

Delays are rough figures of a mid-range FPGA; they decide how many operations share a cycle.
"""

from __future__ import annotations

from dataclasses import dataclass

from polyloom.hls.ir import Const, Instr
from polyloom.hls.units import Unit, Units

REGISTER_NS = 0.3


@dataclass(frozen=True)
class Cost:
    """``latency`` cycles from operands to result; ``delay`` ns of logic, or before the first register."""

    latency: int
    delay: float
    out: float = 0.0  # ns after the clock edge at which a result of latency > 0 is there
    unit: Unit | None = None


class Costs:
    """Costs of all operations."""

    def __init__(self, units: Units) -> None:
        self.units = units

    def of(self, instr: Instr) -> Cost:
        """Cost of an operation."""
        unit = self.units.of(instr)
        if unit is not None:
            return Cost(unit.latency, 1.0, 1.0, unit)
        if instr.op == "load":
            return Cost(1, 1.0, 2.4)
        return Cost(0, self._delay(instr))

    def _delay(self, instr: Instr) -> float:
        width = max([instr.width, *(a.width for a in instr.args)], default=1)
        constant = len(instr.args) == 2 and isinstance(instr.args[1], Const)
        carry = 0.6 + width * 0.02
        table = {
            **dict.fromkeys(("add", "sub"), carry),
            **dict.fromkeys(("zext", "sext", "trunc", "copy", "result", "cycle", "rank"), 0.0),
            **dict.fromkeys(("and", "or", "xor"), 0.0 if constant else 0.35),
            **dict.fromkeys(("shl", "lshr", "ashr"), 0.0 if constant else 1.5),
            "icmp": 0.5 + width * 0.01 if str(instr.attr) in {"eq", "ne"} else carry,
            "select": 0.45,
            "mul": 2.5,
            "store": 1.0,
            "push": 0.3,
            "pop": 0.5,
            **dict.fromkeys(("br", "switch", "ret", "call"), 0.6),
        }
        return table.get(instr.op, 0.5)

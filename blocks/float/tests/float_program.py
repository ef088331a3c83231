# SPDX-License-Identifier: Apache-2.0
"""All floating-point units in one Verilated program, float_rtl_test.cc, for the tests of the modules.

Input: a unit of units.toml, vectors. Each unit is run with random stalls on pairs of corner values and random numbers
of several kinds (close exponents, subnormal results, halfway cases) against the CPU's arithmetic, and on the vectors;
results must come in exactly the cycle that units.toml says. POLYLOOM_TEST_FULL=1: more of it.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from polyloom.rtl import filelist
from polyloom.rtl.testing import Program, Verilated
from polyloom.rtl.testing.exact import B32, B64, Format
from polyloom.testing import FULL

HERE = Path(__file__).parent
LIST = HERE.parent / "rtl" / "float.f"
UNITS: dict[str, dict[str, Any]] = tomllib.loads((HERE.parent / "units.toml").read_text())
FORMATS = {32: B32, 64: B64}
#: Operands, mode (subtract; signed), result.
Vector = tuple[int, int, int, int]

#: Ports of a module beside clk_i, rst_ni, en_i; {w} is the width of what it takes. z is unit n's result.
PORTS = {
    "polyloom_fp_add": ".sub_i(mode_i), .a_i(a{w}_i), .b_i(b{w}_i), .z_o({z})",
    "polyloom_fp_mul": ".a_i(a{w}_i), .b_i(b{w}_i), .z_o({z})",
    "polyloom_fp_cmp": ".a_i(a{w}_i), .b_i(b{w}_i), .lt_o({z}[0]), .eq_o({z}[1]), .unordered_o({z}[2])",
    "polyloom_fp_from_int": ".signed_i(mode_i), .a_i(n{i}_i), .z_o({z})",
    "polyloom_fp_to_int": ".signed_i(mode_i), .a_i(a{w}_i), .z_o({z})",
    "polyloom_fp_resize": ".a_i(a{w}_i), .z_o({z})",
    "polyloom_fp_div": ".start_i(start_i[{n}]), .a_i(a{w}_i), .b_i(b{w}_i), .z_o({z})",
    "polyloom_fp_sqrt": ".start_i(start_i[{n}]), .a_i(a{w}_i), .z_o({z})",
}


def _result_width(unit: dict[str, Any]) -> int:
    module, values = unit["module"], unit["parameters"]
    if module == "polyloom_fp_cmp":
        return 3
    keys = {"polyloom_fp_to_int": "IntWidth", "polyloom_fp_resize": "ToWidth"}
    return int(values[keys.get(module, "Width")])


def _top() -> str:
    """A module with every unit: operands shared, results side by side."""
    lines = [
        "module float_tb (input logic clk_i, rst_ni, en_i, mode_i,",
        f"  input logic [{len(UNITS) - 1}:0] start_i, input logic [31:0] a32_i, b32_i, n32_i,",
        f"  input logic [63:0] a64_i, b64_i, n64_i, output logic [63:0] z_o [{len(UNITS)}]);",
    ]
    for n, (name, unit) in enumerate(UNITS.items()):
        values, width = unit["parameters"], _result_width(unit)
        operand = values.get("Width", values.get("FromWidth"))
        ports = PORTS[unit["module"]].format(w=operand, i=values.get("IntWidth"), n=n, z=f"z_{name}")
        parameters = ", ".join(f".{key}({value})" for key, value in values.items())
        lines.append(f"  logic [{width - 1}:0] z_{name};")
        lines.append(f"  assign z_o[{n}] = 64'(z_{name});")
        lines.append(f"  {unit['module']} #({parameters}) i_{name} (.clk_i, .rst_ni, .en_i, {ports});")
    return "\n".join([*lines, "endmodule", ""])


@cache
def program() -> Program:
    """All units with what drives them."""
    model = Verilated("float_tb", filelist.read(LIST), texts={"float_tb.sv": _top(), "units.h": _units()})
    return Program(model, [HERE / "float_rtl_test.cc"], libraries=("-lgtest",))


def _units() -> str:
    """What the test knows of each unit; compiled into it."""
    return "\n".join(f'{{"{name}", {unit["latency"]}, {unit["interval"]}}},' for name, unit in UNITS.items())


def units_of(module: str) -> list[str]:
    """Names of units.toml."""
    return [name for name, unit in UNITS.items() if unit["module"] == module]


def formats_of(name: str) -> tuple[Format, Format]:
    """What a unit takes, and what a resize makes."""
    values = UNITS[name]["parameters"]
    return FORMATS[values.get("Width", values.get("FromWidth"))], FORMATS[values.get("ToWidth", 32)]


def pairs(fmt: Format, count: int = 1500) -> Iterable[tuple[int, int]]:
    """Pairs of corners, then random ones."""
    rng = random.Random(f"{fmt}")
    corners = fmt.corners()
    yield from ((a, b) for a in corners for b in corners)
    for _ in range(count * (10 if FULL else 1)):
        a = fmt.random(rng)
        yield a, fmt.random(rng, a)


def check(name: str, vectors: Iterable[Vector], folder: Path) -> None:
    """Run a unit; AssertionError with what it says if it fails."""
    path = folder / "vectors"
    path.write_text("".join(f"{a:x} {b:x} {mode:x} {z:x}\n" for a, b, mode, z in vectors))
    environment = {"ROUNDS": "20" if FULL else "1", "VECTORS": str(path)}
    printed = program().run(f"--gtest_filter=*/{name}", env=environment, timeout=600)
    assert "[  PASSED  ] 2 tests." in printed


def compute(operation: Callable[..., tuple[int, int]], fmt: Format) -> list[Vector]:
    """Vectors of an operation of two operands and no mode."""
    return [(a, b, 0, operation(fmt, a, b)[0]) for a, b in pairs(fmt)]

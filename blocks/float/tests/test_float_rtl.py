# SPDX-License-Identifier: Apache-2.0
"""Builds all floating-point units into one Verilated program and runs float_rtl_test.cc: RTL against the CPU's own.

Tests polyloom_fp_add, polyloom_fp_mul, polyloom_fp_cmp, polyloom_fp_from_int, polyloom_fp_to_int, polyloom_fp_resize,
polyloom_fp_div and polyloom_fp_sqrt, each as units.toml lists it. Covers: pairs of corner values, random numbers of
several kinds (close exponents, subnormal results, halfway cases), random stalls; latency and interval of units.toml
to the cycle (a result one cycle earlier or later fails); a width that does not exist. POLYLOOM_TEST_FULL=1: more of it.
Leaves out: rounding other than to nearest even, exception flags (the units have neither), which NaN comes out.
"""

from __future__ import annotations

import os
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from polyloom import paths
from polyloom.rtl import filelist, tools

HERE = Path(__file__).parent
LIST = HERE.parent / "rtl" / "float.f"
FULL = os.environ.get("POLYLOOM_TEST_FULL", "0") not in {"", "0"}
UNITS: dict[str, dict[str, Any]] = tomllib.loads((HERE.parent / "units.toml").read_text())

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


def _verilator(*args: str) -> subprocess.CompletedProcess[str]:
    command = [str(tools.find("verilator")), str(tools.WAIVERS), *filelist.read(LIST).verilator_args(), *args]
    return subprocess.run(command, env=tools.environment(), capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def program() -> Path:
    build = paths.build_dir() / "rtl-tests" / "float"
    build.mkdir(parents=True, exist_ok=True)
    (build / "float_tb.sv").write_text(_top())
    units = [f'{{"{name}", {unit["latency"]}, {unit["interval"]}}},' for name, unit in UNITS.items()]
    (build / "units.inc").write_text("\n".join(units))
    result = _verilator(
        *("--cc", "--exe", "--build", "-j", str(os.cpu_count() or 1), "-O3", "--x-initial", "unique"),
        *("--Mdir", str(build), "--top-module", "float_tb", "-o", "float_rtl_test"),
        *(str(build / "float_tb.sv"), str(HERE / "float_rtl_test.cc")),
        *tools.VERILATOR_BUILD_ARGS,
        *("-CFLAGS", "-O1 -ffp-contract=off", "-LDFLAGS", "-lgtest -pthread"),
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
    return build / "float_rtl_test"


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_gives_what_the_cpu_gives_when_units_toml_says(program: Path, name: str) -> None:
    environment = os.environ | {"ROUNDS": "20" if FULL else "1"}
    command = [str(program), f"--gtest_filter=*/{name}"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    assert "[  PASSED  ] 1 test." in run.stdout


def test_every_module_of_the_list_is_in_units_toml() -> None:
    modules = {path.stem for path in filelist.read(LIST).sources if path.parent == LIST.parent}
    assert modules - {"polyloom_fp_pkg"} == {unit["module"] for unit in UNITS.values()} == PORTS.keys()


def test_a_width_that_does_not_exist_is_refused_at_elaboration() -> None:
    result = _verilator("--lint-only", "--top-module", "polyloom_fp_add", "-GWidth=16")
    assert result.returncode != 0
    assert "Width must be 32 or 64" in result.stderr

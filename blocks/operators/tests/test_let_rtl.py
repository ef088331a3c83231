# SPDX-License-Identifier: Apache-2.0
"""Builds the slot with the LET operator in several shapes and runs let_rtl_test.cc on each: RTL against model.

Tests polyloom_op_let with all that it is made of, each in every cycle: polyloom_op_let_unpack, polyloom_op_let_delay,
polyloom_op_let_lane, polyloom_op_let_geometry, polyloom_op_let_resolve, polyloom_op_let_pack. Covers: 1, 2 and 7
outputs, 1 and 2 inputs, LET alone and beside pass, the pipe of the arithmetic and the paper's 136 cycles, FIFOs that
are long enough and not; shapes that are refused.
Leaves out: what the model computes and in how many cycles (let_test.cc, let_cycles_test.cc).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from polyloom import paths
from polyloom.rtl import filelist, tools
from polyloom.testing import FULL

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SIM = HERE.parent / "sim"
LIST = HERE.parent / "rtl" / "operators.f"
MODELS = ["operator.cc", "let.cc", "pass.cc", "reduce.cc", "partition.cc"]
LET, PASS = 16, 8
LONG = pytest.mark.skipif(not FULL, reason="minutes; POLYLOOM_TEST_FULL=1 runs it")


def _verilator(*args: str) -> subprocess.CompletedProcess[str]:
    command = [str(tools.find("verilator")), str(tools.WAIVERS), *filelist.read(LIST).verilator_args(), *args]
    return subprocess.run(command, env=tools.environment(), capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("inputs", "outputs", "kinds", "geometry", "depth"),
    [
        (1, 1, LET, 136, 512),
        (2, 2, LET | PASS, 0, 8),
        pytest.param(1, 2, LET, 25, 512, marks=LONG),
        (1, 7, LET, 0, 512),
    ],
)
def test_let_rtl_equals_model_in_every_cycle(inputs: int, outputs: int, kinds: int, geometry: int, depth: int) -> None:
    build = paths.build_dir() / "rtl-tests" / f"let-{inputs}x{outputs}-{kinds}-{geometry}-{depth}"
    build.mkdir(parents=True, exist_ok=True)
    defines = {"INPUTS": inputs, "OUTPUTS": outputs, "KINDS": kinds, "PARTITIONS": 1}
    defines |= {"LET_GEOMETRY": geometry, "LET_OPEN_DEPTH": depth}
    result = _verilator(
        *("--cc", "--exe", "--build", "-j", str(os.cpu_count() or 1), "-O3", "-Wall", "-Wno-UNUSEDSIGNAL"),
        *("--Mdir", str(build), "--top-module", "polyloom_op_slot_tb", "-o", "let_rtl_test"),
        *(f"-GInputs={inputs}", f"-GOutputs={outputs}", f"-GKinds=64'd{kinds}"),
        *(f"-GLetGeometry={geometry}", f"-GLetOpenDepth={depth}"),
        *(str(HERE / "polyloom_op_slot_tb.sv"), str(HERE / "let_rtl_test.cc")),
        *(str(SIM / model) for model in MODELS),
        *tools.VERILATOR_BUILD_ARGS,
        *("-CFLAGS", f"-I{ROOT} -ffp-contract=off " + " ".join(f"-D{name}={value}" for name, value in defines.items())),
        *("-LDFLAGS", "-lgtest -lgtest_main -pthread"),
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
    run = subprocess.run([str(build / "let_rtl_test")], capture_output=True, text=True, check=False, timeout=300)
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]


@pytest.mark.parametrize(
    ("parameter", "message"), [("GeometryLatency=23", "at least 24"), ("OpenDepth=3", "at least 4")]
)
def test_a_let_shape_out_of_range_is_refused_at_elaboration(parameter: str, message: str) -> None:
    result = _verilator("--lint-only", "--top-module", "polyloom_op_let", f"-G{parameter}")
    assert result.returncode != 0
    assert message in result.stderr

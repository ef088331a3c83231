# SPDX-License-Identifier: Apache-2.0
"""Builds the operator slot with Verilator in several shapes and runs operators_rtl_test.cc on each: RTL against model.

Tests polyloom_op_slot with all that it is made of, each in every cycle: polyloom_op_pass, polyloom_op_reduce
(polyloom_op_tree, polyloom_op_join2, polyloom_op_scale), polyloom_op_partition (polyloom_op_distribute,
polyloom_op_collect). Covers: 1, 2, 3, 7 and 8 inputs in every cycle, two partitions side by side; lint of 16 inputs
(with 7 and 8 only if POLYLOOM_TEST_FULL is set), and that shapes out of range are refused.
Leaves out: 16 inputs in simulation; what the model computes (operators_test.cc).
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
PASS, PARTITION, REDUCE = 8, 4, 2
LONG = pytest.mark.skipif(not FULL, reason="minutes; POLYLOOM_TEST_FULL=1 runs it")


def _verilator(*args: str) -> subprocess.CompletedProcess[str]:
    command = [str(tools.find("verilator")), str(tools.WAIVERS), *filelist.read(LIST).verilator_args(), *args]
    return subprocess.run(command, env=tools.environment(), capture_output=True, text=True, check=False)


# Kinds: the small shapes hold fewer operators so that they build fast; every operator is in 1, 3 and 8 inputs.
@pytest.mark.parametrize(
    ("inputs", "outputs", "kinds", "partitions"),
    [
        (1, 2, PASS | PARTITION | REDUCE, 1),
        (2, 2, REDUCE, 1),
        (3, 4, PASS | PARTITION | REDUCE, 2),
        pytest.param(7, 8, PASS | REDUCE, 1, marks=LONG),
        pytest.param(8, 8, PASS | PARTITION | REDUCE, 1, marks=LONG),
    ],
)
def test_rtl_equals_model_in_every_cycle(inputs: int, outputs: int, kinds: int, partitions: int) -> None:
    build = paths.build_dir() / "rtl-tests" / f"operators-{inputs}x{outputs}-{kinds}-{partitions}"
    build.mkdir(parents=True, exist_ok=True)
    defines = f"-DINPUTS={inputs} -DOUTPUTS={outputs} -DKINDS={kinds} -DPARTITIONS={partitions}"
    result = _verilator(
        *("--cc", "--exe", "--build", "-j", str(os.cpu_count() or 1), "-O3", "-Wall", "-Wno-UNUSEDSIGNAL"),
        *("--Mdir", str(build), "--top-module", "polyloom_op_slot_tb", "-o", "operators_rtl_test"),
        *(f"-GInputs={inputs}", f"-GOutputs={outputs}", f"-GKinds=64'd{kinds}", f"-GPartitions={partitions}"),
        *(str(HERE / "polyloom_op_slot_tb.sv"), str(HERE / "operators_rtl_test.cc")),
        *(str(SIM / model) for model in MODELS),
        *tools.VERILATOR_BUILD_ARGS,
        *("-CFLAGS", f"-I{ROOT} {defines}", "-LDFLAGS", "-lgtest -lgtest_main -pthread"),
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
    run = subprocess.run([str(build / "operators_rtl_test")], capture_output=True, text=True, check=False, timeout=300)
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]


@pytest.mark.parametrize("shape", [pytest.param((16, 16, 14, 2), marks=LONG), (5, 3, 10, 2)])
def test_other_shapes_pass_lint(shape: tuple[int, int, int, int]) -> None:
    inputs, outputs, kinds, partitions = shape
    result = _verilator(
        *("--lint-only", "-Wall", "--top-module", "polyloom_op_slot"),
        *(f"-GInputs={inputs}", f"-GOutputs={outputs}", f"-GKinds=64'd{kinds}", f"-GPartitions={partitions}"),
    )
    assert result.returncode == 0, result.stderr[-4000:]


def test_a_shape_out_of_range_is_refused_at_elaboration() -> None:
    result = _verilator("--lint-only", "--top-module", "polyloom_op_partition", "-GOutputs=6")
    assert result.returncode != 0
    assert "power of two" in result.stderr

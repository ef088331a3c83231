# SPDX-License-Identifier: Apache-2.0
"""Builds the operator slot with Verilator in several shapes and runs operators_rtl_test.cc on each: RTL against model.

Tests polyloom_op_slot with all that it is made of, each in every cycle: polyloom_op_pass, polyloom_op_reduce
(polyloom_op_tree, polyloom_op_join2, polyloom_op_scale), polyloom_op_partition (polyloom_op_distribute,
polyloom_op_collect). Covers: 1 and 2 inputs in every cycle; that shapes out of range are refused; in full runs 3, 7
and 8 inputs, two partitions side by side (daily in swap_partition_test.cc) and lint of 16.
Leaves out: 16 inputs in simulation; what the model computes (operators_test.cc).
"""

from __future__ import annotations

import pytest
from slot_programs import LIST, PARTITION, PASS, REDUCE, slot_program

from polyloom.rtl import filelist
from polyloom.rtl.testing import elaborate
from polyloom.testing import FULL

LONG = pytest.mark.skipif(not FULL, reason="minutes; POLYLOOM_TEST_FULL=1 runs it")


# Kinds: the small shapes hold fewer operators so that they build fast; daily every operator has 1 input, the tree 2.
@pytest.mark.parametrize(
    ("inputs", "outputs", "kinds", "partitions"),
    [
        (1, 2, PASS | PARTITION | REDUCE, 1),
        (2, 2, REDUCE, 1),
        pytest.param(3, 4, PASS | PARTITION | REDUCE, 2, marks=LONG),
        pytest.param(7, 8, PASS | REDUCE, 1, marks=LONG),
        pytest.param(8, 8, PASS | PARTITION | REDUCE, 1, marks=LONG),
    ],
)
def test_rtl_equals_model_in_every_cycle(inputs: int, outputs: int, kinds: int, partitions: int) -> None:
    slot_program("operators_rtl_test.cc", inputs, outputs, kinds, Partitions=partitions).run()


@pytest.mark.parametrize("shape", [pytest.param((16, 16, 14, 2), marks=LONG), (5, 3, 10, 2)])
def test_other_shapes_pass_lint(shape: tuple[int, int, int, int]) -> None:
    inputs, outputs, kinds, partitions = shape
    sizes = {"Inputs": inputs, "Outputs": outputs, "Kinds": f"64'd{kinds}", "Partitions": partitions}
    assert elaborate("polyloom_op_slot", filelist.read(LIST), "-Wall", **sizes) == ""


def test_a_shape_out_of_range_is_refused_at_elaboration() -> None:
    assert "power of two" in elaborate("polyloom_op_partition", filelist.read(LIST), Outputs=6)

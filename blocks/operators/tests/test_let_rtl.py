# SPDX-License-Identifier: Apache-2.0
"""Builds the slot with the LET operator in several shapes and runs let_rtl_test.cc on each: RTL against model.

Tests polyloom_op_let with all that it is made of, each in every cycle: polyloom_op_let_unpack, polyloom_op_let_delay,
polyloom_op_let_lane, polyloom_op_let_geometry, polyloom_op_let_resolve, polyloom_op_let_pack. Covers: 1 and 2 outputs
(2 and 7 to one input in full runs), 1 and 2 inputs, LET alone and beside pass, the pipe of the arithmetic and the
paper's 136 cycles, FIFOs that are long enough and not; shapes that are refused.
Leaves out: what the model computes and in how many cycles (let_test.cc, let_cycles_test.cc).
"""

from __future__ import annotations

import pytest
from slot_programs import LET, LIST, PASS, slot_program

from polyloom.rtl import filelist
from polyloom.rtl.testing import elaborate
from polyloom.testing import FULL

LONG = pytest.mark.skipif(not FULL, reason="minutes; POLYLOOM_TEST_FULL=1 runs it")


@pytest.mark.parametrize(
    ("inputs", "outputs", "kinds", "geometry", "depth"),
    [
        (1, 1, LET, 136, 512),
        (2, 2, LET | PASS, 0, 8),
        pytest.param(1, 2, LET, 25, 512, marks=LONG),
        pytest.param(1, 7, LET, 0, 512, marks=LONG),
    ],
)
def test_let_rtl_equals_model_in_every_cycle(inputs: int, outputs: int, kinds: int, geometry: int, depth: int) -> None:
    slot_program("let_rtl_test.cc", inputs, outputs, kinds, LetGeometry=geometry, LetOpenDepth=depth).run()


@pytest.mark.parametrize(
    ("parameter", "message"), [({"GeometryLatency": 23}, "at least 24"), ({"OpenDepth": 3}, "at least 4")]
)
def test_a_let_shape_out_of_range_is_refused_at_elaboration(parameter: dict[str, int], message: str) -> None:
    assert message in elaborate("polyloom_op_let", filelist.read(LIST), **parameter)

# SPDX-License-Identifier: Apache-2.0
"""The operator slot in RTL beside its model, one program a shape."""

from __future__ import annotations

from pathlib import Path

from polyloom.rtl import filelist
from polyloom.rtl.testing import Program, Verilated

HERE = Path(__file__).parent
SIM = HERE.parent / "sim"
LIST = HERE.parent / "rtl" / "operators.f"
MODELS = [SIM / name for name in ("operator.cc", "let.cc", "pass.cc", "reduce.cc", "partition.cc")]
LET, PASS, PARTITION, REDUCE = 16, 8, 4, 2


def slot_program(test: str, inputs: int, outputs: int, kinds: int, **more: int) -> Program:
    """A test of this folder; ``kinds`` are those of the operators in the slot, ``more`` other parameters of the top."""
    sizes = {"Inputs": inputs, "Outputs": outputs, "Kinds": kinds, "Partitions": 1} | more
    model = Verilated(
        top="polyloom_op_slot_tb",
        files=filelist.read(LIST).with_sources(HERE / "polyloom_op_slot_tb.sv"),
        parameters=sizes | {"Kinds": f"64'd{kinds}"},
        options=("-Wall", "-Wno-UNUSEDSIGNAL"),
    )
    return Program(model, [HERE / test, *MODELS], defines={macro(name): value for name, value in sizes.items()})


def macro(parameter: str) -> str:
    """LetGeometry is LET_GEOMETRY in the tests."""
    return "".join("_" + c if c.isupper() and i else c for i, c in enumerate(parameter)).upper()

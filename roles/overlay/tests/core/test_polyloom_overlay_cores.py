# SPDX-License-Identifier: Apache-2.0
"""Builds the cores of a tile into Verilated programs and runs core_rtl_test.cc: RTL against a model, every cycle.

Tests polyloom_overlay_cores and its parts polyloom_overlay_core, polyloom_overlay_issue, polyloom_overlay_event,
polyloom_overlay_ready_queue, polyloom_overlay_resume, polyloom_overlay_writeback, polyloom_overlay_operands,
polyloom_overlay_next_pc, polyloom_overlay_context, polyloom_overlay_immediate, polyloom_overlay_shifter,
polyloom_overlay_responses, polyloom_overlay_regfile, polyloom_overlay_imem, polyloom_overlay_decode,
polyloom_overlay_alu, polyloom_overlay_count, polyloom_overlay_csr and polyloom_overlay_cache_counts.
Covers: what core_rtl_test.cc says, and sizes that cannot be. POLYLOOM_TEST_FULL=1: more random programs, and other
sizes. Leaves out: units and mailbox themselves; they are the bench's.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloom.rtl import filelist
from polyloom.rtl.testing import Program, Verilated, elaborate
from polyloom.testing import FULL

HERE = Path(__file__).parent
FILES = filelist.read(HERE / "core_tb.f")
ISA = HERE.parents[1] / "sim" / "isa"
SOURCES = [HERE / name for name in ("core_rtl_test.cc", "core_bench.cc", "core_execute.cc")]
ISA_SOURCES = [ISA / name for name in ("reference.cc", "decode.cc", "fp.cc")]

#: Cores, threads, words of instruction memory, F, M.
SHAPES = {"two": (2, 16, 1024, 1, 1)}
if FULL:
    SHAPES |= {"integer": (1, 16, 1024, 0, 0), "few": (1, 4, 1024, 0, 1), "four": (4, 8, 2048, 1, 1)}


def test_sizes_that_cannot_be_are_refused_at_elaboration() -> None:
    assert "threads 12; 1, 2, 4, 8 or 16" in elaborate("core_tb", FILES, Threads=12)
    assert "instr_words 1000; a power of two" in elaborate("core_tb", FILES, Words=1000)
    assert "cores 3; 1, 2 or 4" in elaborate("core_tb", FILES, Cores=3)


@pytest.mark.parametrize("name", SHAPES)
def test_the_cores_do_what_the_model_does(name: str) -> None:
    sizes = dict(zip(("Cores", "Threads", "Words", "Fpu", "MulDiv"), SHAPES[name], strict=True))
    defines = {f"TB_{key.upper()}": value for key, value in sizes.items()}
    program = Program(Verilated("core_tb", FILES, sizes), [*SOURCES, *ISA_SOURCES], defines)
    printed = program.run("--gtest_filter=Core.*", env={"ROUNDS": "20" if FULL else "1"}, timeout=600)
    assert "[  PASSED  ]" in printed

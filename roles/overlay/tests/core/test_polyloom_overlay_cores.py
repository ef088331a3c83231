# SPDX-License-Identifier: Apache-2.0
"""Builds the cores of a tile into Verilated programs and runs core_rtl_test.cc: RTL against a model, every cycle.

Tests polyloom_overlay_cores and its parts polyloom_overlay_core, polyloom_overlay_issue, polyloom_overlay_event,
polyloom_overlay_ready_queue, polyloom_overlay_resume, polyloom_overlay_writeback, polyloom_overlay_operands,
polyloom_overlay_next_pc, polyloom_overlay_context, polyloom_overlay_immediate, polyloom_overlay_shifter,
polyloom_overlay_answers, polyloom_overlay_regfile, polyloom_overlay_imem, polyloom_overlay_decode,
polyloom_overlay_alu, polyloom_overlay_count, polyloom_overlay_csr and polyloom_overlay_cache_counts.
Covers: what core_rtl_test.cc says, and sizes that cannot be. POLYLOOM_TEST_FULL=1: more random programs, and other
sizes. Leaves out: units and mailbox themselves; they are the bench's.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from polyloom import paths
from polyloom.rtl import filelist, tools

HERE = Path(__file__).parent
ISA = HERE.parents[1] / "sim" / "isa"
FULL = os.environ.get("POLYLOOM_TEST_FULL", "0") not in {"", "0"}
SOURCES = [HERE / name for name in ("core_rtl_test.cc", "core_bench.cc", "core_execute.cc")]
ISA_SOURCES = [ISA / name for name in ("reference.cc", "decode.cc", "fp.cc")]

#: Cores, threads, words of instruction memory, F, M.
SHAPES = {"two": (2, 16, 1024, 1, 1)}
if FULL:
    SHAPES |= {"integer": (1, 16, 1024, 0, 0), "few": (1, 4, 1024, 0, 1), "four": (4, 8, 2048, 1, 1)}


def _build(name: str) -> Path:
    cores, threads, words, fpu, muldiv = SHAPES[name]
    build = paths.build_dir() / "rtl-tests" / f"overlay-core-{name}"
    build.mkdir(parents=True, exist_ok=True)
    sizes = {"Cores": cores, "Threads": threads, "Words": words, "Fpu": fpu, "MulDiv": muldiv}
    defines = " ".join(f"-DTB_{key.upper()}={value}" for key, value in sizes.items())
    command = [
        *(str(tools.find("verilator")), str(tools.WAIVERS), *filelist.read(HERE / "core_tb.f").verilator_args()),
        *("--cc", "--exe", "--build", "-j", "1", "-O3", "--x-initial", "unique", "--assert"),
        *("--Mdir", str(build), "--top-module", "core_tb", "-o", "core_rtl_test"),
        *(f"-G{key}={value}" for key, value in sizes.items()),
        *map(str, SOURCES + ISA_SOURCES),
        *tools.VERILATOR_BUILD_ARGS,
        *("-CFLAGS", f"-O1 -ffp-contract=off -I{paths.home()} {defines}", "-LDFLAGS", "-lgtest -lgtest_main -pthread"),
    ]
    result = subprocess.run(command, env=tools.environment(), capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
    return build / "core_rtl_test"


def _refused(**sizes: int) -> str:
    command = [
        *(str(tools.find("verilator")), str(tools.WAIVERS), *filelist.read(HERE / "core_tb.f").verilator_args()),
        *("--lint-only", "--top-module", "core_tb", *(f"-G{key}={value}" for key, value in sizes.items())),
    ]
    result = subprocess.run(command, env=tools.environment(), capture_output=True, text=True, check=False)
    assert result.returncode != 0
    return result.stderr


def test_sizes_that_cannot_be_are_refused_at_elaboration() -> None:
    assert "threads 12; 1, 2, 4, 8 or 16" in _refused(Threads=12)
    assert "instr_words 1000; a power of two" in _refused(Words=1000)
    assert "cores 3; 1, 2 or 4" in _refused(Cores=3)


@pytest.fixture(scope="module", params=SHAPES)
def program(request: pytest.FixtureRequest) -> Path:
    return _build(request.param)


@pytest.mark.parametrize("suite", ["Core"])
def test_the_cores_do_what_the_model_does(program: Path, suite: str) -> None:
    environment = os.environ | {"ROUNDS": "20" if FULL else "1"}
    command = [str(program), f"--gtest_filter={suite}.*"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    assert "[  PASSED  ]" in run.stdout

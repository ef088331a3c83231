# SPDX-License-Identifier: Apache-2.0
"""Runs polyloom_overlay_count beside an adder (count_tb.sv), with gaps, and with clears in every phase.

Leaves out: the topmost bits, which would take days. Environment: POLYLOOM_SEED.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from polyloom import paths
from polyloom.rtl import tools

HERE = Path(__file__).parent
SOURCES = [HERE.parents[1] / "rtl/core/polyloom_overlay_count.sv", HERE / "count_tb.sv"]


def test_it_counts_as_an_adder_does() -> None:
    build = paths.build_dir() / "rtl-tests" / "overlay_count"
    build.mkdir(parents=True, exist_ok=True)
    command = [str(tools.find("verilator")), "--binary", "--timing", "-Wno-fatal", "-O3", "-j", "1", "--assert"]
    command += ["--timescale", "1ns/1ns", "--top-module", "count_tb", "--Mdir", str(build), "-o", "count_tb"]
    built = subprocess.run(
        [*command, *tools.VERILATOR_BUILD_ARGS, *map(str, SOURCES)],
        env=tools.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout[-3000:] + built.stderr[-3000:]
    seed = os.environ.get("POLYLOOM_SEED", "1")
    run = subprocess.run([str(build / "count_tb"), f"+seed={seed}"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-1000:] + run.stderr[-1000:]
    ended = re.search(r"counts (\d+) value (\d+)", run.stdout)
    assert ended is not None, run.stdout[-1000:]
    assert int(ended[1]) > 2_000_000 and int(ended[2]) > 1_500_000

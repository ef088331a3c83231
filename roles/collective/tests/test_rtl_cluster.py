# SPDX-License-Identifier: Apache-2.0
"""A cluster of RTL nodes under the host library: frames, DMA, programs, events, as a user runs it.

Covers: operations of a Communicator with ``on="rtl"`` against NumPy, and their cycles against the fast model; with
POLYLOOM_TEST_FULL, waves of an RTL node. Leaves out: every operation and word by word (collective_swap_test).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from polyloom.collectives import Communicator
from polyloom.testing import FULL

CLUSTER = str(Path(__file__).with_name("shared_node.toml"))


def test_operations_on_rtl() -> None:
    rng = np.random.default_rng(1)
    arrays = [rng.integers(-1000, 1000, 300).astype(np.int32) for _ in range(4)]
    seconds = {}
    for on in ("sim", "rtl"):
        comm = Communicator(CLUSTER, on=on)
        got, result = comm.all_reduce(arrays)
        for array in got:
            assert np.array_equal(array, np.sum(arrays, axis=0))
        blocks = [[rng.integers(0, 256, 100, np.uint8) for _ in range(4)] for _ in range(4)]
        moved, _ = comm.all_to_all(blocks)
        for i in range(4):
            for j in range(4):
                assert np.array_equal(moved[j][i], blocks[i][j])
        seconds[on] = result.simulated_seconds
    # The shells of the two begin a program up to a cycle or two apart; the operation itself is cycle-exact.
    assert seconds["rtl"] == pytest.approx(seconds["sim"], rel=0.02)


def test_partition_on_rtl() -> None:
    rng = np.random.default_rng(2)
    keys = [rng.integers(0, 1 << 32, 400 * r, dtype=np.uint32) for r in range(4)]  # rank 0 has none
    seconds = {}
    for on in ("sim", "rtl"):
        received, histogram, result = Communicator(CLUSTER, on=on).partition(keys, keys, bits=(29, 3))
        everything = np.concatenate(keys)
        for rank, (found, beside) in enumerate(received):
            assert np.array_equal(np.sort(found), np.sort(everything[everything >> 30 == rank]))
            assert np.array_equal(found, beside)
        assert np.array_equal(histogram, [np.bincount(k >> 29, minlength=8) for k in keys])
        seconds[on] = result.simulated_seconds
    assert seconds["rtl"] == pytest.approx(seconds["sim"], rel=0.02)


# Waves of nodes need a Verilator build more, of over a minute; test_waves_are_verilators compares those of lanes daily.
@pytest.mark.parametrize("waves", [False, True] if FULL else [False])
def test_command_line(tmp_path: Path, waves: bool) -> None:
    environment = dict(os.environ, **({"POLYLOOM_WAVE": "fpga.1,0 us,30 us"} if waves else {}))
    command = [
        sys.executable,
        "-m",
        "polyloom",
        "collective",
        "all-to-all",
        "--cluster",
        CLUSTER,
        "--on",
        "rtl",
        "--bytes",
        "1K",
        "--run-dir",
        str(tmp_path / "run"),
    ]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "all" in result.stdout
    if waves:
        assert (tmp_path / "run/fpga.1.fst").stat().st_size > 1000

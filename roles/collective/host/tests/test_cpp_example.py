# SPDX-License-Identifier: Apache-2.0
"""The C++ tour, as a user runs it: what it prints against NumPy; with POLYLOOM_TEST_FULL=1 also built by a project of
one's own. Leaves out: data of every operation (test_typed_ranks, test_collectives.py)."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from polyloom.base import paths
from polyloom.testing import FULL

ROOT = paths.home()


def run_tour(program: Path, cluster: str, **env: str) -> str:
    command = [str(program), cluster]
    environment = {**os.environ, "POLYLOOM_HOME": str(ROOT), **env}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def expect_numbers(text: str, ranks: int) -> None:
    """The numbers that the tour prints, from its data's definition."""
    gradients = 0.5 * np.outer(np.arange(1, ranks + 1), np.arange(1000))
    sums = gradients.sum(axis=0)
    assert f"sum of element 7, on the last rank: {sums[7]:g}\n" in text
    assert f"all sums together: {ranks * sums.sum():.12g}\n" in text
    assert f"average of element 7: {sums[7] / ranks:g}\n" in text
    i, j, k = np.meshgrid(np.arange(ranks), np.arange(ranks), np.arange(64), indexing="ij")
    letters = 10000 * i + 100 * j + k
    received = letters.transpose(1, 0, 2)  # [to, from, place]
    assert f"first element of the last block, on rank 0: {received[0, -1, 0]}\n" in text
    weights = np.outer(np.arange(1, ranks + 1), np.arange(1, 64 * ranks + 1))
    assert f"all blocks, weighted by place: {(weights * received.reshape(ranks, -1)).sum()}\n" in text
    assert "after the first post: waiting\nafter the last post: done\n" in text
    sizes = rf"sizes in bytes: \[3968\] \(rank {ranks - 1}\) \[4000\] \(ranks 0,.*\)"
    assert re.search(rf"as it should be: the ranks do not ask for the same operation: {sizes}", text), text
    assert f"{ranks} of {ranks} ranks were told\n" in text


@pytest.mark.parametrize("cluster", ["optweb-8", "optweb-3x3"])
def test_numbers_and_times(cluster: str) -> None:
    text = run_tour(paths.build_dir() / "bin" / "collectives_tour", cluster)
    expect_numbers(text, 9 if cluster == "optweb-3x3" else 8)
    times = re.findall(r"simulated ([\d.]+) us, predicted ([\d.]+) us, bus ([\d.]+) Gb/s", text)
    assert len(times) == 4  # two posted, and one that ran twice
    for simulated, predicted, _ in times:
        assert float(simulated) > 0.4  # nothing is quicker than a pulse and a block over a link of 170 ns
        assert float(predicted) == pytest.approx(float(simulated), rel=0.05)
    ranks = 9 if cluster == "optweb-3x3" else 8
    bus = [4000 * 2 * (ranks - 1) / ranks, 4 * 64 * ranks * (ranks - 1) / ranks]
    for (simulated, _, gbps), counted in zip(times, bus, strict=False):
        assert float(gbps) == pytest.approx(8e-3 * counted / float(simulated), rel=1e-2)


def test_natively() -> None:
    text = run_tour(paths.build_dir() / "bin" / "collectives_tour", "", POLYLOOM_ON="native")
    expect_numbers(text, 8)
    assert len(re.findall(r"by '.*': no time is modelled", text)) == 4


def test_a_mistake_in_the_name_is_said() -> None:
    program = str(paths.build_dir() / "bin" / "collectives_tour")
    done = subprocess.run([program, "no-such"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "no-such" in done.stderr


@pytest.mark.skipif(not FULL, reason="builds the libraries again")
def test_a_project_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    source = (ROOT / "examples" / "collectives_tour.cc").read_text(encoding="utf-8")
    (tmp_path / "mine" / "collectives_tour.cc").write_text(source + "static int unused;\n", encoding="utf-8")
    cmake = (ROOT / "examples" / "CMakeLists.txt").read_text(encoding="utf-8")
    (tmp_path / "mine" / "CMakeLists.txt").write_text(
        cmake.replace("${CMAKE_CURRENT_SOURCE_DIR}/..", str(ROOT)), encoding="utf-8"
    )
    build = tmp_path / "build"
    for command in (["-S", str(tmp_path / "mine"), "-B", str(build), "-G", "Ninja"], ["--build", str(build)]):
        done = subprocess.run(["cmake", *command], capture_output=True, text=True, check=False, timeout=1500)
        assert done.returncode == 0, done.stdout + done.stderr
    expect_numbers(run_tour(build / "collectives_tour", "optweb-8"), 8)

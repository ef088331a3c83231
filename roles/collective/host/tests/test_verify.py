# SPDX-License-Identifier: Apache-2.0
"""The check of operations: content is a function of its place, right results pass, one wrong byte anywhere is found."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from polyloom.base.errors import UserError
from polyloom.collectives import Communicator
from polyloom.collectives import verify as checks
from polyloom.testing import FULL

OPERATIONS = ["unicast", "broadcast", "scatter", "gather", "all_to_all", "all_gather"]
SUMS = ["reduce", "reduce_scatter", "all_reduce"]


def test_content_is_a_function_of_its_place() -> None:
    whole = checks.content(3, 0, 1000, sums=False)
    for at, count in ((0, 1), (1, 3), (5, 990), (999, 1)):
        assert np.array_equal(checks.content(3, at, count, sums=False), whole[at : at + count])
    words = [checks.content(rank, 0, 1 << 18, sums=False).view(np.uint32) for rank in range(8)]
    assert len(np.unique(np.concatenate(words))) > 8 * (1 << 16) - 1000  # hardly two places have the same word
    numbers = checks.content(1, 0, 1 << 18, sums=True).view(np.float32)
    assert np.array_equal(numbers, np.rint(numbers))
    assert -1024 <= numbers.min() < -1000 and 1000 < numbers.max() <= 1023


@pytest.mark.parametrize("on", ["sim", "native"])
@pytest.mark.parametrize("operation", OPERATIONS + SUMS)
def test_a_wrong_byte_is_found(operation: str, on: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "PIECE", 1 << 10)  # several pieces
    monkeypatch.setenv("POLYLOOM_LOAD", "backdoor")
    comm = Communicator("optweb-4x2" if on == "sim" else "", on=on)
    checks.verify(comm, operation, 40_000)
    run = comm.run
    rng = np.random.default_rng(len(operation))

    def damaging(prepared: Any) -> Any:
        result = run(prepared)
        held = [rank for rank in range(comm.size) if prepared.recv_bytes(rank)]
        views = comm.recv_views(prepared, int(rng.choice(held)))
        view = views[int(rng.integers(len(views)))]
        view[int(rng.integers(len(view)))] ^= 1
        return result

    monkeypatch.setattr(comm, "run", damaging)
    for _ in range(5):
        with pytest.raises(UserError, match=r"rank \d: byte \d+ of \d+ is wrong"):
            checks.verify(comm, operation, 40_000)


@pytest.mark.skipif(not FULL, reason="16 GiB of memory and minutes")
def test_a_gibibyte_a_node_is_moved_and_checked() -> None:
    command = [sys.executable, "-m", "polyloom", "collective", "all-to-all", "--cluster", "optweb-8"]
    done = subprocess.run([*command, "--bytes", "1G", "--verify"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "1073741824" in done.stdout

# SPDX-License-Identifier: Apache-2.0
"""Links that damage bits and lose frames, under the communicator: right data or a named cause, never a hang.

Covers: bit errors and lost frames at random, with block checks; the same communicator afterwards; what block checks
turned off mean. Expected: NumPy. Leaves out: each single bit (swap_damage_test), links to hosts.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from small_clusters import cluster

from polyloom.collectives import CollectiveError, Communicator

CAUSES = re.compile(
    r"rank \d+ (got a (damaged block|block of another (operation|length))|got data|had no room|waits for"
    r"|makes no progress|stopped because)"
)
SHAPES = [("fully_connected", [4]), ("hypercube", [3, 2])]


def attempts(comm: Communicator, rng: np.random.Generator, count: int, rounds: int) -> tuple[int, list[str]]:
    """Operations with random data, each checked; how many were right, and what the others said."""
    right, said = 0, []
    n = comm.size
    for k in range(rounds):
        try:
            if k % 2:
                arrays = [rng.integers(-1000, 1000, count).astype(np.int32) for _ in range(n)]
                got, _ = comm.all_reduce(arrays)
                assert all(np.array_equal(array, np.sum(arrays, axis=0)) for array in got), f"round {k}"
            else:
                blocks = [[rng.integers(0, 256, 4 * count // n, np.uint8) for _ in range(n)] for _ in range(n)]
                moved, _ = comm.all_to_all(blocks)
                assert all(np.array_equal(moved[j][i], blocks[i][j]) for i in range(n) for j in range(n)), f"round {k}"
            right += 1
        except CollectiveError as error:
            said.append(str(error))
    return right, said


@pytest.mark.parametrize("eager", [0, 4096])
@pytest.mark.parametrize(("kind", "size"), SHAPES)
@pytest.mark.parametrize(
    ("link", "check"), [("bit_error_rate = 3e-7", "true"), ("drop_rate = 2e-3", "true"), ("drop_rate = 2e-3", "false")]
)
def test_right_or_stopped_with_a_cause(
    tmp_path: Path, kind: str, size: list[int], eager: int, link: str, check: str
) -> None:
    path = cluster(tmp_path, kind, size, eager, link=link, role=f"block_check = {check}")
    comm = Communicator(path, on="sim", watchdog_seconds=50e-6)
    count = 500 if eager else 20_000
    if "bit" in link and eager:
        count = 4000
    right, said = attempts(comm, np.random.default_rng(eager), count, 30)
    assert right >= 3, said
    assert len(said) >= 3, f"{right} right"
    for text in said:
        assert CAUSES.search(text), text


def test_the_seed_alone_chooses_the_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cluster(tmp_path, "fully_connected", [4], 0, link="bit_error_rate = 1e-6")
    said = []
    for seed, engine in (("1", "serial"), ("1", "threads:2"), ("2", "serial")):
        monkeypatch.setenv("POLYLOOM_SEED", seed)
        monkeypatch.setenv("POLYLOOM_ENGINE", engine)
        comm = Communicator(path, on="sim", watchdog_seconds=50e-6)
        said.append(attempts(comm, np.random.default_rng(0), 20_000, 6))
    assert said[0] == said[1]
    assert said[0] != said[2]


def test_without_block_checks_damage_arrives(tmp_path: Path) -> None:
    """``block_check = false`` gives up the guarantee, as the documentation says; lost frames are still found."""
    path = cluster(tmp_path, "fully_connected", [3], 0, link="bit_error_rate = 1e-5", role="block_check = false")
    comm = Communicator(path, on="sim", watchdog_seconds=50e-6)
    data = np.zeros(1 << 16, np.uint8)
    received, _ = comm.unicast(data, 0, 2, "direct")
    wrong = int(np.unpackbits(received).sum())
    assert 0 < wrong < 20, "8 x 65536 bits at 1e-5: about five"
    path = cluster(tmp_path, "fully_connected", [3], 0, link="drop_rate = 0.3", role="block_check = false")
    with pytest.raises(CollectiveError, match=r"waits for|nothing that responds"):
        comm = Communicator(path, on="sim", watchdog_seconds=50e-6)
        for _ in range(50):
            comm.unicast(data, 0, 2, "direct")

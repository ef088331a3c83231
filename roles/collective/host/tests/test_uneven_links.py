# SPDX-License-Identifier: Apache-2.0
"""Covers: clusters one of whose links is slower or longer than the others, or all of them slow; a slow host: every
operation with every algorithm gives the right result in the predicted time, and no wait is taken for a hang.
Clocks that differ are refused. Programs that a node does not hold whole: right, and without a prediction.

Expected: NumPy (operation_cases, verify). Leaves out: links with errors (test_link_faults.py), wrong wiring
(test_wiring.py).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from operation_cases import OPERATIONS, Case
from small_clusters import cluster

from polyloom.collectives import CollectiveError, Communicator
from polyloom.collectives.verify import verify


def uneven(folder: Path, keys: str, kind: str = "fully_connected", size: tuple[int, ...] = (4,), **fields: str) -> str:
    """A cluster whose link between the first two FPGAs has keys of its own."""
    path = Path(cluster(folder, kind, list(size), 0, **fields))  # type: ignore[arg-type]
    text = path.read_text(encoding="utf-8")
    ends = '"fpga.0", "fpga.1"' if len(size) == 1 else '"fpga.0.0", "fpga.0.1"'
    path.write_text(text + f"[[override]]\nbetween = [{ends}]\n{keys}\n", encoding="utf-8")
    return str(path)


LINKS = ['latency = "2 us"', 'latency = "20 us"', 'rate = "1 Gb/s"', 'rate = "60 Gb/s"', 'latency = "200 ns"']


@pytest.mark.parametrize("size", [(4,), (2, 3)])
@pytest.mark.parametrize("keys", LINKS)
def test_every_algorithm(tmp_path: Path, keys: str, size: tuple[int, ...]) -> None:
    kind = "hypercube" if len(size) > 1 else "fully_connected"
    comm = Communicator(uneven(tmp_path, keys, kind, size, role="program_size = 8192"))
    for operation in OPERATIONS[1:]:
        for name in comm.algorithms(comm.uniform(operation, 60000)):
            if name == "one-shot" and "us" in keys:
                continue  # four beats a flight: right, but milliseconds
            verify(comm, operation, 60000, name)
            result = comm.run(comm.prepare(comm.uniform(operation, 60000), name))
            assert result.simulated_seconds == pytest.approx(result.predicted_seconds, rel=0.05), (operation, name)


@pytest.mark.parametrize("keys", LINKS[1:3])
def test_back_to_back(tmp_path: Path, keys: str) -> None:
    comm = Communicator(uneven(tmp_path, keys))
    rng = np.random.default_rng(1)
    for first in OPERATIONS:
        cases = [Case(comm, first, rng), Case(comm, OPERATIONS[int(rng.integers(len(OPERATIONS)))], rng)]
        comm.run_all([c.prepared for c in cases], barrier=False, start_order=[2, 0, 3, 1])
        for case in cases:
            case.check()


def test_waiting_for_a_slow_link_is_no_hang(tmp_path: Path) -> None:
    """Ranks 2 and 3 have nothing to do while the others' shares cross in more than the watchdog's 5 ms."""
    comm = Communicator(uneven(tmp_path, 'rate = "1 Gb/s"', memory="16 MiB"))
    for operation in ("all_reduce", "all_to_all"):
        result = comm.run(comm.prepare(comm.uniform(operation, 8 << 20)))
        assert result.simulated_seconds is not None and result.simulated_seconds > 10e-3


def test_partition_over_a_slow_link_is_no_hang(tmp_path: Path) -> None:
    path = Path(uneven(tmp_path, 'rate = "1 Gb/s"', memory="16 MiB"))
    text = path.read_text(encoding="utf-8").replace('["reduce"]', '["reduce", "partition"]\noperator_inputs = 4')
    path.write_text(text, encoding="utf-8")
    comm = Communicator(str(path))
    keys = [np.zeros(300000, np.uint32) for _ in range(4)]  # all go to rank 0, rank 1's in 10 ms
    received, _, result = comm.partition(keys, bits=(30, 2))
    assert [len(r) for r in received] == [1200000, 0, 0, 0]
    assert result.simulated_seconds is not None and result.simulated_seconds > 9e-3


def test_a_slow_host_is_no_hang(tmp_path: Path) -> None:
    path = Path(cluster(tmp_path, "fully_connected", [4], 0, role="program_size = 32"))
    text = path.read_text(encoding="utf-8").replace('call_time = "1 us"', 'call_time = "4 ms"')
    path.write_text(text, encoding="utf-8")
    comm = Communicator(str(path))
    verify(comm, "all_reduce", 4096, "")


def test_reloaded_programs_have_no_prediction(tmp_path: Path) -> None:
    comm = Communicator(cluster(tmp_path, "fully_connected", [6], 0, role="program_size = 32"))
    request = comm.uniform("all_reduce", 65536)
    result = comm.run(comm.prepare(request, "aggressive"))
    assert result.simulated_seconds is not None and result.predicted_seconds is None
    lines = [line.split() for line in comm.explain(request).splitlines()]
    assert ["aggressive", "2", "-", "-", "-", "21888"] in lines
    whole = Communicator(cluster(tmp_path, "fully_connected", [6], 0))
    assert whole.run(whole.prepare(request, "aggressive")).predicted_seconds is not None


def test_clocks_must_be_alike(tmp_path: Path) -> None:
    path = Path(cluster(tmp_path, "fully_connected", [4], 0))
    text = path.read_text(encoding="utf-8") + '[[node]]\nname = "fpga.1"\nclocks = { core = "400 MHz" }\n'
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CollectiveError, match=r"fpga\.1 has a core clock of 400 MHz, .* 200 MHz; ranks must be alike"):
        Communicator(str(path))

# SPDX-License-Identifier: Apache-2.0
"""Calls that no correct program makes: each is one CollectiveError, and a communicator that has not died works on.

Covers: options, buffers of another communicator, too many marks and status words, programs that are none, data for
memories that keep none, a deadlock with the watchdog off, a simulator that is gone, calls of a program that is away.
Also nodes without the operator that an operation needs.
Leaves out: requests (test_disagreement.py), the command (test_command.py).
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_clusters import cluster

from polyloom.collectives import CollectiveError, Communicator
from polyloom.collectives import program as p


def works(comm: Communicator) -> None:
    arrays = [np.full(9, r, np.int32) for r in range(comm.size)]
    for got in comm.all_reduce(arrays)[0]:
        assert np.array_equal(got, np.sum(arrays, axis=0))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"on": "native", "native_ranks": 0}, "0 ranks: allowed are 1 to 64"),
        ({"on": "native", "native_ranks": 65}, "65 ranks"),
        ({"on": "native", "native_ranks": -3}, "-3 ranks"),
        (
            {"on": "native", "native_ranks": 4, "cluster": "optweb-8"},
            "native_ranks = 4: the ranks are those of the cluster",
        ),
        ({"on": "sim", "native_ranks": 4}, "native_ranks = 4"),
        ({"on": "Sim"}, "'Sim' is no way to run: native, sim, rtl"),
        ({"on": "native", "watchdog_seconds": -1.0}, "watchdog of -1 seconds"),
        ({"on": "native", "watchdog_seconds": float("nan")}, "watchdog of nan seconds"),
        ({"on": "native", "watchdog_seconds": float("inf")}, "watchdog of inf seconds"),
    ],
)
def test_options(options: dict[str, Any], words: str) -> None:
    with pytest.raises(CollectiveError, match=words):
        Communicator(**options)


def test_one_rank_waits_for_no_other() -> None:
    works(Communicator(on="native", native_ranks=1))


def test_buffers_of_another_communicator() -> None:
    one, other = Communicator(on="native", native_ranks=3), Communicator(on="native", native_ranks=4)
    twin = Communicator(on="native", native_ranks=3)
    prepared = one.prepare(one.uniform("all_reduce", 4096))
    for stranger, words in ((other, "prepared for 3 ranks, there are 4"), (twin, "another communicator")):
        with pytest.raises(CollectiveError, match=words):
            stranger.run(prepared)
        with pytest.raises(CollectiveError, match=words):
            stranger.run_all([prepared])
        with pytest.raises(CollectiveError, match="another communicator"):
            stranger.write_send(prepared, 0, np.zeros(4096, np.uint8))
        with pytest.raises(CollectiveError, match="another communicator"):
            stranger.read_recv(prepared, 0)
        with pytest.raises(CollectiveError, match="another communicator"):
            stranger.send_views(prepared, 0)
        works(stranger)
    buffer = one.allocate(0, 0, 64)
    with pytest.raises(CollectiveError, match="another communicator"):
        twin.store(buffer, np.zeros(8, np.uint8))
    works(one)


def test_programs_that_are_none(tmp_path: Path) -> None:
    comm = Communicator(cluster(tmp_path, "fully_connected", [3], 0), on="sim", watchdog_seconds=20e-6)
    idle = [[p.end()]] * 3
    for programs, options, words in (
        ([], {}, "0 programs for 3 ranks"),
        ([[], [p.end()], [p.end()]], {}, "rank 0 does not finish with end"),
        (idle, {"marks": 33}, "a node has 32 marks"),
        (idle, {"status": range(1 << 20, (1 << 20) + 1)}, r"rank 0 \(fpga.0\) answered with an error"),
        ([[p.Instruction(256), p.end()], *idle[1:]], {}, "are bytes"),
        ([[p.read(0, 0, 32), p.end()], *idle[1:]], {"barrier": False}, ""),
        ([[*[p.go()] * 5000, p.read(0, 0, 32), p.end()], *idle[1:]], {}, "after its last go"),
        ([[*[p.read(0, 0, 32)] * 5000, p.go(), p.end()], *idle[1:]], {}, "5001 instructions, the node holds 1024"),
    ):
        if words:
            with pytest.raises(CollectiveError, match=words):
                comm.run_programs(programs, **options)
        else:  # a step that never goes does nothing
            comm.run_programs(programs, **options)
        works(comm)


def test_without_a_watchdog_the_simulator_says_who_waits(tmp_path: Path) -> None:
    comm = Communicator(cluster(tmp_path, "fully_connected", [3], 0), on="sim", watchdog_seconds=0)
    programs = [[p.take(0), p.write(0, p.from_lane(0), 0, 32), p.go(), p.end()], [p.end()], [p.end()]]
    with pytest.raises(CollectiveError, match=r"fpga\.0: .*take on lane 0 \(node 1\) has no data"):
        comm.run_programs(programs)
    for _ in range(2):  # the run is over: every further call says so, none waits
        with pytest.raises(CollectiveError, match=r"fpga\.0"):
            comm.barrier()


def test_a_simulator_that_is_gone(tmp_path: Path) -> None:
    comm = Communicator(cluster(tmp_path, "fully_connected", [3], 0), on="sim")
    works(comm)
    listing = subprocess.run(["ps", "-ewwo", "pid,args"], capture_output=True, text=True, check=True).stdout
    own = re.findall(rf"^\s*(\d+)\s.*polyloom-sim.*{re.escape(str(tmp_path))}", listing, re.MULTILINE)
    assert len(own) == 1
    os.kill(int(own[0]), signal.SIGKILL)
    for _ in range(2):
        with pytest.raises(CollectiveError, match="simulator"):
            comm.barrier()


@pytest.mark.parametrize("on", ["sim", "native"])
def test_a_program_that_is_away_comes_back_before_it_calls(on: str) -> None:
    comm = Communicator("optweb-4x2", on=on)
    with comm.away():
        if on == "sim":
            with pytest.raises(CollectiveError, match="this host program is away from the simulation; call back"):
                comm.barrier()
    arrays = [np.full(4, rank, np.int32) for rank in range(comm.size)]
    assert np.array_equal(comm.all_reduce(arrays)[0][0], np.full(4, sum(range(comm.size)), np.int32))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda c, a: c.broadcast(a[0], root=1.0), r"root = 1\.0: a whole number"),
        (lambda c, a: c.broadcast(a[0], root=2**40), "root = 1099511627776"),
        (lambda c, a: c.unicast(a[0], 0, True), "destination = True"),
        (lambda c, a: c.reduce_scatter(a, [1.5, 1.5, 6]), r"counts = 1\.5"),
        (lambda c, a: c.scatter([]), "0 arrays for 3 ranks"),
        (lambda c, a: c.gather([]), "0 arrays for 3 ranks"),
        (lambda c, a: c.partition([x.astype(np.float32) for x in a], bits=(0, 2)), "rank 0's keys are float32"),
        (lambda c, a: c.partition(a, bits=(31, 3)), r"bits=\(31, 3\): .* of the 32 of a key"),
        (lambda c, a: c.partition(a, bits=5), "bits = 5: a sequence"),
        (lambda c, a: c.partition(a, bits=(1, 2, 3)), r"bits=\(1, 2, 3\): the first bit and how many"),
        (lambda c, a: c.partition(a, bits=(0.5, 2)), r"bits = 0\.5"),
        (lambda c, a: c.partition(5, 5, bits=(0, 2)), "keys = 5: a sequence"),
        (lambda c, a: c.partition(a, [], bits=(0, 2)), "values of 0 ranks and keys of 3"),
        (lambda c, a: c.partition(a, a, bits=(0, 2), owners=None), "owners = None: a sequence"),
        (lambda c, a: c.unicast([[1, 2], [3]], 0, 1), "inhomogeneous shape"),
        (lambda c, a: c.broadcast(None), "None; elements of a fixed size are expected"),
        (lambda c, a: c.all_gather([a[0], None, a[2]]), "rank 1: None; elements of a fixed size"),
        (lambda c, a: c.all_to_all([a, a, [a[0], a[0], None]]), "rank 2, block 2: None; elements of a fixed size"),
        (lambda c, a: c.all_reduce([[1, 2**40]] * 3), "rank 0: Python integer 1099511627776 out of bounds for int32"),
        (lambda c, a: c.gather([a[0], a[1], [0.5]]), r"of different types: int32 \(rank 0, 1\); float64 \(rank 2\)"),
        (lambda c, a: c.broadcast(np.array([object()])), "an array of object; elements of a fixed size"),
        (lambda c, a: c.all_gather([np.ma.masked_equal(x, 3) for x in a]), "rank 0: a masked array"),
        (lambda c, a: c.gather(5), "arrays = 5: a sequence"),
        (lambda c, a: c.all_to_all([a, a, 5]), "rank 2 = 5: a sequence"),
        (lambda c, a: c.all_to_all(a), "3 rows of 3 blocks"),
        (lambda c, a: c.all_to_all([a, a, [x.astype(np.float32) for x in a]]), "of different types"),
        (lambda c, a: c.all_reduce(a, None), "op = None: a word"),
        (lambda c, a: c.all_reduce(a, algorithm=None), "algorithm = None: a word"),
        (lambda c, a: c.reduce_scatter(a, 5), "counts = 5: a sequence"),
        (lambda c, a: c.write_send(c.prepare(c.uniform("all_reduce", 36)), 50, a[0]), "rank = 50: .* from 0 to 2"),
        (lambda c, a: c.read_recv(c.prepare(c.uniform("all_reduce", 36)), -1), "rank = -1: .* from 0 to 2"),
        (lambda c, a: c.send_views(c.prepare(c.uniform("all_reduce", 36)), 3), "rank = 3: .* from 0 to 2"),
    ],
)
def test_arguments(call: Any, words: str) -> None:
    comm = Communicator(on="native", native_ranks=3)
    arrays = [np.arange(9, dtype=np.int32)] * 3
    with pytest.raises(CollectiveError, match=words):
        call(comm, arrays)
    works(comm)


def test_integers_whose_sum_leaves_32_bits_between_two_stages() -> None:
    """A join of all ranks is wide enough, one after the other is not."""
    large = [np.full(20, 10**9 + rank, np.int32) for rank in range(8)]
    small = [np.full(20, (-1) ** rank * (2**31 - 1) // 8, np.int32) for rank in range(8)]
    words = "integers are averaged in stages here, .* values of element 0 add up to 80000000.. without their signs"
    for on in ("sim", "native"):
        comm = Communicator("optweb-4x2", on=on)
        for call in (comm.reduce, comm.reduce_scatter, comm.all_reduce):
            counts = {"counts": [20, *[0] * 7]} if call == comm.reduce_scatter else {}
            staged = {"algorithm": "dimension" if call != comm.all_reduce else "halves"} if on == "native" else {}
            with pytest.raises(CollectiveError, match=words.replace("..", "...")):
                call(large, op="average", **counts, **staged)
            got = call(small, op="average", **counts, **staged)[0]
            assert np.array_equal(np.ravel(got[0]) if isinstance(got, list) else got, np.zeros(20))
        with pytest.raises(CollectiveError, match="call the operation, which looks at the data"):
            request = comm.request("all_reduce", [80], np.int32, reduce="average")
            comm.prepare(request, "hierarchical")
    for comm in (Communicator("optweb-8", on="sim"), Communicator("optweb-4x2", on="native")):
        assert set(comm.all_reduce(large, "average")[0][3]) == {10**9 + 3}


def test_memory_of_nodes() -> None:
    with Communicator("optweb-small", on="sim") as comm:
        for arguments, words in (
            ((9, 0, 64), "is not one of"),
            ((0.0, 0, 64), r"rank = 0\.0"),
            ((0, 99, 64), "is not one of"),
            ((0, 0, -1), "size = -1"),
            ((0, 0, 2.5), r"size = 2\.5"),
        ):
            with pytest.raises(CollectiveError, match=words):
                comm.allocate(*arguments)
        buffer = comm.allocate(0, 0, 64)
        for at in (-8, 72):
            with pytest.raises(CollectiveError, match=f"at = {at}: a whole number from 0 to 64"):
                comm.store(buffer, np.zeros(8, np.uint8), at)
            with pytest.raises(CollectiveError, match=f"at = {at}: a whole number from 0 to 64"):
                comm.load(buffer, at=at)
        works(comm)
    with pytest.raises(CollectiveError, match="this communicator has ended"):
        comm.barrier()
    with pytest.raises(CollectiveError, match="this communicator has ended"):
        comm.all_reduce([np.zeros(4, np.int32)])


@pytest.mark.parametrize("load", ["frames", "backdoor"])
def test_data_for_memories_that_keep_none(tmp_path: Path, load: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if load == "backdoor":
        monkeypatch.setenv("POLYLOOM_LOAD", load)
    path = cluster(tmp_path, "fully_connected", [3], 1024, channels=4, role='contents = "none"')
    Path(path).write_text(Path(path).read_text().replace('["reduce"]', '["reduce", "partition"]'))
    comm = Communicator(path, on="sim")
    words = r"contents = \"none\" .\[collective\].*Take that line out"
    prepared = comm.prepare(comm.uniform("all_reduce", 4096))
    buffer = comm.allocate(0, 0, 64)
    for call in (
        lambda: comm.all_reduce([np.ones(9, np.float32)] * 3),
        lambda: comm.partition([np.ones(9, np.uint32)] * 3, bits=(0, 1)),
        lambda: comm.write_send(prepared, 0, np.ones(1024, np.float32)),
        lambda: comm.read_recv(prepared, 0),
        lambda: comm.store(buffer, np.ones(8, np.int64)),
        lambda: comm.load(buffer),
    ):
        with pytest.raises(CollectiveError, match=words):
            call()
    assert comm.run(prepared).simulated_seconds > 0  # and its time is told
    works(Communicator(path, on="native"))


@pytest.mark.parametrize(
    ("channels", "operators", "inputs", "words"),
    [
        (1, '["reduce"]', 1, r"needs 2 inputs or more, and these have 1: .* memory channels .* or operator_inputs"),
        (8, '["partition"]', 8, r"these have none: name \"reduce\" among operators"),
        (4, "[]", 4, r"these have none: name \"reduce\" among operators"),
    ],
)
@pytest.mark.parametrize("kind", [("fully_connected", [4]), ("hypercube", [3, 2])], ids=["FC", "GHC"])
def test_nodes_that_cannot_combine(
    tmp_path: Path, kind: tuple[str, list[int]], channels: int, operators: str, inputs: int, words: str
) -> None:
    path = Path(cluster(tmp_path, *kind, 1024, channels=channels))
    text = re.sub("operators = .*", f"operators = {operators}\noperator_inputs = {inputs}", path.read_text())
    path.write_text(text)
    comm = Communicator(str(path), on="sim")
    for operation in ("reduce", "reduce_scatter", "all_reduce"):
        request = comm.uniform(operation, 4096)
        assert comm.algorithms(request) == []
        for call in (
            lambda r: comm.explain(r),
            lambda r: comm.prepare(r),
            lambda r: comm.prepare(r, "aggressive"),
        ):
            with pytest.raises(CollectiveError, match=f"{operation} combines data by the reduce operator.*{words}"):
                call(request)
    for operation in ("broadcast", "scatter", "gather", "all_gather", "all_to_all", "unicast", "barrier"):
        request = comm.uniform(operation, 4096)
        names = comm.algorithms(request)
        assert names
        for name in names:  # what is offered runs
            assert comm.run(comm.prepare(request, name)).simulated_seconds > 0


def test_one_channel_combines_where_its_operator_has_inputs(tmp_path: Path) -> None:
    path = Path(cluster(tmp_path, "fully_connected", [4], 1024, channels=1, role="operator_inputs = 4"))
    comm = Communicator(str(path), on="sim")
    works(comm)
    arrays = [np.arange(999, dtype=np.int32) * (r + 1) for r in range(4)]
    for name in comm.algorithms(comm.uniform("all_reduce", 4096)):
        for got in comm.all_reduce(arrays, algorithm=name)[0]:
            assert np.array_equal(got, np.sum(arrays, axis=0))

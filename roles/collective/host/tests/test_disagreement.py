# SPDX-License-Identifier: Apache-2.0
"""Ranks that post different things, too much, or nothing: an error at every rank that names the difference.

Covers: each property of a request, each odd rank, simulated and native; ranks that never post; posts after an error;
programs that do not fit together; buffers that do not fit. Leaves out: what nodes compare on the wire
(disagreement_test).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_clusters import cluster

from polyloom.collectives import CollectiveError, Communicator
from polyloom.collectives import program as p

N = 4


@pytest.fixture(params=["native", "sim"])
def comm(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Communicator]:
    if request.param == "native":
        yield Communicator(on="native", native_ranks=N)
    else:
        yield Communicator(cluster(tmp_path, "fully_connected", [N], 4096), on="sim", watchdog_seconds=20e-6)


class Post:
    """One rank's part; keeps the arrays that the handle needs."""

    def __init__(self, comm: Communicator, rank: int, request: Any) -> None:
        self.send = np.full(comm._raw.send_bytes(request, rank), rank + 1, np.uint8)
        self.recv = np.zeros(comm._raw.recv_bytes(request, rank), np.uint8)
        self.handle = comm._raw.post(rank, request, self.send, self.recv)


def works(comm: Communicator) -> None:
    """All ranks post the same, the last first."""
    request = comm.request("all_gather", [100] * N)
    posts = {rank: Post(comm, rank, request) for rank in reversed(range(N))}
    for post in posts.values():
        post.handle.wait()
        assert np.array_equal(post.recv, np.repeat(np.arange(1, N + 1, dtype=np.uint8), 100))


Make = dict[str, Any]
BASE: Make = {"operation": "all_reduce", "sizes": [64], "dtype": np.int32}
DIFFERENT: list[tuple[Make, Make, str]] = [
    (BASE, {**BASE, "operation": "broadcast"}, r"operation: all_reduce \(ranks .*\) broadcast \(rank {odd}\)"),
    (BASE, {**BASE, "dtype": np.float32}, r"type: fp32 \(rank {odd}\) int32 \(ranks"),
    (BASE, {**BASE, "sizes": [68]}, r"sizes in bytes: \[64\] \(ranks .*\[68\] \(rank {odd}\)"),
    (BASE, {**BASE, "reduce": "max"}, r"reduction: max \(rank {odd}\) sum \(ranks"),
    (
        {"operation": "broadcast", "sizes": [64], "root": 1},
        {"operation": "broadcast", "sizes": [64], "root": 2},
        r"root: 1 \(ranks .*\) 2 \(rank {odd}\)",
    ),
    (
        {"operation": "unicast", "sizes": [64], "root": 1, "destination": 0},
        {"operation": "unicast", "sizes": [64], "root": 1, "destination": 3},
        r"destination: 0 \(ranks .*\) 3 \(rank {odd}\)",
    ),
    (
        {"operation": "all_gather", "sizes": [64] * N},
        {"operation": "all_gather", "sizes": [64, 64, 32, 96]},
        r"sizes in bytes: \[64,64,32,96\] \(rank {odd}\) \[64,64,64,64\]",
    ),
]


@pytest.mark.parametrize(("common", "other", "words"), DIFFERENT)
def test_every_rank_hears_of_it(comm: Communicator, common: Make, other: Make, words: str) -> None:
    for odd in range(N):
        posts = [Post(comm, r, comm.request(**(other if r == odd else common))) for r in range(N)]
        for post in posts:
            with pytest.raises(CollectiveError, match=words.format(odd=odd)):
                post.handle.wait()
            assert post.handle.done()
            assert not post.recv.any()
        works(comm)


def test_two_properties_are_both_named(comm: Communicator) -> None:
    posts = [Post(comm, r, comm.request("reduce", [64 + 4 * (r == 0)], np.int32, root=r % 2)) for r in range(N)]
    for post in posts:
        with pytest.raises(CollectiveError, match=r"root: 0 \(ranks 0, 2\) 1 \(ranks 1, 3\);.*sizes"):
            post.handle.wait()


@pytest.mark.parametrize("absent", [[0], [3], [0, 1, 2]])
def test_who_has_not_posted(comm: Communicator, absent: list[int]) -> None:
    request = comm.request("barrier", [])
    there = [r for r in range(N) if r not in absent]
    posts = [Post(comm, r, request) for r in there]
    names = [", ".join(map(str, ranks)) for ranks in (there, absent)]
    for post in posts:
        assert not post.handle.done()
        with pytest.raises(
            CollectiveError, match=rf"rank\(s\) {names[0]} have posted and wait for rank\(s\) {names[1]}$"
        ):
            post.handle.wait()
    late = [Post(comm, r, request) for r in absent]
    for post in posts + late:
        post.handle.wait()
    works(comm)


def test_a_rank_out_of_range(comm: Communicator) -> None:
    request = comm.request("barrier", [])
    empty = np.zeros(0, np.uint8)
    for rank in (-1, N, 1000):
        with pytest.raises(CollectiveError, match=f"rank {rank} is not one of 0..3"):
            comm._raw.post(rank, request, empty, empty)
    works(comm)


def test_a_buffer_of_another_size(comm: Communicator) -> None:
    """One rank's array is shorter than its own request says: every rank hears of that too."""
    request = comm.request("all_gather", [64] * N)
    posts = [Post(comm, r, request) for r in range(N - 1)]
    short = comm._raw.post(N - 1, request, np.zeros(60, np.uint8), np.zeros(64 * N, np.uint8))
    for handle in [post.handle for post in posts] + [short]:
        with pytest.raises(CollectiveError, match="rank 3 gives 60 bytes and has room for 256; it must give 64"):
            handle.wait()
    works(comm)


@pytest.mark.parametrize(
    ("operation", "sizes", "options", "words"),
    [
        ("broadcast", [64, 64], {}, "2 sizes given, 1 wanted for 4 ranks"),
        ("all_to_all", [64] * 4, {}, "4 sizes given, 16 wanted"),
        ("barrier", [4], {}, "1 sizes given, 0 wanted"),
        ("broadcast", [64], {"root": 4}, "rank 4 is not one of 0..3"),
        ("broadcast", [64], {"root": -1}, "rank -1 is not one of 0..3"),
        ("unicast", [64], {"destination": 9}, "rank 9 is not one of 0..3"),
        ("all_reduce", [64], {}, "all_reduce of uint8: elements are float32 or int32"),
        ("all_reduce", [66], {"dtype": np.int32}, "66 bytes are no whole number of int32 elements"),
        ("scatter", [8, 8, 6, 8], {"dtype": np.float32}, "6 bytes are no whole number of fp32 elements"),
    ],
)
def test_requests_that_cannot_be(
    comm: Communicator, operation: str, sizes: list[int], options: Make, words: str
) -> None:
    for method in (comm.prepare, comm.explain):
        with pytest.raises(CollectiveError, match=words):
            method(comm.request(operation, sizes, **options))
    works(comm)


@pytest.mark.parametrize(
    ("operation", "size"),
    [
        ("broadcast", 1 << 40),
        ("all_to_all", 1 << 36),
        ("all_gather", (1 << 63) - 4),
        ("all_to_all", 1 << 62),
        ("scatter", 1 << 62),
    ],
)
def test_buffers_larger_than_the_memory(comm: Communicator, operation: str, size: int) -> None:
    """Refused with both sizes; also where their sum does not fit 64 bits."""
    count = {"broadcast": 1, "all_to_all": N * N}.get(operation, N)
    with pytest.raises(CollectiveError) as error:
        comm.prepare(comm.request(operation, [size] * count))
    text = str(error.value)
    assert "bytes" in text and "hold" in text, text
    assert str(comm.channel_bytes) in text, text
    works(comm)


def test_a_buffer_of_a_program_that_does_not_fit(comm: Communicator) -> None:
    half = comm.channel_bytes // 2
    with pytest.raises(CollectiveError, match=f"{comm.channel_bytes + 1} bytes.*{comm.channel_bytes}"):
        comm.allocate(0, 0, comm.channel_bytes + 1)
    kept = [comm.allocate(0, 0, half), comm.allocate(0, 0, half)]
    with pytest.raises(CollectiveError, match=r"rank 0.*channel 0.*free buffers"):
        comm.allocate(0, 0, 32)
    del kept
    comm.allocate(0, 0, comm.channel_bytes)
    for arguments in ((N, 0, 32), (-1, 0, 32), (0, comm.channels, 32)):
        with pytest.raises(CollectiveError, match="is not one of"):
            comm.allocate(*arguments)
    buffer = comm.allocate(0, 0, 64)
    with pytest.raises(CollectiveError, match="bytes 32 to 96 of a buffer of 64"):
        comm.store(buffer, np.zeros(64, np.uint8), at=32)
    with pytest.raises(CollectiveError, match="multiples of 8"):
        comm.load(buffer, count=8, at=4)


def test_arrays_of_different_types_or_numbers(comm: Communicator) -> None:
    """What one list of arrays can get wrong: int32 bytes are no floats."""
    floats = [np.ones(16, np.float32) for _ in range(N)]
    mixed: list[Any] = [*floats[:2], np.ones(16, np.int32), floats[3]]
    words = r"different types: float32 \(rank 0, 1, 3\); int32 \(rank 2\)"
    for call in (comm.all_reduce, comm.reduce, comm.reduce_scatter, comm.all_gather, comm.gather, comm.scatter):
        with pytest.raises(CollectiveError, match=words):
            call(mixed)
    with pytest.raises(CollectiveError, match=words):
        comm.all_to_all([mixed] * N)
    for call in (comm.all_reduce, comm.reduce, comm.all_gather, comm.gather, comm.scatter):
        for count in (N - 1, N + 1):
            with pytest.raises(CollectiveError, match=rf"{count} .* {N} ranks"):
                call((floats * 2)[:count])
    with pytest.raises(CollectiveError, match="4 rows of 4 blocks"):
        comm.all_to_all([floats] * (N - 1))
    with pytest.raises(CollectiveError, match="rank 3 gives 60 bytes"):
        comm.all_reduce([*floats[:3], np.ones(15, np.float32)])
    with pytest.raises(CollectiveError, match="float64: elements are float32 or int32"):
        comm.all_reduce([np.ones(16)] * N)
    with pytest.raises(CollectiveError, match="reduction 'median': known are sum"):
        comm.all_reduce(floats, "median")
    with pytest.raises(CollectiveError, match="no algorithm 'magic'"):
        comm.all_reduce(floats, algorithm="magic")
    with pytest.raises(CollectiveError, match="-4 bytes"):
        comm.request("broadcast", [-4])
    works(comm)


def test_programs_that_do_not_fit_together(tmp_path: Path) -> None:
    """Each fault by name, rank and peer; nothing is left behind. On nodes: natively there are no lanes."""
    comm = Communicator(cluster(tmp_path, "fully_connected", [3], 4096), on="sim", watchdog_seconds=20e-6)
    lane, back = comm.lanes_to(0, 1)[0], comm.lanes_to(1, 0)[0]
    source, target = comm.allocate(0, 0, 8192, "first"), comm.allocate(1, 0, 8192, "second")

    def pair(sent: int, accepted: int, **flags: Any) -> list[list[p.Instruction]]:
        eager = flags.get("eager", (False, False))
        sender = [p.read(0, source.offset, sent), p.send(lane, p.from_read(0), eager=eager[0]), p.go(), p.end()]
        taker = [
            p.take(back, eager=eager[1]),
            p.write(0, p.from_lane(back), target.offset, accepted),
            p.go(),
            p.end(),
        ]
        return [sender, taker, [p.end()]]

    for programs, words in (
        (pair(64, 96), r"rank 1 got a block of another length than it expected \("),
        (pair(4096, 64), r"rank 1 got a block of another length than it expected \("),
        (pair(64, 64, eager=(False, True)), "rank 0 waits for permission of rank 1 "),
        (pair(8192, 64, eager=(True, True)), "rank 1 (had no room for a beat|got a block of another length)"),
        ([pair(64, 64)[0], [p.end()], [p.end()]], "rank 0 waits for permission of rank 1 "),
        ([[p.end()], pair(64, 64)[1], [p.end()]], "rank 1 waits for data of rank 0 "),
        ([pair(64, 64)[1], pair(64, 64)[1], [p.end()]], r"rank \d waits for data of rank \d "),
    ):
        with pytest.raises(CollectiveError, match=words):
            comm.run_programs(programs)
        works_here = comm.all_gather([np.full(50, r, np.uint8) for r in range(3)])[0]
        assert all(np.array_equal(a, np.repeat(np.arange(3, dtype=np.uint8), 50)) for a in works_here)


def test_a_wrong_start_order(comm: Communicator) -> None:
    """Each rank once: not twice, not none, not others."""
    idle = [[p.end()]] * N
    for order in ([0, 1, 2], [0, 1, 2, 2], [0, 1, 2, 4], [0, 1, 2, 3, 3], [-1, 1, 2, 3]):
        with pytest.raises(CollectiveError, match="start_order"):
            comm.run_programs(idle, start_order=order)
    works(comm)

# SPDX-License-Identifier: Apache-2.0
"""Operations end to end on the fast model and natively, against NumPy.

Covers: sizes 1 byte to 1 MiB, multiples of 32 and not, fully connected and hypercube, every algorithm, posts
that differ, buffers that do not fit, no state left between operations. Leaves out: RTL nodes, link faults.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from polyloom.collectives import CollectiveError, Communicator
from polyloom.testing import FULL

CLUSTERS = ["native", "native optweb-3x3", "optweb-8", "optweb-4x2-double", "optweb-3x3"]


@pytest.fixture(params=CLUSTERS, scope="module")
def comm(request: pytest.FixtureRequest) -> Iterator[Communicator]:
    name = request.param
    if name == "native":
        yield Communicator(on="native", native_ranks=5)
    elif name.startswith("native "):
        yield Communicator(name.split()[1], on="native")
    else:
        yield Communicator(name, on="sim")


def random_arrays(n: int, count: int, dtype: type, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    if dtype is np.float32:
        return [rng.standard_normal(count).astype(np.float32) for _ in range(n)]
    return [rng.integers(-1000, 1000, count).astype(dtype) for _ in range(n)]


@pytest.mark.parametrize("count", [1, 7, 1000, 65539 if FULL else 16411])
def test_all_reduce(comm: Communicator, count: int) -> None:
    for dtype in (np.float32, np.int32):
        arrays = random_arrays(comm.size, count, dtype, count)
        for name in comm.algorithms(comm.request("all_reduce", [4 * count], dtype)):
            for op, reference in (("sum", np.sum), ("max", np.max), ("average", np.mean)):
                got, result = comm.all_reduce(arrays, op, name)
                expected = reference(np.stack(arrays).astype(np.float64), axis=0)
                for array in got:
                    assert np.array_equal(array.view(np.uint32), got[0].view(np.uint32)), "ranks differ"
                if dtype is np.int32:
                    assert np.array_equal(got[0], np.trunc(expected).astype(np.int32)), (name, op)
                else:
                    np.testing.assert_allclose(got[0], expected, rtol=1e-5, atol=1e-5)
                assert result.algorithm == name


@pytest.mark.parametrize("value", [0.1, 1.0, -3.4e38, 1e-38])
def test_an_average_of_equal_values_is_the_value(comm: Communicator, value: float) -> None:
    """No sum on the way leaves float32. Natively to the bit; the operator adds in fp32 and multiplies by 1/n."""
    x = np.float32(value)
    for count in (1, 300):
        arrays = [np.full(count, x)] * comm.size
        for name in comm.algorithms(comm.request("all_reduce", [4 * count], np.float32)):
            got = comm.all_reduce(arrays, "average", name)[0][0]
            np.testing.assert_array_max_ulp(got, arrays[0], 2)
            if name == "memory":
                assert np.array_equal(got, arrays[0])
    mixed = [np.array([np.inf, np.nan, 3e38, -3e38], np.float32), *[np.full(4, 3e38, np.float32)] * (comm.size - 1)]
    mean = np.stack(mixed).astype(np.float64).mean(axis=0)
    np.testing.assert_allclose(comm.all_reduce(mixed, "average")[0][0], mean, rtol=1e-6)


def test_the_environment_is_heeded_natively_too(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, ranks in (("optweb-3x3", 9), ("optweb-4x2", 8)):
        monkeypatch.setenv("POLYLOOM_CLUSTER", name)
        for on in ("native", "sim", ""):
            monkeypatch.setenv("POLYLOOM_ON", "native" if on != "sim" else on)
            with Communicator(on=on) as comm:
                assert (comm.size, comm.native) == (ranks, on != "sim")
        assert Communicator("optweb-small", on="native").topology != Communicator(on="native").topology
        assert Communicator(on="native", native_ranks=3).size == 3


def test_lists_are_arrays(comm: Communicator) -> None:
    """Of Python's numbers: float64 and int64 where they only move, float32 and int32 where they are computed with."""
    n = comm.size
    lists = [[rank + 0.5, rank] for rank in range(n)]
    flat = np.array(lists).ravel()
    for got in comm.all_gather(lists)[0]:
        assert got.dtype == np.float64 and np.array_equal(got, flat)
    assert np.array_equal(comm.gather(range(n), root=1)[0], np.arange(n))
    assert np.array_equal(comm.broadcast([[1, 2], [3, 2**40]])[0][n - 1], [[1, 2], [3, 2**40]])
    assert np.array_equal(comm.scatter([(rank, rank) for rank in range(n)])[0][1], [1, 1])
    received = comm.all_to_all([[[i], j][j % 2] if j % 2 == 0 else i for j in range(n)] for i in range(n))[0]
    assert [int(np.squeeze(block)) for block in received[0]] == list(range(n))
    got = comm.all_reduce(lists)[0][0]
    assert got.dtype == np.float32 and np.array_equal(got, np.array(lists).sum(axis=0))
    got = comm.reduce_scatter([list(range(n))] * n, op="average")[0]
    assert got[1].dtype == np.int32 and np.array_equal(np.concatenate(got), range(n))


@pytest.mark.parametrize("dtype", [">i4", ">f8", "?", "c16", "S3", ">u2, <f4"])
def test_types_and_shapes(comm: Communicator, dtype: str) -> None:
    """What moves comes as it was: type, byte order, and the shape of each block."""
    n, rng = comm.size, np.random.default_rng(5)
    size = np.dtype(dtype).itemsize

    def drawn(*shape: int) -> np.ndarray:
        byte = rng.integers(0, 2, (*shape, size) if shape else size, np.uint8)
        return np.ascontiguousarray(byte).view(dtype).reshape(shape)

    def same(got: np.ndarray, given: np.ndarray) -> None:
        assert (got.dtype, got.shape, got.tobytes()) == (given.dtype, given.shape, given.tobytes())

    blocks = [[drawn((i + j) % 3, 2) for j in range(n)] for i in range(n)]
    for i, row in enumerate(comm.all_to_all(blocks)[0]):
        for j, got in enumerate(row):
            same(got, blocks[j][i])
    equal = drawn(n, n, 3)
    for j, row in enumerate(comm.all_to_all(list(equal))[0]):
        for got, given in zip(row, equal[:, j], strict=True):
            same(got, given)
    for got, given in zip(comm.scatter(blocks[0], root=1)[0], blocks[0], strict=True):
        same(got, given)
    joined = np.frombuffer(b"".join(block.tobytes() for block in blocks[0]), dtype)
    same(comm.gather(blocks[0], root=1)[0], joined)
    for got in comm.all_gather(blocks[0])[0]:
        same(got, joined)
    scalar, turned = drawn(), drawn(5, 4)[::-1, ::2].T
    for given in (scalar, turned):
        same(comm.unicast(given, 0, n - 1)[0], given)
        for got in comm.broadcast(given)[0]:
            same(got, given)


@pytest.mark.parametrize("kind", [">u4", ">i4", "<i4"])
def test_partition_of_keys_in_another_byte_order(kind: str) -> None:
    comm = Communicator("optweb-8", on="native")
    rng = np.random.default_rng(1)
    keys = [rng.integers(0, 1 << 31, 50).astype(kind) for _ in range(8)]
    values = [key.astype(">f4") for key in keys]
    received, histogram, _ = comm.partition(keys, values, bits=(28, 3))
    assert np.array_equal(histogram, [np.bincount(key >> 28, minlength=8) for key in keys])
    every = np.concatenate(keys)
    for rank, (got, beside) in enumerate(received):
        assert (got.dtype, beside.dtype) == (np.dtype(kind), np.dtype(">f4"))
        assert sorted(got) == sorted(every[every >> 28 == rank]) and np.array_equal(beside, got.astype(np.float32))


@pytest.mark.parametrize("count", [1, 31, 33, 5000])
def test_moves(comm: Communicator, count: int) -> None:
    n = comm.size
    rng = np.random.default_rng(count)
    blocks = [[rng.integers(0, 256, int(rng.integers(0, count + 1)), np.uint8) for _ in range(n)] for _ in range(n)]
    blocks[0][n - 1] = rng.integers(0, 256, count, np.uint8)
    arrays = [rng.integers(0, 256, count, np.uint8) for _ in range(n)]
    root = n - 1
    for name in comm.algorithms(comm.request("all_to_all", [0] * (n * n))):
        received, _ = comm.all_to_all(blocks, name)
        for j in range(n):
            for i in range(n):
                assert np.array_equal(received[j][i], blocks[i][j]), (name, i, j)
    for name in comm.algorithms(comm.request("all_gather", [0] * n)):
        for got in comm.all_gather(arrays, name)[0]:
            assert np.array_equal(got, np.concatenate(arrays))
    for name in comm.algorithms(comm.request("broadcast", [count], root=root)):
        for got in comm.broadcast(arrays[root], root, name)[0]:
            assert np.array_equal(got, arrays[root])
    for name in comm.algorithms(comm.request("unicast", [count], root=0, destination=root)):
        assert np.array_equal(comm.unicast(arrays[0], 0, root, name)[0], arrays[0])
    for name in comm.algorithms(comm.request("scatter", [0] * n, root=1)):
        for got, want in zip(comm.scatter(blocks[0], 1, name)[0], blocks[0], strict=True):
            assert np.array_equal(got, want)
    for name in comm.algorithms(comm.request("gather", [0] * n, root=1)):
        assert np.array_equal(comm.gather(arrays, 1, name)[0], np.concatenate(arrays))


def test_reductions_to_one(comm: Communicator) -> None:
    n = comm.size
    arrays = random_arrays(n, 40 * n + 3, np.int32, 5)
    total = np.sum(arrays, axis=0)
    for name in comm.algorithms(comm.request("reduce", [arrays[0].nbytes], np.int32, root=2)):
        assert np.array_equal(comm.reduce(arrays, 2, algorithm=name)[0], total), name
    counts = [40] * (n - 1) + [43]
    for name in comm.algorithms(comm.request("reduce_scatter", [4 * c for c in counts], np.int32)):
        got, _ = comm.reduce_scatter(arrays, counts, algorithm=name)
        assert np.array_equal(np.concatenate(got), total), name


@pytest.mark.parametrize("cluster", ["optweb-8", "optweb-4x2-double", "optweb-3x3"])
def test_prediction_is_within_five_percent(cluster: str) -> None:
    comm = Communicator(cluster, on="sim")
    barrier = comm.barrier().simulated_seconds
    assert barrier is not None and barrier < 0.5e-6
    operations = "unicast scatter gather broadcast all_to_all all_gather reduce reduce_scatter all_reduce"
    for total in (1 << 10, 9000, 1 << 16, 1 << 18):
        for op in operations.split():
            request = comm.uniform(op, total)
            for name in comm.algorithms(request):
                result = comm.run(comm.prepare(request, name))
                assert result.predicted_seconds == pytest.approx(result.simulated_seconds, rel=0.05), (op, name, total)


def test_native_ranks_are_those_of_the_cluster() -> None:
    comm = Communicator("optweb-4x2-double", on="native")
    assert comm.native and comm.size == 8
    assert comm.topology == "hypercube 4 x 2, 8 nodes, 1 and 2 links a pair"
    assert comm.algorithms(comm.uniform("all_to_all", 4096)) == ["memory", "dimension", "halves", "cut-through"]
    with pytest.raises(CollectiveError, match="no FPGA of role"):
        Communicator("tinsel-1", on="native")


def test_native_sums_have_the_bits_of_a_join_of_all_ranks() -> None:
    arrays = random_arrays(8, 1000, np.float32, 9)
    native, _ = Communicator(on="native", native_ranks=8).all_reduce(arrays)
    tree = arrays
    while len(tree) > 1:  # pairs, then pairs of those, each sum rounded
        tree = [a + b for a, b in zip(tree[::2], tree[1::2], strict=True)]
    assert all(np.array_equal(n.view(np.uint32), tree[0].view(np.uint32)) for n in native)
    nodes, result = Communicator("optweb-8", on="sim").all_reduce(arrays, algorithm="one-shot")
    assert result.steps == 1
    assert np.array_equal(nodes[0].view(np.uint32), native[0].view(np.uint32))


def test_rows_of_an_exchange_may_be_arrays() -> None:
    comm = Communicator(on="native", native_ranks=3)
    blocks = np.arange(3 * 3 * 4, dtype=np.int32).reshape(3, 3, 4)
    received, result = comm.all_to_all(blocks)
    assert np.array_equal(np.stack([np.stack(r) for r in received]), blocks.transpose(1, 0, 2))
    assert result.algorithm == "memory"


def test_posts_must_agree() -> None:
    comm = Communicator(on="native", native_ranks=3)
    data = np.ones(64, np.uint8)
    out = [np.zeros(64, np.uint8) for _ in range(3)]
    handles = []
    for rank in range(3):
        request = comm.request("all_reduce", [64 if rank != 1 else 32], np.int32)
        handles.append(comm._raw.post(rank, request, data, out[rank]))
    for handle in handles:
        with pytest.raises(CollectiveError, match=r"sizes.*\[32\] \(rank 1\).*\[64\] \(ranks 0, 2\)"):
            handle.wait()
    early = comm._raw.post(0, comm.request("all_reduce", [64], np.int32), data, out[0])
    assert not early.done()
    with pytest.raises(CollectiveError, match=r"wait for rank.*1, 2"):
        early.wait()


def test_too_large_is_refused() -> None:
    comm = Communicator("optweb-8", on="sim")
    with pytest.raises(CollectiveError, match="channel"):
        comm.prepare(comm.request("broadcast", [1 << 40]))


def test_backdoor_views(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOM_LOAD", "backdoor")
    comm = Communicator("optweb-8", on="sim")
    prepared = comm.prepare(comm.uniform("all_to_all", 1 << 16))
    for rank in range(comm.size):
        for j, piece in enumerate(comm.send_views(prepared, rank)):
            piece[:] = 16 * rank + j
    comm.run(prepared)
    for rank in range(comm.size):
        for i, piece in enumerate(comm.recv_views(prepared, rank)):
            assert (piece == 16 * i + rank).all()


def test_shapes_nan_and_the_roots_own_array(comm: Communicator) -> None:
    """Results have their input's shape and memory of their own; a NaN loses a minimum and wins a sum."""
    arrays = [np.full((3, 5), rank, np.float32) for rank in range(comm.size)]
    arrays[1][2, 4] = np.nan
    total, least, found = comm.all_reduce(arrays)[0], comm.reduce(arrays, 1, "min")[0], comm.broadcast(arrays[0], 0)[0]
    expected = np.sum(arrays, axis=0)
    for array in total:
        np.testing.assert_array_equal(array, expected)
    np.testing.assert_array_equal(least, np.fmin.reduce(arrays))
    for array in found:
        np.testing.assert_array_equal(array, arrays[0])
        array[0, 0] = 7
    assert arrays[0][0, 0] == 0
    assert comm.unicast(arrays[0], 0, 1)[0].shape == (3, 5)
    with pytest.raises(CollectiveError, match=r"counts= says how many"):
        comm.reduce_scatter([np.zeros(comm.size + 1, np.int32)] * comm.size)

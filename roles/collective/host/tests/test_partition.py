# SPDX-License-Identifier: Apache-2.0
"""``Communicator.partition`` against NumPy.

Covers: uniform, empty, one, equal and skewed keys, columns of different lengths, keys alone and with values, owners by
default and given, 0 to 6 bits, one and two dimensions, natively too. Leaves out: RTL nodes (the operator's swap tests).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from polyloom.collectives import CollectiveError, Communicator

Column = NDArray[np.uint32]


@pytest.fixture(params=["native", "optweb-8", "optweb-4x2-double", "optweb-3x3"], scope="module")
def comm(request: pytest.FixtureRequest) -> Iterator[Communicator]:
    name = request.param
    yield Communicator(on="native", native_ranks=5) if name == "native" else Communicator(name, on="sim")


def keys_of(kind: str, n: int, rng: np.random.Generator) -> list[Column]:
    if kind == "uniform":
        return [rng.integers(0, 1 << 32, int(rng.integers(1, 3000)), dtype=np.uint32) for _ in range(n)]
    if kind == "empty":
        return [np.zeros(0, np.uint32)] * n
    if kind == "some empty":
        return [rng.integers(0, 1 << 32, 777 * (r % 2), dtype=np.uint32) for r in range(n)]
    if kind == "one key":
        return [np.full(int(r == n - 1), 0xDEADBEEF, np.uint32) for r in range(n)]
    if kind == "all equal":
        return [np.full(1000 + r, 0xABCD1234, np.uint32) for r in range(n)]
    assert kind == "skewed"
    return [(rng.pareto(0.4, 2000) * 1000).clip(0, 2**32 - 1).astype(np.uint32) for _ in range(n)]


def expected(keys: list[Column], shift: int, count: int, owners: NDArray[np.int64]) -> list[NDArray[np.bool_]]:
    """[rank] which of all records, one sender after the other, it gets."""
    buckets = np.concatenate(keys) // np.uint32(2**shift) % 2**count
    return [owners[buckets] == rank for rank in range(len(keys))]


@pytest.mark.parametrize("kind", ["uniform", "empty", "some empty", "one key", "all equal", "skewed"])
@pytest.mark.parametrize("with_values", [False, True])
def test_every_record_comes_to_the_owner_of_its_bucket(comm: Communicator, kind: str, with_values: bool) -> None:
    n = comm.size
    rng = np.random.default_rng(len(kind))
    keys = keys_of(kind, n, rng)
    values = [np.arange(k.size, dtype=np.float32) + 10000 * r for r, k in enumerate(keys)]  # name their record
    given = rng.integers(0, n, 16)
    # By default rank of a bucket = floor(bucket * ranks / buckets).
    for shift, count, owners in [(27, 5, np.arange(32) * n // 32), (0, 0, np.zeros(1, int)), (7, 4, given)]:
        wanted = given.tolist() if owners is given else ()
        response = comm.partition(keys, values if with_values else None, bits=(shift, count), owners=wanted)
        received, histogram, result = response
        assert len(received) == n
        everything = np.concatenate(keys)
        for rank, chosen in enumerate(expected(keys, shift, count, np.asarray(owners))):
            got = received[rank][0] if with_values else received[rank]
            assert np.array_equal(np.sort(got), np.sort(everything[chosen])), (shift, rank)
            if with_values:
                order, reference = np.argsort(received[rank][1]), np.concatenate(values)[chosen]
                assert received[rank][1].dtype == np.float32
                assert np.array_equal(received[rank][1][order], reference)  # ascending as they are made
                assert np.array_equal(got[order], everything[chosen])
        assert histogram.shape == (n, 1 << count)
        for row, column in zip(histogram, keys, strict=True):
            reference = np.bincount(column // np.uint32(2**shift) % 2**count, minlength=1 << count)
            assert np.array_equal(row, reference)
        assert (result.simulated_seconds is None) == comm.native


def test_six_bits_count_but_do_not_part_neighbours() -> None:
    comm = Communicator("optweb-8", on="sim")
    keys = [np.arange(64, dtype=np.uint32).repeat(r + 1) for r in range(8)]
    received, histogram, _ = comm.partition(keys, bits=(0, 6))
    for rank in range(8):
        assert np.array_equal(np.unique(received[rank]), np.arange(8 * rank, 8 * rank + 8))
    assert np.array_equal(histogram, np.outer(np.arange(1, 9), np.ones(64, int)))
    with pytest.raises(CollectiveError, match="buckets 2 and 3 have different owners"):
        comm.partition(keys, bits=(0, 6), owners=[0, 0, 1, 2] + [3] * 60)


def test_time_is_that_of_the_busiest_lane() -> None:
    comm = Communicator("optweb-8", on="sim")
    keys = [np.random.default_rng(r).integers(0, 1 << 32, 1 << 16, dtype=np.uint32) for r in range(8)]
    uniform = comm.partition(keys, bits=(29, 3))[2].simulated_seconds
    everything = comm.partition(keys, bits=(29, 3), owners=[7] * 8)[2].simulated_seconds
    assert uniform and everything
    block = (1 << 16) * 4 / 8 / (45e9 / 8)  # seconds that a lane of 45 Gb/s needs for an eighth
    # The operator takes less than a beat a cycle from each channel (blocks/operators/README.md, accept rates).
    assert block < uniform < 1.3 * block
    # All to one rank: 7 lanes bring a whole column each.
    assert 8 * block < everything < 8.5 * block


def test_mistakes_are_named() -> None:
    comm = Communicator("optweb-8", on="sim")
    keys = [np.zeros(8, np.uint32)] * 8
    for message, arguments in [
        ("7 columns of keys and 0 of values for 8 ranks", {"keys": keys[:7], "bits": (0, 3)}),
        ("rank 0 has 8 keys and 7 values", {"keys": keys, "values": [np.zeros(7, np.int32)] * 8, "bits": (0, 3)}),
        ("7 bits from bit 0: allowed are 0 to 6", {"keys": keys, "bits": (0, 7)}),
        ("3 owners for 8 buckets", {"keys": keys, "bits": (0, 3), "owners": [0, 1, 2]}),
        ("owner of bucket 2 is rank 8", {"keys": keys, "bits": (0, 2), "owners": [0, 1, 8, 0]}),
        ("elements of 4 bytes", {"keys": [np.zeros(8, np.uint64)] * 8, "bits": (0, 3)}),
    ]:
        with pytest.raises(CollectiveError, match=message):
            comm.partition(**arguments)
    received, _, _ = comm.partition(keys, bits=(0, 3))  # and it can be used again
    assert [r.size for r in received] == [64] + [0] * 7


def test_what_does_not_fit_is_refused() -> None:
    comm = Communicator("optweb-small", on="sim")  # channels of 64 KiB: a half takes 8192 keys
    for count, fits in [(8192, True), (8193, False)]:
        keys = [np.full(count, r << 30, np.uint32) for r in range(4)]
        if fits:
            assert [r.size for r in comm.partition(keys, bits=(30, 2))[0]] == [8192] * 4
            continue
        with pytest.raises(CollectiveError, match="32772 bytes of a sender in one half of channel 0, which has 32768"):
            comm.partition(keys, bits=(30, 2))

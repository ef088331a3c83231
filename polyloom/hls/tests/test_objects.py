# SPDX-License-Identifier: Apache-2.0
# Covers: which objects go to DRAM, and addresses: aligned, disjoint, the heap behind them.
# Leaves out: what is in them when a kernel starts (test_compiled_programs.py), messages (test_diagnostics.py).
import random
from itertools import pairwise

import pytest

from polyloom.hls.ir import DRAM_BASE, Object
from polyloom.hls.objects import BASE, for_dram, place
from polyloom.hls.options import Options

LIMITS = Options(memory_limit=10_000, object_limit=6_000)


def objects(*sizes: int) -> list[Object]:
    return [Object(f"o{n}", size, 8, "global") for n, size in enumerate(sizes)]


def names(*sizes: int, initial: dict[int, int] | None = None) -> list[str]:
    made = objects(*sizes)
    return [o.name for o in for_dram(made, {made[n]: size for n, size in (initial or {}).items()}, LIMITS)]


def test_what_fits_stays() -> None:
    assert names() == []
    assert names(6_000, 3_999) == []


def test_what_is_larger_than_the_limit_goes() -> None:
    assert names(6_001, 100) == ["o0"]
    assert names(100, 50_000, 6_008) == ["o1", "o2"]


def test_if_the_rest_does_not_fit_the_largest_goes() -> None:
    assert names(3_000, 4_000, 5_000) == ["o2"]
    assert names(5_000, 5_500, 4_500, 5_400) == ["o1", "o3"]
    assert names(*[100] * 200) == []  # nothing is gained by so small ones: they are refused


def test_initial_values_stay() -> None:
    assert names(7_000, initial={0: 7_000}) == []
    assert names(7_000, initial={0: 16}) == ["o0"]
    assert names(5_000, 5_008, 4_000, initial={1: 4_000}) == ["o0"]


@pytest.mark.parametrize("seed", range(20))
def test_addresses(seed: int) -> None:
    rng = random.Random(seed)
    made = [Object(f"o{n}", rng.randint(1, 9_000), rng.choice([1, 8, 16, 64]), "global") for n in range(30)]
    in_dram = for_dram(made, {}, LIMITS)
    heap = place(made, in_dram, LIMITS)
    for some, first, align in ((set(made) - set(in_dram), BASE, 16), (set(in_dram), DRAM_BASE, 16)):
        ordered = sorted(some, key=lambda o: o.address)
        assert all(o.address >= first and o.address % max(align, o.align) == 0 for o in ordered)
        assert all(a.address + a.size <= b.address for a, b in pairwise(ordered))
    assert all(o.address + o.size <= DRAM_BASE for o in made if o not in in_dram)
    assert heap >= max(o.address + o.size for o in in_dram) and heap % 16 == 0

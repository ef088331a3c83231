# SPDX-License-Identifier: Apache-2.0
# Covers: which cases of a list a daily run takes, and that a full one takes all.
# Leaves out: what tests do with them.
from __future__ import annotations

import itertools

import pytest

from polyloom import testing


@pytest.mark.parametrize("count", range(1, 30))
@pytest.mark.parametrize("most", range(1, 12))
def test_a_sample_is_spread_over_all(count: int, most: int) -> None:
    items = list(range(count))
    chosen = testing.spread(items, most)
    assert len(chosen) == min(count, most)
    assert chosen == sorted(set(chosen)), "in their order, none twice"
    assert chosen[0] == 0 and (most == 1 or chosen[-1] == count - 1)
    steps = [b - a for a, b in itertools.pairwise(chosen)]
    assert not steps or max(steps) - min(steps) <= 1


def test_nothing_to_choose_from() -> None:
    assert testing.spread([], 3) == []
    with pytest.raises(ValueError, match="at most 0 items"):
        testing.spread([1], 0)


def test_a_full_run_takes_all(monkeypatch: pytest.MonkeyPatch) -> None:
    items = tuple(range(10))
    monkeypatch.setattr(testing, "FULL", False)
    assert testing.daily(items, 3) == [0, 4, 9]
    monkeypatch.setattr(testing, "FULL", True)
    assert testing.daily(items, 3) == list(items)

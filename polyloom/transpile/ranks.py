# SPDX-License-Identifier: Apache-2.0
"""Sets of ranks as runs without gaps. Input: ranks; output: pairs of first and last, or what a person reads."""

from __future__ import annotations

from collections.abc import Iterable


def runs_of(ranks: Iterable[int]) -> list[tuple[int, int]]:
    """Example: 5, 1, 2, 3 -> [(1, 3), (5, 5)]."""
    runs: list[tuple[int, int]] = []
    for rank in sorted(ranks):
        if runs and runs[-1][1] == rank - 1:
            runs[-1] = (runs[-1][0], rank)
        else:
            runs.append((rank, rank))
    return runs


def text_of(ranks: Iterable[int]) -> str:
    """Example: 5, 1, 2, 3 -> "1-3, 5"."""
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs_of(ranks))

# SPDX-License-Identifier: Apache-2.0
"""How much of its input rate a partition keeps up when words come unevenly: a clock-by-clock count of its buckets.

Input: for each word its output, in the order of arrival. Output: the share of clocks in which input is taken.
Each clock a row of words (one beat of each input lane) is taken if every bucket has room for its words of that row (a
row for which a bucket is too small goes in piece by piece); each bucket with a full beat writes it. So input and output
rates are equal when words come evenly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

BEAT_WORDS = 8


def accept_rate(outputs: Iterable[int], buckets: int, depth: int, lanes: int | None = None) -> float:
    """Rows of ``lanes`` beats (default: as many as buckets) by the clocks that they take; ``depth`` words a bucket."""
    row_words = BEAT_WORDS * (buckets if lanes is None else lanes)
    if depth < 2 * BEAT_WORDS:
        raise ValueError(f"a bucket must hold two beats ({2 * BEAT_WORDS} words) at least, got {depth}")
    stream = list(outputs)
    rows = [_count(stream[at : at + row_words], buckets) for at in range(0, len(stream) - row_words + 1, row_words)]
    if not rows:
        raise ValueError(f"need at least one row of {row_words} words, got {len(stream)}")
    held = [0] * buckets
    clocks = 0
    for row in rows:
        left = row
        whole = max(row) <= depth - (BEAT_WORDS - 1)  # else it might never fit: a bucket keeps what is no full beat
        while True:
            clocks += 1
            taken = [min(want, depth - have) for want, have in zip(left, held, strict=True)]
            if whole and taken != left:
                taken = [0] * buckets
            held = [have + more for have, more in zip(held, taken, strict=True)]
            left = [want - more for want, more in zip(left, taken, strict=True)]
            held = [have - BEAT_WORDS if have >= BEAT_WORDS else have for have in held]
            if not any(left):
                break
    return len(rows) / clocks


def _count(words: Sequence[int], buckets: int) -> list[int]:
    found = [0] * buckets
    for word in words:
        found[word] += 1
    return found

# SPDX-License-Identifier: Apache-2.0
"""What tests ask of their environment, and which part of a long list of cases a daily run takes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

#: Long forms too: POLYLOOM_TEST_FULL is set, and not to 0 (fabric/full_tests.h says the same).
FULL = os.environ.get("POLYLOOM_TEST_FULL", "") not in {"", "0"}


def spread(items: Sequence[T], most: int) -> list[T]:
    """At most ``most`` of the items, evenly over all of them: the same ones each time, the first and the last too."""
    if most < 1:
        raise ValueError(f"at most {most} items: allowed are 1 and more")
    if len(items) <= most:
        return list(items)
    if most == 1:
        return [items[0]]
    return [items[i * (len(items) - 1) // (most - 1)] for i in range(most)]


def daily(items: Sequence[T], most: int) -> list[T]:
    """All items where long forms are asked for, else as many as ``most`` of them (``spread``)."""
    return list(items) if FULL else spread(items, most)

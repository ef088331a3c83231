# SPDX-License-Identifier: Apache-2.0
"""The frame in which trees hold bodies as fp32 (nbody/tree/frame.h)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Frame:
    """Units of a tree's records: user position = origin + length * x, user mass = mass * m."""

    origin: tuple[float, float, float]
    length: float
    mass: float

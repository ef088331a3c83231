# SPDX-License-Identifier: Apache-2.0
"""What a simulation is told; the same names and defaults as nbody/run/settings.h. Input: nothing; output: a dict."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

CRITERIA = ("side", "angle", "acceleration")


@dataclass(frozen=True)
class Settings:
    """Values of a force evaluation and of the leapfrog."""

    mac: str = "angle"  #: side: side/s < theta; angle: b/s < theta; acceleration: G M b^2/s^4 < delta |a|
    theta: float = 0.5
    delta: float = 2.0**-9
    quadrupole: bool = False
    eps: float = 0.0  #: Plummer softening
    gravity: float = 1.0
    dt: float = 1 / 128
    leaf: int = 4  #: bodies that a cell contributes directly, 1..8 (GOTHIC: 8)
    group: int = 32  #: bodies that share an interaction list, 1..64
    rebalance: int = 1  #: steps between domain decompositions
    target: str = "box"  #: or sphere: what LETs are made for

    def as_dict(self) -> dict[str, Any]:
        """For the compiled module and for run records."""
        return asdict(self)

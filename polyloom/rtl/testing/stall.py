# SPDX-License-Identifier: Apache-2.0
"""When an end of a stream stands still. Input: a kind and a random generator; output: a yes or no a cycle."""

from __future__ import annotations

import random

#: Phases of the kind "random": (chance that a stall begins in a cycle, mean length of a stall in cycles).
PHASES = ((0.0, 1.0), (0.1, 1.0), (0.5, 1.0), (0.5, 3.0), (0.9, 1.0), (0.05, 20.0))


class Stall:
    """Kinds: "never"; "always"; a chance from 0 to 1 a cycle; "random": phases of all sorts, 10 to 80 cycles each."""

    def __init__(self, rng: random.Random, kind: str | float = "random") -> None:
        if isinstance(kind, str) and kind not in {"never", "always", "random"}:
            raise ValueError(f"stall '{kind}'; allowed: never, always, random, or a chance from 0 to 1")
        self._rng = rng
        self._kind = kind
        self._phase = PHASES[0]
        self._phase_left = 0
        self._stall_left = 0

    def __call__(self) -> bool:
        """Whether to stand still in this cycle."""
        if isinstance(self._kind, float | int):
            return self._rng.random() < self._kind
        if self._kind != "random":
            return self._kind == "always"
        if self._phase_left == 0:
            self._phase = self._rng.choice(PHASES)
            self._phase_left = self._rng.randint(10, 80)
        self._phase_left -= 1
        if self._stall_left > 0:
            self._stall_left -= 1
            return True
        chance, length = self._phase
        if self._rng.random() >= chance:
            return False
        self._stall_left = int(self._rng.expovariate(1 / length)) if length > 1 else 0
        return True

# SPDX-License-Identifier: Apache-2.0
"""Names in SystemVerilog for what has a name in C: the one place that makes them.

``reg`` becomes ``v_reg``: no keyword and no signal of the kernel's own begins with a kind's letter (v_ values, m_
memories, S_ states), so that no list of these is needed. Two that become the same, as ``a``'s register and a variable
``a_q``, are told apart by a number. Letters beyond ASCII, ``__``, which Verilator keeps for itself, and what is too
long of a name are left out.
"""

from __future__ import annotations

import re
from collections.abc import Hashable

_LONGEST = 60


class Names:
    """Gives each thing a name that no other has."""

    def __init__(self, *taken: str) -> None:
        self._used = set(taken)
        self._of: dict[Hashable, str] = {}

    def of(self, key: Hashable, stem: str) -> str:
        """The name of a thing; ``stem``: its kind's letter and what the program calls it, needed the first time."""
        if key not in self._of:
            clean = re.sub(r"[^A-Za-z0-9]+", "_", stem)[:_LONGEST].rstrip("_")
            name, count = clean, 1
            while name in self._used:
                count += 1
                name = f"{clean}_{count}"
            self._used.add(name)
            self._of[key] = name
        return self._of[key]

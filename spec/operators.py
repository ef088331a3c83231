# SPDX-License-Identifier: Apache-2.0
"""Operators that a slot may hold: what cluster files and programs call them, and their numbers in ``config`` steps."""

from __future__ import annotations

from spec.rows import Enumerator, SpecError, unique

#: Numbers of users' operators begin here; a mask of operators has 64 bits.
FIRST_OF_USERS = 16

OPERATORS = [
    Enumerator("reduce", 1, "element by element: sum, least, greatest, average of its inputs"),
    Enumerator("partition", 2, "deals keys, and values after them, to its outputs by ranges or bits"),
    Enumerator("pass", 3, "an input as it is"),
    Enumerator("let", 4, "a Barnes-Hut tree in, for each output the part that its domain needs"),
]
unique("operators", [one.number for one in OPERATORS])
unique("operators", [one.name for one in OPERATORS])
if any(not 0 < one.number < FIRST_OF_USERS for one in OPERATORS):
    raise SpecError(f"operators: numbers are 1 to {FIRST_OF_USERS - 1}")

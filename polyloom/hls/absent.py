# SPDX-License-Identifier: Apache-2.0
"""Functions that no kernel has but a program may name where it is never executed. Input: IR text; output: calls.

A header declares such a function with ``__attribute__((error("why")))``, which LLVM keeps in its attributes:

    declare i32 @scanf(ptr, ...) #3        attributes #3 = { "dontcall-error"="why" }

What is still called after the optimisations is refused with its place and that reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from polyloom.hls.errors import HlsError
from polyloom.hls.reader.debug import Locations

_REASON = re.compile(r'^attributes (#\d+) = \{.*"dontcall-error"="([^"]*)".*\}$', re.MULTILINE)
_DECLARATION = re.compile(r"^declare [^@\n]*@([\w.$]+)\(.*?\)[^\n]*?(#\d+)", re.MULTILINE)
_PLACE = re.compile(r"!dbg (!\d+)")


@dataclass(frozen=True)
class Call:
    """A call that cannot be in a kernel."""

    function: str
    reason: str
    debug: str  # the metadata of its place; "" if there is none


def calls(text: str) -> list[Call]:
    """All of a module, in its order."""
    reasons = dict(_REASON.findall(text))
    functions = {name: reasons[group] for name, group in _DECLARATION.findall(text) if group in reasons}
    if not functions:
        return []
    found = []
    use = re.compile(rf"^[^\n]*[\s(]@({'|'.join(map(re.escape, functions))})\b[^\n]*$", re.MULTILINE)
    for line in use.finditer(text):
        if line[0].startswith("declare "):
            continue
        place = _PLACE.search(line[0])
        found.append(Call(line[1], functions[line[1]], place[1] if place else ""))
    return found


def refuse(text: str) -> None:
    """HlsError with the place of the first such call, if there is one."""
    for call in calls(text):
        locations = Locations([line for line in text.splitlines() if line.startswith("!")])
        raise HlsError(locations.of(call.debug), call.reason)

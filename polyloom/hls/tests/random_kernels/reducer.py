# SPDX-License-Identifier: Apache-2.0
"""Makes a failing random program smaller: drops statements, in runs of falling length, as long as it still fails.

    small = reduce(program, fails=lambda p: check(p) != "", tries=100)

Statements that others need (declarations) stay; functions and globals that nothing names any more go at the end.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable

from polyloom.hls.tests.random_kernels.tree import Program

Fails = Callable[[Program], bool]


def reduce(program: Program, fails: Fails, tries: int) -> Program:
    """The smallest program found with at most so many calls of ``fails``."""
    best = copy.deepcopy(program)
    left = tries
    length = max((len(nodes) for nodes in best.lists()), default=1)
    while length and left > 0:
        shrunk = False
        for number in range(sum(1 for _ in best.lists())):
            start = 0
            while left > 0:
                candidate = _without(best, number, start, length)
                if candidate is None:
                    break
                left -= 1
                if fails(candidate):
                    best, shrunk = candidate, True
                else:
                    start += length
        if not shrunk or length > 1:
            length //= 2
    return _tidy(best, fails)


def _without(program: Program, number: int, start: int, length: int) -> Program | None:
    """The program without some droppable statements of its list ``number``, from ``start`` on; None: no more."""
    candidate = copy.deepcopy(program)
    lists = list(candidate.lists())
    if number >= len(lists):
        return None
    nodes = lists[number]
    droppable = [i for i, node in enumerate(nodes) if not node.fixed][start : start + length]
    if not droppable:
        return None
    for index in reversed(droppable):
        del nodes[index]
    return candidate


def _tidy(program: Program, fails: Fails) -> Program:
    """Drops functions that are not called and declarations (a line each) that nothing names."""
    small = copy.deepcopy(program)
    for function in list(small.functions[:-1]):
        found = re.search(r"(\w+)\([^()]*\)$", function.head)
        text = "\n".join(line for other in small.functions if other is not function for line in other.text())
        if found and not re.search(rf"\b{found.group(1)}\b", text):
            small.functions.remove(function)
    for line in list(reversed(small.declarations)):
        match = re.match(r"static .*?\b(g\d+|s\d+|s\d+_p|u\d+)(\[|;| =)", line)
        if match and len(re.findall(rf"\b{match.group(1)}\b", small.source())) == 1:
            small.declarations.remove(line)
    return small if fails(small) else program

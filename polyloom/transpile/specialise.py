# SPDX-License-Identifier: Apache-2.0
"""A module for one rank, or for several that behave alike: rank becomes a constant, or a value of known range.

Input: IR of ``program.link``; output: optimised IR. What a rank never executes is gone from it: this is the split of
an SPMD program into MPMD ones (ZRLMPI, section III-A), done by LLVM's own passes.

    call i32 @__polyloom_rank()   ->   i32 3                      (one rank)
    call i32 @__polyloom_rank()   ->   the same, !range [1, 7)    (ranks 1 to 6)
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from polyloom.hls import frontend
from polyloom.transpile.ranks import runs_of

RANK = "__polyloom_rank"

_CALL = re.compile(rf"^(\s*%\S+ = (?:tail )?call[^@]*@{RANK}\(\)(?: #\d+)?)(.*)$", re.MULTILINE)
_DECLARATION = re.compile(rf"^declare [^\n]*@{RANK}\(\)[^\n]*$", re.MULTILINE)


def for_rank(module: str, rank: int) -> str:
    """Optimised IR of one rank."""
    constant = f"define internal i32 @{RANK}() alwaysinline {{\n  ret i32 {rank}\n}}"
    return frontend.optimise(_DECLARATION.sub(constant, module))


def for_ranks(module: str, ranks: Sequence[int]) -> str:
    """Optimised IR that serves all of these ranks and asks for its own at run time."""
    number = 1 + max((int(n) for n in re.findall(r"^!(\d+) = ", module, re.MULTILINE)), default=0)
    ranges = ", ".join(f"i32 {first}, i32 {last + 1}" for first, last in runs_of(ranks))
    text = _CALL.sub(rf"\1, !range !{number}\2", module)
    return frontend.optimise(f"{text}\n!{number} = !{{{ranges}}}\n")

# SPDX-License-Identifier: Apache-2.0
"""Which ranks behave alike. Input: optimised IR of each rank; output: groups of ranks.

Two ranks behave alike if their programs are the same but for integer constants (row numbers, neighbours): such a
program is built once and asks for its rank. Ranks of one group whose programs are equal to the last bit need not even
ask. This is the paper's rule that no bit file is made twice, made sharper: it held for equal control flow only.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

_METADATA = re.compile(r"^(?:!.*|source_filename.*|target .*|; .*|attributes .*|declare .*)\n?", re.MULTILINE)
_ATTACHED = re.compile(r",? *![a-z.]+ ![0-9]+|,? *#dbg_[^\n]*|#[0-9]+")
_NUMBER = re.compile(r"(?<![%@.\w])-?\d+(?![\w.x])")


@dataclass(frozen=True)
class Behaviour:
    """Ranks that run one program."""

    ranks: tuple[int, ...]
    identical: bool  # equal to the last constant, so that the program need not know its rank


def group(programs: Mapping[int, str]) -> list[Behaviour]:
    """Groups in order of their first rank."""
    exact = {rank: _hash(_plain(text)) for rank, text in programs.items()}
    shapes: dict[str, list[int]] = {}
    for rank, text in sorted(programs.items()):
        shapes.setdefault(_hash(_shape(text)), []).append(rank)
    return [Behaviour(tuple(ranks), len({exact[rank] for rank in ranks}) == 1) for ranks in shapes.values()]


def _plain(text: str) -> str:
    """IR without what says nothing of behaviour: comments, debug information, attributes."""
    return _ATTACHED.sub("", _METADATA.sub("", text))


def _shape(text: str) -> str:
    """IR with every integer literal replaced; types, names and structure stay."""
    return _NUMBER.sub("N", _plain(text))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

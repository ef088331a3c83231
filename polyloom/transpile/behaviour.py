# SPDX-License-Identifier: Apache-2.0
"""Which ranks behave alike. Input: optimised IR of each rank; output: groups of ranks.

Two ranks behave alike if their programs have the same blocks and in each the same accesses, calls, divisions and
floating-point operations: what differs is constants (row numbers, neighbours, factors) and the integer arithmetic that
LLVM made of them. Such a program is built once and asks for its rank. Ranks of one group whose programs are equal to
the last bit need not even ask. This is the paper's rule that no bit file is made twice, for equal control flow.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

_METADATA = re.compile(r"^(?:!.*|source_filename.*|target .*|; .*|attributes .*|declare .*)\n?", re.MULTILINE)
_ATTACHED = re.compile(r",? *![a-z.]+ ![0-9]+|,? *#dbg_[^\n]*|#[0-9]+")
_FUNCTION = re.compile(r"^(?=define )", re.MULTILINE)
_LABEL = re.compile(r"^([\w.$-]+):", re.MULTILINE)
#: A factor of 2 is a shift, one of 1 nothing, an offset of 0 none: the same arithmetic where the rank is asked for.
_ARITHMETIC = re.compile(
    r" +%\S+ = (?:add|sub|mul|shl|lshr|ashr|and|or|xor|zext|sext|trunc|icmp|select|phi|getelementptr|freeze"
    r"|tail call [^@]*@llvm\.(?:[su]m(?:in|ax)|abs|fsh[lr]))\b"
)
_ADDRESS = re.compile(r"getelementptr [^()]*\([^()]*\)")
_NAME = re.compile(r"%([\w.$-]+)|@[\w.$-]+(?![\w.$(-])")  # but not of what is called
_CONSTANT = re.compile(
    r"(?<![%@.\w])(?:0x[0-9A-F]+|-?\d+(?:\.\d+e[+-]\d+)?|true|false|null|undef|poison|zeroinitializer)(?![\w.])"
)


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
    """IR without integer arithmetic, names and constants; types, blocks, and where each branches to, stay."""
    return "\n".join(_shape_of_function(part) for part in _FUNCTION.split(_plain(text)))


def _shape_of_function(text: str) -> str:
    blocks = {label: f"B{number}" for number, label in enumerate(_LABEL.findall(text))}

    def name(match: re.Match[str]) -> str:
        return blocks.get(match[1], "V")

    lines = [_ADDRESS.sub("V", line) for line in text.splitlines() if not _ARITHMETIC.match(line)]
    return "\n".join("block" if _LABEL.match(line) else _CONSTANT.sub("V", _NAME.sub(name, line)) for line in lines)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

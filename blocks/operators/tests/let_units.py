# SPDX-License-Identifier: Apache-2.0
"""What the tests of the LET operator and of its lane share: random trees, targets, and the LET as a walk of the tree.

Records and rules are those of blocks/operators/README.md, section LET; fp32 is NumPy's.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyloom.rtl.testing import BEAT, Struct, beats_of

NODE = Struct.of("polyloom_operator_pkg::let_node_t")
TARGET = Struct.of("polyloom_operator_pkg::let_target_t")
CLOSED = 0xBF800000  # -1
GUARD = np.float32(1 + 2**-20)
OPENS_ALL = 0x7F000000 << 224  # R is so great that every node is opened
PADDED, BIAS_ZERO, PARENT_FIRST = 1, 2, 4


@dataclass
class Record:
    """Of a tree; ``children``: their numbers."""

    bits: int
    children: range


def bits(number: Any) -> int:
    """Of an fp32."""
    return int(np.float32(number).view(np.uint32))


def vector(numbers: list[float]) -> int:
    """Three coordinates, x lowest."""
    return sum(bits(x) << 32 * n for n, x in enumerate(numbers))


def numbers(packed: int, count: int = 3) -> Any:
    """The coordinates."""
    return np.array([packed >> 32 * n & 0xFFFFFFFF for n in range(count)], np.uint32).view(np.float32)


def tree(rng: random.Random, size: int, bias_zero: bool = False, most: int = 5) -> list[Record]:
    """About so many records, breadth first; leaves are bodies, or with bias 0 now and then nodes without children."""
    records: list[Record] = []
    numbered = 1
    while size and len(records) < numbered:
        kids = rng.randint(1, most) if numbered < size and (rng.random() < 0.8 or numbered == len(records) + 1) else 0
        q = (
            rng.choice([1, 30]) * rng.expovariate(1)
            if kids or (bias_zero and rng.random() < 0.5)
            else -rng.random() - 0.1
        )
        count = kids - int(not bias_zero) if q >= 0 else rng.getrandbits(6)
        fields = {"mass": rng.getrandbits(32), "position": vector([rng.gauss(0, 2) for _ in range(3)]), "q": bits(q)}
        first = numbered if kids else rng.getrandbits(26)
        records.append(Record(NODE.pack(count=count, first=first, **fields), range(numbered, numbered + kids)))
        numbered += kids
    return records


def target(rng: random.Random) -> int:
    """A box or a sphere, near or far from the bodies."""
    centre = [rng.gauss(0, rng.choice([0.5, 2, 8])) for _ in range(3)]
    half = [abs(rng.gauss(0, 1)) * rng.choice([0, 1]) for _ in range(3)]
    low = vector([c - w for c, w in zip(centre, half, strict=True)])
    high = vector([c + w for c, w in zip(centre, half, strict=True)])
    radius = abs(rng.gauss(0, 1)) * rng.choice([0, 1])
    return TARGET.pack(radius=bits(radius), kappa=bits(rng.expovariate(1)), high=high, low=low)


def is_far(node: dict[str, int], box: dict[str, int]) -> bool:
    """(kappa q + R)^2 (1 + 2^-20) < d^2, each step rounded to fp32."""
    x, low, high = numbers(node["position"]), numbers(box["low"]), numbers(box["high"])
    d = x - np.minimum(np.maximum(x, low), high)
    squares = d * d
    distance = np.float32(np.float32(squares[0] + squares[1]) + squares[2])
    kappa, radius, q = (numbers(v, 1)[0] for v in (box["kappa"], box["radius"], node["q"]))
    reach = np.float32(np.float32(kappa * q) + radius)
    return bool(np.float32(np.float32(reach * reach) * GUARD) < distance)


def pruned(records: list[Record], box: int) -> list[int]:
    """The LET: what stays, with new numbers."""
    stay, result, following = {0}, list[int](), 1
    for number, record in enumerate(records):
        if number not in stay:
            continue
        node = NODE.unpack(record.bits)
        if record.children and not is_far(node, TARGET.unpack(box)):
            stay.update(record.children)
            result.append(NODE.pack(**(node | {"first": following})))
            following += len(record.children)
        else:
            result.append(NODE.pack(**(node | {"count": 0, "first": len(result), "q": CLOSED})))
    return result


def stream(records: list[int], padded: bool) -> list[int]:
    """Records as beats, the last one marked; without any a beat without bytes."""
    data = b"".join(record.to_bytes(32 if padded else 24, "little") for record in records)
    return beats_of(data) or [BEAT.pack(last=1)]

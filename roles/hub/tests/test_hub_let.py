# SPDX-License-Identifier: Apache-2.0
"""Covers: LETs for two targets in one pass through a hub whose function is at half width on 3 of 5 edges: random trees
in the host's memory, packed and padded, read by the DMA, LETs written to the host and to a remote node, bit by bit
those of a straightforward LET in numpy.

Leaves out: shapes of trees and rates (blocks/operators); other shapes of hubs.
"""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass
from typing import Any

import cocotb
import numpy as np
from hub_bench import FUNCTION_BIT, LAST, MEMORY, REG, Bench, Descriptor, hub
from hub_units import unit
from test_polyloom_hub_function import finished, outputs, setup

from polyloom.rtl.testing import bench

test = bench(__file__, "hub_tb")
LET = 4
GUARD = np.float32(1.00000095367431640625)


@dataclass
class Node:
    """A record: critical radius and place, mass, children."""

    data: np.ndarray  # q, x, y, z, mass
    count: int
    first: int

    def packed(self) -> bytes:
        """24 bytes; bias 1, a node without children has itself as first."""
        return self.data.tobytes() + struct.pack("<I", max(self.count - 1, 0) << 26 | self.first)


def random_tree(rng: random.Random, size: int) -> list[Node]:
    """Breadth-first, up to 8 children; leaves are bodies."""
    nodes: list[Node] = []
    known = 1
    while len(nodes) < known:
        number = len(nodes)
        count = min(rng.choice([0, 2, 5, 8]) if number else 8, size - known)
        place = [rng.uniform(-4, 4) for _ in range(3)]
        q = rng.uniform(0.1, 3) if count else -1.0
        nodes.append(Node(np.array([q, *place, rng.random()], np.float32), count, known if count else number))
        known += count
    return nodes


def let(tree: list[Node], target: np.ndarray) -> list[Node]:
    """Section by section as blocks/operators/README.md says, node by node."""
    low, high, kappa, radius = target[0:3], target[3:6], target[6], target[7]
    wanted, out, requested = {0}, [], 1
    for number, node in enumerate(tree):
        if number not in wanted:
            continue
        q, place = node.data[0], node.data[1:4]
        d = place - np.minimum(np.maximum(place, low), high)
        s = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]
        t = kappa * q + radius
        accepted = q < 0 or (t * t) * GUARD < s
        if not accepted and node.count:
            wanted.update(range(node.first, node.first + node.count))
            out.append(Node(node.data.copy(), node.count, requested))
            requested += node.count
        else:
            data = node.data.copy()
            data[0] = -1.0
            out.append(Node(data, 0, len(out)))
    return out


@cocotb.test()
@cocotb.parametrize(padded=[0, 1])
async def lets_for_two_targets(dut: Any, padded: int) -> None:
    b = Bench(dut, 1)
    await b.start()
    pad = bytes(8 * padded)
    for size in (1, 2, 30, 200):
        for writes in b.writes:
            writes.clear()
        tree = random_tree(b.h.rng, size)
        corner = np.array([b.h.rng.uniform(-6, 6) for _ in range(3)], np.float32)
        targets = [
            np.array([*corner, *(corner + np.float32(1)), 1, 0], np.float32),  # a box
            np.array([*corner, *corner, 1, 0.5], np.float32),  # a sphere
        ]
        stream = b"".join(t.tobytes() for t in targets) + b"".join(n.packed() + pad for n in tree)
        b.units[0][: len(stream)] = stream
        b.memory.bytes[:64] = Descriptor(unit(5, 0), 0, len(stream), control=LAST | FUNCTION_BIT).packed()
        b.write(REG.function_config, padded)
        setup(b, 3, kind=LET)
        b.write(REG.chain, hub(MEMORY))
        await b.h.step(20)
        await finished(b)
        await b.h.drain(after=40)
        for lane, target in enumerate(targets):
            data, flags = outputs(b, lane)
            wanted = b"".join(n.packed() + pad for n in let(tree, target))
            assert data == wanted and flags == [len(wanted)], f"{size} nodes, lane {lane}"
        assert await b.read(REG.function_status) & 0xFF == 0

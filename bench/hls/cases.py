# SPDX-License-Identifier: Apache-2.0
"""HLS: the kernels that are measured, and what is known of them from before.

``before``: cycles an iteration of the trials that preceded this compiler, on loops of the same kind: our own first
generator, CIRCT and Calyx from the same LLVM IR (issue of the role mpi).
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    """A kernel: file under kernels/, what an iteration is, the words for a run, the most cycles an iteration."""

    name: str
    what: str
    times: int
    most: float | None = None
    before: dict[str, float] = field(default_factory=dict)


CASES = (
    Case("jacobi_int", "Jacobi, integers, a point", 4, 2.0, {"first generator": 3.06, "CIRCT": 23.75, "Calyx": 6.00}),
    Case("jacobi_float", "Jacobi, single precision, a point", 4, 2.5),
    Case("dot", "dot product, an element", 4, None, {"first generator": 1.00}),
    Case("prefix", "prefix sum with a branch, an element", 4, None, {"first generator": 2.00}),
    Case("matmul", "matrix product, a multiplication", 1),
)

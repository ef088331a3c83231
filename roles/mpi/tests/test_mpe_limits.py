# SPDX-License-Identifier: Apache-2.0
"""Covers: the limits of the engine that polyloom mpirun plans with are those of its RTL, for every size of a job."""

from __future__ import annotations

from pathlib import Path

import pyslang

from polyloom.mpirun import job

RTL = Path(__file__).resolve().parents[1] / "rtl"


def test_jobs_keep_to_the_limits_of_the_rtl() -> None:
    compilation = pyslang.ast.Compilation()
    for name in ("polyloom_mpe_pkg", "polyloom_mpe_isa_pkg", "polyloom_mpe_map_pkg"):
        compilation.addSyntaxTree(pyslang.syntax.SyntaxTree.fromFile(str(RTL / f"{name}.sv")))

    def number(package: str, name: str) -> int:
        return int(compilation.getPackage(package).find(name).value.value)

    assert 8 * number("polyloom_mpe_pkg", "POOL_WORDS") == job.POOL_BYTES
    assert number("polyloom_mpe_map_pkg", "ENVELOPES") == job.ENVELOPES
    for size in range(1, number("polyloom_mpe_pkg", "MAX_RANKS") + 1):
        assert job.credits(size) * (size + 1) * job.eager_bytes(size) <= job.POOL_BYTES
        assert job.credits(size) <= job.most_envelopes(size) <= job.ENVELOPES // (size + 1)

# SPDX-License-Identifier: Apache-2.0
"""Covers: the package's functions for all lengths of a beat.

Leaves out: a keep with holes (not allowed).
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "stream_tb")


@cocotb.test()
async def keep_and_bytes_are_inverse(dut: Any) -> None:
    h = Harness(dut, dut.gen_pkg)
    s = {name: h.signal(name) for name in ("keep", "keep_back", "bytes", "bytes_back")}
    await h.reset()
    for length in range(33):
        s["bytes"].set(length)
        s["keep"].set((1 << length) - 1)
        await h.step()
        assert s["keep_back"].get() == (1 << length) - 1
        assert s["bytes_back"].get() == length

# SPDX-License-Identifier: Apache-2.0
"""Covers: the proof of polyloom_overlay_noc_crossbar, the router without its routes (formal/noc/proofs.toml).

Leaves out: other shapes than listed there; routes (test_polyloom_overlay_router.py).
"""

from __future__ import annotations

from pathlib import Path

from polyloom.rtl import formal

test = formal.cases(Path(__file__).parents[2] / "formal" / "noc" / "proofs.toml")

# SPDX-License-Identifier: Apache-2.0
"""Covers: the proofs of formal/proofs.toml.

Leaves out: other depths and widths than listed there.
"""

from __future__ import annotations

from pathlib import Path

from polyloom.rtl import formal

test = formal.cases(Path(__file__).parent.parent / "formal" / "proofs.toml")

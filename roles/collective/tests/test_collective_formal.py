# SPDX-License-Identifier: Apache-2.0
"""Covers: the proofs of formal/proofs.toml: switch and sync.

Leaves out: other shapes than listed there, runs longer than their bounds.
"""

from __future__ import annotations

from pathlib import Path

from polyloom.rtl import formal

test = formal.cases(Path(__file__).parent.parent / "formal" / "proofs.toml")

# SPDX-License-Identifier: Apache-2.0
"""Covers: the proofs of formal/proofs.toml: an output of the switch, its credits and the bubble rule.

Leaves out: other numbers of slots than there, runs longer than the bound.
"""

from __future__ import annotations

from pathlib import Path

from polyloom.rtl import formal

test = formal.cases(Path(__file__).parent.parent / "formal" / "proofs.toml")

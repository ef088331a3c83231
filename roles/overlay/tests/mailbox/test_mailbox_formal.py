# SPDX-License-Identifier: Apache-2.0
"""Covers: the proofs of formal/mailbox/proofs.toml: free list, references, pointer queues.

Leaves out: other shapes than listed there, runs longer than their bounds.
"""

from __future__ import annotations

from pathlib import Path

from polyloom.rtl import formal

test = formal.cases(Path(__file__).parents[2] / "formal" / "mailbox" / "proofs.toml")

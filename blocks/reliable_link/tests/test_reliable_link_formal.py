# SPDX-License-Identifier: Apache-2.0
"""Covers: the proofs of formal/proofs.toml, on polyloom_reliable_link_tx_channel and polyloom_reliable_link_rx_channel.

Leaves out: other sizes than listed there; frames on the wire (test_polyloom_reliable_link.py).
"""

from __future__ import annotations

from pathlib import Path

from polyloom.rtl import formal

test = formal.cases(Path(__file__).parent.parent / "formal" / "proofs.toml")

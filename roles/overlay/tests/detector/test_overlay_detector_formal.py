# SPDX-License-Identifier: Apache-2.0
"""Covers: the proofs of formal/detector: two boards are never released early; reports are not lost.

Proves polyloom_overlay_detector with polyloom_overlay_detector_read, polyloom_overlay_detector_combine and
polyloom_overlay_detector_sum, and polyloom_overlay_gather. Leaves out: more boards, time without bound
(overlay_detector_rtl_test.cc).
"""

from __future__ import annotations

from pathlib import Path

from polyloom.rtl import formal

test = formal.cases(Path(__file__).resolve().parents[2] / "formal" / "detector" / "proofs.toml")

# SPDX-License-Identifier: Apache-2.0
"""Covers: the proofs of formal/proofs.toml: the rules of a pair of ranks, polyloom_mpe_pair, for all times and packets.

Leaves out: all other parts of the engine. Takes one to two minutes, so only with POLYLOOM_TEST_FULL=1.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from polyloom.rtl import formal

full_only = pytest.mark.skipif("POLYLOOM_TEST_FULL" not in os.environ, reason="long: POLYLOOM_TEST_FULL=1")
test = full_only(formal.cases(Path(__file__).parent.parent / "formal" / "proofs.toml"))

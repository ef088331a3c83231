# SPDX-License-Identifier: Apache-2.0
"""What tests ask of their environment."""

from __future__ import annotations

import os

#: Long forms too: POLYLOOM_TEST_FULL is set, and not to 0 (fabric/full_tests.h says the same).
FULL = os.environ.get("POLYLOOM_TEST_FULL", "") not in {"", "0"}

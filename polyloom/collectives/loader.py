# SPDX-License-Identifier: Apache-2.0
"""The compiled module ``ext`` of this package, and its exception."""

from __future__ import annotations

import os
from typing import Any

from polyloom import compiled, paths

# The library finds the simulator and the RTL by it.
os.environ.setdefault("POLYLOOM_HOME", str(paths.home()))
ext: Any = compiled.load("collectives")
CollectiveError: type[Exception] = ext.CollectiveError

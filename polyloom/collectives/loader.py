# SPDX-License-Identifier: Apache-2.0
"""The compiled module ``ext`` of this package, and its exception."""

from __future__ import annotations

import os
from typing import Any

from polyloom.base import compiled, paths

# The library finds the simulator and the RTL by these.
os.environ.update(paths.environment())
ext: Any = compiled.load("collectives")
CollectiveError: type[Exception] = ext.CollectiveError

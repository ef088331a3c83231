# SPDX-License-Identifier: Apache-2.0
"""The compiled module ``ext`` of this package, and its exception."""

from __future__ import annotations

from typing import Any

from polyloom.base import compiled

ext: Any = compiled.load("nbody")
NBodyError: type[Exception] = ext.NBodyError

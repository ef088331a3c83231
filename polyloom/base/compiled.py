# SPDX-License-Identifier: Apache-2.0
"""Finds compiled modules in the build folder. Input: ``polyloom.base.paths``; output: modules."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from polyloom.base import paths
from polyloom.base.errors import UserError


class NotBuilt(UserError):
    """A compiled part is not there; says how to build it."""


def load(name: str) -> Any:
    """The compiled part of the package ``polyloom.NAME``; NotBuilt if it cannot be loaded."""
    folder = paths.build_dir() / "python"
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(f"_polyloom_{name}")
    except ImportError as error:
        raise NotBuilt(f"polyloom.{name} is not built ({error}); {paths.how_to_build()}") from error

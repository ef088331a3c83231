# SPDX-License-Identifier: Apache-2.0
"""Finds the compiled module in the build folder. Input: ``polyloom.paths``; output: the module ``ext``."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from polyloom import paths
from polyloom.errors import UserError


def _load() -> Any:
    folder = paths.build_dir() / "python"
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        return importlib.import_module("_polyloom_nbody")
    except ImportError as error:
        raise UserError(f"polyloom.nbody is not built ({error}); run `make build` in {paths.home()}") from error


ext: Any = _load()
NBodyError: type[Exception] = ext.NBodyError

# SPDX-License-Identifier: Apache-2.0
"""Packages that few verbs, applications and examples need (the extras of pyproject.toml). Input: a module's name."""

from __future__ import annotations

import importlib
from typing import Any

from polyloom.base import paths
from polyloom.base.errors import UserError


def need(module: str, package: str, command: str = "make setup") -> Any:
    """The module; UserError with what installs its package (in a checkout ``command``) if it is not there."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != module.split(".")[0]:
            raise
        install = paths.how_to_install(package, pip=True, setup=command)
        raise UserError(f"the Python package {package} is not installed; run `{install}`") from error

# SPDX-License-Identifier: Apache-2.0
"""The exceptions of this package, and PyNN's modules, which it needs."""

from __future__ import annotations

from typing import Any

from polyloom.base import extras
from polyloom.base.errors import UserError


class PynnError(UserError, ValueError):
    """An argument, a model or a network that cannot be; the text names it and what would be right."""


class NotThereError(PynnError, AttributeError):
    """Something of PyNN that this simulator does not have."""


def part(name: str) -> Any:
    """The module ``pyNN.NAME``. UserError with what installs it."""
    return extras.need(f"pyNN.{name}", "pynn", "pip install pynn")

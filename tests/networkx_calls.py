# SPDX-License-Identifier: Apache-2.0
"""Counts which functions of the NetworkX backend NetworkX's own tests call: a plugin of the pytest that runs these.

Output: ``calls.json`` in the folder where it runs.
"""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from polyloom.networkx_backend import backend  # noqa: F401  (fills the table)
from polyloom.networkx_backend.calls import algorithms

calls: Counter[str] = Counter()


def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which counts its calls."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        calls[name] += 1
        return function(*args, **kwargs)

    return call


def pytest_configure() -> None:
    """Before NetworkX asks for any of them."""
    algorithms.update({name: counted(name, function) for name, function in algorithms.items()})


def pytest_sessionfinish() -> None:
    """At the end."""
    Path("calls.json").write_text(json.dumps(calls))

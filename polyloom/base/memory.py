# SPDX-License-Identifier: Apache-2.0
"""Memory that is there, asked before work begins: fabric/memory.h. Input: bytes; output: UserError or not."""

from __future__ import annotations

import contextlib
from typing import Any

from polyloom.base import compiled


def there() -> float:
    """Bytes that this process can still take: of the machine, its control groups, its address space (ulimit -v)."""
    return float(_ext().memory_there())


def require(size: float, what: str) -> None:
    """UserError "WHAT needs BYTES of memory; BYTES are there" unless so many more can be taken.

    Without a built tree no one can tell, and native work, which needs none, begins.
    """
    with contextlib.suppress(compiled.NotBuilt):
        _ext().require_memory(size, what)


def left() -> str:
    """12.3 GB are left; nothing without a built tree."""
    with contextlib.suppress(compiled.NotBuilt):
        return f"{_ext().bytes_text(there())} are left"
    return ""


def _ext() -> Any:
    return compiled.load("fabric")

# SPDX-License-Identifier: Apache-2.0
"""Memory that is there, asked before work begins: fabric/memory.h. Input: bytes; output: UserError or not."""

from __future__ import annotations

from typing import Any

from polyloom import compiled
from polyloom.errors import UserError


def there() -> float:
    """Bytes that this process can still take: of the machine, its control groups, its address space (ulimit -v)."""
    return float(_ext().memory_there())


def require(size: float, what: str) -> None:
    """UserError "WHAT needs BYTES of memory; BYTES are there" unless so many more can be taken."""
    ext = _ext()
    try:
        ext.require_memory(size, what)
    except ext.Refused as error:
        raise UserError(str(error)) from None


def text(size: float) -> str:
    """12.3 GB."""
    return str(_ext().bytes_text(size))


def _ext() -> Any:
    return compiled.load("fabric")
